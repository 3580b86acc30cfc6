// Command images compares reads and writes of images between lockstep and an OpenCL implementation of this
// machine: every kind of image, every format that the implementation has, every sampler, integer and float
// coordinates, which are drawn from a seed.
//
//	go run ./images                      on the first device
//	go run ./images -run image3d -n 500  only what matches, with so many coordinates each
//
// It prints a line for each combination that differs, with the first coordinate, and then counts. Reads of
// the nearest element must agree bit by bit, but for the last place of what normalized integers stand for.
// Linear filters may differ by what OpenCL allows them; the largest difference is printed, as a share of the
// largest element.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"

	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/memory"
)

func main() {
	pattern := flag.String("run", "", "compare only combinations whose name matches this `REGEXP`")
	n := flag.Int("n", 200, "draw `N` coordinates for each combination")
	tolerance := flag.Float64("tolerance", 1e-5, "what linear filters may differ by, as a share of the largest element")
	platform := flag.String("platform", "", "take the first platform whose name contains `WORD` (any case)")
	seed := flag.Uint64("seed", 1, "draw from this `SEED`")
	flag.Parse()
	j := judge{n: *n, why: map[string]int{}, match: regexp.MustCompile(*pattern), tolerance: *tolerance, r: rand.New(rand.NewPCG(*seed, 0))}
	if err := j.run(*platform); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
	fmt.Printf("%d combinations agree, %d differ; linear filters differ by %.3g at most\n", j.same, j.differ, j.worst)
	for _, why := range slices.Sorted(maps.Keys(j.why)) {
		fmt.Printf("known, %d combinations: %s\n", j.why[why], why)
	}
	if j.differ > 0 {
		os.Exit(1)
	}
}

// known says where PoCL 3.1 departs from the specification, "" where it is not known to. component is that of
// a read, and -1 stands for a write.
func known(k emu.ImageKind, f emu.Format, s *emu.Sampler, component int) string {
	switch {
	case f.Type == emu.HalfFloat && (f.Order == emu.OrderR || f.Order == emu.OrderA):
		return "images of one half are read and written as integers"
	case (k == emu.Image1DArray || k == emu.Image2DArray) && s != nil && s.Normalized:
		return "the layer is taken as normalized, but it never is (OpenCL C 6.15.15.2)"
	case (f.Order == emu.OrderR || f.Order == emu.OrderRG) && component == 3:
		return "the alpha of the orders r and rg is 0 for integers and outside of the image, but it is 1 (OpenCL C 6.15.15.1 and 6.15.15.7)"
	}
	return ""
}

// kind is a kind of image.
type kind struct {
	name                 string
	cl                   uint32
	emu                  emu.ImageKind
	w, h, d, layers      int
	intCoord, floatCoord string // of component numbers c, as OpenCL C
	pos                  string // of element g, for writes
}

var kinds = []kind{
	{"image1d_t", ocl.Image1D, emu.Image1D, 13, 1, 1, 0, "c.x", "c.x", "g"},
	{"image1d_buffer_t", ocl.Image1DBuffer, emu.Image1DBuffer, 13, 1, 1, 0, "c.x", "", "g"},
	{"image1d_array_t", ocl.Image1DArray, emu.Image1DArray, 7, 1, 1, 5, "c.xy", "c.xy", "(int2)(g % 7, g / 7)"},
	{"image2d_t", ocl.Image2D, emu.Image2D, 7, 5, 1, 0, "c.xy", "c.xy", "(int2)(g % 7, g / 7)"},
	{"image2d_array_t", ocl.Image2DArray, emu.Image2DArray, 5, 4, 1, 3, "c", "c", "(int4)(g % 5, g / 5 % 4, g / 20, 0)"},
	{"image3d_t", ocl.Image3D, emu.Image3D, 5, 4, 3, 0, "c", "c", "(int4)(g % 5, g / 5 % 4, g / 20, 0)"},
}

// source is the kernels for a kind: reads with float and integer coordinates and without sampler, and writes.
func (k *kind) source() string {
	s := ""
	for _, t := range []struct{ suffix, typ string }{{"f", "float4"}, {"i", "int4"}, {"ui", "uint4"}} {
		if k.floatCoord != "" {
			s += fmt.Sprintf("kernel void f_%s(read_only %s im, sampler_t s, global const float4 *cs, global %s *out) { int g = get_global_id(0); float4 c = cs[g]; out[g] = read_image%s(im, s, %s); }\n",
				t.suffix, k.name, t.typ, t.suffix, k.floatCoord)
			s += fmt.Sprintf("kernel void i_%s(read_only %s im, sampler_t s, global const int4 *cs, global %s *out) { int g = get_global_id(0); int4 c = cs[g]; out[g] = read_image%s(im, s, %s); }\n",
				t.suffix, k.name, t.typ, t.suffix, k.intCoord)
		}
		s += fmt.Sprintf("kernel void n_%s(read_only %s im, global const int4 *cs, global %s *out) { int g = get_global_id(0); int4 c = cs[g]; out[g] = read_image%s(im, %s); }\n",
			t.suffix, k.name, t.typ, t.suffix, k.intCoord)
		if k.emu != emu.Image3D {
			s += fmt.Sprintf("kernel void w_%s(write_only %s im, global const %s *v) { int g = get_global_id(0); write_image%s(im, %s, v[g]); }\n", t.suffix, k.name, t.typ, t.suffix, k.pos)
		}
	}
	return s
}

type judge struct {
	n            int
	match        *regexp.Regexp
	tolerance    float64
	r            *rand.Rand
	same, differ int
	worst        float64
	why          map[string]int // known differences

	ctx *ocl.Context
	q   *ocl.Queue
	dev *emu.Device
}

func (j *judge) run(platform string) error {
	device, err := ocl.FindDevice("", platform)
	if err != nil {
		return err
	}
	fmt.Println(device.Version, device.Name)
	if j.ctx, err = device.NewContext(); err != nil {
		return err
	}
	if j.q, err = j.ctx.NewQueue(); err != nil {
		return err
	}
	if j.dev, err = emu.NewDevice(emu.DeviceOptions{}); err != nil {
		return err
	}
	for i := range kinds {
		if err := j.kind(&kinds[i]); err != nil {
			return fmt.Errorf("%s: %w", kinds[i].name, err)
		}
	}
	return nil
}

// pair is a kernel on both sides.
type pair struct {
	ocl *ocl.Program
	emu *emu.Program
}

func (j *judge) kind(k *kind) error {
	p := pair{}
	var err error
	if p.ocl, err = j.ctx.ProgramFromSource(k.source()); err != nil {
		return err
	}
	if err := p.ocl.Build("-cl-std=CL1.2"); err != nil {
		return err
	}
	if p.emu, _, err = j.dev.BuildProgram(k.source(), "-cl-std=CL1.2"); err != nil {
		return err
	}
	formats, err := j.ctx.ImageFormats(k.cl, false)
	if err != nil {
		return err
	}
	for _, f := range formats {
		ef := emu.Format{Order: emu.ChannelOrder(f.Order - memory.OpenCLChannelOrder), Type: emu.ChannelType(f.Type - memory.OpenCLChannelType)}
		if !ef.Valid() || ef.Order == emu.OrderDepth {
			continue
		}
		if err := j.format(k, p, f, ef); err != nil {
			return fmt.Errorf("%s: %w", ef, err)
		}
	}
	return nil
}

var suffixes = map[memory.Class]string{memory.ClassFloat: "f", memory.ClassSigned: "i", memory.ClassUnsigned: "ui"}

func (j *judge) format(k *kind, p pair, f ocl.ImageFormat, ef emu.Format) error {
	data := make([]byte, k.w*k.h*k.d*max(k.layers, 1)*ef.Bytes())
	for i := range data {
		data[i] = byte(j.r.Uint32())
	}
	largest := 1.0
	switch ef.Type {
	case emu.Float:
		for i := 0; i < len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(j.r.NormFloat64())))
		}
		largest = 4
	case emu.HalfFloat:
		for i := 1; i < len(data); i += 2 {
			data[i] &= 0xbf // below 2
		}
		largest = 2
	}
	var buffer *ocl.Buffer
	if k.cl == ocl.Image1DBuffer {
		var err error
		if buffer, err = j.ctx.NewBuffer(len(data)); err != nil {
			return err
		}
		defer buffer.Release()
		if err := j.q.Write(buffer, data); err != nil {
			return err
		}
	}
	im, err := j.ctx.NewImage(k.cl, f, k.w, k.h, k.d, k.layers, data, buffer)
	if err != nil {
		return err
	}
	defer im.Release()
	eim, err := j.dev.NewImage(emu.ImageDesc{Kind: k.emu, Width: k.w, Height: k.h, Depth: k.d, Layers: max(k.layers, 1)}, ef, emu.ImageOptions{})
	if err != nil {
		return err
	}
	defer eim.Free()
	if err := eim.SetBytes(data); err != nil {
		return err
	}
	suffix := suffixes[ef.Class()]
	name := func(what string) string { return k.name + " " + ef.String() + " " + what }
	if k.floatCoord != "" {
		for a := 0; a < 5; a++ {
			for flags := range 4 {
				normalized, linear := flags&1 != 0, flags&2 != 0
				if !normalized && a >= 3 || linear && suffix != "f" {
					continue
				}
				s, es := sampler(j.ctx, normalized, a, linear)
				if s == nil {
					continue
				}
				if err := j.reads(p, "f_"+suffix, name("float "+es.String()), k, im, eim, s, es, a == 0, largest); err != nil {
					return err
				}
				if !normalized && !linear && a < 3 {
					if err := j.reads(p, "i_"+suffix, name("int "+es.String()), k, im, eim, s, es, a == 0, largest); err != nil {
						return err
					}
				}
				if err := s.Release(); err != nil {
					return err
				}
			}
		}
	}
	if err := j.reads(p, "n_"+suffix, name("no sampler"), k, im, eim, nil, nil, true, largest); err != nil {
		return err
	}
	if k.emu != emu.Image3D {
		return j.writes(p, "w_"+suffix, name("write"), im, eim, len(data)/ef.Bytes(), ef)
	}
	return nil
}

func sampler(ctx *ocl.Context, normalized bool, a int, linear bool) (*ocl.Sampler, *emu.Sampler) {
	s, err := ctx.NewSampler(normalized, a, linear)
	if err != nil {
		return nil, nil
	}
	return s, &emu.Sampler{Normalized: normalized, Addressing: emu.Addressing(a), Linear: linear}
}

// coordinates draws coordinates; inside keeps them and their neighbours within the image.
func (j *judge) coordinates(k *kind, integers, normalized, inside bool) []byte {
	sizes := []int{k.w, k.h, k.d, 1}
	switch {
	case k.emu == emu.Image1DArray:
		sizes[1] = k.layers
	case k.layers > 0:
		sizes[2] = k.layers
	}
	layer := map[emu.ImageKind]int{emu.Image1DArray: 1, emu.Image2DArray: 2}[k.emu]
	out := make([]byte, 16*j.n)
	for i := range 4 * j.n {
		size := sizes[i%4]
		isLayer := layer != 0 && i%4 == layer
		lo, hi := -0.75*float64(size), 1.75*float64(size)
		if inside {
			lo, hi = min(0.5, float64(size)/2), max(float64(size)-0.5, float64(size)/2)
		}
		// Not at the edge of an element, where the rounding of another implementation decides.
		v := math.Floor((lo+(hi-lo)*j.r.Float64())*8)/8 + 1.0/64
		if j.r.IntN(2) == 0 {
			v = lo + (hi-lo)*j.r.Float64()
		}
		if near := math.Abs(v - math.RoundToEven(v)); near < 1e-4 {
			v += 0.01
		}
		var bits uint32
		switch {
		case integers:
			n := math.Floor(v)
			if inside {
				n = min(max(n, 0), float64(size-1))
			}
			bits = uint32(int32(n))
		case normalized && !isLayer:
			bits = math.Float32bits(float32(v / float64(size)))
		default:
			bits = math.Float32bits(float32(v))
		}
		binary.LittleEndian.PutUint32(out[4*i:], bits)
	}
	return out
}

func (j *judge) reads(p pair, kernel, name string, k *kind, im *ocl.Image, eim *emu.Image, s *ocl.Sampler, es *emu.Sampler, inside bool, largest float64) error {
	if !j.match.MatchString(name) {
		return nil
	}
	coords := j.coordinates(k, kernel[0] != 'f', es != nil && es.Normalized, inside)
	got, err := j.theirs(p, kernel, im, s, coords)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	want, err := j.ours(p, kernel, eim, es, coords)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	linear := es != nil && es.Linear
	seen := map[string]bool{}
	for i := 0; i < len(got); i += 4 {
		w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		fw, fg := float64(math.Float32frombits(w)), float64(math.Float32frombits(g))
		d := math.Abs(fw-fg) / largest
		// OpenCL allows an implementation 1.5 units in the last place for what normalized integers stand for.
		near := kernel[2] == 'f' && int64(w)-int64(g) <= 1 && int64(g)-int64(w) <= 1
		if w == g || near && eim.Format().Type != emu.Float && eim.Format().Type != emu.HalfFloat || kernel[2] == 'f' && (fw == fg || fw != fw && fg != fg) || linear && d <= j.tolerance {
			if linear {
				j.worst = max(j.worst, d)
			}
			continue
		}
		if why := known(k.emu, eim.Format(), es, i/4%4); why != "" {
			seen[why] = true
			continue
		}
		c := coords[i/16*16:]
		at := ""
		for n := range 3 {
			b := binary.LittleEndian.Uint32(c[4*n:])
			if kernel[0] == 'f' {
				at += fmt.Sprintf(" %v", math.Float32frombits(b))
			} else {
				at += fmt.Sprintf(" %d", int32(b))
			}
		}
		j.differ++
		fmt.Printf("DIFFERS %s: at%s, component %d: lockstep %#x (%v), theirs %#x (%v)\n", name, at, i/4%4, w, fw, g, fg)
		return nil
	}
	for why := range seen {
		j.why[why]++
	}
	j.same++
	return nil
}

// theirs runs a read on the implementation.
func (j *judge) theirs(p pair, name string, im *ocl.Image, s *ocl.Sampler, coords []byte) ([]byte, error) {
	k, err := p.ocl.Kernel(name)
	if err != nil {
		return nil, err
	}
	defer k.Release()
	in, err := j.ctx.NewBuffer(len(coords))
	if err != nil {
		return nil, err
	}
	defer in.Release()
	out, err := j.ctx.NewBuffer(len(coords))
	if err != nil {
		return nil, err
	}
	defer out.Release()
	if err := j.q.Write(in, coords); err != nil {
		return nil, err
	}
	at := 0
	if err := k.SetImage(at, im); err != nil {
		return nil, err
	}
	if s != nil {
		at++
		if err := k.SetSampler(at, s); err != nil {
			return nil, err
		}
	}
	if err := k.SetBuffer(at+1, in); err != nil {
		return nil, err
	}
	if err := k.SetBuffer(at+2, out); err != nil {
		return nil, err
	}
	if err := j.launch(k, j.n); err != nil {
		return nil, err
	}
	got := make([]byte, len(coords))
	return got, j.q.Read(out, got)
}

func (j *judge) launch(k *ocl.Kernel, n int) error {
	e, err := j.q.Launch(k, []uint64{uint64(n)}, nil, nil)
	if err != nil {
		return err
	}
	defer e.Release()
	return e.Wait()
}

// ours runs a read on lockstep.
func (j *judge) ours(p pair, name string, im *emu.Image, s *emu.Sampler, coords []byte) ([]byte, error) {
	k, err := p.emu.Kernel(name)
	if err != nil {
		return nil, err
	}
	in, err := j.dev.NewBufferFrom(append([]byte{}, coords...), emu.BufferOptions{})
	if err != nil {
		return nil, err
	}
	defer in.Free()
	out, err := j.dev.NewBuffer(uint64(len(coords)), emu.BufferOptions{})
	if err != nil {
		return nil, err
	}
	defer out.Free()
	args := []emu.Arg{im}
	if s != nil {
		args = append(args, *s)
	}
	if _, err := (&emu.Launch{Kernel: k, Range: emu.Range(uint64(j.n)), Args: append(args, in, out)}).Run(context.Background()); err != nil {
		return nil, err
	}
	return out.Bytes()
}

// writes stores random values in all elements.
func (j *judge) writes(p pair, kernel, name string, im *ocl.Image, eim *emu.Image, n int, f emu.Format) error {
	if !j.match.MatchString(name) {
		return nil
	}
	values := make([]byte, 16*n)
	for i := 0; i < len(values); i += 4 {
		v := j.r.Uint32()
		if f.Class() == memory.ClassFloat {
			v = math.Float32bits(float32(j.r.NormFloat64()) * [...]float32{0.5, 1, 100, 0.001}[j.r.IntN(4)])
		} else if j.r.IntN(2) == 0 {
			v = uint32(j.r.IntN(600) - 300)
		}
		binary.LittleEndian.PutUint32(values[i:], v)
	}
	k, err := p.ocl.Kernel(kernel)
	if err != nil {
		return err
	}
	defer k.Release()
	in, err := j.ctx.NewBuffer(len(values))
	if err != nil {
		return err
	}
	defer in.Release()
	if err := j.q.Write(in, values); err != nil {
		return err
	}
	if err := k.SetImage(0, im); err != nil {
		return err
	}
	if err := k.SetBuffer(1, in); err != nil {
		return err
	}
	if err := j.launch(k, n); err != nil {
		return err
	}
	got := make([]byte, n*f.Bytes())
	if err := j.q.ReadImage(im, got); err != nil {
		return err
	}
	ek, err := p.emu.Kernel(kernel)
	if err != nil {
		return err
	}
	ein, err := j.dev.NewBufferFrom(values, emu.BufferOptions{})
	if err != nil {
		return err
	}
	defer ein.Free()
	if _, err := (&emu.Launch{Kernel: ek, Range: emu.Range(uint64(n)), Args: []emu.Arg{eim, ein}}).Run(context.Background()); err != nil {
		return err
	}
	want, err := eim.Bytes()
	if err != nil {
		return err
	}
	for i := range got {
		if got[i] != want[i] {
			if why := known(0, f, nil, -1); why != "" {
				j.why[why]++
				return nil
			}
			at := i / f.Bytes()
			j.differ++
			fmt.Printf("DIFFERS %s: element %d of %v: lockstep % x, theirs % x\n", name, at, floats(values[16*at:][:16], f), want[at*f.Bytes():][:f.Bytes()], got[at*f.Bytes():][:f.Bytes()])
			return nil
		}
	}
	j.same++
	return nil
}

func floats(b []byte, f emu.Format) (s []string) {
	for i := 0; i < 16; i += 4 {
		v := binary.LittleEndian.Uint32(b[i:])
		if f.Class() == memory.ClassFloat {
			s = append(s, fmt.Sprint(math.Float32frombits(v)))
		} else {
			s = append(s, fmt.Sprint(int32(v)))
		}
	}
	return s
}
