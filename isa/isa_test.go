package isa_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// example returns a well-formed instruction of the opcode on type t, with
// vector registers.
func example(op isa.Op, t, src isa.Type) isa.Inst {
	in := isa.Inst{Op: op, Type: t, Type2: src, Dst: isa.V(0), A: isa.V(1), B: isa.V(2), C: isa.V(3), D: isa.V(4)}
	clear := func(regs ...*isa.Reg) {
		for _, r := range regs {
			*r = isa.None
		}
	}
	switch op.Info().Shape {
	case isa.ShapeUnary, isa.ShapeConvert:
		clear(&in.B, &in.C, &in.D)
	case isa.ShapeBinary, isa.ShapeCompare, isa.ShapePtrDiff:
		clear(&in.C, &in.D)
	case isa.ShapeTernary, isa.ShapeSelect:
		clear(&in.D)
	case isa.ShapePtrAdd, isa.ShapeLoad:
		in.Idx, in.Scale, in.Disp, in.Space = isa.Idx64, 8, 16, isa.SpaceGlobal
		clear(&in.C, &in.D)
	case isa.ShapeStore:
		in.Idx, in.Scale, in.Disp, in.Space = isa.IdxS32, 4, -4, isa.SpaceLocal
		clear(&in.Dst, &in.D)
	case isa.ShapeAtomic:
		in.Imm2 = uint8(isa.AtomicCmpXchg)
		clear(&in.B)
	case isa.ShapeMemCopy:
		clear(&in.Dst, &in.D)
	case isa.ShapeShuffle:
		clear(&in.C, &in.D)
	case isa.ShapeShuffle2:
		clear(&in.D)
	case isa.ShapeBallot, isa.ShapeBlockLoad:
		in.Imm = 2
		clear(&in.B, &in.C, &in.D)
	case isa.ShapeVote:
		in.Imm = uint32(isa.VoteAllEqual)
		clear(&in.B, &in.C, &in.D)
	case isa.ShapeElect, isa.ShapeClock:
		clear(&in.A, &in.B, &in.C, &in.D)
	case isa.ShapeScan:
		op := isa.ScanAdd
		switch {
		case t == isa.B1:
			op = isa.ScanXor
		case t >= isa.F16:
			op = isa.ScanFMin
		}
		in.Imm, in.Scale = isa.ScanImm(isa.ScanExclusive, op), 8
		clear(&in.C, &in.D)
	case isa.ShapeBlockStore:
		in.Imm, in.Space = 1, isa.SpaceGlobal
		clear(&in.Dst, &in.B, &in.D)
	case isa.ShapeCheck:
		clear(&in.Dst, &in.B, &in.C, &in.D)
		if t >= isa.F16 {
			in.Imm = 1
		}
	case isa.ShapeGroupWait:
		clear(&in.Dst, &in.B, &in.C, &in.D)
	case isa.ShapeAsync:
		in.Imm, in.Scale = 1, 3
		clear(&in.Dst, &in.A, &in.B, &in.C, &in.D)
	case isa.ShapeBuiltin, isa.ShapePrintf, isa.ShapeGroupCopy, isa.ShapePipe:
		clear(&in.A, &in.B, &in.C, &in.D)
	case isa.ShapeBrCond, isa.ShapeSwitch:
		clear(&in.Dst, &in.B, &in.C, &in.D)
		in.SetTargets(1, 0)
	case isa.ShapeQuad:
	case isa.ShapeImage:
		clear(&in.A, &in.B, &in.C, &in.D)
		in.Imm2 = 1
		if op == isa.OpImageWrite || op == isa.OpImageBlockWrite {
			clear(&in.Dst)
			in.Imm2 = 0
		}
	default:
		clear(&in.Dst, &in.A, &in.B, &in.C, &in.D)
	}
	if op == isa.OpReadFirst {
		in.Dst = isa.S(2)
	}
	return in
}

// kernel holds the instruction in a kernel of two blocks.
func kernel(in isa.Inst) *isa.Kernel {
	ret := isa.Inst{Op: isa.OpRet}
	k := &isa.Kernel{
		Name: "k", NumScalar: 6, NumVector: [isa.NumBanks]int{8, 8, 8, 8, 8},
		ScalarInit: []uint64{7, 0xffffffff}, Params: []isa.Param{{Name: "p", TypeName: "int", Size: 4}},
		Switches: []isa.SwitchTable{{Default: 0, Values: []uint64{1, 5}, Targets: []int{1, 0}}},
		Printfs:  []isa.Printf{{Format: "%d %s\n", Args: []isa.PrintfArg{{Type: isa.I32, Regs: []isa.Reg{isa.V(1)}}, {Type: isa.I64, IsString: true, Str: "x"}}}},
		Locs:     make([]isa.Loc, 1),
		GroupCopies: []isa.GroupCopy{{Name: "copy", Dim: 2, Args: [isa.NumCopyArgs]isa.Reg{
			isa.CopyDst: isa.V(1), isa.CopySrc: isa.S(0), isa.CopyElems: isa.S(1), isa.CopyDstLine: isa.V(2)}}},
		LaneCopies: []isa.LaneCopy{{Name: "load", Kind: isa.LaneStruct, Size: 4, Offset: 8, LDS: isa.S(2), Index: isa.V(1), VOffset: isa.V(2), SOffset: isa.S(1),
			Resource: [4]isa.Reg{isa.S(0), isa.S(1), isa.S(2), isa.S(3)}}},
		Checks:        []isa.Check{{Kind: isa.CheckIndex, Limit: 8, Name: "s.a", Elem: "int"}, {Kind: isa.CheckToS, Limit: 16, Round: isa.RoundRTE}},
		MarkSequences: 2,
		PipeAccesses: []isa.PipeAccess{{Name: "read_pipe", Op: isa.PipeReservedRead, Scope: isa.ScopeInvocation, Pipe: isa.S(0), Pointer: isa.V(1),
			Reserve: isa.V(2), Index: isa.V(3), PacketBytes: isa.S(1), PacketAlign: isa.S(1)}},
	}
	a := isa.ImageAccess{Name: "image", Dim: isa.Image2D, Image: isa.S(0)}
	if in.Op != isa.OpImageQuery {
		a.Coord, a.CoordType, a.Components = [3]isa.Reg{isa.V(1), isa.S(1)}, isa.I32, 2
	}
	if in.Op == isa.OpImageWrite || in.Op == isa.OpImageBlockWrite {
		a.Value, a.ValueType = []isa.Reg{isa.V(2), isa.V(3)}, in.Type
	}
	k.ImageAccesses = []isa.ImageAccess{a}
	if in.Op.IsTerminator() {
		k.Code = []isa.Inst{in, ret}
	} else {
		k.Code = []isa.Inst{in, {Op: isa.OpBr, Scale: 1}, ret}
	}
	k.Blocks = []isa.Block{{Start: 0, End: len(k.Code) - 1, Name: "entry"}, {Start: len(k.Code) - 1, End: len(k.Code), Loop: 1}}
	return k
}

// TestOpcodes writes and verifies every opcode with every type that it takes.
func TestOpcodes(t *testing.T) {
	var b strings.Builder
	seen := map[string]isa.Op{}
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		inf := op.Info()
		if inf.Name == "" || inf.Name != op.String() {
			t.Errorf("opcode %d has no name", op)
		}
		if other, ok := seen[inf.Name]; ok {
			t.Errorf("opcodes %d and %d are both called %s", op, other, inf.Name)
		}
		seen[inf.Name] = op
		for ty := isa.Void; ty <= isa.F64; ty++ {
			if inf.Types != 0 && !inf.Types.Has(ty) || inf.Types == 0 && ty != isa.Void {
				continue
			}
			for src := isa.Void; src <= isa.F64; src++ {
				if inf.Src != 0 && !inf.Src.Has(src) || inf.Src == 0 && src != isa.Void {
					continue
				}
				in := example(op, ty, src)
				k := kernel(in)
				if err := k.Verify(); err != nil {
					t.Errorf("%s.%s.%s: %v", op, ty, src, err)
				}
				fmt.Fprintln(&b, k.InstText(&in))
			}
		}
		// What Verify takes must not depend on types that the opcode does not have.
		for ty := isa.Void; ty <= isa.F64; ty++ {
			if inf.Types == 0 || inf.Types.Has(ty) {
				continue
			}
			if err := kernel(example(op, ty, isa.I32)).Verify(); !errors.Is(err, isa.ErrMalformed) {
				t.Errorf("%s.%s: error %v", op, ty, err)
			}
		}
	}
	golden(t, "opcodes.txt", b.String())
}

// TestText writes what TestOpcodes does not: flags, constants, addresses, the
// head of a kernel and the variables of a program.
func TestText(t *testing.T) {
	k := &isa.Kernel{
		Name: "f", NumScalar: 12, NumVector: [isa.NumBanks]int{1, 2, 3, 4, 5},
		Params: []isa.Param{{Name: "a", TypeName: "int*", Size: 4, Kind: isa.ParamGlobal}, {Name: "b", TypeName: "struct\ns", Size: 12}},
		ScalarInit: []uint64{0, 0, 0, 0, 0xfffffffe, 0x3fc00000, isa.PointerBits(isa.SpacePrivate, 0) + 12, 0x7fc00000, 1,
			isa.PointerBits(isa.SpaceLocal, 1)},
		ParamRegs:     []isa.ParamReg{{Scalar: 0, Param: 0, Size: 8}, {Scalar: 1, Param: 1, Size: 4}, {Scalar: 2, Param: 1, Offset: 4, Size: 8}},
		GlobalRegs:    []isa.GlobalReg{{Scalar: 3, Global: 1}},
		Private:       []isa.Alloc{{Name: "x", Size: 64, Align: 4}, {Name: "y", Size: 12, Align: 4, Param: 2}},
		Local:         []isa.Alloc{{Name: "l", Size: 256, Align: 16}},
		ReqdLocalSize: [3]uint32{8, 4, 1}, ReqdSubgroup: 16,
		Locs: []isa.Loc{{}, {File: 1, Line: 3}, {File: 1, Line: 4, Column: 2}},
	}
	round := func(r isa.Round, f isa.Flags) isa.Flags { return f.WithRound(r) }
	k.Code = []isa.Inst{
		{Op: isa.OpMov, Type: isa.I32, Dst: isa.V(0), A: isa.S(4), Flags: isa.FlagDense, Loc: 1},
		{Op: isa.OpMov, Type: isa.F32, Dst: isa.V(0), A: isa.S(5), Loc: 1},
		{Op: isa.OpMov, Type: isa.F32, Dst: isa.V(0), A: isa.S(7), Loc: 2},
		{Op: isa.OpMov, Type: isa.F16, Dst: isa.V(0), A: isa.S(5)},
		{Op: isa.OpMov, Type: isa.F64, Dst: isa.V(0), A: isa.S(5)},
		{Op: isa.OpMov, Type: isa.I8, Dst: isa.V(0), A: isa.S(4)},
		{Op: isa.OpMov, Type: isa.I16, Dst: isa.V(0), A: isa.S(4)},
		{Op: isa.OpMov, Type: isa.I64, Dst: isa.V(0), A: isa.S(4)},
		{Op: isa.OpMov, Type: isa.B1, Dst: isa.V(0), A: isa.S(8)},
		{Op: isa.OpFToS, Type: isa.I32, Type2: isa.F32, Dst: isa.V(0), A: isa.V(1), Flags: round(isa.RoundRTN, isa.FlagSat|isa.FlagDense)},
		{Op: isa.OpFToF, Type: isa.F16, Type2: isa.F32, Dst: isa.V(0), A: isa.V(1), Flags: round(isa.RoundRTE, 0)},
		{Op: isa.OpLoad, Type: isa.I32, Dst: isa.V(0), A: isa.S(6), Space: isa.SpacePrivate},
		{Op: isa.OpLoad, Type: isa.I32, Dst: isa.V(0), A: isa.S(9), B: isa.V(1), Idx: isa.IdxU32, Scale: 4, Space: isa.SpaceLocal},
		{Op: isa.OpLoad, Type: isa.I32, Dst: isa.V(0), A: isa.S(0), B: isa.V(1), Idx: isa.IdxS32, Scale: 4, Disp: -8, Space: isa.SpaceGlobal},
		{Op: isa.OpLoad, Type: isa.I32, Dst: isa.V(0), A: isa.V(4), B: isa.S(4), Idx: isa.Idx64, Scale: 1},
		{Op: isa.OpAtomic, Type: isa.I32, A: isa.S(0), C: isa.V(1), Imm2: uint8(isa.AtomicAdd), Space: isa.SpaceGlobal},
		{Op: isa.OpAtomic, Type: isa.F32, Dst: isa.V(0), A: isa.S(0), Imm2: uint8(isa.AtomicLoad)},
		{Op: isa.OpMath1, Type: isa.F32, Dst: isa.V(0), A: isa.V(1), Imm: 5 | isa.MathStored},
		{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeSubgroup), Scale: 1},
		{Op: isa.OpBuiltin, Type: isa.I32, Dst: isa.V(0), Imm: uint32(isa.BuiltinSubgroupLocalID)},
		{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup), Scale: 0},
	}
	k.Blocks = []isa.Block{{Start: 0, End: 19, Name: "entry"}, {Start: 19, End: 21, Loop: 2, Name: "a\nb"}}
	if err := k.Verify(); err != nil {
		t.Fatal(err)
	}
	p := &isa.Program{
		Kernels: []*isa.Kernel{k, kernel(isa.Inst{Op: isa.OpSwitch, Type: isa.I32, A: isa.V(0)})},
		Files:   []string{"", "dir/a.cl"},
		Globals: []isa.Global{
			{Name: "short", Size: 8, Align: 4, Init: []byte{1, 2}, ReadOnly: true},
			{Name: "long\n", Size: 100, Align: 128, Init: make([]byte, 40), Relocs: []isa.Reloc{{Offset: 8, Global: 0, Addend: -4}}},
		},
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "program.txt", b.String())
	if got := k.Text(p); !strings.Contains(b.String(), got) {
		t.Error("Kernel.Text is not what WriteText writes")
	}
	if p.Kernel("f") != k || p.Kernel("none") != nil {
		t.Error("Program.Kernel")
	}
	if err := p.WriteText(broken{}); err == nil {
		t.Error("WriteText does not return the writer's error")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestVerify changes a well-formed kernel in one place each.
func TestVerify(t *testing.T) {
	add := func(change func(in *isa.Inst)) *isa.Kernel {
		in := example(isa.OpAdd, isa.I32, isa.Void)
		change(&in)
		return kernel(in)
	}
	of := func(op isa.Op, ty isa.Type, change func(in *isa.Inst)) *isa.Kernel {
		src := isa.Void
		if op.Info().Src != 0 {
			src = isa.I32
		}
		in := example(op, ty, src)
		change(&in)
		return kernel(in)
	}
	whole := func(change func(k *isa.Kernel)) *isa.Kernel {
		k := kernel(example(isa.OpAdd, isa.I32, isa.Void))
		change(k)
		return k
	}
	for _, c := range []struct {
		k   *isa.Kernel
		err string
	}{
		{whole(func(k *isa.Kernel) {}), ""},
		{whole(func(k *isa.Kernel) { k.Blocks = nil }), "has no blocks"},
		{whole(func(k *isa.Kernel) { k.NumScalar = 1 }), "starts 2 of 1 scalar registers"},
		{whole(func(k *isa.Kernel) { k.ParamRegs = []isa.ParamReg{{Scalar: 2, Size: 4}} }), "parameter register"},
		{whole(func(k *isa.Kernel) { k.ParamRegs = []isa.ParamReg{{Scalar: -1, Size: 4}} }), "parameter register"},
		{whole(func(k *isa.Kernel) { k.ParamRegs = []isa.ParamReg{{Param: 1, Size: 4}} }), "parameter register"},
		{whole(func(k *isa.Kernel) { k.ParamRegs = []isa.ParamReg{{Param: -1, Size: 4}} }), "parameter register"},
		{whole(func(k *isa.Kernel) { k.ParamRegs = []isa.ParamReg{{Size: 9}} }), "parameter register"},
		{whole(func(k *isa.Kernel) { k.GlobalRegs = []isa.GlobalReg{{Scalar: 2}} }), "address register"},
		{whole(func(k *isa.Kernel) { k.UndefinedRegs = []isa.UndefinedReg{{Scalar: 0}} }), "undefined register"},
		{whole(func(k *isa.Kernel) {
			k.Undefined, k.UndefinedRegs = make([]isa.Undefined, 1), []isa.UndefinedReg{{Scalar: 2}}
		}), "undefined register"},
		{whole(func(k *isa.Kernel) {
			k.Undefined, k.UndefinedRegs = make([]isa.Undefined, 1), []isa.UndefinedReg{{Scalar: -1}}
		}), "undefined register"},
		{whole(func(k *isa.Kernel) { k.Undefined = []isa.Undefined{{Loc: 100}} }), "undefined value"},
		{whole(func(k *isa.Kernel) { k.GlobalRegs = []isa.GlobalReg{{Scalar: -1}} }), "address register"},
		{whole(func(k *isa.Kernel) { k.GlobalRegs = []isa.GlobalReg{{Global: -1}} }), "address register"},
		{whole(func(k *isa.Kernel) { k.Blocks[0].Start = 1 }), "expected to start at 0"},
		{whole(func(k *isa.Kernel) { k.Blocks[0].End = 0 }), "expected to start at 0"},
		{whole(func(k *isa.Kernel) { k.Blocks[1].End = 9 }), "expected to start at 2"},
		{whole(func(k *isa.Kernel) { k.Blocks = k.Blocks[:1]; k.Code[1].Scale = 0 }), "after the last block"},
		{whole(func(k *isa.Kernel) { k.Code[2] = k.Code[0] }), "wrong place"},
		{whole(func(k *isa.Kernel) { k.Code[0] = isa.Inst{Op: isa.OpRet} }), "wrong place"},
		{add(func(in *isa.Inst) { in.Op = isa.OpInvalid }), "unknown opcode"},
		{add(func(in *isa.Inst) { in.Op = isa.NumOps }), "unknown opcode"},
		{add(func(in *isa.Inst) { in.Type = isa.F32 }), "add does not work on f32"},
		{add(func(in *isa.Inst) { in.Type = isa.Void }), "add does not work on void"},
		{add(func(in *isa.Inst) { in.Type = 99 }), "add does not work on type(99)"},
		{add(func(in *isa.Inst) { in.A = isa.None }), "operand is missing"},
		{add(func(in *isa.Inst) { in.B = isa.None }), "operand is missing"},
		{add(func(in *isa.Inst) { in.Dst = isa.None }), "destination is missing"},
		{add(func(in *isa.Inst) { in.A = isa.V(8) }), "operand names vw8 of 8"},
		{add(func(in *isa.Inst) { in.B = isa.S(6) }), "operand names s6 of 6"},
		{add(func(in *isa.Inst) { in.Dst = isa.V(8) }), "destination names vw8 of 8"},
		{add(func(in *isa.Inst) { in.Dst = isa.S(3) }), "from vector operands into scalar s3"},
		{of(isa.OpReadFirst, isa.I32, func(in *isa.Inst) { in.A = isa.S(0) }), "readfirst"},
		{of(isa.OpSelect, isa.I32, func(in *isa.Inst) { in.A = isa.V(8) }), "condition names m8 of 8"},
		{of(isa.OpSelect, isa.I32, func(in *isa.Inst) { in.C = isa.None }), "operand is missing"},
		{of(isa.OpMad, isa.I32, func(in *isa.Inst) { in.C = isa.None }), "operand is missing"},
		{of(isa.OpBitInsert, isa.I32, func(in *isa.Inst) { in.D = isa.None }), "operand is missing"},
		{of(isa.OpEq, isa.I32, func(in *isa.Inst) { in.Dst = isa.V(9) }), "destination names m9 of 8"},
		{of(isa.OpSExt, isa.I64, func(in *isa.Inst) { in.Type2 = isa.F32 }), "sext does not convert from f32"},
		{of(isa.OpLoad, isa.I32, func(in *isa.Inst) { in.A = isa.None }), "pointer is missing"},
		{of(isa.OpLoad, isa.I32, func(in *isa.Inst) { in.Idx = isa.Idx64 + 1 }), "unknown index type 4"},
		{of(isa.OpLoad, isa.I32, func(in *isa.Inst) { in.B = isa.None }), "index is missing"},
		{of(isa.OpLoad, isa.I32, func(in *isa.Inst) { in.Space = isa.NumSpaces }), "unknown address space 4"},
		{of(isa.OpLoad, isa.I32, func(in *isa.Inst) { in.Dst = isa.None }), "destination is missing"},
		{of(isa.OpStore, isa.I32, func(in *isa.Inst) { in.C = isa.None }), "value is missing"},
		{of(isa.OpPtrDiff, isa.I64, func(in *isa.Inst) { in.B = isa.None }), "pointer is missing"},
		{of(isa.OpAtomic, isa.I32, func(in *isa.Inst) { in.Imm2 = uint8(isa.NumAtomicOps) }), "unknown atomic operation 16"},
		{of(isa.OpAtomic, isa.I32, func(in *isa.Inst) { in.C = isa.None }), "value is missing"},
		{of(isa.OpAtomic, isa.I32, func(in *isa.Inst) { in.D = isa.None }), "comparand is missing"},
		{of(isa.OpAtomic, isa.I32, func(in *isa.Inst) { in.Imm2 = uint8(isa.AtomicLoad); in.C, in.D = isa.None, isa.None }), ""},
		{of(isa.OpMemCopy, isa.Void, func(in *isa.Inst) { in.A = isa.None }), "destination is missing"},
		{of(isa.OpMemCopy, isa.Void, func(in *isa.Inst) { in.B = isa.None }), "source is missing"},
		{of(isa.OpMemCopy, isa.Void, func(in *isa.Inst) { in.C = isa.None }), "size is missing"},
		{of(isa.OpBuiltin, isa.I32, func(in *isa.Inst) { in.Imm = uint32(isa.NumBuiltins) }), "unknown built-in 33"},
		{of(isa.OpBuiltin, isa.I32, func(in *isa.Inst) { in.Imm = 256 }), "unknown built-in 256"},
		{of(isa.OpBuiltin, isa.I32, func(in *isa.Inst) { in.Dst = isa.S(3) }), "local_id.x differs by lane"},
		{of(isa.OpPrintf, isa.Void, func(in *isa.Inst) { in.Imm = 1 }), "unknown printf 1"},
		{of(isa.OpBr, isa.Void, func(in *isa.Inst) { in.Scale = 2 }), "target b2 of 2"},
		{of(isa.OpBarrier, isa.Void, func(in *isa.Inst) { in.Scale = 2 }), "target b2 of 2"},
		{of(isa.OpBrCond, isa.Void, func(in *isa.Inst) { in.A = isa.None }), "condition is missing"},
		{of(isa.OpBrCond, isa.Void, func(in *isa.Inst) { in.Scale = 2 }), "targets b2, b0 of 2"},
		{of(isa.OpBrCond, isa.Void, func(in *isa.Inst) { in.Disp = 2 }), "targets b1, b2 of 2"},
		{of(isa.OpBrCond, isa.Void, func(in *isa.Inst) { in.Disp = -1 }), "targets b1, b-1 of 2"},
		{of(isa.OpSwitch, isa.I32, func(in *isa.Inst) { in.A = isa.None }), "selector is missing"},
		{of(isa.OpSwitch, isa.I32, func(in *isa.Inst) { in.Imm = 1 }), "unknown switch table 1"},
	} {
		checkVerify(t, c.k, c.err)
	}
	for _, c := range []struct {
		change func(s *isa.SwitchTable)
		err    string
	}{
		{func(s *isa.SwitchTable) { s.Values = s.Values[:1] }, "damaged"},
		{func(s *isa.SwitchTable) { s.Default = 2 }, "damaged"},
		{func(s *isa.SwitchTable) { s.Default = -1 }, "damaged"},
		{func(s *isa.SwitchTable) { s.Targets[1] = 2 }, "damaged at case 1"},
		{func(s *isa.SwitchTable) { s.Targets[0] = -1 }, "damaged at case 0"},
		{func(s *isa.SwitchTable) { s.Values[1] = 1 }, "damaged at case 1"},
	} {
		k := kernel(example(isa.OpSwitch, isa.I32, isa.Void))
		c.change(&k.Switches[0])
		checkVerify(t, k, c.err)
	}
	for _, c := range []struct {
		arg isa.PrintfArg
		err string
	}{
		{isa.PrintfArg{Type: isa.I32, Regs: []isa.Reg{isa.V(8)}}, "printf argument names vw8 of 8"},
		{isa.PrintfArg{Type: isa.I32, Regs: []isa.Reg{isa.None}}, "printf argument is missing"},
		{isa.PrintfArg{Regs: []isa.Reg{isa.V(0)}}, "printf argument has no type"},
		{isa.PrintfArg{Type: isa.I32, Regs: []isa.Reg{isa.V(0)}, InMemory: true}, "a string argument of printf 0 that is no pointer"},
		{isa.PrintfArg{Type: isa.I64, InMemory: true}, "a string argument of printf 0 that is no pointer"},
	} {
		k := kernel(example(isa.OpPrintf, isa.Void, isa.Void))
		k.Printfs[0].Args = []isa.PrintfArg{c.arg}
		checkVerify(t, k, c.err)
	}
	k := kernel(example(isa.OpPrintf, isa.Void, isa.Void))
	k.Printfs[0] = isa.Printf{FormatInMemory: true}
	checkVerify(t, k, "printf 0 without a pointer to its format")
}

func checkVerify(t *testing.T, k *isa.Kernel, want string) {
	t.Helper()
	err := k.Verify()
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (!errors.Is(err, isa.ErrMalformed) || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v; expected one with %q", err, want)
	}
}

func TestFlags(t *testing.T) {
	for r := isa.RoundDefault; r <= isa.RoundRTN; r++ {
		for f := range isa.Flags(8) { // the flags that are not rounding
			g := f.WithRound(r)
			if g.Round() != r || g&7 != f {
				t.Errorf("flags %d with rounding %q are %d, rounding %q", f, r, g, g.Round())
			}
			for q := isa.RoundDefault; q <= isa.RoundRTN; q++ {
				if h := g.WithRound(q); h != f.WithRound(q) {
					t.Errorf("rounding %q does not replace %q", q, r)
				}
			}
		}
	}
}

func TestRegisters(t *testing.T) {
	if isa.None.IsVector() || isa.None.IsScalar() || isa.None.Name(isa.I32) != "_" {
		t.Error("None is a register")
	}
	for _, i := range []int{0, 1, 1000} {
		v, s := isa.V(i), isa.S(i)
		if !v.IsVector() || v.IsScalar() || v.Index() != i || s.IsVector() || !s.IsScalar() || s.Index() != i {
			t.Errorf("registers %d: %v %v", i, v, s)
		}
	}
	for ty, want := range map[isa.Type]string{isa.B1: "m3", isa.I8: "vb3", isa.I16: "vh3", isa.F16: "vh3", isa.I32: "vw3", isa.F32: "vw3", isa.I64: "vd3", isa.F64: "vd3"} {
		if got := isa.V(3).Name(ty); got != want {
			t.Errorf("v3 of %s is called %s, want %s", ty, got, want)
		}
		if got := isa.S(3).Name(ty); got != "s3" {
			t.Errorf("s3 of %s is called %s", ty, got)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, n := range []int{1, 8, 16, 32, 64} {
		if ty := isa.IntOf(n); ty.Bits() != n || ty.Bytes() != (n+7)/8 || ty.IsInt() != (n > 1) || ty.IsFloat() {
			t.Errorf("IntOf(%d) = %s", n, ty)
		}
	}
	for _, n := range []int{16, 32, 64} {
		if ty := isa.FloatOf(n); ty.Bits() != n || !ty.IsFloat() || ty.IsInt() || ty.Bank() != isa.IntOf(n).Bank() {
			t.Errorf("FloatOf(%d) = %s", n, ty)
		}
	}
	for _, n := range []int{0, 3, 17, 128, -1} {
		if isa.IntOf(n) != isa.Void || isa.FloatOf(n) != isa.Void {
			t.Errorf("there is a type of %d bits", n)
		}
	}
	for _, c := range []struct{ got, want string }{
		{isa.Type(77).String(), "type(77)"}, {isa.Bank(77).String(), "bank(77)"}, {isa.Op(7777).String(), "op(7777)"},
		{isa.AtomicOp(77).String(), "atomic(77)"}, {isa.Builtin(77).String(), "builtin(77)"}, {isa.BuiltinGlobalID.String(), "global_id.x"},
		{(isa.BuiltinGlobalSize + 2).String(), "global_size.z"}, {isa.AtomicFMax.String(), "fmax"}, {isa.Bank64.String(), "vd"},
		{isa.IdxS32.Type().String(), "i32"}, {isa.Idx64.Type().String(), "i64"}, {isa.IdxNone.Type().String(), "void"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	perLane := ""
	for b := range isa.NumBuiltins {
		if b.PerLane() {
			perLane += b.String() + " "
		}
	}
	if want := "local_id.x local_id.y local_id.z global_id.x global_id.y global_id.z global_linear_id local_linear_id subgroup_size subgroup_id subgroup_local_id "; perLane != want {
		t.Errorf("built-ins that differ by lane: %s", perLane)
	}
}

// TestVerifyImages damages the entries of image instructions.
func TestVerifyImages(t *testing.T) {
	for _, c := range []struct {
		op     isa.Op
		change func(in *isa.Inst, a *isa.ImageAccess)
		err    string
	}{
		{isa.OpImageRead, func(in *isa.Inst, _ *isa.ImageAccess) { in.Dst = isa.None }, ""},
		{isa.OpImageRead, func(in *isa.Inst, _ *isa.ImageAccess) { in.Imm = 1 }, "unknown image access 1"},
		{isa.OpImageRead, func(in *isa.Inst, _ *isa.ImageAccess) { in.Imm2 = 2 }, "no such component"},
		{isa.OpImageRead, func(in *isa.Inst, _ *isa.ImageAccess) { in.Dst = isa.S(2) }, "from vector operands into scalar"},
		{isa.OpImageRead, func(in *isa.Inst, _ *isa.ImageAccess) { in.Dst = isa.V(8) }, "destination names vw8 of 8"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Image = isa.None }, "damaged"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Image = isa.S(6) }, "image names s6 of 6"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Coord[1] = isa.None }, "the number of coordinates"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Coord[2] = isa.V(1) }, "the number of coordinates"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Dim, a.Array = isa.Image3D, true }, "damaged"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Dim, a.Coord[2] = isa.Image3D, isa.V(1) }, ""},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.CoordType = isa.F32 }, "coordinates of f32"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.CoordType, a.Sampler = isa.F32, isa.S(0) }, ""},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.CoordType = isa.I64 }, "coordinates of i64"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Components = 5 }, "no such component"},
		{isa.OpImageRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Value, a.ValueType = []isa.Reg{isa.V(1)}, isa.I32 }, "a value to read"},
		{isa.OpImageWrite, func(_ *isa.Inst, a *isa.ImageAccess) { a.Value = a.Value[:1] }, "damaged value"},
		{isa.OpImageWrite, func(_ *isa.Inst, a *isa.ImageAccess) { a.Value[1] = isa.None }, "damaged value"},
		{isa.OpImageWrite, func(_ *isa.Inst, a *isa.ImageAccess) { a.Value[1] = isa.V(9) }, "value names vw9 of 8"},
		{isa.OpImageWrite, func(_ *isa.Inst, a *isa.ImageAccess) { a.ValueType = isa.I64 }, "damaged value"},
		{isa.OpImageQuery, func(_ *isa.Inst, a *isa.ImageAccess) { a.Query = isa.NumImageQueries }, "damaged"},
		{isa.OpImageQuery, func(in *isa.Inst, _ *isa.ImageAccess) { in.Imm2 = 4 }, "no such component"},
		{isa.OpImageBlockRead, func(in *isa.Inst, a *isa.ImageAccess) {
			a.Coord, in.Dst = [3]isa.Reg{isa.S(0), isa.S(1)}, isa.S(2)
		}, "imageblockread differs by lane"},
		{isa.OpImageBlockRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Dim, a.Coord[1] = isa.Image1D, isa.None }, "blocks are of plain images"},
		{isa.OpImageBlockRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Width = isa.S(1) }, "blocks are of plain images"},
		{isa.OpImageBlockRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Width, a.Height = isa.S(1), isa.S(1) }, ""},
		{isa.OpImageBlockRead, func(_ *isa.Inst, a *isa.ImageAccess) { a.Components = isa.MaxBlockComponents + 1 }, "no such component"},
	} {
		k := kernel(example(c.op, isa.I32, isa.Void))
		c.change(&k.Code[0], &k.ImageAccesses[0])
		checkVerify(t, k, c.err)
	}
}
