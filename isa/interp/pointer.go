package interp

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// lanes emits an operation that f does for one lane at a time, on up to two operands.
func (d *decoder) lanes(in inst, f func(w *wave, a, b uint64) uint64, a isa.Reg, ta isa.Type, b isa.Reg, tb isa.Type) {
	s := in.src
	in.fn = func(w *wave, in *inst) {
		get := func(r isa.Reg, t isa.Type, k, i int) uint64 {
			if r == isa.None {
				return 0
			}
			return w.reg(r, t, k, i)
		}
		if s.Dst.IsScalar() {
			w.s[in.d] = f(w, get(a, ta, 0, 0), get(b, tb, 0, 0))
			return
		}
		for k, m := range w.exec {
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m)
				w.setReg(s.Dst, s.Type, k, i, f(w, get(a, ta, k, i), get(b, tb, k, i)))
			}
		}
	}
	in.d = d.operand(s.Dst, s.Type)
	d.emit(in)
}

func ptrDiff(_ *wave, a, b uint64) uint64 {
	return uint64(memory.Pointer(a).Minus(memory.Pointer(b)))
}

// checkPtrDiff stands before a difference of pointers when Launch.Check is set.
func checkPtrDiff(w *wave, in *inst) {
	pointers := func(k, i int) (p, q memory.Pointer) {
		return memory.Pointer(w.reg(in.src.A, isa.I64, k, i)), memory.Pointer(w.reg(in.src.B, isa.I64, k, i))
	}
	set, found := w.lanesWhere(func(k, i int) bool {
		p, q := pointers(k, i)
		return p.Base() != q.Base()
	})
	if !found {
		return
	}
	w.fail(engine.Fault{Code: finding.PointerDifference, PC: in.pc}, set)
	p, q := pointers(w.place(w.fault.Lane))
	w.fault.Detail = fmt.Sprintf("%s minus %s", w.pointerText(p), w.pointerText(q))
}

// pointerText returns a pointer for a message, which has no addresses of the host.
func (w *wave) pointerText(p memory.Pointer) string {
	if w.mem.IsAddress(p) {
		return "an address where no allocation is"
	}
	return p.String()
}

func ptrPack32(w *wave, a, _ uint64) uint64 {
	return uint64(w.mem.Pack32(w.lds, w.code.privSize, memory.Pointer(a)))
}

func ptrUnpack32(w *wave, a, _ uint64) uint64 {
	return uint64(w.mem.Unpack32(w.lds, w.code.privSize, uint32(a)))
}

func ptrAddress(w *wave, a, _ uint64) uint64 { return w.mem.Address(memory.Pointer(a)) }

func ptrAt(w *wave, a, _ uint64) uint64 { return uint64(w.mem.AtAddress(a)) }

// addressing fills in what an instruction with an address needs: base pointer
// and index. It says whether both are scalar.
func (d *decoder) addressing(in *inst) (uniform bool) {
	s := in.src
	in.a = d.operand(s.A, isa.I64)
	in.disp = int64(s.Disp)
	if s.Idx != isa.IdxNone && s.Scale > 0 {
		in.b = d.operand(s.B, s.Idx.Type())
		in.idx, in.scale = s.Idx, int64(s.Scale)
	}
	in.space = memory.Space(s.Space)
	if s.A.IsScalar() {
		in.scalars |= 1
	}
	in.vectorIndex = in.idx != isa.IdxNone && s.B.IsVector()
	return s.A.IsScalar() && !in.vectorIndex
}

func (d *decoder) ptrAdd(in inst) {
	s := in.src
	uniform := d.addressing(&in)
	in.d = d.operand(s.Dst, isa.I64)
	switch {
	case uniform && s.Dst.IsVector():
		in.fn, in.d = ptrAddScalar, d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, isa.I64)
		return
	case uniform:
		in.fn = ptrAddScalar
	default:
		in.fn = ptrAdd
	}
	d.emit(in)
}

func ptrAddScalar(w *wave, in *inst) {
	w.s[in.d] = uint64(memory.Pointer(w.s[in.a]).Add(w.scalarIndex(in) + in.disp))
}

// ptrAdd adds in all lanes of a chunk where any runs, which does no harm, and
// keeps the results of those that run.
func ptrAdd(w *wave, in *inst) {
	for k, m := range w.masks[in.mask] {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]uint64)(unsafe.Add(base, in.d))
		x := w.offsets(in, base)
		if in.scalars&1 != 0 {
			p := memory.Pointer(w.s[in.a]).Add(in.disp)
			// Two steps could saturate where one does not.
			if p.Offset() == memory.FarOffset {
				p = memory.Pointer(w.s[in.a])
				for i := range x {
					x[i] += in.disp
				}
			}
			if m == full {
				for i := range d {
					d[i] = uint64(p.Add(x[i]))
				}
				continue
			}
			for ; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				d[i] = uint64(p.Add(x[i]))
			}
			continue
		}
		a := (*[64]uint64)(unsafe.Add(base, in.a))
		if m == full {
			for i := range d {
				d[i] = uint64(memory.Pointer(a[i]).Add(x[i]))
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			d[i] = uint64(memory.Pointer(a[i]).Add(x[i]))
		}
	}
}

func (d *decoder) load(in inst) {
	s := in.src
	uniform := d.addressing(&in)
	d.aligned(in)
	d.raceAccess(in)
	f := &loadFuncs[s.Type.Bank()]
	in.d = d.operand(s.Dst, s.Type)
	if s.A.IsVector() || d.steep(&in) {
		in.fn = f.pointers
		d.emit(in)
		return
	}
	plain, private := in, in
	private.fn = f.privateScalar
	switch {
	case uniform && s.Dst.IsScalar():
		plain.fn, private.fn = f.scalar, loadPrivateScalar
	case uniform:
		plain.fn = loadUniform
		plain.aux = &aux{first: plain}
		plain.aux.first.fn, plain.aux.first.d = f.scalar, d.scratch
		plain.aux.second = inst{fn: movFuncs[s.Type.Bank()][1], mask: in.mask, d: in.d, a: d.scratch}
	default:
		plain.fn, private.fn = f.indexed[s.Idx], f.private[s.Idx]
	}
	d.bySpace(in, plain, private)
}

// steep makes a scalar pointer one of the lanes where an index of 32 bits times the scale may have more than 64 bits with the
// sign: that is looked at there. It says whether it has.
func (d *decoder) steep(in *inst) bool {
	if in.idx != isa.IdxU32 || !in.vectorIndex || in.scale <= math.MaxInt32 {
		return false
	}
	in.a = d.spread(1, in.src.A, isa.I64)
	in.scalars &^= 1
	return true
}

// bySpace emits the one or the other of two ways to access memory, or both
// with a choice at run time.
func (d *decoder) bySpace(in, plain, private inst) {
	switch in.space {
	case memory.SpacePrivate:
		d.emit(private)
	case memory.SpaceGlobal, memory.SpaceLocal:
		d.emit(plain)
	default:
		in.fn, in.aux = accessGeneric, &aux{first: plain, second: private}
		d.emit(in)
	}
}

func accessGeneric(w *wave, in *inst) {
	if memory.Pointer(w.s[in.a]).Space() == memory.SpacePrivate {
		in.aux.second.fn(w, &in.aux.second)
	} else {
		in.aux.first.fn(w, &in.aux.first)
	}
}

// loadUniform loads from one address for all lanes.
func loadUniform(w *wave, in *inst) {
	in.aux.first.fn(w, &in.aux.first)
	if !w.faulted {
		in.aux.second.fn(w, &in.aux.second)
	}
}

// loadPrivateScalar loads from the private memory of the first running lane:
// the program says that the value is the same for all.
func loadPrivateScalar(w *wave, in *inst) {
	k, i := w.firstLane()
	v, ok := w.slowLoad(in, k, i, uint64(in.src.Type.Bytes()))
	if !ok {
		w.memFault(in)
		return
	}
	w.s[in.d] = v
}

func (d *decoder) store(in inst) {
	s := in.src
	uniform := d.addressing(&in)
	d.aligned(in)
	d.raceAccess(in)
	f := &storeFuncs[s.Type.Bank()]
	in.c = d.operand(s.C, s.Type)
	if s.C.IsScalar() {
		in.c = d.spread(2, s.C, s.Type)
	}
	if s.A.IsVector() || d.steep(&in) {
		in.fn = f.pointers
		d.emit(in)
		return
	}
	plain, private := in, in
	plain.fn, private.fn = f.scalar, f.privateScalar
	if !uniform {
		plain.fn, private.fn = f.indexed[s.Idx], f.private[s.Idx]
	}
	d.bySpace(in, plain, private)
}
