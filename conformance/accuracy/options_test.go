package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestConstantConversions converts constants, which the compilers compute: casts and functions give what they give for
// numbers in memory.
func TestConstantConversions(t *testing.T) {
	device, err := emu.NewDevice(emu.DeviceOptions{Engine: "interp"})
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var source strings.Builder
	source.WriteString("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n")
	var list []*conversion
	inputs := map[*format][]uint64{}
	for _, c := range conversions(false) {
		if c.width > 1 || c.text() || c.from.truth || c.to.truth {
			continue
		}
		list = append(list, c)
		codes := inputs[c.from]
		if codes == nil {
			codes = append(c.from.limits(), thinned(inputsOf(c.from), 9)[:9]...)
			if c.from.float() {
				codes = append(codes, c.from.inf, c.from.inf|c.from.sign(), c.from.nan)
			}
			inputs[c.from] = codes
		}
		unsigned := map[int]string{8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[c.from.bits]
		fmt.Fprintf(&source, "kernel void %s(global %s *out)\n{\n", c.kernel(), c.to.name)
		for k, f := range c.forms {
			if strings.Contains(f.call, "_half") {
				continue
			}
			for i, code := range codes {
				x := fmt.Sprintf("as_%s((%s)%#xul)", c.from.name, unsigned, code)
				fmt.Fprintf(&source, "\tout[%d] = %s;\n", k*len(codes)+i, c.value(f, "", x))
			}
		}
		source.WriteString("}\n")
	}
	p, _, err := device.BuildProgram(source.String(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		codes := inputs[c.from]
		k, err := p.Kernel(c.kernel())
		if err != nil {
			t.Fatal(err)
		}
		out, err := device.NewBufferFrom(make([]byte, len(c.forms)*len(codes)*c.to.bits/8), emu.BufferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Run(context.Background(), emu.Range(1), out); err != nil {
			t.Fatal(err)
		}
		got, err := out.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range c.forms {
			if strings.Contains(f.call, "_half") {
				continue
			}
			for i, code := range codes {
				w := c.want(f)
				have, want := c.to.codeAt(got, k*len(codes)+i), c.to.encode(c.from.decode(code), w.mode, w.limit)
				if !c.to.same(have, want) {
					t.Errorf("%s, %+v: constant %#x gives %#x, want %#x", c.kernel(), f, code, have, want)
				}
			}
		}
	}
}

// mathOptions are the compiler's options about arithmetic. All but the last change no result.
var mathOptions = []string{"", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-finite-math-only", "-cl-unsafe-math-optimizations",
	"-cl-fast-relaxed-math", "-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-single-precision-constant"}

// TestMathOptions compares arithmetic under the compiler's options with that of Go.
func TestMathOptions(t *testing.T) {
	const source = `kernel void k(global const float *in, global float *out) {
	size_t i = get_global_id(0);
	float x = in[i];
	global float *r = out + 9 * i;
	r[0] = x + 0.0f; r[1] = x + 0x1.8p-130f; r[2] = x - x; r[3] = x * 0.0f; r[4] = x / x; r[5] = -0.0f - x;
	r[6] = x / 3.0f;
	r[7] = isnan(x) ? 1 : isinf(x) ? 2 : 3;
	r[8] = x * 1.1;
}`
	inputs := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p-127, -0x1.8p-130, 0x1p-126, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0x1.555556p-120, 3, 0x1.fffffep-126}
	tiny, three := float32(0x1.8p-130), float32(3)
	for _, engine := range emu.Engines()[1:] {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		in, err := emu.NewBufferOf(d, inputs)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range mathOptions {
			p, _, err := d.BuildProgram(source, option)
			if err != nil {
				t.Fatal(err)
			}
			k, err := p.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			out, err := emu.NewBufferOf(d, make([]float32, 9*len(inputs)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Run(t.Context(), emu.Range(uint64(len(inputs))), in, out); err != nil {
				t.Fatal(err)
			}
			got, err := emu.Read[float32](out)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range inputs {
				class := float32(3)
				switch {
				case x != x:
					class = 1
				case x-x != 0:
					class = 2
				}
				tenth := float32(float64(x) * 1.1)
				if option == "-cl-single-precision-constant" {
					tenth = x * float32(1.1)
				}
				for j, want := range []float32{x + 0, x + tiny, x - x, x * 0, x / x, float32(math.Copysign(0, -1)) - x, x / three, class, tenth} {
					have := got[9*i+j]
					if math.Float32bits(have) != math.Float32bits(want) && (have == have || want == want) {
						t.Errorf("%s %s: result %d of %x is %x, want %x", engine, option, j, x, have, want)
					}
				}
			}
		}
	}
}
