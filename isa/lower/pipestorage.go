package lower

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// storages finds the pipes that constants of the module lead to. A value that has
// been loaded from the start of a constant structure stands for the structure,
// which is one pipe, however many places name it: that is how SYCL has storages.
// A storage of SPIR-V's own that comes from a constant is the one that stands
// there, so that it need not be taken for any pipe of the program.
func storages(b *build.Builder) {
	if len(b.PipeAccesses)+len(b.Storages) == 0 {
		return
	}
	b.Func.Simplified = false
	drop := map[*ssa.Value]bool{}
	for _, blk := range b.Func.Blocks {
		for _, v := range blk.Insts {
			if v.Op == isa.OpLoad {
				if p, ok := constantStorage(b, v); ok {
					v.Repl = b.PipeHandle(p)
				}
				continue
			}
			if v.Op != ssa.OpPipeStorage {
				continue
			}
			l := v.Args[0]
			b.In, b.HasLoc = b.Storages[v.Index], false
			if l.Op != isa.OpLoad || l.Args[0].Op != ssa.OpGlobal || l.Idx != isa.IdxNone || l.Disp != 0 {
				b.Fail("it cannot be told which pipe storage is meant: the argument does not lead to a constant of the module")
			}
			v.Repl = b.PipeHandle(b.Module.StorageVariable(b.In, int(l.Args[0].Index)))
			drop[l] = true
		}
	}
	b.Func.ReplaceAll()
	// Nobody needs the loads any more, but for those that the module made itself.
	for _, blk := range b.Func.Blocks {
		for _, list := range [2][]*ssa.Value{blk.Phis, blk.Insts} {
			for _, v := range list {
				for _, a := range v.Args {
					delete(drop, a)
				}
			}
		}
		delete(drop, blk.Cond)
	}
	b.Func.Drop(drop)
}

// constantStorage returns the place in Program.Pipes of the storage that a load
// takes from a constant of the module.
func constantStorage(b *build.Builder, v *ssa.Value) (int, bool) {
	p, at := opt.ConstantSteps(v.Args[0])
	at += int64(v.Disp)
	if p.Op != ssa.OpGlobal || v.Idx != isa.IdxNone || v.Type != isa.I64 || at < 0 || v.Flags&isa.FlagVolatile != 0 {
		return 0, false
	}
	g := &b.Module.Program.Globals[p.Index]
	if !g.ReadOnly {
		return 0, false
	}
	// The relocations of a variable are in the order of their offsets.
	i, ok := slices.BinarySearchFunc(g.Relocs, uint64(at), func(r isa.Reloc, at uint64) int { return cmp.Compare(r.Offset, at) })
	if !ok || !g.Relocs[i].Pipe {
		return 0, false
	}
	return g.Relocs[i].Global, true
}
