package ssa

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// testKernel is a kernel under construction.
type testKernel struct{ *isa.Kernel }

func newTestKernel() testKernel {
	return testKernel{&isa.Kernel{Name: "k", Locs: make([]isa.Loc, 1), NumScalar: 8, NumVector: [isa.NumBanks]int{4, 4, 4, 4, 4},
		ScalarInit: []uint64{0x1_0000_0007, 1}, Params: []isa.Param{{Kind: isa.ParamValue, Size: 8}},
		ParamRegs: []isa.ParamReg{{Scalar: 1, Size: 4}}}}
}

// block adds a block; the last instruction is its terminator.
func (k testKernel) block(code ...isa.Inst) {
	k.Blocks = append(k.Blocks, isa.Block{Start: len(k.Code), End: len(k.Code) + len(code)})
	k.Code = append(k.Code, code...)
}

func jump(to int) isa.Inst {
	in := isa.Inst{Op: isa.OpBr}
	in.SetTargets(to, 0)
	return in
}

func fork(cond isa.Reg, then, otherwise int) isa.Inst {
	in := isa.Inst{Op: isa.OpBrCond, A: cond}
	in.SetTargets(then, otherwise)
	return in
}

func binary(op isa.Op, t isa.Type, dst, a, b isa.Reg) isa.Inst {
	return isa.Inst{Op: op, Type: t, Dst: dst, A: a, B: b}
}

var (
	ret  = isa.Inst{Op: isa.OpRet}
	lane = isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Imm: uint32(isa.BuiltinLocalID), Dst: isa.V(0)}
	odd  = isa.Inst{Op: isa.OpEq, Type: isa.I32, Dst: isa.V(0), A: isa.V(0), B: isa.S(0)} // m0, of vw0
	set  = isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: isa.S(2), A: isa.S(1)}
	use  = isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: isa.V(1), A: isa.S(2)}
)

// TestFromKernel shows the form of kernels.
func TestFromKernel(t *testing.T) {
	for _, x := range []struct {
		name   string
		blocks [][]isa.Inst
		want   string
	}{
		{"a register written twice", [][]isa.Inst{{lane, binary(isa.OpAdd, isa.I32, isa.V(0), isa.V(0), isa.V(0)),
			binary(isa.OpMul, isa.I32, isa.V(1), isa.V(0), isa.V(2)), ret}}, `
b0:
  v0 = builtin.i32 local_id.x
  v1 = add.i32 v0 v0
  v2 = mul.i32 v1 0x0
  ret
`},
		{"scalar registers of other widths", [][]isa.Inst{{
			binary(isa.OpAdd, isa.I32, isa.S(2), isa.S(1), isa.S(0)),
			binary(isa.OpAdd, isa.I64, isa.S(3), isa.S(2), isa.S(1)),
			binary(isa.OpAdd, isa.I8, isa.S(4), isa.S(2), isa.S(1)),
			fork(isa.S(4), 1, 2)}, {jump(2)}, {ret}}, `
b0:
  %7 = zext.i64.i32 param0[0:4]
  %0 = add.i32 param0[0:4] 0x7
  %5 = zext.i64.i32 %0
  %8 = truncate.i8.i32 %0
  %1 = add.i64 %5 %7
  %2 = add.i8 %8 param0[0:1]
  %11 = and.i8 %2 0x1
  %13 = ne.b1.i8 %11 0x0
  brcond %13 ? b1 : b2
b1: ; from b0
  br b2
b2: ; from b0 b1
  ret
`},
		{"a loop", [][]isa.Inst{{lane, jump(1)}, {
			binary(isa.OpAdd, isa.I32, isa.V(1), isa.V(1), isa.V(0)),
			binary(isa.OpLtU, isa.I32, isa.V(0), isa.V(1), isa.S(0)), fork(isa.V(0), 1, 2)},
			{binary(isa.OpAdd, isa.I32, isa.V(2), isa.V(1), isa.V(0)), ret}}, `
b0:
  v0 = builtin.i32 local_id.x
  br b1
b1: ; from b0 b1
  v4 = phi.i32 0x0 v1
  v1 = add.i32 v4 v0
  v2 = lt.u.b1.i32 v1 0x7
  brcond v2 ? b1 : b2
b2: ; from b1
  v3 = add.i32 v1 v0
  ret
`},
		{"two loops with one head", [][]isa.Inst{{lane, jump(1)}, {odd, fork(isa.V(0), 1, 2)}, {fork(isa.V(0), 1, 3)}, {ret}}, `
b0:
  v0 = builtin.i32 local_id.x
  br b4
b4: ; from b0 b2
  br b1
b1: ; from b1 b4
  v1 = eq.b1.i32 v0 0x7
  brcond v1 ? b1 : b2
b2: ; from b1
  brcond v1 ? b4 : b3
b3: ; from b2
  ret
`},
		{"the entry is a loop, and something is never reached", [][]isa.Inst{{lane, odd, fork(isa.V(0), 0, 2)}, {jump(1)}, {ret}}, `
b0:
  br b1
b1: ; from b0 b1
  v0 = builtin.i32 local_id.x
  v1 = eq.b1.i32 v0 0x7
  brcond v1 ? b1 : b2
b2: ; from b1
  ret
`},
	} {
		k := newTestKernel()
		for _, b := range x.blocks {
			k.block(b...)
		}
		if err := k.Verify(); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		f, err := FromKernel(k.Kernel)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if err := f.Verify(); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if got := "\n" + f.String(); got != x.want {
			t.Errorf("%s:%s", x.name, got)
		}
		if again, err := ToKernel(f); err != nil {
			t.Errorf("%s: %v", x.name, err)
		} else if _, err := FromKernel(again); err != nil {
			t.Errorf("%s, written as bytecode: %v\n%s", x.name, err, again.Text(&isa.Program{}))
		}
	}
}

// TestScalarRegisters checks which kernels are refused because lanes would read what others have written.
func TestScalarRegisters(t *testing.T) {
	for _, x := range []struct {
		name, want string
		blocks     [][]isa.Inst
	}{
		{"written and read by the lanes of a branch", "", [][]isa.Inst{{lane, odd, fork(isa.V(0), 1, 2)}, {set, use, jump(2)}, {ret}}},
		{"different by lane behind a branch", "holds what differs by lane in block 2", [][]isa.Inst{
			{lane, odd, set, fork(isa.V(0), 1, 2)}, {binary(isa.OpAdd, isa.I32, isa.S(2), isa.S(2), isa.S(1)), jump(2)}, {use, ret}}},
		{"the same behind a branch that all lanes take", "", [][]isa.Inst{
			{set, fork(isa.S(1), 1, 2)}, {binary(isa.OpAdd, isa.I32, isa.S(2), isa.S(2), isa.S(1)), jump(2)}, {use, ret}}},
		{"written by other lanes while some wait", "two values at a time", [][]isa.Inst{
			{lane, odd, set, fork(isa.V(0), 1, 2)}, {set, use, jump(3)}, {use, jump(3)}, {ret}}},
		{"written by other lanes behind those that read", "", [][]isa.Inst{
			{lane, odd, set, fork(isa.V(0), 2, 1)}, {use, jump(3)}, {set, use, jump(3)}, {ret}}},
		{"read behind a loop that lanes leave one by one", "before others", [][]isa.Inst{
			{lane, jump(1)}, {binary(isa.OpAdd, isa.I32, isa.S(2), isa.S(1), isa.S(0)), odd, fork(isa.V(0), 1, 2)}, {use, ret}}},
		{"a jump back that is no loop", "no loop's head", [][]isa.Inst{{lane, odd, set, fork(isa.V(0), 1, 2)}, {ret}, {jump(1)}}},
		{"a loop with something else between", "not contiguous", [][]isa.Inst{
			{lane, odd, set, jump(1)}, {fork(isa.V(0), 3, 2)}, {ret}, {jump(1)}}},
	} {
		k := newTestKernel()
		for _, b := range x.blocks {
			k.block(b...)
		}
		if err := k.Verify(); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		switch _, err := FromKernel(k.Kernel); {
		case x.want == "" && err != nil:
			t.Errorf("%s: %v", x.name, err)
		case x.want != "" && (!errors.Is(err, ErrNoForm) || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}

// TestFromLargeKernel makes a kernel of many blocks in which many registers live, and one that is too large.
func TestFromLargeKernel(t *testing.T) {
	for _, x := range []struct {
		n       int
		refused bool
	}{{200, false}, {600, true}} {
		largeKernel(t, x.n, x.refused)
	}
}

func largeKernel(t *testing.T, n int, refused bool) {
	k := newTestKernel()
	k.NumVector[isa.Bank32] = n
	k.block(lane, odd, jump(1))
	for i := range n {
		k.block(binary(isa.OpAdd, isa.I32, isa.V(i), isa.V(i), isa.V((i+1)%n)), fork(isa.V(0), i+2, max(1, i/2)))
	}
	k.block(ret)
	if err := k.Verify(); err != nil {
		t.Fatal(err)
	}
	f, err := fromKernel(k.Kernel, 1<<18)
	if refused != errors.Is(err, ErrNoForm) || !refused && err != nil {
		t.Errorf("%d blocks: %v", n, err)
	}
	if err == nil {
		if err := f.Verify(); err != nil {
			t.Errorf("%d blocks: %v", n, err)
		}
	}
}
