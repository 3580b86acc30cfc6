package lower_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// TestHalfAtomics has three halves, side by side and the last without a neighbour, that all work-items of many
// work-groups add to, and lower and raise (SPV_EXT_shader_atomic_float16_add and _float_min_max).
func TestHalfAtomics(t *testing.T) {
	const n = 1200
	for _, c := range []struct {
		op   string
		want [3]float32
	}{
		{"OpAtomicFAddEXT", [3]float32{400 + 3, 400 + 3, 400 + 3}},
		{"OpAtomicFMaxEXT", [3]float32{1197, 1198, 1199}},
		{"OpAtomicFMinEXT", [3]float32{0, 1, 2}},
	} {
		for _, space := range []string{"CrossWorkgroup", "Generic"} {
			value, cast := "%x", "%q = OpCopyObject %ph %p\n"
			if c.op == "OpAtomicFAddEXT" {
				value = "%one"
			}
			if space == "Generic" {
				cast = "%q = OpPtrCastToGeneric %pgen %p\n"
			}
			h := head
			for _, k := range []string{"Float16", "GenericPointer", "AtomicFloat16AddEXT", "AtomicFloat16MinMaxEXT"} {
				h = "OpCapability " + k + "\n" + h
			}
			text := h + types + `%half = OpTypeFloat 16
%ph = OpTypePointer CrossWorkgroup %half
%pgen = OpTypePointer Generic %half
%one = OpConstant %half 1
%c3 = OpConstant %uint 3
` + begin + `%halves = OpBitcast %ph %out
%i = OpUMod %uint %g %c3
%x = OpConvertUToF %half %g
%p = OpInBoundsPtrAccessChain %ph %halves %i
` + cast + fmt.Sprintf("%%old = %s %%half %%q %%c1 %%c0 %s\n", c.op, value) + end
			for _, engine := range emu.Engines()[1:] {
				dev, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 4})
				if err != nil {
					t.Fatal(err)
				}
				start := make([]byte, 6)
				for i := range 3 {
					binary.LittleEndian.PutUint16(start[2*i:], clmath.F32ToF16(3))
				}
				got := run(t, dev, text, n, start)
				for i, want := range c.want {
					if x := clmath.F16ToF32(binary.LittleEndian.Uint16(got[2*i:])); x != want {
						t.Errorf("%s, %s, engine %s: half %d is %v, expected %v", c.op, space, engine, i, x, want)
					}
				}
				dev.Close()
			}
		}
	}
}
