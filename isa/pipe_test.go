package isa_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestPipeAccess damages the entry of a pipe instruction, and the branch of a
// blocking one.
func TestPipeAccess(t *testing.T) {
	read := isa.PipeAccess{Name: "read", Op: isa.PipeRead, Scope: isa.ScopeInvocation, Blocking: true,
		Pipe: isa.S(0), Pointer: isa.V(1), PacketBytes: isa.S(1), PacketAlign: isa.S(1)}
	blocking := func() *isa.Kernel {
		k := kernel(isa.Inst{Op: isa.OpPipe, Dst: isa.V(2)})
		k.PipeAccesses = []isa.PipeAccess{read}
		br := isa.Inst{Op: isa.OpBrCond, A: isa.V(3), Flags: isa.FlagWait}
		br.SetTargets(1, 0)
		k.Code[1] = br
		return k
	}
	if err := blocking().Verify(); err != nil {
		t.Fatal(err)
	}
	if got := blocking().InstText(&blocking().Code[1]); !strings.Contains(got, "waits for the pipe") {
		t.Errorf("branch: %q", got)
	}
	for what, change := range map[string]func(k *isa.Kernel, a *isa.PipeAccess){
		"no pipe":               func(_ *isa.Kernel, a *isa.PipeAccess) { a.Pipe = isa.None },
		"no pointer":            func(_ *isa.Kernel, a *isa.PipeAccess) { a.Pointer = isa.None },
		"an index":              func(_ *isa.Kernel, a *isa.PipeAccess) { a.Index = isa.V(1) },
		"a count":               func(_ *isa.Kernel, a *isa.PipeAccess) { a.Count = isa.V(1) },
		"no size":               func(_ *isa.Kernel, a *isa.PipeAccess) { a.PacketBytes = isa.None },
		"operation":             func(_ *isa.Kernel, a *isa.PipeAccess) { a.Op = isa.NumPipeOps },
		"group read":            func(_ *isa.Kernel, a *isa.PipeAccess) { a.Scope = isa.ScopeSubgroup },
		"scope":                 func(_ *isa.Kernel, a *isa.PipeAccess) { a.Scope = isa.ScopeDevice },
		"missing register":      func(_ *isa.Kernel, a *isa.PipeAccess) { a.Pointer = isa.V(100) },
		"scalar result":         func(k *isa.Kernel, _ *isa.PipeAccess) { k.Code[0].Dst = isa.S(3) },
		"entry":                 func(k *isa.Kernel, _ *isa.PipeAccess) { k.Code[0].Imm = 1 },
		"wait without entry":    func(k *isa.Kernel, _ *isa.PipeAccess) { k.Code[1].Imm = 1 },
		"wait without blocking": func(_ *isa.Kernel, a *isa.PipeAccess) { a.Blocking = false },
		"wait elsewhere":        func(k *isa.Kernel, _ *isa.PipeAccess) { k.Code[1].SetTargets(0, 1) },
		"wait for another": func(k *isa.Kernel, _ *isa.PipeAccess) {
			k.PipeAccesses = append(k.PipeAccesses, read)
			k.Code[1].Imm = 1
		},
		"pipe register":          func(k *isa.Kernel, _ *isa.PipeAccess) { k.PipeRegs = []isa.PipeReg{{Scalar: 2}} },
		"blocking query":         func(_ *isa.Kernel, a *isa.PipeAccess) { a.Op, a.Pointer = isa.PipeNumPackets, isa.None },
		"commit without a group": func(_ *isa.Kernel, a *isa.PipeAccess) { a.Op = isa.PipeCommitRead },
	} {
		k := blocking()
		change(k, &k.PipeAccesses[0])
		if err := k.Verify(); !errors.Is(err, isa.ErrMalformed) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	max := kernel(isa.Inst{Op: isa.OpPipe, Dst: isa.S(2)})
	max.PipeAccesses = []isa.PipeAccess{{Op: isa.PipeMaxPackets, Scope: isa.ScopeInvocation, Pipe: isa.S(0), PacketBytes: isa.S(1), PacketAlign: isa.S(1)}}
	if err := max.Verify(); err != nil {
		t.Error(err)
	}
}
