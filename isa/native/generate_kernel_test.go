package native

import (
	"fmt"
	"math/bits"
)

// Random kernels shaped as people write them: pointers that ids have moved, tiles in LDS on both sides of
// barriers, strided and blocked maps, guards, reductions. A kernel is a tree, which is printed as OpenCL C
// (generate_kernel_opencl_test.go) or as SPIR-V text (generate_kernel_spirv_test.go), together with a launch
// of many work-groups.

// form is a type of OpenCL C.
type cType int

const (
	cInt cType = iota
	cUint
	cSize // size_t
	cLong
	cFloat
	cBool
	cUchar
	cChar
	cUshort
	cShort
)

// term is an expression. Both operands of an operation have its type, but for comparisons.
type term struct {
	op   string // const, var, id, cast, select, load, vload, vector, address, tile, private, lt, eq, or an operation
	t    cType
	args []*term
	n    int64  // of a constant; the dimension of an id
	name string // of a variable, pointer or array; the function of an id
}

// statement is one of a kernel.
type statement struct {
	op          string // let, set, move, store, vstore, tile, private, add, barrier, loop, if, switch, point
	name        string // of a variable, pointer or array
	at, v       *term
	body, other []*statement
	cases       [][]*statement // of a switch: 0, 1 and so on; the last one is the default
	or          *term          // of point: the other place
}

// parameter is a kernel's: a pointer to global memory, or an integer.
type writtenParam struct {
	name    string
	t       cType
	pointer bool
	input   bool // of a pointer: to const
	value   int64
	length  int // elements behind a pointer
}

// written is a kernel with a launch of it.
type written struct {
	*source
	name    string
	element cType // of buffers and tiles
	params  []writtenParam
	tiles   map[string]int // LDS arrays, with their lengths
	privat  int            // elements of a private array named own; 0 for none
	body    []*statement

	dim            int
	local          [3]uint32
	groups, offset [3]uint64
	racy           bool // work-groups may store to the same element
	far            bool // the offset is so large that ids have more than 31 bits; it is taken off them

	alike               bool // all pointers are moved by the same sum, of form and index, as people mostly do
	form                int
	index               cType
	lanes, total, space int // work-items of a group, of all; the linear global ids are less than space
	each                int // elements of a work-item
	count               int // names that have been given
	at                  *[]*statement
	values              []string // variables of the element's type
	pointers            []movedPointer
	depth               int
	more                more
}

// movedPointer is a variable that points into a buffer, and what constants may be added to it.
type movedPointer struct {
	name  string
	step  int // between the elements of a work-item; 0 where the pointer has not been moved
	form  int // which elements are a work-item's own
	input bool
}

func (w *written) fresh(prefix string) string { w.count++; return fmt.Sprint(prefix, w.count) }
func (w *written) add(s *statement)           { *w.at = append(*w.at, s) }

func number(t cType, n int) *term             { return &term{op: "const", t: t, n: int64(n)} }
func variable(t cType, name string) *term     { return &term{op: "var", t: t, name: name} }
func operation(op string, a, b *term) *term   { return &term{op: op, t: a.t, args: []*term{a, b}} }
func compareTerm(op string, a, b *term) *term { return &term{op: op, t: cBool, args: []*term{a, b}} }
func cast(t cType, x *term) *term {
	if x.t == t {
		return x
	}
	return &term{op: "cast", t: t, args: []*term{x}}
}

// let names a value.
func (w *written) let(prefix string, v *term) *term {
	name := w.fresh(prefix)
	w.add(&statement{op: "let", name: name, v: v})
	return variable(v.t, name)
}

// sometimes is let one time in two, so that compilers see both.
func (w *written) sometimes(v *term) *term {
	if w.n(2) == 0 {
		return v
	}
	return w.let("x", v)
}

// indexType chooses what an index is computed in: 32 or 64 bits.
func (w *written) indexType() cType { return []cType{cInt, cUint, cSize, cSize, cLong}[w.n(5)] }

var groupShapes = [][3]uint32{{64, 1, 1}, {256, 1, 1}, {128, 1, 1}, {512, 1, 1}, {32, 1, 1}, {16, 1, 1}, {1, 1, 1}, {100, 1, 1}, {1024, 1, 1}, {192, 1, 1},
	{16, 16, 1}, {8, 8, 1}, {32, 8, 1}, {64, 4, 1}, {16, 4, 1}, {4, 16, 1}, {17, 3, 1}, {32, 2, 1}, {8, 4, 2}, {4, 4, 4}, {16, 2, 2}, {64, 1, 2}}

// newWritten makes a kernel out of decisions.
func newWritten(s *source, name string) *written {
	w := &written{source: s, name: name, element: cUint, tiles: map[string]int{}, dim: 1}
	if s.n(3) == 0 {
		w.element = cFloat
	}
	w.local = groupShapes[s.n(len(groupShapes))]
	for d, n := range w.local {
		if n > 1 {
			w.dim = d + 1
		}
	}
	if w.dim == 1 && s.n(4) == 0 {
		w.dim = 2
	}
	w.lanes = int(w.local[0] * w.local[1] * w.local[2])
	w.groups = [3]uint64{1, 1, 1}
	most := max(1, 12000/w.lanes)
	for d := range w.dim {
		w.groups[d] = uint64(1 + s.n(min(most, 60)))
		most = max(1, most/int(w.groups[d]))
	}
	if s.n(4) == 0 {
		for d := range w.dim {
			w.offset[d] = uint64(s.n(20))
		}
	}
	w.total, w.space = w.lanes, 1
	if w.far = s.n(10) == 0; w.far {
		w.offset = [3]uint64{}
	}
	for d := range 3 {
		w.total *= int(w.groups[d])
		w.space *= int(w.groups[d])*int(w.local[d]) + int(w.offset[d])
	}
	if w.far {
		w.offset[0] = []uint64{1<<31 - 100, 1 << 31, 1<<32 - 64, 1 << 32, 1<<33 + 5}[s.n(5)]
	}
	w.each = []int{1, 1, 2, 2, 3, 4}[s.n(6)]
	w.racy = s.n(5) == 0
	w.alike, w.form, w.index = s.n(2) == 0, s.n(3), w.indexType()
	length := max(w.total, w.space)*w.each + 64
	if s.once(30) {
		length -= s.n(length / 2)
	}
	for i, input := range []bool{true, true, false, false} {
		w.params = append(w.params, writtenParam{name: fmt.Sprint("b", i), t: w.element, pointer: true, input: input, length: length + s.n(3)})
	}
	for i, v := range []int{w.total, w.space, s.n(8), 1 + s.n(6), w.total - s.n(40)} {
		w.params = append(w.params, writtenParam{name: fmt.Sprint("n", i), t: []cType{cInt, cUint}[s.n(2)], value: int64(v)})
	}
	w.at = &w.body
	w.write()
	return w
}

// parameterOf returns an integer parameter, as a value of a type.
func (w *written) parameterOf(n int, t cType) *term {
	p := w.params[4+n]
	return cast(t, variable(p.t, p.name))
}

func (w *written) id(function string, dim int, t cType) *term {
	return cast(t, &term{op: "id", t: cSize, name: function, n: int64(dim)})
}

// localSize returns the size of a group in a dimension: asked for, or known to the programmer.
func (w *written) localSize(dim int, t cType) *term {
	if w.n(3) == 0 {
		return w.id("get_local_size", dim, t)
	}
	return number(t, int(w.local[dim]))
}

// linear returns the sum of an id of each dimension times what lies below.
func (w *written) linear(function string, t cType, size func(dim int) *term) *term {
	x := w.sometimes(w.id(function, 0, t))
	for d := 1; d < w.dim; d++ {
		pitch := size(0)
		for lower := 1; lower < d; lower++ {
			pitch = operation("mul", pitch, size(lower))
		}
		x = operation("add", x, operation("mul", w.id(function, d, t), pitch))
	}
	return w.sometimes(x)
}

func (w *written) localLinear(t cType) *term {
	return w.linear("get_local_id", t, func(d int) *term { return w.localSize(d, t) })
}

func (w *written) groupLinear(t cType) *term {
	return w.linear("get_group_id", t, func(d int) *term {
		if w.n(3) == 0 {
			return w.id("get_num_groups", d, t)
		}
		return number(t, int(w.groups[d]))
	})
}

func (w *written) globalLinear(t cType) *term {
	x := w.linear("get_global_id", t, func(d int) *term {
		size := int(w.groups[d]) * int(w.local[d])
		if !w.far {
			size += int(w.offset[d])
		}
		return number(t, size)
	})
	if w.far && w.n(20) > 0 {
		x = w.sometimes(operation("sub", x, w.id("get_global_offset", 0, t)))
	}
	return x
}

// own returns an index of the work-item's own element of a buffer: the first of w.each, and what leads to the
// next. There are three maps of work-items to elements.
func (w *written) own(t cType, form int) (x *term, step int) {
	switch form {
	case 0: // a part of each work-group
		size := number(t, w.lanes*w.each)
		if w.dim == 1 && w.n(2) == 0 {
			size = operation("mul", w.id("get_local_size", 0, t), number(t, w.each))
		}
		return operation("add", operation("mul", w.groupLinear(t), size), w.localLinear(t)), w.lanes
	case 1: // a part of each work-item
		return operation("mul", w.globalLinear(t), number(t, w.each)), 1
	}
	return w.globalLinear(t), w.space // strided
}

// move gives a buffer a pointer of its own, moved or not.
func (w *written) move(buffer int) {
	p := movedPointer{name: fmt.Sprint("b", buffer), form: w.n(3), input: buffer < 2}
	if w.once(40) { // all work-items outside
		x := operation("mul", w.parameterOf(1, cLong), number(cLong, 5))
		if w.n(2) == 0 {
			x = operation("sub", number(cLong, 0), w.parameterOf(2, cLong))
		}
		w.add(&statement{op: "move", name: p.name, v: x})
	}
	if w.alike || w.n(4) > 0 {
		t := w.indexType()
		if w.alike {
			t, p.form = w.index, w.form
		}
		var x *term
		x, p.step = w.own(t, p.form)
		w.add(&statement{op: "move", name: p.name, v: x})
	}
	w.pointers = append(w.pointers, p)
}

// elementOf returns an index for a pointer: of the work-item's own, or, for what only is read, of others'.
func (w *written) elementOf(p movedPointer, c int) *term {
	if w.once(80) { // a number that 32 bits do not hold
		t := []cType{cSize, cLong}[w.n(2)]
		far := &term{op: "const", t: t, n: 1 << (31 + w.n(3))}
		x := cast(t, w.elementOf(p, c))
		return operation("add", x, &term{op: "select", t: t, args: []*term{w.condition(), far, number(t, 0)}})
	}
	if p.step > 0 {
		x := number([]cType{cInt, cUint, cSize}[w.n(3)], c*p.step)
		if w.n(6) == 0 && (p.input || w.racy) {
			return operation("add", x, number(x.t, w.n(3)))
		}
		return x
	}
	t := w.indexType()
	form := p.form
	if p.input {
		form = w.n(3)
	}
	x, step := w.own(t, form)
	if c > 0 {
		x = operation("add", x, number(t, c*step))
	}
	if p.input || w.racy {
		switch w.n(6) {
		case 0:
			x = operation("sub", number(t, w.space*w.each-1), x)
		case 1:
			x = operation("add", x, w.parameterOf(2, t))
		case 2:
			x = operation("rem", cast(cUint, x), number(cUint, w.total))
		}
	}
	return w.sometimes(x)
}

// tileIndex returns an index into a tile: of the work-item's own elements, or of any.
func (w *written) tileIndex(length int, own bool) *term {
	t := []cType{cInt, cUint, cSize}[w.n(3)]
	l, c := w.localLinear(t), w.n(w.each)
	x := operation("add", l, number(t, c*w.lanes))
	if w.n(3) == 0 {
		x = operation("add", operation("mul", l, number(t, w.each)), number(t, c))
	}
	if own {
		return x
	}
	switch w.n(7) {
	case 0:
		return operation("sub", number(t, length-1), x)
	case 1:
		return operation("rem", cast(cUint, operation("add", x, w.parameterOf(2, t))), number(cUint, length))
	case 2:
		if w.dim > 1 {
			return operation("add", operation("mul", w.id("get_local_id", 0, t), number(t, int(w.local[1]))), w.id("get_local_id", 1, t))
		}
		return number(t, w.n(length))
	case 3:
		return operation("rem", cast(cUint, operation("xor", l, number(t, 1<<w.n(6)))), number(cUint, length))
	case 4:
		return w.id("get_local_id", 0, t)
	}
	return x
}

// value returns one of the element's type.
func (w *written) value() *term {
	if len(w.values) == 0 || w.n(8) == 0 {
		return w.convert(w.globalLinear([]cType{cInt, cUint, cSize}[w.n(3)]))
	}
	return variable(w.element, w.values[w.n(len(w.values))])
}

// convert makes an integer a value.
func (w *written) convert(x *term) *term {
	if w.element == cFloat && x.t != cInt {
		x = cast(cInt, x)
	}
	return cast(w.element, x)
}

// combine returns a value made of others.
func (w *written) combine() *term {
	ops := []string{"add", "mul", "xor", "sub", "and", "or"}
	if w.element == cFloat {
		ops = []string{"add", "mul", "sub"}
	}
	x := operation(ops[w.n(len(ops))], w.value(), w.value())
	if w.n(6) == 0 {
		x = &term{op: "select", t: w.element, args: []*term{w.condition(), x, w.value()}}
	}
	return x
}

// condition returns a comparison: of ids with a parameter or constant, or of values.
func (w *written) condition() *term {
	t := w.indexType()
	switch w.n(5) {
	case 0:
		return compareTerm("lt", w.value(), w.value())
	case 1:
		return compareTerm("eq", operation("and", w.localLinear(cUint), number(cUint, 1<<w.n(4))), number(cUint, 0))
	case 2:
		return compareTerm("lt", w.localLinear(t), number(t, w.n(w.lanes+1)))
	case 3:
		return compareTerm("lt", w.id("get_local_id", w.n(w.dim), t), number(t, w.n(9)))
	}
	return compareTerm("lt", w.globalLinear(t), w.parameterOf(4, t))
}

// tileNames returns the tiles in the order in which they came.
func (w *written) tileNames() (names []string) {
	for n := range len(w.tiles) {
		names = append(names, fmt.Sprint("tile", n))
	}
	return names
}

// write writes the kernel.
func (w *written) write() {
	for range w.n(3) {
		w.tiles[fmt.Sprint("tile", len(w.tiles))] = w.lanes * w.each
	}
	if w.n(5) == 0 {
		w.privat = 4 + w.n(5)
		for i := range w.privat {
			w.add(&statement{op: "private", at: number(cInt, i), v: w.convert(number(cInt, i+1))})
		}
	}
	for _, b := range []int{0, 1, 2, 3} {
		if b != 1 || w.n(2) == 0 {
			w.move(b)
		}
	}
	acc := w.let("v", w.load())
	w.values = append(w.values, acc.name)
	if len(w.tiles) > 0 && w.n(2) == 0 {
		w.fill()
	}
	for phase := range 1 + w.n(4) {
		if phase > 0 && (len(w.tiles) > 0 || w.n(3) == 0) {
			w.add(&statement{op: "barrier"})
			if w.n(5) == 0 {
				w.move(w.n(2)) // once more
				w.pointers = w.pointers[:len(w.pointers)-1]
			}
		}
		switch {
		case w.n(4) == 0:
			w.loop()
		case len(w.tiles) > 0 && w.n(4) == 0:
			w.reduce()
		default:
			w.some(1 + w.n(5))
		}
	}
	w.extras()
	w.add(&statement{op: "set", name: acc.name, v: operation("add", variable(w.element, acc.name), w.value())})
	w.store(acc)
	if len(w.tiles) > 0 && w.n(2) == 0 {
		w.drain()
	}
}

// load returns what an element of a buffer holds.
func (w *written) load() *term {
	p := w.pointers[w.n(len(w.pointers))]
	x := w.elementOf(p, w.n(w.each))
	if p.input && p.step == 0 && w.element == cUint && w.n(8) == 0 { // gathered
		inner := &term{op: "load", t: w.element, name: p.name, args: []*term{x}}
		x = operation("rem", inner, number(cUint, w.total))
	}
	return &term{op: "load", t: w.element, name: p.name, args: []*term{x}}
}

// store stores a value in an element of a buffer.
func (w *written) store(v *term) {
	p := w.output()
	w.add(&statement{op: "store", name: p.name, at: w.elementOf(p, w.n(w.each)), v: v})
}

// output returns a pointer to store behind.
func (w *written) output() movedPointer {
	var list []movedPointer
	for _, p := range w.pointers {
		if !p.input {
			list = append(list, p)
		}
	}
	return list[w.n(len(list))]
}

// fill writes a tile from a buffer, each work-item its elements, and waits for the others.
func (w *written) fill() {
	tiles := w.tileNames()
	name, p := tiles[w.n(len(tiles))], w.pointers[w.n(len(w.pointers))]
	t := []cType{cInt, cUint, cSize}[w.n(3)]
	l := w.localLinear(t)
	for c := range w.each {
		at := operation("add", l, number(t, c*w.lanes))
		w.add(&statement{op: "tile", name: name, at: at, v: &term{op: "load", t: w.element, name: p.name, args: []*term{w.elementOf(p, c)}}})
	}
	w.add(&statement{op: "barrier"})
}

// drain stores elements of a tile in a buffer, each work-item as many as it has.
func (w *written) drain() {
	tiles := w.tileNames()
	name, p := tiles[w.n(len(tiles))], w.output()
	for c := range w.each {
		v := &term{op: "tile", t: w.element, name: name, args: []*term{w.tileIndex(w.tiles[name], false)}}
		w.add(&statement{op: "store", name: p.name, at: w.elementOf(p, c), v: v})
	}
}

// some writes so many statements.
func (w *written) some(count int) {
	tiles := w.tileNames()
	for range count {
		switch kind := w.n(12); {
		case kind < 2:
			w.values = append(w.values, w.let("v", w.load()).name)
		case kind < 6 && len(tiles) > 0:
			name := tiles[w.n(len(tiles))]
			if kind%2 == 0 {
				w.add(&statement{op: "tile", name: name, at: w.tileIndex(w.tiles[name], true), v: w.value()})
				continue
			}
			at := w.tileIndex(w.tiles[name], false)
			w.values = append(w.values, w.let("v", &term{op: "tile", t: w.element, name: name, args: []*term{at}}).name)
		case kind == 6 && w.privat > 0:
			at := cast(cInt, operation("rem", w.localLinear(cUint), number(cUint, w.privat)))
			if w.n(2) == 0 {
				w.add(&statement{op: "private", at: at, v: w.value()})
				continue
			}
			w.values = append(w.values, w.let("v", &term{op: "private", t: w.element, args: []*term{at}}).name)
		case kind == 7 && w.depth < 2:
			w.branch()
		case kind == 8:
			w.store(w.value())
		case kind == 9 && len(tiles) > 0 && w.element == cUint:
			name := tiles[w.n(len(tiles))]
			at := operation("rem", cast(cUint, w.value()), number(cUint, w.tiles[name]))
			w.add(&statement{op: "add", name: name, at: at, v: w.value()})
		default:
			w.values = append(w.values, w.let("v", w.combine()).name)
		}
	}
}

// inside writes statements into a list of their own.
func (w *written) inside(list *[]*statement, write func()) {
	at, values := w.at, len(w.values)
	w.at = list
	w.depth++
	write()
	w.depth--
	w.at, w.values = at, w.values[:values]
}

// branch writes an if.
func (w *written) branch() {
	s := &statement{op: "if", v: w.condition()}
	acc := w.values[w.n(len(w.values))]
	w.inside(&s.body, func() {
		w.some(1 + w.n(3))
		w.add(&statement{op: "set", name: acc, v: w.combine()})
	})
	if w.n(3) == 0 {
		w.inside(&s.other, func() { w.some(1 + w.n(3)) })
	}
	w.add(s)
}

// loop writes a loop of as many trips as a constant or a parameter says, for all lanes, perhaps with
// barriers.
func (w *written) loop() {
	s := &statement{op: "loop", name: w.fresh("t"), v: number(cInt, 1+w.n(4))}
	if w.n(2) == 0 {
		s.v = w.parameterOf(3, cInt)
	}
	acc := w.values[w.n(len(w.values))]
	trip := variable(cInt, s.name)
	w.inside(&s.body, func() {
		w.values = append(w.values, w.let("v", w.convert(trip)).name)
		tiles := w.tileNames()
		if len(tiles) == 0 || w.n(3) == 0 {
			w.some(1 + w.n(3))
		} else {
			name := tiles[w.n(len(tiles))]
			w.add(&statement{op: "tile", name: name, at: w.tileIndex(w.tiles[name], true), v: w.value()})
			w.add(&statement{op: "barrier"})
			w.some(1 + w.n(2))
			at := operation("rem", cast(cUint, operation("add", operation("mul", trip, number(cInt, int(w.local[0]))), w.id("get_local_id", 0, cInt))), number(cUint, w.tiles[name]))
			w.values = append(w.values, w.let("v", &term{op: "tile", t: w.element, name: name, args: []*term{at}}).name)
			w.add(&statement{op: "barrier"})
		}
		w.add(&statement{op: "set", name: acc, v: operation("add", variable(w.element, acc), w.value())})
		if w.n(4) == 0 {
			w.store(variable(w.element, acc))
		}
	})
	w.add(s)
}

// reduce writes the sum of a tile as a tree: half as many lanes in each trip.
func (w *written) reduce() {
	tiles := w.tileNames()
	name := tiles[w.n(len(tiles))]
	t := []cType{cInt, cUint, cSize}[w.n(3)]
	l := w.let("l", w.localLinear(t))
	element := func(x *term) *term { return &term{op: "tile", t: w.element, name: name, args: []*term{x}} }
	w.add(&statement{op: "tile", name: name, at: l, v: w.value()})
	w.add(&statement{op: "barrier"})
	trips := bits.Len(uint(w.lanes)) - 1
	if trips > 0 {
		s := &statement{op: "loop", name: w.fresh("t"), v: number(cInt, trips)}
		w.inside(&s.body, func() {
			half := w.let("s", operation("shr", number(t, 1<<(trips-1)), cast(t, variable(cInt, s.name))))
			guard := &statement{op: "if", v: compareTerm("lt", l, half)}
			w.inside(&guard.body, func() {
				w.add(&statement{op: "tile", name: name, at: l, v: operation("add", element(l), element(operation("add", l, half)))})
			})
			w.add(guard)
			w.add(&statement{op: "barrier"})
		})
		w.add(s)
	}
	w.values = append(w.values, w.let("v", element(number(t, 0))).name)
}
