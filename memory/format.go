package memory

import "fmt"

// ChannelOrder says which channels the elements of an image have, and in which
// order. The numbers are those of SPIR-V (3.2.31, Image Channel Order); OpenCL's
// are higher by [OpenCLChannelOrder].
type ChannelOrder uint8

// The channel orders.
const (
	OrderR ChannelOrder = iota
	OrderA
	OrderRG
	OrderRA
	OrderRGB
	OrderRGBA
	OrderBGRA
	OrderARGB
	OrderIntensity
	OrderLuminance
	OrderRx
	OrderRGx
	OrderRGBx
	OrderDepth
	OrderDepthStencil
	OrderSRGB
	OrderSRGBx
	OrderSRGBA
	OrderSBGRA
	OrderABGR
	NumOrders
)

// ChannelType is the data type of a channel. The numbers are those of SPIR-V
// (Image Channel Data Type); OpenCL's are higher by [OpenCLChannelType].
type ChannelType uint8

// The channel data types.
const (
	SnormInt8 ChannelType = iota
	SnormInt16
	UnormInt8
	UnormInt16
	UnormShort565
	UnormShort555
	UnormInt101010
	SignedInt8
	SignedInt16
	SignedInt32
	UnsignedInt8
	UnsignedInt16
	UnsignedInt32
	HalfFloat
	Float
	UnormInt24
	UnormInt101010x2
	NumChannelTypes
)

// What OpenCL's numbers (CL_R, CL_SNORM_INT8) are above those of SPIR-V.
const (
	OpenCLChannelOrder = 0x10b0
	OpenCLChannelType  = 0x10d0
)

var orderNames = [NumOrders]string{"r", "a", "rg", "ra", "rgb", "rgba", "bgra", "argb", "intensity", "luminance",
	"rx", "rgx", "rgbx", "depth", "depthstencil", "srgb", "srgbx", "srgba", "sbgra", "abgr"}

var channelTypeNames = [NumChannelTypes]string{"snorm8", "snorm16", "unorm8", "unorm16", "unorm565", "unorm555", "unorm101010",
	"i8", "i16", "i32", "u8", "u16", "u32", "f16", "f32", "unorm24", "unorm101010_2"}

// String returns the order in lower case: "rgba".
func (o ChannelOrder) String() string {
	if o < NumOrders {
		return orderNames[o]
	}
	return fmt.Sprintf("order(%d)", uint8(o))
}

// String returns the type's name: "unorm8", "i16", "f32".
func (t ChannelType) String() string {
	if t < NumChannelTypes {
		return channelTypeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// ParseChannelOrder returns the order with the given name.
func ParseChannelOrder(s string) (ChannelOrder, bool) {
	for o, n := range orderNames {
		if n == s {
			return ChannelOrder(o), true
		}
	}
	return 0, false
}

// ParseChannelType returns the type with the given name.
func ParseChannelType(s string) (ChannelType, bool) {
	for t, n := range channelTypeNames {
		if n == s {
			return ChannelType(t), true
		}
	}
	return 0, false
}

// Format is the format of an image's elements.
type Format struct {
	Order ChannelOrder
	Type  ChannelType
}

// String returns the format as "rgba:unorm8".
func (f Format) String() string { return f.Order.String() + ":" + f.Type.String() }

// Class is what kind of numbers a kernel reads from a format.
type Class uint8

// The classes.
const (
	ClassFloat    Class = iota // read_imagef, write_imagef
	ClassSigned                // read_imagei, write_imagei
	ClassUnsigned              // read_imageui, write_imageui
)

// Class returns what kind of numbers the format holds.
func (f Format) Class() Class {
	switch f.Type {
	case SignedInt8, SignedInt16, SignedInt32:
		return ClassSigned
	case UnsignedInt8, UnsignedInt16, UnsignedInt32:
		return ClassUnsigned
	}
	return ClassFloat
}

// channels has, for each order, the component (0 to 3 for r, g, b, a) that each
// channel in memory is. One channel of intensity and luminance is r.
var channels = [NumOrders][]uint8{
	OrderR: {0}, OrderA: {3}, OrderRG: {0, 1}, OrderRA: {0, 3}, OrderRGB: {0, 1, 2}, OrderRGBA: {0, 1, 2, 3},
	OrderBGRA: {2, 1, 0, 3}, OrderARGB: {3, 0, 1, 2}, OrderIntensity: {0}, OrderLuminance: {0}, OrderRx: {0}, OrderRGx: {0, 1},
	OrderRGBx: {0, 1, 2}, OrderSRGB: {0, 1, 2}, OrderSRGBx: {0, 1, 2, noComponent}, OrderSRGBA: {0, 1, 2, 3}, OrderSBGRA: {2, 1, 0, 3},
	OrderABGR: {3, 2, 1, 0}, OrderDepth: {0},
}

// noComponent is a channel that is padding: read by nobody, written as zero.
const noComponent = 4

// packed has the types whose channels share one little-endian word: its bytes,
// and where each of the components r, g, b, a begins and how many bits it has.
type packedType struct {
	bytes       int
	shift, bits [4]uint8
}

var packed = map[ChannelType]packedType{
	UnormShort565:    {2, [4]uint8{11, 5, 0}, [4]uint8{5, 6, 5}},
	UnormShort555:    {2, [4]uint8{10, 5, 0}, [4]uint8{5, 5, 5}},
	UnormInt101010:   {4, [4]uint8{20, 10, 0}, [4]uint8{10, 10, 10}},
	UnormInt101010x2: {4, [4]uint8{22, 12, 2, 0}, [4]uint8{10, 10, 10, 2}},
}

// bytes of a channel, by type; 0 for packed ones.
var channelBytes = [NumChannelTypes]int{SnormInt8: 1, SnormInt16: 2, UnormInt8: 1, UnormInt16: 2, SignedInt8: 1, SignedInt16: 2,
	SignedInt32: 4, UnsignedInt8: 1, UnsignedInt16: 2, UnsignedInt32: 4, HalfFloat: 2, Float: 4}

// Valid says whether images may have the format: the combinations that OpenCL
// lists (section 5.3.1.1 of the API specification). Depth together with a stencil, which only images shared
// with a graphics API have, is none of them.
func (f Format) Valid() bool {
	if f.Order >= NumOrders || f.Type >= NumChannelTypes || channels[f.Order] == nil {
		return false
	}
	_, isPacked := packed[f.Type]
	switch f.Order {
	case OrderRGB, OrderRGBx:
		return isPacked && f.Type != UnormInt101010x2
	case OrderRGBA:
		return channelBytes[f.Type] != 0 || f.Type == UnormInt101010x2
	case OrderIntensity, OrderLuminance:
		return f.Class() == ClassFloat && channelBytes[f.Type] != 0
	case OrderDepth:
		return f.Type == UnormInt16 || f.Type == Float
	case OrderARGB, OrderBGRA, OrderABGR:
		return channelBytes[f.Type] == 1
	case OrderSRGB, OrderSRGBx, OrderSRGBA, OrderSBGRA:
		return f.Type == UnormInt8
	}
	return channelBytes[f.Type] != 0
}

// Formats returns every valid format, by order and then by type.
func Formats() []Format {
	var list []Format
	for o := range NumOrders {
		for t := range NumChannelTypes {
			if f := (Format{o, t}); f.Valid() {
				list = append(list, f)
			}
		}
	}
	return list
}

// Channels returns how many channels an element has in memory, padding included.
func (f Format) Channels() int {
	if !f.Valid() {
		return 0
	}
	return len(channels[f.Order])
}

// ChannelBytes returns the size of a channel, 0 for a type whose channels share a word.
func (f Format) ChannelBytes() int {
	if f.Type >= NumChannelTypes {
		return 0
	}
	return channelBytes[f.Type]
}

// Bytes returns the size of an element: 1 to 16; 0 for a format that is not valid.
func (f Format) Bytes() int {
	if f.Order >= NumOrders || f.Type >= NumChannelTypes {
		return 0
	}
	return int(formatBytes[f.Order][f.Type])
}

// formatBytes has what Bytes returns, which every access asks for.
var formatBytes = func() (table [NumOrders][NumChannelTypes]uint8) {
	for _, f := range Formats() {
		n := f.Channels() * f.ChannelBytes()
		if p, ok := packed[f.Type]; ok {
			n = p.bytes
		}
		table[f.Order][f.Type] = uint8(n)
	}
	return table
}()

// srgb says whether the colours are kept in sRGB's curve.
func (f Format) srgb() bool { return f.Order >= OrderSRGB && f.Order <= OrderSBGRA }

// hasBorderAlpha says whether the border's alpha is 0 rather than 1 (OpenCL C
// 6.15.15.1, CLK_ADDRESS_CLAMP).
func (f Format) hasBorderAlpha() bool {
	switch f.Order {
	case OrderR, OrderRG, OrderRGB, OrderLuminance, OrderSRGB:
		return false
	}
	return true
}
