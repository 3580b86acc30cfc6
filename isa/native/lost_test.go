package native

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// compileFor makes machine code of a kernel for a processor that need not be this one. It fails if a register
// is read that has been given to another value.
func compileFor(t *testing.T, f amd64.Features, k *isa.Kernel) {
	t.Helper()
	program := &isa.Program{Kernels: []*isa.Kernel{k}}
	base, err := interp.Prepare(program, k)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Engine{features: f}).compile(base, k, false); err != nil {
		t.Fatalf("%v\n%s", err, k.Text(program))
	}
}

// unrun returns the numbers of the instruction sets for which the tests of random programs run nothing, because
// this machine lacks a part of them.
func unrun(t *testing.T) (list []int) {
	t.Helper()
	host, err := codemem.Host()
	for i, s := range sets {
		if err != nil || testing.Short() || host&s.features != s.features {
			list = append(list, i)
		}
	}
	return list
}

// TestCompileEverySet compiles random programs for the instruction sets that this machine lacks: what the
// compiler holds about its registers is the same there. TestPrograms and TestStraight compile the same programs
// for the others.
func TestCompileEverySet(t *testing.T) {
	count := amount(80, 160, 400)
	if *programCount > 0 {
		count = *programCount
	}
	for i, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			count := count
			if !slices.Contains(unrun(t), i) {
				count = 0
			}
			for seed := *programFirst; seed < *programFirst+count; seed++ {
				compileFor(t, set.features, generate(&source{state: uint64(seed) * 0x2545f4914f6cdd1d}).kernel)
				p, _ := newStencil(sourceOf(seed))
				compileFor(t, set.features, p.kernel)
			}
			for others := range 8 {
				compileFor(t, set.features, reread(others))
			}
			// An operation across lanes writes a word of booleans whose value nothing read before.
			seed := uint64(7780)
			compileFor(t, set.features, generate(&source{state: seed * 0x2545f4914f6cdd1d}).kernel)
		})
	}
}

// TestReread runs kernels whose second block uses an index that the first has computed, for one work-group
// after the other.
func TestReread(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for others := range 8 {
			p := &generated{kernel: reread(others), items: [3]uint32{64, 1, 1}}
			c := setting{Subgroup: 32, Width: 64}
			const groups = 6
			for i := range p.global {
				for n := range 64*groups + 8 {
					p.global[i] = binary.LittleEndian.AppendUint32(p.global[i], uint32(i<<16+n))
				}
			}
			begin := func(code engine.Code) (*session, error) {
				s, err := p.rows(code, c, [3]uint64{})
				if err != nil {
					return nil, err
				}
				l := s.group.Launch
				l.Groups, l.Offset, l.Global = [3]uint64{groups, 1, 1}, [3]uint64{}, [3]uint64{64 * groups, 1, 1}
				s.waves[0].Start(s.group, 0, p.lanes())
				return s, nil
			}
			if d := p.compareSweeps(compile(t, interp.Engine{}, p.kernel), compile(t, e, p.kernel), groups-1, begin); d != "" {
				t.Fatalf("%d other indices:\n%s\n%s", others, d, p.kernel.Text(&isa.Program{Kernels: []*isa.Kernel{p.kernel}}))
			}
		}
	})
}

// reread returns a kernel of two blocks, with a barrier in between. The first computes an index of 64 bits, a
// sum of an id and a scalar, and uses it before others; the second uses it again. So many others there are.
func reread(others int) *isa.Kernel {
	p := newProgram()
	in := func(i isa.Inst) isa.Reg {
		p.emit(i)
		return i.Dst
	}
	group := p.constant(0)
	in(isa.Inst{Op: isa.OpBuiltin, Type: isa.I64, Dst: group, Imm: uint32(isa.BuiltinGroupID)})
	in(isa.Inst{Op: isa.OpShl, Type: isa.I64, Dst: group, A: group, B: p.constant(6)})
	id := in(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: p.vector(isa.I32), Imm: uint32(isa.BuiltinLocalID)})
	at := in(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, Flags: isa.FlagDense, Dst: p.vector(isa.I64), A: id})
	at = in(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: at, A: group, B: at})
	access := func(op isa.Op, buffer int, x isa.Reg, idx isa.IdxType, v isa.Reg) {
		i := isa.Inst{Op: op, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(buffer), B: x, Idx: idx, Scale: 4}
		if i.Dst, i.C = v, isa.None; op == isa.OpStore {
			i.Dst, i.C = isa.None, v
		}
		in(i)
	}
	v := p.vector(isa.I32)
	access(isa.OpLoad, 0, at, isa.Idx64, v)
	for n := range 1 + others%8 {
		x := in(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: p.vector(isa.I32), A: id, B: p.constant(uint64(n))})
		access(isa.OpStore, 1, x, isa.IdxU32, v)
	}
	b := isa.Inst{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup)}
	b.SetTargets(1, 0)
	in(b)
	access(isa.OpLoad, 1, id, isa.IdxU32, v)
	access(isa.OpStore, 2, at, isa.Idx64, v)
	in(isa.Inst{Op: isa.OpRet})
	p.k.UsesBarrier = true
	return p.k
}
