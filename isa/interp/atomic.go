package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
)

// atomicFuncs is an atomic operation on a type. c is the value and e the
// comparand, both as bits.
type atomicFuncs struct {
	size uint64 // bytes
	// update returns what the memory holds afterwards.
	update func(old, c, e uint64) uint64
	// shared does the operation on memory that other goroutines use, too, and
	// returns the old value; nil for 16 bits.
	shared func(p unsafe.Pointer, c, e uint64) uint64
}

func (d *decoder) atomic(in inst) {
	s := in.src
	d.addressing(&in)
	d.raceAccess(in)
	op := isa.AtomicOp(s.Imm2)
	f := &atomicFuncs{size: uint64(s.Type.Bytes()), update: intUpdates[op]}
	switch {
	case op == isa.AtomicFAdd || op == isa.AtomicFMin || op == isa.AtomicFMax:
		f.update = floatUpdate(op, s.Type.Bits())
	case op == isa.AtomicMinS || op == isa.AtomicMaxS:
		f.update = signedUpdate(op, s.Type.Bits())
	}
	if s.Type.Bits() > 16 {
		f.shared = sharedFunc(op, s.Type.Bits(), f.update)
	}
	in.aux = &aux{atomic: f}
	in.fn = atomicOp
	if s.Type.Bits() == 32 && s.Dst == isa.None && op == isa.AtomicAdd && in.space == memory.SpaceLocal {
		in.fn = atomicAddLocal
	}
	d.emit(in)
	if d.check && op == isa.AtomicCmpXchg && s.Dst != isa.None && s.Space != isa.SpacePrivate {
		in.fn, in.aux = tellExchange, &aux{race: &race.Access{PC: in.pc, Kind: memory.AccessAtomic, Atomic: true, Scope: s.Order().Scope(), Size: f.size}}
		d.emit(in)
	}
}

// intUpdates has the operations that work on the bits of either width.
var intUpdates = [isa.NumAtomicOps]func(old, c, e uint64) uint64{
	isa.AtomicLoad:  func(old, _, _ uint64) uint64 { return old },
	isa.AtomicStore: func(_, c, _ uint64) uint64 { return c },
	isa.AtomicXchg:  func(_, c, _ uint64) uint64 { return c },
	isa.AtomicCmpXchg: func(old, c, e uint64) uint64 {
		if old == e {
			return c
		}
		return old
	},
	isa.AtomicAdd:  func(old, c, _ uint64) uint64 { return old + c },
	isa.AtomicSub:  func(old, c, _ uint64) uint64 { return old - c },
	isa.AtomicMinU: func(old, c, _ uint64) uint64 { return min(old, c) },
	isa.AtomicMaxU: func(old, c, _ uint64) uint64 { return max(old, c) },
	isa.AtomicAnd:  func(old, c, _ uint64) uint64 { return old & c },
	isa.AtomicOr:   func(old, c, _ uint64) uint64 { return old | c },
	isa.AtomicXor:  func(old, c, _ uint64) uint64 { return old ^ c },
}

func signedUpdate(op isa.AtomicOp, width int) func(old, c, e uint64) uint64 {
	// Shifted to the top, numbers of either width compare as 64-bit ones.
	shift := 64 - width
	if op == isa.AtomicMinS {
		return func(old, c, _ uint64) uint64 {
			if int64(c<<shift) < int64(old<<shift) {
				return c
			}
			return old
		}
	}
	return func(old, c, _ uint64) uint64 {
		if int64(c<<shift) > int64(old<<shift) {
			return c
		}
		return old
	}
}

// float32Of has the operations that compute with floats. A sum of halves in single precision rounds to the right half.
func float32Of(op isa.AtomicOp) func(a, b float32) float32 {
	switch op {
	case isa.AtomicFAdd:
		return func(a, b float32) float32 { return a + b }
	case isa.AtomicFMin:
		return fmin[float32]
	}
	return fmax[float32]
}

func floatUpdate(op isa.AtomicOp, width int) func(old, c, e uint64) uint64 {
	if width == 16 {
		f := float32Of(op)
		return func(old, c, _ uint64) uint64 {
			r := f(clmath.F16ToF32(uint16(old)), clmath.F16ToF32(uint16(c)))
			if r != r {
				return 0x7e00
			}
			return uint64(clmath.F32ToF16(r))
		}
	}
	if width == 32 {
		f := float32Of(op)
		return func(old, c, _ uint64) uint64 {
			r := f(math.Float32frombits(uint32(old)), math.Float32frombits(uint32(c)))
			if r != r {
				r = nanF32
			}
			return uint64(math.Float32bits(r))
		}
	}
	var f func(a, b float64) float64
	switch op {
	case isa.AtomicFAdd:
		f = func(a, b float64) float64 { return a + b }
	case isa.AtomicFMin:
		f = fmin[float64]
	default:
		f = fmax[float64]
	}
	return func(old, c, _ uint64) uint64 {
		r := f(math.Float64frombits(old), math.Float64frombits(c))
		if r != r {
			r = nanF64
		}
		return math.Float64bits(r)
	}
}

// sharedFunc returns the operation for memory that several goroutines use: a
// host atomic where there is one, a loop around compare-and-swap otherwise.
func sharedFunc(op isa.AtomicOp, width int, update func(old, c, e uint64) uint64) func(p unsafe.Pointer, c, e uint64) uint64 {
	if width == 32 {
		switch op {
		case isa.AtomicLoad:
			return func(p unsafe.Pointer, _, _ uint64) uint64 { return uint64(memory.AtomicLoad32(p)) }
		case isa.AtomicStore, isa.AtomicXchg:
			return func(p unsafe.Pointer, c, _ uint64) uint64 { return uint64(memory.AtomicSwap32(p, uint32(c))) }
		case isa.AtomicAdd:
			return func(p unsafe.Pointer, c, _ uint64) uint64 { return uint64(memory.AtomicAdd32(p, uint32(c))) }
		case isa.AtomicSub:
			return func(p unsafe.Pointer, c, _ uint64) uint64 { return uint64(memory.AtomicAdd32(p, -uint32(c))) }
		case isa.AtomicAnd:
			return func(p unsafe.Pointer, c, _ uint64) uint64 { return uint64(memory.AtomicAnd32(p, uint32(c))) }
		case isa.AtomicOr:
			return func(p unsafe.Pointer, c, _ uint64) uint64 { return uint64(memory.AtomicOr32(p, uint32(c))) }
		}
		return func(p unsafe.Pointer, c, e uint64) uint64 {
			for {
				old := memory.AtomicLoad32(p)
				v := uint32(update(uint64(old), c, e))
				if v == old || memory.AtomicCAS32(p, old, v) {
					return uint64(old)
				}
			}
		}
	}
	switch op {
	case isa.AtomicLoad:
		return func(p unsafe.Pointer, _, _ uint64) uint64 { return memory.AtomicLoad64(p) }
	case isa.AtomicStore, isa.AtomicXchg:
		return func(p unsafe.Pointer, c, _ uint64) uint64 { return memory.AtomicSwap64(p, c) }
	case isa.AtomicAdd:
		return func(p unsafe.Pointer, c, _ uint64) uint64 { return memory.AtomicAdd64(p, c) }
	case isa.AtomicSub:
		return func(p unsafe.Pointer, c, _ uint64) uint64 { return memory.AtomicAdd64(p, -c) }
	case isa.AtomicAnd:
		return func(p unsafe.Pointer, c, _ uint64) uint64 { return memory.AtomicAnd64(p, c) }
	case isa.AtomicOr:
		return func(p unsafe.Pointer, c, _ uint64) uint64 { return memory.AtomicOr64(p, c) }
	}
	return func(p unsafe.Pointer, c, e uint64) uint64 {
		for {
			old := memory.AtomicLoad64(p)
			v := update(old, c, e)
			if v == old || memory.AtomicCAS64(p, old, v) {
				return old
			}
		}
	}
}

// atomicOp does an atomic operation lane by lane; once, if the result is scalar.
func atomicOp(w *wave, in *inst) {
	s, f := in.src, in.aux.atomic
	access := memory.AccessAtomic
	if isa.AtomicOp(s.Imm2) == isa.AtomicLoad {
		access = memory.AccessRead
	}
	key, limit := noKey, uint64(0)
	var mem unsafe.Pointer
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			_, p := w.address(s, k, i)
			var c, e, old uint64
			if s.C != isa.None {
				c = w.reg(s.C, s.Type, k, i)
			}
			if s.D != isa.None {
				e = w.reg(s.D, s.Type, k, i)
			}
			if uint64(p)>>memory.OffsetBits != key {
				key = uint64(p) >> memory.OffsetBits
				mem, limit = w.target(in, p, f.size, access)
			}
			switch o := uint64(p.Offset()); {
			case mem == nil || o > limit || o&(f.size-1) != 0:
				if w.checkLane(in, k, i) != nil {
					w.memFault(in)
					return
				}
				old = w.peek(p, k, i, f.size)
				w.poke(p, k, i, f.size, f.update(old, c, e))
			case p.Space() == memory.SpaceLocal:
				// One goroutine runs a work-group: no one else is there.
				q := unsafe.Add(mem, o)
				switch f.size {
				case 2:
					old = uint64(memory.Load16(q))
					memory.Store16(q, uint16(f.update(old, c, e)))
				case 4:
					old = uint64(memory.Load32(q))
					memory.Store32(q, uint32(f.update(old, c, e)))
				default:
					old = memory.Load64(q)
					memory.Store64(q, f.update(old, c, e))
				}
			case f.size == 2:
				old = uint64(memory.AtomicUpdate16(unsafe.Add(mem, o), func(old uint16) uint16 { return uint16(f.update(uint64(old), c, e)) }))
			default:
				old = f.shared(unsafe.Add(mem, o), c, e)
			}
			if s.Dst != isa.None {
				w.setReg(s.Dst, s.Type, k, i, old)
				if s.Dst.IsScalar() {
					return
				}
			}
		}
	}
}

// atomicAddLocal adds to 32-bit words in LDS and has no result: what
// histograms and counters do.
func atomicAddLocal(w *wave, in *inst) {
	s := in.src
	if !s.A.IsScalar() {
		atomicOp(w, in)
		return
	}
	mem, limit, off := w.flat(in, 4, memory.AccessAtomic)
	if mem == nil {
		w.memFault(in)
		return
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		x := w.offsets(in, w.chunk(k))
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			o := uint64(off + x[i])
			if o > limit || o&3 != 0 {
				w.memFault(in)
				return
			}
			q := unsafe.Add(mem, o)
			memory.Store32(q, memory.Load32(q)+uint32(w.reg(s.C, isa.I32, k, i)))
		}
	}
}
