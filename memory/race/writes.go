package race

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// origins is a set of the registers with arguments and addresses of variables that a value may be computed
// from, by number in the order of Kernel.ParamRegs and Kernel.GlobalRegs.
type origins uint64

const (
	maxOrigins = 63
	fromMemory = origins(1) << maxOrigins // computed from what a load or an argument by value gave, which may be any pointer
)

// register is a register of a kernel: those of different banks have the same numbers.
type register struct {
	reg  isa.Reg
	bank int
}

func registerOf(r isa.Reg, t isa.Type) register {
	if r.IsVector() {
		return register{r, int(t.Bank())}
	}
	return register{reg: r}
}

// Writes tells, of the launch that was entered last, which memory its kernel may write: scalars is what
// scalar registers start with. Accesses to buffers and variables that no launch writes race with nothing,
// and cost neither time nor memory. It does nothing for what a launch before has let the detector look at.
func (d *Detector) Writes(k *isa.Kernel, scalars []uint64) {
	d.told++
	clear(d.objects) // what was not looked at may be now; byData still has the others
	for i := range k.Code {
		op := k.Code[i].Op
		d.paints = d.paints || op == isa.OpImageWrite || op == isa.OpImageBlockWrite
	}
	w := writes{kernel: k, from: map[register]origins{}}
	written := w.all()
	if written&fromMemory != 0 {
		d.anything = true
		return
	}
	for i := range len(k.ParamRegs) + len(k.GlobalRegs) {
		if written>>i&1 == 0 {
			continue
		}
		scalar := 0
		if n := len(k.ParamRegs); i < n {
			scalar = k.ParamRegs[i].Scalar
		} else {
			scalar = k.GlobalRegs[i-n].Scalar
		}
		if r := d.mem.Lookup(memory.Pointer(scalars[scalar]).Alloc()); r != nil && len(r.Data) > 0 {
			d.written[unsafe.SliceData(r.Data)] = true
		}
	}
}

// idle says that no launch writes a piece of memory.
func (d *Detector) idle(data *byte) bool {
	return !d.anything && d.told == len(d.starts) && !d.written[data]
}

// writes finds what a kernel may write, without regard to the order of instructions.
type writes struct {
	kernel  *isa.Kernel
	from    map[register]origins
	changed bool
}

// all returns the origins of the pointers that the kernel writes through or lets go to memory; fromMemory
// stands for every memory.
func (w *writes) all() origins {
	k := w.kernel
	if len(k.ParamRegs)+len(k.GlobalRegs) > maxOrigins {
		return fromMemory
	}
	scalar := func(i int) register { return register{reg: isa.S(i)} }
	for i, p := range k.ParamRegs {
		from := fromMemory
		if k.Params[p.Param].Kind == isa.ParamGlobal {
			from = 1 << i
		}
		w.from[scalar(p.Scalar)] |= from
	}
	for i, g := range k.GlobalRegs {
		w.from[scalar(g.Scalar)] |= 1 << (len(k.ParamRegs) + i)
	}
	var written origins
	for w.changed = true; w.changed; {
		w.changed, written = false, 0 // what is written is known when the origins are
		for i := range k.Code {
			written |= w.step(&k.Code[i])
		}
	}
	return written
}

// step lets the origins of an instruction's operands reach its result, and returns those that it writes
// through or lets go.
func (w *writes) step(in *isa.Inst) origins {
	var operands origins
	dst, typ := w.kernel.Operands(in, func(r isa.Reg, t isa.Type) { operands |= w.from[registerOf(r, t)] })
	address := w.from[registerOf(in.A, isa.I64)] // an index adds no more than an offset
	result, written := operands, origins(0)
	switch in.Op.Info().Shape {
	case isa.ShapeNone, isa.ShapeFence, isa.ShapeBuiltin, isa.ShapeElect, isa.ShapeVote, isa.ShapeBallot, isa.ShapeCompare,
		isa.ShapePtrDiff, isa.ShapeGroupWait, isa.ShapeAsync, isa.ShapeBr, isa.ShapeBrCond, isa.ShapeSwitch, isa.ShapeBarrier,
		isa.ShapeRet, isa.ShapeTrap, isa.ShapePrintf, isa.ShapeCheck:
		return 0
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeSelect, isa.ShapeConvert, isa.ShapeShuffle,
		isa.ShapeShuffle2, isa.ShapeScan:
	case isa.ShapePtrAdd:
		result = address
	case isa.ShapeLoad, isa.ShapeBlockLoad:
		result = fromMemory
	case isa.ShapeStore, isa.ShapeBlockStore, isa.ShapeAtomic:
		result = fromMemory
		for _, v := range []isa.Reg{in.C, in.D} {
			if v != isa.None {
				written |= w.from[registerOf(v, in.Type)] &^ fromMemory
			}
		}
		if in.Space != isa.SpaceLocal && in.Space != isa.SpacePrivate {
			written |= through(address)
		}
	case isa.ShapeMemCopy:
		written = through(address)
	case isa.ShapeGroupCopy:
		result, written = 0, through(w.from[registerOf(w.kernel.GroupCopies[in.Imm].Args[isa.CopyDst], isa.I64)])
	case isa.ShapeLaneCopy:
		if c := &w.kernel.LaneCopies[in.Imm]; c.Store {
			written = operands | fromMemory
		}
		return written
	default: // pipes, images, and whatever may be there some day
		result, written = operands|fromMemory, operands
	}
	if dst != isa.None {
		if r := registerOf(dst, typ); w.from[r]|result != w.from[r] {
			w.from[r] |= result
			w.changed = true
		}
	}
	return written
}

// through returns what a write through a pointer with these origins reaches: with none it is not known
// where it came from.
func through(address origins) origins {
	if address == 0 {
		return fromMemory
	}
	return address
}
