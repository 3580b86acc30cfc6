package memory

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// ImageLanes reads and writes elements of an image for up to 64 lanes at once. What the format and the sampler
// decide is decided once for all lanes. Results are those of [Image.Sample], [Image.SampleAt],
// [Format.Decode] and [Format.Encode]. An ImageLanes is used by one goroutine at a time; its contents mean
// nothing between two calls.
//
// What is read may go to where a coordinate was.
type ImageLanes struct {
	list, insides [64]uint8
	lanes         []uint8 // those of the access
	inside        []uint8 // those of them whose element is inside of the image
	out           uint64  // the others
	off           [64]uint64

	linear linearLanes
}

// LaneWords is a number of 32 bits for each lane: a coordinate, an int32 or a float, or a component.
type LaneWords = [64]uint32

// allLanes is the list of all lanes.
var allLanes = func() (list [64]uint8) {
	for i := range list {
		list[i] = uint8(i)
	}
	return list
}()

// listLanes returns the lanes of a set, in list unless it is all of them.
func listLanes(set uint64, list *[64]uint8) []uint8 {
	if set == math.MaxUint64 {
		return allLanes[:]
	}
	n := 0
	for ; set != 0; set &= set - 1 {
		list[n&63] = uint8(bits.TrailingZeros64(set))
		n++
	}
	return list[:n]
}

// begin prepares an access of a set of lanes. All lanes are inside of the image at its first element.
func (l *ImageLanes) begin(set uint64) {
	l.lanes, l.out = listLanes(set, &l.list), 0
	clear(l.off[:])
}

// located ends the search for elements.
func (l *ImageLanes) located() {
	l.inside = l.lanes
	if l.out != 0 {
		set := uint64(0)
		for _, i := range l.lanes {
			set |= 1 << (i & 63)
		}
		l.inside = listLanes(set&^l.out, &l.insides)
	}
}

// clamp goes along a dimension to integer coordinates, of which those outside are the nearest inside.
func (l *ImageLanes) clamp(c *LaneWords, size int64, pitch uint64) {
	for _, i := range l.lanes {
		at := min(max(int64(int32(c[i&63])), 0), size-1)
		l.off[i&63] += uint64(at) * pitch
	}
}

// check goes along a dimension to integer coordinates, of which those outside are outside of the image.
func (l *ImageLanes) check(c *LaneWords, size int64, pitch uint64) {
	for _, i := range l.lanes {
		at := uint64(int32(c[i&63]))
		if at >= uint64(size) {
			l.out |= 1 << (i & 63)
			at = 0
		}
		l.off[i&63] += at * pitch
	}
}

// pitches returns the bytes from element to element in each dimension.
func (im *Image) pitches() [3]uint64 {
	return [3]uint64{uint64(im.Format.Bytes()), im.RowPitch, im.SlicePitch}
}

// integers goes to integer coordinates, clamped or not. Layers are clamped where clampLayer says so.
func (l *ImageLanes) integers(im *Image, c *[3]*LaneWords, clamp, clampLayer bool) {
	level, pitch := im.Level(0), im.pitches()
	for d, size := range level.sizes(im) {
		if clamp {
			l.clamp(c[d], size, pitch[d])
		} else {
			l.check(c[d], size, pitch[d])
		}
	}
	if im.Array {
		if c := c[im.dims()]; clampLayer {
			l.clamp(c, int64(im.Layers), im.SlicePitch)
		} else {
			l.check(c, int64(im.Layers), im.SlicePitch)
		}
	}
	l.located()
}

// Read reads elements without a sampler, of an image without further levels, into those of dst that are not
// nil. Coordinates outside give the border, but layers outside the nearest one.
func (l *ImageLanes) Read(im *Image, data []byte, set uint64, c *[3]*LaneWords, dst *[4]*LaneWords) {
	l.begin(set)
	l.integers(im, c, false, true)
	l.texels(im, data, dst)
}

// Zero gives a set of lanes zeros: what they read of an image of another class than they ask for.
func (l *ImageLanes) Zero(set uint64, dst *[4]*LaneWords) {
	l.out = set
	l.border(Texel{}, dst)
}

// Write writes elements of an image without further levels. Those outside of it are not written. Of lanes that
// write the same element the last one's remains.
func (l *ImageLanes) Write(im *Image, data []byte, set uint64, c *[3]*LaneWords, src *[4]*LaneWords) {
	l.begin(set)
	l.integers(im, c, false, false)
	l.encode(im.Format, data, src)
}

// SampleAt reads an image without further levels with a sampler and integer coordinates.
func (l *ImageLanes) SampleAt(im *Image, data []byte, s Sampler, set uint64, c *[3]*LaneWords, dst *[4]*LaneWords) {
	l.begin(set)
	_, clamp := s.address(-1, 1)
	l.integers(im, c, clamp, true)
	l.texels(im, data, dst)
}

// Sample reads an image without further levels with a sampler and coordinates that are floats.
func (l *ImageLanes) Sample(im *Image, data []byte, s Sampler, set uint64, c *[3]*LaneWords, dst *[4]*LaneWords) {
	if s.linear() && im.Format.Class() == ClassFloat {
		l.sampleLinear(im, data, s, set, c, dst)
		return
	}
	l.begin(set)
	level, pitch := im.Level(0), im.pitches()
	for d, size := range level.sizes(im) {
		l.nearest(s, c[d], size, pitch[d])
	}
	l.layers(im, c)
	l.located()
	l.texels(im, data, dst)
}

// layers goes to the layers of an array, float coordinates.
func (l *ImageLanes) layers(im *Image, c *[3]*LaneWords) {
	if im.Array {
		c := c[im.dims()]
		for _, i := range l.lanes {
			l.off[i&63] += uint64(im.layer(finite(math.Float32frombits(c[i&63])))) * im.SlicePitch
		}
	}
}

// nearest goes along a dimension to the elements that float coordinates are in.
func (l *ImageLanes) nearest(s Sampler, c *LaneWords, size int64, pitch uint64) {
	if s.wraps() {
		for _, i := range l.lanes {
			l.off[i&63] += uint64(s.nearest(math.Float32frombits(c[i&63]), size).i0) * pitch
		}
		return
	}
	extent, scale := float64(size), 1.0
	if s.normalized() {
		scale = extent
	}
	_, clamp := s.address(-1, 1)
	for _, i := range l.lanes {
		u := float64(float32(float64(math.Float32frombits(c[i&63])) * scale)) // see place
		at, in := int64(0), true
		switch {
		case u < 0:
			in = clamp
		case u >= extent:
			at, in = size-1, clamp
		case u == u: // a NaN stands for 0
			at = int64(u)
		}
		if !in {
			l.out |= 1 << (i & 63)
		}
		l.off[i&63] += uint64(at) * pitch
	}
}

// texels decodes the elements and puts the border where lanes are outside.
func (l *ImageLanes) texels(im *Image, data []byte, dst *[4]*LaneWords) {
	l.decode(im.Format, data, dst, false)
	l.border(im.Format.Border(), dst)
}

// border gives the lanes that are outside a value.
func (l *ImageLanes) border(t Texel, dst *[4]*LaneWords) {
	for m := l.out; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		for n, d := range dst {
			if d != nil {
				d[i] = t[n]
			}
		}
	}
}

// The tables of elements of 8 bits: what kernels read, and the exact elements of exactElement.
var unorm8, snorm8, signed8, unsigned8, exactUnorm8, exactSnorm8 [256]uint32

func init() {
	for i := range 256 {
		p := []byte{byte(i)}
		unorm8[i], snorm8[i] = decodeChannel(UnormInt8, p), decodeChannel(SnormInt8, p)
		signed8[i], unsigned8[i] = decodeChannel(SignedInt8, p), decodeChannel(UnsignedInt8, p)
		exactUnorm8[i], exactSnorm8[i] = math.Float32bits(float32(i)), math.Float32bits(float32(max(int8(i), -127)))
	}
}

// table8 returns the table of a channel, or nil if it is not one of 8 bits.
func table8(f Format, component uint8, exact bool) *[256]uint32 {
	switch {
	case f.srgb() && component < 3:
		return &srgbToLinear
	case f.Type == UnormInt8 && exact:
		return &exactUnorm8
	case f.Type == SnormInt8 && exact:
		return &exactSnorm8
	}
	switch f.Type {
	case UnormInt8:
		return &unorm8
	case SnormInt8:
		return &snorm8
	case SignedInt8:
		return &signed8
	case UnsignedInt8:
		return &unsigned8
	}
	return nil
}

// decode16 returns how a channel of 16 bits is decoded.
func decode16(t ChannelType, exact bool) func(v uint16) uint32 {
	switch t {
	case UnormInt16:
		if exact {
			return func(v uint16) uint32 { return math.Float32bits(float32(v)) }
		}
		return func(v uint16) uint32 { return unorm(uint32(v), 65535) }
	case SnormInt16:
		if exact {
			return func(v uint16) uint32 { return math.Float32bits(float32(max(int16(v), -32767))) }
		}
		return func(v uint16) uint32 { return snorm(int32(int16(v)), 32767) }
	case SignedInt16:
		return func(v uint16) uint32 { return uint32(int16(v)) }
	case UnsignedInt16:
		return func(v uint16) uint32 { return uint32(v) }
	}
	return halfToFloat
}

// decode decodes the elements of the lanes that are inside. With exact, they are those of exactElement, which
// floats hold exactly.
func (l *ImageLanes) decode(f Format, data []byte, dst *[4]*LaneWords, exact bool) {
	if channelBytes[f.Type] == 0 {
		l.decodePacked(f, data, dst, exact)
		return
	}
	if dst[0] != nil && dst[1] != nil && dst[2] != nil && dst[3] != nil && l.decodeFour(f, data, dst, exact) {
		return
	}
	for c, n := range f.componentChannels() {
		switch d := dst[c]; {
		case d == nil:
		case n >= 0:
			l.decodeChannel(f, uint8(c), data[n*channelBytes[f.Type]:], d, exact)
		default:
			v := uint32(0)
			if c == 3 {
				v = f.alpha(exact)
			}
			for _, i := range l.inside {
				d[i&63] = v
			}
		}
	}
}

// componentChannels returns which channel each component is read from, -1 for one that the format does not have.
func (f Format) componentChannels() [4]int {
	from := [4]int{-1, -1, -1, -1}
	for n, c := range channels[f.Order] {
		if c != noComponent {
			from[c] = n
		}
	}
	switch f.Order {
	case OrderIntensity:
		from = [4]int{}
	case OrderLuminance:
		from[1], from[2] = 0, 0
	}
	return from
}

// alpha returns the alpha of a format that has none.
func (f Format) alpha(exact bool) uint32 {
	if exact {
		return math.Float32bits(float32(f.scales()[3]))
	}
	return f.one()
}

// decodePacked decodes elements whose channels share a word.
func (l *ImageLanes) decodePacked(f Format, data []byte, dst *[4]*LaneWords, exact bool) {
	scales := f.scales()
	for _, i := range l.inside {
		t := f.Decode(data[l.off[i&63]:])
		for n, d := range dst {
			switch {
			case d == nil:
			case exact:
				d[i&63] = math.Float32bits(float32(math.RoundToEven(float64(math.Float32frombits(t[n])) * scales[n])))
			default:
				d[i&63] = t[n]
			}
		}
	}
}

// decodeFour decodes elements with four channels of 8 bits, or of 32 bits in the order of the components. It
// says whether they are such.
func (l *ImageLanes) decodeFour(f Format, data []byte, dst *[4]*LaneWords, exact bool) bool {
	from := f.componentChannels()
	if len(channels[f.Order]) != 4 || slices.Contains(from[:], -1) {
		return false
	}
	d0, d1, d2, d3 := dst[0], dst[1], dst[2], dst[3]
	switch channelBytes[f.Type] {
	case 1:
		colour, alpha := table8(f, 0, exact), table8(f, 3, exact)
		s0, s1, s2, s3 := 8*from[0], 8*from[1], 8*from[2], 8*from[3]
		for _, i := range l.inside {
			v := binary.LittleEndian.Uint32(data[l.off[i&63]:])
			d0[i&63], d1[i&63] = colour[v>>(s0&31)&255], colour[v>>(s1&31)&255]
			d2[i&63], d3[i&63] = colour[v>>(s2&31)&255], alpha[v>>(s3&31)&255]
		}
		return true
	case 4:
		for _, i := range l.inside {
			p := data[l.off[i&63]:][:16]
			d0[i&63], d1[i&63] = binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
			d2[i&63], d3[i&63] = binary.LittleEndian.Uint32(p[8:]), binary.LittleEndian.Uint32(p[12:])
		}
		return true // of 32 bits there are only components in their order
	}
	return false
}

// decodeChannel decodes the channel of a component; p begins with that of the first element.
func (l *ImageLanes) decodeChannel(f Format, component uint8, p []byte, dst *LaneWords, exact bool) {
	switch channelBytes[f.Type] {
	case 1:
		table := table8(f, component, exact)
		for _, i := range l.inside {
			dst[i&63] = table[p[l.off[i&63]]]
		}
	case 2:
		decode := decode16(f.Type, exact)
		for _, i := range l.inside {
			dst[i&63] = decode(binary.LittleEndian.Uint16(p[l.off[i&63]:]))
		}
	default:
		for _, i := range l.inside {
			dst[i&63] = binary.LittleEndian.Uint32(p[l.off[i&63]:])
		}
	}
}

// encode stores elements of the lanes that are inside, in the order of lanes in each channel.
func (l *ImageLanes) encode(f Format, data []byte, src *[4]*LaneWords) {
	size := channelBytes[f.Type]
	if size == 0 || f.srgb() {
		for _, i := range l.inside {
			f.Encode(data[l.off[i&63]:], Texel{src[0][i&63], src[1][i&63], src[2][i&63], src[3][i&63]})
		}
		return
	}
	if l.encodeFour(f, data, src) {
		return
	}
	for n, c := range channels[f.Order] {
		if c == noComponent {
			continue // only formats whose channels share a word, and those in sRGB's curve, have padding
		}
		v, p := src[c], data[n*size:]
		switch {
		case f.Type == UnormInt8:
			for _, i := range l.inside {
				p[l.off[i&63]] = encodeUnorm8(v[i&63])
			}
		case size == 4:
			for _, i := range l.inside {
				binary.LittleEndian.PutUint32(p[l.off[i&63]:], v[i&63])
			}
		default:
			for _, i := range l.inside {
				encodeChannel(f.Type, p[l.off[i&63]:], v[i&63])
			}
		}
	}
}

// encodeFour stores elements with four channels of 32 bits, or of normalized bytes. It says whether they are such.
func (l *ImageLanes) encodeFour(f Format, data []byte, src *[4]*LaneWords) bool {
	order := channels[f.Order]
	if len(order) != 4 {
		return false
	}
	s0, s1, s2, s3 := src[order[0]], src[order[1]], src[order[2]], src[order[3]]
	switch {
	case f.Type == UnormInt8:
		for _, i := range l.inside {
			i &= 63
			v := uint32(encodeUnorm8(s0[i])) | uint32(encodeUnorm8(s1[i]))<<8 | uint32(encodeUnorm8(s2[i]))<<16 | uint32(encodeUnorm8(s3[i]))<<24
			binary.LittleEndian.PutUint32(data[l.off[i]:], v)
		}
		return true
	case channelBytes[f.Type] == 4:
		for _, i := range l.inside {
			i &= 63
			p := data[l.off[i]:][:16]
			binary.LittleEndian.PutUint32(p, s0[i])
			binary.LittleEndian.PutUint32(p[4:], s1[i])
			binary.LittleEndian.PutUint32(p[8:], s2[i])
			binary.LittleEndian.PutUint32(p[12:], s3[i])
		}
		return true
	}
	return false
}

// encodeUnorm8 is what toUnorm does for 8 bits.
func encodeUnorm8(v uint32) uint8 {
	x := math.Float32frombits(v) * 255
	switch {
	case !(x > 0): // NaN too
		return 0
	case x >= 255:
		return 255
	}
	// The last bits of a float from 2^23 on are those of whole numbers, to which the sum is rounded.
	return uint8(math.Float32bits(x + 1<<23))
}
