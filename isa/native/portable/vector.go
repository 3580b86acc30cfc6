package portable

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// entry is what is known of an instruction on vectors or masks. One of lane, test, whole and do has its
// function.
type entry struct {
	args       int    // operands, numbers counted, modifiers not
	size, from int    // bytes of an element of the destination and of a source; from 0 is size
	flags      traits // see there

	lane  func(*lane) uint64            // one element of the result
	test  func(*lane) bool              // one bit of a mask, or all bits of an element of a vector
	whole func(*whole)                  // a result whose elements come from several lanes
	do    func(*entry, *machine, *inst) // all else

	imm uint64 // the bits that the number may have; 0 is all
}

// traits say how an instruction differs from most.
type traits uint8

const (
	scalar traits = 1 << iota // one element; the rest of the 128 bits is that of the first source
	keeps                     // with scalar: that of the destination
	rounds                    // it may have an embedded rounding
	counts                    // the second source is a count: a number, or the lowest 64 bits of 128
	masked                    // entry.do heeds a predicate
)

// lane is what one element of a result is made of: the elements of the destination as it was and of the
// sources, and the number.
type lane struct {
	d, a, b, c uint64
	imm        uint64
	rounding   amd64.Rounding
}

// whole is a result and what it is made of.
type whole struct {
	r, d, a, b vec
	imm        uint64
	size       int // of an element
	lanes      int // of these
}

// lanes is how many elements an instruction has.
func (e *entry) lanes(i *inst) int {
	if e.flags&scalar != 0 {
		return 1
	}
	return i.width.Bytes() / max(e.size, e.from)
}

// The errors of entry.check.
var (
	errOperands = errors.New("operands")
	errRounding = errors.New("embedded rounding")
	errNumber   = errors.New("number")
	errPred     = errors.New("predicate")
)

// check says whether an instruction is in a form that is known.
func (e *entry) check(i *inst) error {
	if e.args != 0 && len(i.args) != e.args {
		return errOperands
	}
	if i.rounding != 0 && i.rounding != amd64.SAE && e.flags&rounds == 0 {
		return errRounding
	}
	if e.do != nil && i.pred > 0 && e.flags&masked == 0 {
		return errPred
	}
	if e.imm != 0 && slices.ContainsFunc(i.args, func(a arg) bool { return a.kind == argImm }) && uint64(i.imm)&0xff&^e.imm != 0 {
		return errNumber
	}
	return nil
}

// run returns what does the instruction.
func (e *entry) run() func(*machine, *inst) {
	switch {
	case e.lane != nil:
		return e.runLanes
	case e.test != nil:
		return e.runTest
	case e.whole != nil:
		return e.runWhole
	}
	return func(m *machine, i *inst) { e.do(e, m, i) }
}

// active returns the lanes that the predicate of an instruction has.
func (m *machine) active(i *inst, lanes int) uint64 {
	all := ^uint64(0) >> (64 - lanes)
	if i.pred > 0 {
		return m.masks[i.pred-1] & all
	}
	return all
}

// source returns a source with elements of some size. Of memory, only those of active lanes are read (SDM
// volume 1, 15.6.1, fault suppression).
func (m *machine) source(a *arg, size, lanes int, active uint64) (v vec) {
	switch a.kind {
	case argVec:
		return m.vectors[a.reg]
	case argReg:
		v[0] = m.general[a.reg]
	case argMem:
		p := m.address(a)
		if a.spread {
			if active == 0 {
				return v
			}
			x := load(p, size)
			for k := range lanes {
				v.set(size, k, x)
			}
			return v
		}
		if active == ^uint64(0)>>(64-lanes) && size*lanes >= 8 {
			for k := range size * lanes / 8 {
				v[k] = load(p+uintptr(8*k), 8)
			}
			return v
		}
		for ; active != 0; active &= active - 1 {
			k := bits.TrailingZeros64(active)
			v.set(size, k, load(p+uintptr(size*k), size))
		}
	}
	return v
}

// old returns what the destination holds.
func (m *machine) old(i *inst) (v vec) {
	if i.args[0].kind == argVec {
		v = m.vectors[i.args[0].reg]
	}
	return v
}

// result gives the destination a result of so many elements, under the predicate. The bits above become 0 (SDM
// volume 2, 2.3.10.1).
func (m *machine) result(i *inst, r *vec, size, lanes int) {
	active := m.active(i, lanes)
	a := &i.args[0]
	if a.kind == argMem {
		p := m.address(a)
		for ; active != 0; active &= active - 1 {
			k := bits.TrailingZeros64(active)
			store(p+uintptr(size*k), size, r.get(size, k))
		}
		return
	}
	m.put(a.reg, r, i, size, lanes, active)
}

// put changes a vector register.
func (m *machine) put(reg int, r *vec, i *inst, size, lanes int, active uint64) {
	var v vec
	for k := range lanes {
		switch {
		case active>>k&1 != 0:
			v.set(size, k, r.get(size, k))
		case !i.zeroes:
			v.set(size, k, m.vectors[reg].get(size, k))
		}
	}
	m.vectors[reg] = v
}

// operands reads the sources of an instruction.
func (e *entry) operands(m *machine, i *inst, lanes int, active uint64) (d, a, b, c vec) {
	d = m.old(i)
	size := e.from
	if size == 0 {
		size = e.size
	}
	for n := 1; n < len(i.args) && i.args[n].kind != argImm; n++ {
		var v vec
		if n == 2 && e.flags&counts != 0 {
			v = m.source(&i.args[n], 8, 2, 3)
		} else {
			v = m.source(&i.args[n], size, lanes, active)
		}
		switch n {
		case 1:
			a = v
		case 2:
			b = v
		case 3:
			c = v
		}
	}
	return d, a, b, c
}

func (e *entry) runLanes(m *machine, i *inst) {
	lanes := e.lanes(i)
	active := m.active(i, lanes)
	d, a, b, c := e.operands(m, i, lanes, active)
	size := e.from
	if size == 0 {
		size = e.size
	}
	x := lane{imm: uint64(i.imm) & 0xff, rounding: i.rounding}
	var r vec
	for k := range lanes {
		if active>>k&1 == 0 {
			continue
		}
		x.d, x.a, x.b, x.c = d.get(e.size, k), a.get(size, k), b.get(size, k), c.get(size, k)
		if e.flags&counts != 0 {
			if x.b = b[0]; i.args[2].kind == argImm {
				x.b = x.imm
			}
		}
		r.set(e.size, k, e.lane(&x))
	}
	if e.flags&scalar == 0 {
		m.result(i, &r, e.size, lanes)
		return
	}
	y := a
	if e.flags&keeps != 0 {
		y = d
	}
	y = vec{y[0], y[1]}
	switch {
	case active != 0:
		y.set(e.size, 0, r.get(e.size, 0))
	case i.zeroes:
		y.set(e.size, 0, 0)
	default:
		y.set(e.size, 0, d.get(e.size, 0))
	}
	m.vectors[i.args[0].reg] = y
}

func (e *entry) runTest(m *machine, i *inst) {
	lanes := e.lanes(i)
	active := m.active(i, lanes)
	_, a, b, _ := e.operands(m, i, lanes, active)
	size := e.from
	if size == 0 {
		size = e.size
	}
	x := lane{imm: uint64(i.imm) & 0xff}
	var bits uint64
	var r vec
	for k := range lanes {
		x.a, x.b = a.get(size, k), b.get(size, k)
		if e.test(&x) {
			bits |= 1 << k
			r.set(size, k, ^uint64(0))
		}
	}
	if i.args[0].kind == argMask {
		m.masks[i.args[0].reg] = bits & active
		return
	}
	if e.flags&scalar != 0 {
		y := vec{a[0], a[1]}
		y.set(size, 0, r.get(size, 0))
		m.vectors[i.args[0].reg] = y
		return
	}
	m.put(i.args[0].reg, &r, i, size, lanes, active)
}

func (e *entry) runWhole(m *machine, i *inst) {
	lanes := e.lanes(i)
	w := whole{imm: uint64(i.imm) & 0xff, size: e.size, lanes: lanes}
	w.d, w.a, w.b, _ = e.operands(m, i, lanes, ^uint64(0)>>(64-lanes))
	e.whole(&w)
	m.result(i, &w.r, e.size, lanes)
}
