package interp

import (
	"fmt"
	"math/big"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// reference runs a kernel one lane after the other, each from the entry to its
// end, with the oracle for every operation. It serves for kernels whose lanes
// do not see each other. The result is the number of instructions that all
// lanes ran.
type reference struct {
	k     *isa.Kernel
	l     *engine.Launch
	mem   *model
	alloc map[memory.Space]uint32 // the one allocation that each space has
	steps int
	limit int
}

// refFault is a fault of a lane.
type refFault struct {
	pc   int
	code finding.Code
}

func (f *refFault) Error() string { return fmt.Sprintf("%s at %d", f.code, f.pc) }

// run runs a lane.
func (r *reference) run(lane int) error {
	vec := map[[2]int]uint64{}
	s := make([]uint64, r.k.NumScalar)
	copy(s, r.l.Scalars)
	get := func(x isa.Reg, t isa.Type) uint64 {
		if x.IsScalar() {
			return s[x.Index()]
		}
		return vec[[2]int{int(t.Bank()), x.Index()}]
	}
	set := func(x isa.Reg, t isa.Type, v uint64) {
		switch {
		case x.IsScalar():
			s[x.Index()] = v
		case x.IsVector():
			vec[[2]int{int(t.Bank()), x.Index()}] = v
		}
	}
	for block := 0; ; {
		b := &r.k.Blocks[block]
		for pc := b.Start; pc < b.End; pc++ {
			in := &r.k.Code[pc]
			if r.steps++; r.steps > r.limit {
				return fmt.Errorf("more than %d instructions", r.limit)
			}
			var x []uint64
			d, t := r.k.Operands(in, func(reg isa.Reg, t isa.Type) { x = append(x, get(reg, t)) })
			switch in.Op {
			case isa.OpBr, isa.OpBarrier:
				block = in.Target0()
			case isa.OpBrCond:
				block = in.Target1()
				if x[0]&1 != 0 {
					block = in.Target0()
				}
			case isa.OpSwitch:
				table := &r.k.Switches[in.Imm]
				block = table.Default
				for i, v := range table.Values {
					if v == x[0] {
						block = table.Targets[i]
					}
				}
			case isa.OpRet:
				return nil
			case isa.OpTrap:
				return &refFault{pc, finding.Unreachable}
			case isa.OpBuiltin:
				if isa.Builtin(in.Imm) != isa.BuiltinLocalID {
					return fmt.Errorf("built-in %s", isa.Builtin(in.Imm))
				}
				set(d, t, uint64(lane))
			case isa.OpLoad, isa.OpStore, isa.OpAtomic:
				cell, err := r.cell(in, pc, lane, x)
				if err != nil {
					return err
				}
				old := getLE(cell)
				n := 1
				if in.Idx != isa.IdxNone {
					n = 2
				}
				switch {
				case in.Op == isa.OpLoad:
					set(d, t, old)
				case in.Op == isa.OpStore:
					putLE(cell, x[n])
				default:
					var c, e uint64
					if len(x) > n {
						c = x[n]
					}
					if len(x) > n+1 {
						e = x[n+1]
					}
					putLE(cell, oracleAtomic(isa.AtomicOp(in.Imm2), in.Type, old, c, e))
					set(d, t, old)
				}
			case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS:
				if x[1] == 0 {
					set(d, t, full>>(64-t.Bits()))
					break
				}
				set(d, t, oracle(in, x))
			default:
				set(d, t, oracle(in, x))
			}
		}
	}
}

// cell returns the memory that an access touches.
func (r *reference) cell(in *isa.Inst, pc, lane int, x []uint64) ([]byte, error) {
	p := memory.Pointer(x[0])
	index := int64(0)
	switch in.Idx {
	case isa.IdxS32:
		index = int64(int32(x[1]))
	case isa.IdxU32:
		index = int64(uint32(x[1]))
	case isa.Idx64:
		index = int64(x[1])
	}
	at := new(big.Int).Mul(big.NewInt(index), big.NewInt(int64(in.Scale)))
	at.Add(at, big.NewInt(p.Offset()+int64(in.Disp)))
	off, n := at.Int64(), int64(in.Type.Bytes())
	all := r.mem.at(p.Space(), lane)
	if p.Alloc() != r.alloc[p.Space()] || p.Far() || !at.IsInt64() || off < 0 || off+n > int64(len(all)) {
		return nil, &refFault{pc, finding.OutOfBounds}
	}
	if in.Op == isa.OpAtomic && off%n != 0 {
		return nil, &refFault{pc, finding.Misaligned}
	}
	return all[off : off+n], nil
}
