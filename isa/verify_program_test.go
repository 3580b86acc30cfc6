package isa

import (
	"errors"
	"strings"
	"testing"
)

// tables is a program in which each table has something.
func tables() *Program {
	return &Program{
		Files:   []string{"", "a.cl"},
		Globals: []Global{{Name: "g", Size: 16, Align: 8, Init: make([]byte, 8), Relocs: []Reloc{{Offset: 8}, {Offset: 8, Pipe: true}}}},
		Pipes:   []Pipe{{Name: "p", PacketBytes: 4, PacketAlign: 4, Capacity: 8}},
		Kernels: []*Kernel{{
			Name:       "k",
			Params:     []Param{{Name: "v", Size: 8}, {Name: "b", Kind: ParamGlobal, Size: 4}},
			Code:       []Inst{{Op: OpRet, Loc: 1}},
			Blocks:     []Block{{End: 1}},
			NumScalar:  4,
			ScalarInit: make([]uint64, 4),
			ParamRegs:  []ParamReg{{Scalar: 0, Param: 0, Offset: 4, Size: 4}, {Scalar: 1, Param: 1, Size: 8}},
			GlobalRegs: []GlobalReg{{Scalar: 2}},
			PipeRegs:   []PipeReg{{Scalar: 3, Reads: true}},
			Private:    []Alloc{{Name: "a", Size: 8, Param: 1, Loc: 1}},
			Local:      []Alloc{{Name: "l", Size: 64}, {Name: "w", Size: 8, PerItem: true}},
			Locs:       []Loc{{}, {File: 1, Line: 2}},
		}},
	}
}

// TestVerifyProgram holds that a program whose tables do not fit each other is
// refused, with what does not fit.
func TestVerifyProgram(t *testing.T) {
	if err := tables().Verify(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		change func(p *Program, k *Kernel)
	}{
		{"17 initial bytes", func(p *Program, _ *Kernel) { p.Globals[0].Init = make([]byte, 17) }},
		{"the address at byte 9", func(p *Program, _ *Kernel) { p.Globals[0].Relocs[0].Offset = 9 }},
		{"the address at byte 8", func(p *Program, _ *Kernel) { p.Globals[0].Relocs[0].Global = 1 }},
		{"the address at byte 8", func(p *Program, _ *Kernel) { p.Globals[0].Relocs[0].Global = -1 }},
		{"the address at byte 8", func(p *Program, _ *Kernel) { p.Pipes = nil; p.Kernels[0].PipeRegs = nil }},
		{"the address at byte 18446744073709551615", func(p *Program, _ *Kernel) { p.Globals[0].Relocs[0].Offset = 1<<64 - 1 }},
		{"packets aligned to 3 bytes", func(p *Program, _ *Kernel) { p.Pipes[0].PacketAlign = 3 }},
		{"packets aligned to 0 bytes", func(p *Program, _ *Kernel) { p.Pipes[0].PacketAlign = 0 }},
		{"a kernel is missing", func(p *Program, _ *Kernel) { p.Kernels[0] = nil }},
		{"two kernels are called", func(p *Program, k *Kernel) { p.Kernels = append(p.Kernels, k) }},
		{"unknown opcode", func(_ *Program, k *Kernel) { k.Code[0].Op = OpInvalid }},
		{"6 scalar registers, of which 5", func(_ *Program, k *Kernel) { k.NumScalar = 6 }},
		{"-1 vector registers in bank vw", func(_ *Program, k *Kernel) { k.NumVector[Bank32] = -1 }},
		{"2 sequences of async marks in 1", func(_ *Program, k *Kernel) { k.MarkSequences = 2 }},
		{"parameter 0 of unknown kind", func(_ *Program, k *Kernel) { k.Params[0].Kind = ParamPipe + 1 }},
		{"bytes 5 to 9 of a parameter of 8", func(_ *Program, k *Kernel) { k.ParamRegs[0].Offset = 5 }},
		{"byte 4 of a pointer", func(_ *Program, k *Kernel) { k.ParamRegs[1].Offset = 4 }},
		{"variable 1 of 1", func(_ *Program, k *Kernel) { k.GlobalRegs[0].Global = 1 }},
		{"pipe 1 of 1", func(_ *Program, k *Kernel) { k.PipeRegs[0].Pipe = 1 }},
		{"starts as parameter 1", func(_ *Program, k *Kernel) { k.Private[0].Param = 2 }},
		{"starts as parameter 2", func(_ *Program, k *Kernel) { k.Private[0].Param = 3 }},
		{"starts as parameter 0", func(_ *Program, k *Kernel) { k.Private[0].Size = 4 }},
		{"5000 bytes for each work-item", func(_ *Program, k *Kernel) { k.Local[1].Size = 5000 }},
		{`memory "l" comes from place 2 of 2`, func(_ *Program, k *Kernel) { k.Local[0].Loc = 2 }},
		{"instruction 0 comes from place 4294967295", func(_ *Program, k *Kernel) { k.Code[0].Loc = 1<<32 - 1 }},
		{"place 1 is in file 2 of 2", func(_ *Program, k *Kernel) { k.Locs[1].File = 2 }},
		{"place 1 is in function 1 of 0", func(_ *Program, k *Kernel) { k.Locs[1].Func = 1 }},
		{"place 1 is called at place 1, which is not before it", func(_ *Program, k *Kernel) { k.Locs[1].At = 1 }},
		{"place 1 is called at place 9", func(_ *Program, k *Kernel) { k.Locs[1].At = 9 }},
	} {
		p := tables()
		c.change(p, p.Kernels[0])
		if err := p.Verify(); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestRegEnds holds that no register has an index that is not a number of a
// register, the most negative one included.
func TestRegEnds(t *testing.T) {
	for _, r := range []Reg{-1 << 31, -1<<31 + 1, -1, 1, 1<<31 - 1} {
		if r.Index() < 0 {
			t.Errorf("register %d has index %d", r, r.Index())
		}
	}
}
