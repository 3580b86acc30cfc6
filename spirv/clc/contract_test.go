package clc_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestContraction makes one operation of a product and a sum where FP_CONTRACT is on, and two where it is off, block
// by block.
func TestContraction(t *testing.T) {
	const off = "#pragma OPENCL FP_CONTRACT OFF\n"
	for _, c := range []struct {
		name, source string
		mads, muls   int
	}{
		{"on", "kernel void k(global float *o, float a, float b) { o[0] = a * b + o[1]; }", 1, 0},
		{"compound assignment", "kernel void k(global float *o, float a, float b) { o[0] += a * b; }", 1, 0},
		{"off in the file", off + "kernel void k(global float *o, float a, float b) { o[0] = a * b + o[1]; o[2] += a * b; }", 0, 2},
		{"off in a block", "kernel void k(global float *o, float a, float b) { {\n" + off + "o[0] = a * b + o[1]; }\no[2] = a * b - o[3]; }", 1, 1},
		{"through a variable", "kernel void k(global float *o, float a, float b) { float p = a * b; o[0] = p + o[1]; }", 0, 1},
	} {
		res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: c.source}, clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mads, muls := 0, 0
		for _, in := range res.Module.Insts {
			switch {
			case in.Op() == spirv.OpExtInst && in.Operand(1) == spirv.OpenCLStdMad:
				mads++
			case in.Op() == spirv.OpFMul:
				muls++
			}
		}
		if mads != c.mads || muls != c.muls {
			t.Errorf("%s: %d mad and %d OpFMul, want %d and %d", c.name, mads, muls, c.mads, c.muls)
		}
	}
}
