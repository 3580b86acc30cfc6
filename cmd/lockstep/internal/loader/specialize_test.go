package loader

import (
	"math"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

func TestSpecValue(t *testing.T) {
	number := func(width int, float bool) *spirv.SpecConstant {
		return &spirv.SpecConstant{Number: spirv.NumberFormat{Width: width, Float: float}}
	}
	truth := &spirv.SpecConstant{Bool: true}
	for _, c := range []struct {
		spec *spirv.SpecConstant
		text string
		want uint64
		bad  bool
	}{
		{number(32, false), "7", 7, false},
		{number(32, false), "-1", 0xffffffff, false},
		{number(32, false), "0x10", 16, false},
		{number(32, false), "4294967295", 0xffffffff, false},
		{number(32, false), "4294967296", 0, true},
		{number(32, false), "-2147483649", 0, true},
		{number(8, false), "-128", 0x80, false},
		{number(8, false), "256", 0, true},
		{number(64, false), "-1", math.MaxUint64, false},
		{number(32, false), "1.5", 0, true},
		{number(32, true), "1.5", 0x3fc00000, false},
		{number(16, true), "1", 0x3c00, false},
		{number(64, true), "-2", 0xc000000000000000, false},
		{number(32, true), "1,2", 0, true},
		{number(32, true), "x", 0, true},
		{truth, "true", 1, false},
		{truth, "0", 0, false},
		{truth, "maybe", 0, true},
	} {
		got, err := specValue(c.spec, c.text)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%+v %q: %#x, %v, want %#x", c.spec.Number, c.text, got, err, c.want)
		}
	}
}
