package binary

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
)

// plan is how values of a type are written and read. Plans are made from the
// types themselves, so that a field that somebody adds to a table of the bytecode is in
// the binary without anything to do here.
type plan struct {
	least int // bytes that a value takes at least, 1 or more
	write func(w *writer, v reflect.Value)
	read  func(r *reader, v reflect.Value)
}

var (
	plansMu sync.Mutex
	plans   = map[reflect.Type]*plan{}
)

// planOf returns the plan of a type. A type that has none is a mistake in the
// tables of the bytecode, which tests find: it panics.
func planOf(t reflect.Type) *plan {
	plansMu.Lock()
	defer plansMu.Unlock()
	return makePlan(t)
}

var errorType = reflect.TypeFor[error]()

// Reason is the text of an error that a program holds ([isa.Refused]), as it
// comes out of a binary.
type Reason string

// Error returns the text.
func (r Reason) Error() string { return string(r) }

// makePlan does the work of planOf; plansMu is held.
func makePlan(t reflect.Type) *plan {
	if p := plans[t]; p != nil {
		if p.write == nil {
			panic(fmt.Sprintf("isa/binary: %s holds itself", t))
		}
		return p
	}
	p := &plan{least: 1}
	plans[t] = p
	switch {
	case t == reflect.TypeFor[[]isa.Inst]():
		instPlan(p)
	case t == reflect.TypeFor[[]isa.Loc]():
		locPlan(p)
	case t == errorType:
		errorPlan(p)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		bytesPlan(p)
	default:
		kindPlan(p, t)
	}
	return p
}

func kindPlan(p *plan, t reflect.Type) {
	switch t.Kind() {
	case reflect.Bool:
		p.write = func(w *writer, v reflect.Value) {
			b := byte(0)
			if v.Bool() {
				b = 1
			}
			w.byte(b)
		}
		p.read = func(r *reader, v reflect.Value) {
			b := r.byte()
			if b > 1 {
				r.fail("%d is no truth value", b)
			}
			v.SetBool(b == 1)
		}
	case reflect.Uint8:
		p.write = func(w *writer, v reflect.Value) { w.byte(byte(v.Uint())) }
		p.read = func(r *reader, v reflect.Value) { v.SetUint(uint64(r.byte())) }
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.write = func(w *writer, v reflect.Value) { w.uint(v.Uint()) }
		p.read = func(r *reader, v reflect.Value) {
			n := r.uint()
			if v.OverflowUint(n) {
				r.fail("%d does not fit in %s", n, t)
			}
			v.SetUint(n)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.write = func(w *writer, v reflect.Value) { w.int(v.Int()) }
		p.read = func(r *reader, v reflect.Value) {
			n := r.int()
			if v.OverflowInt(n) {
				r.fail("%d does not fit in %s", n, t)
			}
			v.SetInt(n)
		}
	case reflect.String:
		p.write = func(w *writer, v reflect.Value) { w.string(v.String()) }
		p.read = func(r *reader, v reflect.Value) { v.SetString(r.string()) }
	case reflect.Pointer:
		pointerPlan(p, t)
	case reflect.Slice:
		slicePlan(p, t)
	case reflect.Array:
		arrayPlan(p, t)
	case reflect.Struct:
		structPlan(p, t)
	default:
		panic(fmt.Sprintf("isa/binary: no binary form of %s", t))
	}
}

func pointerPlan(p *plan, t reflect.Type) {
	elem := makePlan(t.Elem())
	p.write = func(w *writer, v reflect.Value) {
		if v.IsNil() {
			w.byte(0)
			return
		}
		w.byte(1)
		elem.write(w, v.Elem())
	}
	p.read = func(r *reader, v reflect.Value) {
		switch b := r.byte(); b {
		case 0:
		case 1:
			v.Set(reflect.New(t.Elem()))
			elem.read(r, v.Elem())
		default:
			r.fail("%d is neither something nor nothing", b)
		}
	}
}

func slicePlan(p *plan, t reflect.Type) {
	elem := makePlan(t.Elem())
	p.write = func(w *writer, v reflect.Value) {
		n := v.Len()
		w.uint(uint64(n))
		for i := range n {
			elem.write(w, v.Index(i))
		}
	}
	p.read = func(r *reader, v reflect.Value) {
		n := r.length(elem.least)
		if n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			elem.read(r, v.Index(i))
			if r.err != nil {
				return
			}
		}
	}
}

func arrayPlan(p *plan, t reflect.Type) {
	elem := makePlan(t.Elem())
	n := t.Len()
	p.least = max(1, n*elem.least)
	p.write = func(w *writer, v reflect.Value) {
		for i := range n {
			elem.write(w, v.Index(i))
		}
	}
	p.read = func(r *reader, v reflect.Value) {
		for i := range n {
			elem.read(r, v.Index(i))
		}
	}
}

func structPlan(p *plan, t reflect.Type) {
	fields := make([]*plan, t.NumField())
	sum := 0
	for i := range fields {
		f := t.Field(i)
		if !f.IsExported() {
			panic(fmt.Sprintf("isa/binary: no binary form of %s, field %s", t, f.Name))
		}
		fields[i] = makePlan(f.Type)
		sum += fields[i].least
	}
	p.least = max(1, sum)
	p.write = func(w *writer, v reflect.Value) {
		for i, f := range fields {
			f.write(w, v.Field(i))
		}
	}
	p.read = func(r *reader, v reflect.Value) {
		for i, f := range fields {
			f.read(r, v.Field(i))
		}
	}
	if sum == 0 {
		// Elements that take no bytes would be free of charge.
		p.write = func(w *writer, _ reflect.Value) { w.byte(0) }
		p.read = func(r *reader, _ reflect.Value) { r.byte() }
	}
}

// bytesPlan is that of []byte.
func bytesPlan(p *plan) {
	p.write = func(w *writer, v reflect.Value) {
		b := v.Bytes()
		w.uint(uint64(len(b)))
		w.out = append(w.out, b...)
	}
	p.read = func(r *reader, v reflect.Value) {
		if n := r.length(1); n > 0 {
			v.SetBytes(bytes.Clone(r.data[r.pos : r.pos+n]))
			r.pos += n
		}
	}
}

// errorPlan keeps the text of an error.
func errorPlan(p *plan) {
	p.write = func(w *writer, v reflect.Value) {
		err, ok := v.Interface().(error)
		if !ok {
			w.byte(0)
			return
		}
		w.byte(1)
		w.string(err.Error())
	}
	p.read = func(r *reader, v reflect.Value) {
		switch b := r.byte(); b {
		case 0:
		case 1:
			v.Set(reflect.ValueOf(Reason(r.string())))
		default:
			r.fail("%d is neither an error nor none", b)
		}
	}
}

// What instructions and places take in bytes, most of the time.
const (
	usualInst = 14
	usualLoc  = 7
)

func instPlan(p *plan) {
	p.write = func(w *writer, v reflect.Value) {
		code := v.Interface().([]isa.Inst)
		w.uint(uint64(len(code)))
		w.out = slices.Grow(w.out, usualInst*len(code))
		for i := range code {
			w.inst(&code[i])
		}
	}
	p.read = func(r *reader, v reflect.Value) {
		n := r.length(instBytes)
		if n == 0 {
			return
		}
		code := make([]isa.Inst, n)
		for i := range code {
			r.inst(&code[i])
			if r.err != nil {
				return
			}
		}
		v.Set(reflect.ValueOf(code))
	}
}

func locPlan(p *plan) {
	p.write = func(w *writer, v reflect.Value) {
		locs := v.Interface().([]isa.Loc)
		w.uint(uint64(len(locs)))
		w.out = slices.Grow(w.out, usualLoc*len(locs))
		before := isa.Loc{}
		for i := range locs {
			w.loc(&locs[i], &before)
			before = locs[i]
		}
	}
	p.read = func(r *reader, v reflect.Value) {
		n := r.length(locBytes)
		if n == 0 {
			return
		}
		locs := make([]isa.Loc, n)
		before := isa.Loc{}
		for i := range locs {
			r.loc(&locs[i], &before)
			before = locs[i]
			if r.err != nil {
				return
			}
		}
		v.Set(reflect.ValueOf(locs))
	}
}
