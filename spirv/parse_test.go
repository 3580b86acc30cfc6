package spirv

import (
	"fmt"
	"strings"
	"testing"
)

// inst makes an instruction of a test module.
func inst(t *testing.T, op Op, operands ...uint32) Inst {
	t.Helper()
	in, err := NewInst(op, operands...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// kinds writes operands as a list of kinds, parameters with a plus, with the number of words where it
// is not one.
func kinds(ops []ParsedOperand) string {
	list := make([]string, len(ops))
	for i, o := range ops {
		list[i] = o.Kind.String()
		if o.Param {
			list[i] = "+" + list[i]
		}
		if len(o.Words) != 1 {
			list[i] += fmt.Sprintf(":%d", len(o.Words))
		}
	}
	return strings.Join(list, " ")
}

func TestParse(t *testing.T) {
	str := AppendString(nil, "name")
	m := &Module{Version: Version10, Bound: 100, Insts: []Inst{
		inst(t, OpExtInstImport, append([]uint32{1}, AppendString(nil, "OpenCL.std")...)...),
		inst(t, OpExtInstImport, append([]uint32{2}, AppendString(nil, "NonSemantic.Unheard.Of")...)...),
		inst(t, OpTypeInt, 3, 32, 0),
		inst(t, OpTypeInt, 4, 64, 1),
		inst(t, OpTypeFloat, 5, 16),
		inst(t, OpConstant, 4, 6, 1, 2),
		inst(t, OpTypeInt, 7, 0xffffffff, 0),
	}}
	p := NewParser(m)
	for _, tc := range []struct {
		in   Inst
		want string // kinds, or a part of the error
	}{
		{inst(t, OpConstant, 4, 10, 1, 2), "IdResultType IdResult LiteralContextDependentNumber:2"},
		{inst(t, OpConstant, 5, 10, 1), "IdResultType IdResult LiteralContextDependentNumber"},
		{inst(t, OpConstant, 4, 10, 1), `operand "Value" (LiteralContextDependentNumber) is missing or cut short`},
		{inst(t, OpConstant, 3, 10, 1, 2), "words left over after its last operand: 1"},
		{inst(t, OpConstant, 7, 10, 1, 2), "a literal of 4294967295 bits"},
		{inst(t, OpConstant, 99, 10, 1), "the width of a literal is unknown: id 99 is no integer or floating-point type"},
		{inst(t, OpSwitch, 6, 20, 1, 2, 21, 3, 4, 22), "IdRef IdRef LiteralInteger:2 IdRef LiteralInteger:2 IdRef"},
		{inst(t, OpLoad, 3, 10, 11, uint32(MemoryAccessVolatile|MemoryAccessAligned), 4), "IdResultType IdResult IdRef MemoryAccess +LiteralInteger"},
		{inst(t, OpLoad, 3, 10, 11, uint32(MemoryAccessAligned)), "is missing or cut short"},
		{inst(t, OpDecorate, append(append([]uint32{10, uint32(DecorationLinkageAttributes)}, str...), 1)...), "IdRef Decoration +LiteralString:2 +LinkageType"},
		{inst(t, OpDecorate, 10, 0xfffff, 7, 8), "IdRef Decoration +LiteralInteger +LiteralInteger"},
		{inst(t, OpDecorate, 10, uint32(DecorationLinkageAttributes), 0x61616161), "a literal string does not end within the instruction"},
		{inst(t, OpExtInst, 3, 10, 1, OpenCLStdVloadn, 11, 12, 4), "IdResultType IdResult IdRef LiteralExtInstInteger IdRef IdRef LiteralInteger"},
		{inst(t, OpExtInst, 3, 10, 1, OpenCLStdSin, 11, 12), "words left over after the last operand of sin: 1"},
		{inst(t, OpExtInst, 3, 10, 2, 77, 11, 12), "IdResultType IdResult IdRef LiteralExtInstInteger IdRef IdRef"},
		{inst(t, OpSpecConstantOp, 3, 10, uint32(OpIAdd), 11, 12), "IdResultType IdResult LiteralSpecConstantOpInteger IdRef IdRef"},
		{inst(t, OpSpecConstantOp, 3, 10, uint32(OpSpecConstantOp), 1), "OpSpecConstantOp cannot be the operation"},
		{inst(t, OpSpecConstantOp, 3, 10, 0x1007b), "is not in the grammar"},
		{inst(t, OpGroupMemberDecorate, 10, 11, 0, 12, 1), "IdRef IdRef LiteralInteger IdRef LiteralInteger"},
		{inst(t, OpGroupMemberDecorate, 10, 11), "is missing or cut short"},
		{inst(t, OpEntryPoint, append(append([]uint32{6, 10}, str...), 11, 12)...), "ExecutionModel IdRef LiteralString:2 IdRef IdRef"},
	} {
		got, err := p.Parse(nil, tc.in)
		switch {
		case err == nil && kinds(got) != tc.want:
			t.Errorf("%s: got %q, want %q", tc.in.Op(), kinds(got), tc.want)
		case err != nil && (!strings.Contains(err.Error(), tc.want) || len(got) != 0):
			t.Errorf("%s: error %v with %d operands, want %q", tc.in.Op(), err, len(got), tc.want)
		}
	}
	got, err := p.Parse(nil, inst(t, OpConstant, 4, 10, 1, 2))
	if err != nil || got[2].Number != (NumberFormat{Width: 64, Signed: true}) {
		t.Errorf("format of a literal: %+v, %v", got[2].Number, err)
	}
	if f, ok := p.Number(5); !ok || f != (NumberFormat{Width: 16, Float: true, Encoding: IEEE754}) {
		t.Errorf("format of half: %+v", f)
	}
}

func TestDecorations(t *testing.T) {
	m := &Module{Insts: []Inst{
		inst(t, OpDecorate, 9, uint32(DecorationAlignment), 16), // the group
		inst(t, OpDecorate, 1, uint32(DecorationAlignment), 4),
		inst(t, OpDecorate, 1, uint32(DecorationFuncParamAttr), 6),
		inst(t, OpDecorate, 1, uint32(DecorationFuncParamAttr), 2),
		inst(t, OpDecorate, 1, uint32(DecorationFuncParamAttr), 6),
		inst(t, OpMemberDecorate, 3, 1, uint32(DecorationOffset), 8),
		inst(t, OpGroupDecorate, 9, 1, 2),
		inst(t, OpGroupMemberDecorate, 9, 3, 0),
	}}
	d := m.Decorations()
	all := func(id ID, kind Decoration) string {
		var out []uint32
		for p := range d.All(id, kind) {
			out = append(out, p...)
		}
		return fmt.Sprint(out)
	}
	if got := all(1, DecorationAlignment); got != "[4 16]" {
		t.Errorf("own before group: %v", got)
	}
	if got := all(2, DecorationAlignment); got != "[16]" {
		t.Errorf("through the group: %v", got)
	}
	if got := all(1, DecorationFuncParamAttr); got != "[2 6]" {
		t.Errorf("attributes, each once: %v", got)
	}
	if d.Has(2, DecorationFuncParamAttr) || d.Has(3, DecorationOffset) || d.Has(3, DecorationAlignment) {
		t.Error("a decoration that nobody gave")
	}
	if p, ok := d.Member(3, 1, DecorationOffset); !ok || p[0] != 8 {
		t.Errorf("member: %v", p)
	}
	if p, ok := d.Member(3, 0, DecorationAlignment); !ok || p[0] != 16 {
		t.Errorf("member through the group: %v", p)
	}
}

func TestLayout(t *testing.T) {
	m := &Module{Insts: []Inst{
		inst(t, OpMemoryModel, uint32(AddressingModelPhysical64), uint32(MemoryModelOpenCL)),
		inst(t, OpDecorate, 14, uint32(DecorationCPacked)),
		inst(t, OpTypeInt, 1, 8, 0), inst(t, OpTypeInt, 2, 32, 0), inst(t, OpTypeInt, 3, 33, 0), inst(t, OpTypeFloat, 4, 64),
		inst(t, OpTypeVector, 5, 2, 3), inst(t, OpTypeVector, 6, 1, 5), inst(t, OpConstant, 2, 7, 6),
		inst(t, OpTypeArray, 8, 5, 7), inst(t, OpTypePointer, 9, 5, 1),
		inst(t, OpTypeStruct, 10, 1, 2, 1, 9, 1), inst(t, OpTypeStruct, 14, 1, 2, 1),
		inst(t, OpTypeStruct, 11), inst(t, OpTypeStruct, 12, 13), inst(t, OpTypeStruct, 13, 1), inst(t, OpTypeVoid, 15),
		inst(t, OpConstant, 2, 16, 0xffffffff), inst(t, OpTypeArray, 17, 8, 16), inst(t, OpTypeArray, 18, 17, 16), inst(t, OpTypeArray, 19, 18, 16),
	}}
	l := NewLayout(m, m.Index(), m.Decorations())
	for _, tc := range []struct {
		id          ID
		size, align uint64
	}{{1, 1, 1}, {2, 4, 4}, {3, 8, 8}, {4, 8, 8}, {5, 16, 16}, {6, 8, 8}, {8, 96, 16}, {9, 8, 8}, {10, 32, 8}, {14, 6, 1}, {11, 0, 1}, {13, 1, 1}} {
		if size, align, err := l.Size(tc.id); size != tc.size || align != tc.align || err != nil {
			t.Errorf("type %d: size %d, alignment %d, %v; want %d and %d", tc.id, size, align, err, tc.size, tc.align)
		}
	}
	// A part that is declared later, void, and a size past 64 bits.
	for _, id := range []ID{12, 15, 19, 99} {
		if size, _, err := l.Size(id); err == nil {
			t.Errorf("type %d has a size of %d", id, size)
		}
	}
	if got := fmt.Sprint(l.Offsets(10), l.Offsets(14)); got != "[0 4 8 16 24] [0 1 5]" {
		t.Errorf("offsets %s", got)
	}
}

func TestIndex(t *testing.T) {
	m := &Module{Insts: []Inst{
		inst(t, OpTypeInt, 1, 16, 1), inst(t, OpConstant, 1, 2, 0xfffffffe), inst(t, OpTypeInt, 3, 16, 0),
		inst(t, OpConstant, 3, 4, 0xfffffffe), inst(t, OpConstantNull, 3, 5), inst(t, OpTypeInt, 6, 64, 0), inst(t, OpConstant, 6, 7, 1, 2),
		inst(t, OpUndef, 1, 2),
	}}
	x := m.Index()
	if x.At(2) != 1 || x.TypeOf(2) != 1 || x.At(0) != -1 || x.At(1000) != -1 {
		t.Error("the first definition is not the one that is found")
	}
	for id, want := range map[ID]int64{2: -2, 4: 0xfffe, 5: 0, 7: 2<<32 + 1} {
		if v, ok := x.Constant(id); !ok || int64(v) != want {
			t.Errorf("constant %d is %d, %v", id, int64(v), ok)
		}
	}
	if _, ok := x.Constant(1); ok {
		t.Error("a type has a value")
	}
}
