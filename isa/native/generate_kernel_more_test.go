package native

// What half of the random kernels have besides: elements of 8 and 16 bits and vectors of four of them,
// switches, pointers that lanes choose, and that walk in loops, and private arrays with indices that are
// loaded. They are decided by numbers of their own, so that the kernels are otherwise what they were.

// more is what a kernel has of this.
type more struct {
	narrow cType // elements of the buffers q0 and q1; cInt for none
	// How many there are of statements and expressions, for TestMoreOfKernels.
	narrowLoads, narrowStores, vectorLoads, vectorStores, switches, chosen, walks, privates int
}

// narrowTypes are the elements of the buffers q0 and q1.
var narrowTypes = []cType{cUchar, cChar, cUshort, cShort}

// extras writes more into a kernel, ahead of its last store.
func (w *written) extras() {
	decisions := w.source
	w.source = &source{state: decisions.state ^ 0x5bd1e995_9e3779b9}
	defer func() { w.source = decisions }()
	if w.n(2) == 0 {
		return
	}
	if w.n(2) == 0 {
		w.narrowElements()
	}
	for range 1 + w.n(2) {
		switch w.n(4) {
		case 0:
			w.cases()
		case 1:
			w.chosen(false)
		case 2:
			w.chosen(true)
		default:
			w.privateArray()
		}
	}
	if w.more.narrow != cInt {
		w.storeNarrow()
	}
}

// bits32 returns 32 bits that depend on values of the kernel.
func (w *written) bits32() *term {
	if w.element == cFloat { // of which not all are integers
		return w.localLinear(cUint)
	}
	return cast(cUint, w.value())
}

// narrowElements gives the kernel a buffer of narrow elements to read, and one to write, and reads the
// former.
func (w *written) narrowElements() {
	w.more.narrow = narrowTypes[w.n(len(narrowTypes))]
	for i, name := range []string{"q0", "q1"} {
		w.params = append(w.params, writtenParam{name: name, t: w.more.narrow, pointer: true, input: i == 0, length: max(w.total, w.space)*4 + 64})
	}
	for range 1 + w.n(3) {
		at := w.globalLinear([]cType{cInt, cUint, cSize}[w.n(3)])
		x := &term{op: "load", t: w.more.narrow, name: "q0", args: []*term{at}}
		switch w.n(3) {
		case 0:
			x = &term{op: "vload", t: w.more.narrow, name: "q0", n: int64(w.n(4)), args: []*term{at}}
			w.more.vectorLoads++
		case 1:
			x.args[0] = operation("add", operation("mul", at, number(at.t, 1+w.n(3))), number(at.t, w.n(4)))
			w.more.narrowLoads++
		default:
			w.more.narrowLoads++
		}
		w.values = append(w.values, w.let("v", cast(w.element, cast(cInt, x))).name)
	}
}

// storeNarrow writes to the buffer of narrow elements, each work-item its own.
func (w *written) storeNarrow() {
	at := w.globalLinear([]cType{cInt, cUint, cSize}[w.n(3)])
	if w.n(2) == 0 {
		w.add(&statement{op: "store", name: "q1", at: at, v: cast(w.more.narrow, w.bits32())})
		w.more.narrowStores++
		return
	}
	v := &term{op: "vector", t: w.more.narrow}
	for range 4 {
		v.args = append(v.args, cast(w.more.narrow, w.bits32()))
	}
	w.add(&statement{op: "vstore", name: "q1", at: at, v: v})
	w.more.vectorStores++
}

// cases writes a switch over some bits, of which not all have a case.
func (w *written) cases() {
	acc := w.values[w.n(len(w.values))]
	// The parameter is less than 8, which compilers do not know: they would make integers of 3 bits of the
	// others.
	x := operation("xor", operation("and", w.bits32(), number(cUint, []int{3, 7, 15}[w.n(3)])), w.parameterOf(2, cUint))
	s := &statement{op: "switch", v: cast(cInt, x)}
	if w.n(4) == 0 {
		s.v = w.parameterOf(2, cInt) // the same for all
	}
	for range 2 + w.n(4) {
		var body []*statement
		w.inside(&body, func() {
			if w.n(3) == 0 {
				w.some(1)
			}
			w.add(&statement{op: "set", name: acc, v: w.combine()})
		})
		s.cases = append(s.cases, body)
	}
	w.add(s)
	w.more.switches++
}

// chosen gives each lane a pointer to one of the buffers that are only read, and reads what is behind it, in
// a loop if the pointer walks.
func (w *written) chosen(walks bool) {
	name := w.fresh("p")
	place := func(buffer int) *term {
		t := []cType{cInt, cUint, cSize}[w.n(3)]
		return &term{op: "address", name: writtenBuffers[buffer], args: []*term{operation("add", w.freshIndex(t), number(t, w.n(4)))}}
	}
	w.add(&statement{op: "point", name: name, at: w.condition(), v: place(w.n(2)), or: place(w.n(2))})
	load := func() *term {
		return &term{op: "load", t: w.element, name: name, args: []*term{number([]cType{cInt, cUint, cSize}[w.n(3)], w.n(3))}}
	}
	if w.more.chosen++; !walks {
		w.values = append(w.values, w.let("v", load()).name)
		return
	}
	w.more.walks++
	acc := w.values[w.n(len(w.values))]
	s := &statement{op: "loop", name: w.fresh("t"), v: number(cInt, 1+w.n(6))}
	if w.n(2) == 0 {
		s.v = w.parameterOf(3, cInt)
	}
	w.inside(&s.body, func() {
		w.add(&statement{op: "set", name: acc, v: operation("add", variable(w.element, acc), load())})
		step := number(cInt, 1+w.n(3))
		if w.n(3) == 0 {
			step = cast(cInt, operation("and", w.localLinear(cUint), number(cUint, 3))) // not the same for all
		}
		w.add(&statement{op: "move", name: name, v: step})
	})
	w.add(s)
}

// writtenBuffers are the pointers to global memory that kernels only read. A term "address" starts where they
// lead at first, and not where statements have moved them.
var writtenBuffers = []string{"b0", "b1"}

// freshIndex returns a number below that of all work-items.
func (w *written) freshIndex(t cType) *term {
	return cast(t, operation("rem", w.bits32(), number(cUint, w.total)))
}

// privateArray reads and writes the private array at an index that is known when the kernel runs.
func (w *written) privateArray() {
	if w.privat == 0 {
		w.privat = 4 + w.n(5)
		for i := range w.privat {
			w.body = append([]*statement{{op: "private", at: number(cInt, i), v: w.convert(number(cInt, i+1))}}, w.body...)
		}
	}
	at := func() *term { return cast(cInt, operation("rem", w.bits32(), number(cUint, w.privat))) }
	w.add(&statement{op: "private", at: at(), v: w.value()})
	w.values = append(w.values, w.let("v", &term{op: "private", t: w.element, args: []*term{at()}}).name)
	w.more.privates++
}
