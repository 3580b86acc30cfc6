package debug

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

const debugPointer = isa.DebugPointer

func spaceNamed(name string) isa.Space {
	switch name {
	case "global", "constant":
		return isa.SpaceGlobal
	case "local":
		return isa.SpaceLocal
	case "private":
		return isa.SpacePrivate
	}
	return isa.SpaceGeneric
}

// Expr is an expression that was read.
type Expr struct {
	Text string
	tree *node
	fast fastValue // the same without allocations; nil where there is none
}

// evaluation is an expression at work, for one work-item at one place.
type evaluation struct {
	s     *Session
	w     engine.Debuggable
	lane  int
	item  int
	loc   uint32 // of the instruction, or of the call in an outer frame
	frame uint32 // Loc.At of that
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrExpression, fmt.Sprintf(format, args...))
}

// CompileAt reads an expression, and checks that its names mean something at an instruction.
func (s *Session) CompileAt(text string, pc int) (*Expr, error) {
	tree, err := parseExpression(s.info, text)
	if err != nil {
		return nil, err
	}
	loc := s.kernel.Code[pc].Loc
	if err := s.checkNames(tree, loc); err != nil {
		return nil, err
	}
	e := &Expr{Text: text, tree: tree}
	c := fastCompiler{s: s, base: &s.info.base}
	if f, _, ok := c.compile(tree); ok {
		e.fast = f
	}
	return e, nil
}

// checkNames says which name of an expression means nothing.
func (s *Session) checkNames(n *node, loc uint32) error {
	if n.op == "name" && !strings.HasPrefix(n.text, "$") {
		d, ok := s.info.lookup(n.text, loc)
		if n.means = d; !ok && s.param(n.text, loc) < 0 && !isConstant(n.text) && !s.isPipe(n.text) {
			if _, ok := s.info.enumerator(n.text); ok {
				return nil
			}
			return bad("there is no variable %s here", n.text)
		}
	}
	for _, a := range n.args {
		if err := s.checkNames(a, loc); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether an expression is true for a lane of a wave that is at an instruction.
func (s *Session) holds(e *Expr, w engine.Debuggable, lane, pc int) (bool, error) {
	first, _ := w.Items()
	loc := s.kernel.Code[pc].Loc
	v := evaluation{s: s, w: w, lane: lane, item: first + lane, loc: loc, frame: s.kernel.Locs[loc].At}
	if e.fast != nil {
		x, ok := e.fast(&v)
		if ok {
			return x != 0, nil
		}
	}
	x, err := whole(v.eval(e.tree))
	if err != nil {
		return false, err
	}
	return v.truth(x)
}

// Evaluate returns the value of an expression for the work-item and the frame that are looked at.
func (s *Session) Evaluate(text string) (Value, error) { return s.EvaluateFor(text, s.item, s.frame) }

// EvaluateFor is Evaluate for a work-item of the group that runs, and a frame of it: 0 is the innermost.
func (s *Session) EvaluateFor(text string, item, frame int) (Value, error) {
	tree, err := parseExpression(s.info, text)
	if err != nil {
		return Value{}, err
	}
	v, err := s.evaluation(item, frame)
	if err != nil {
		return Value{}, err
	}
	return v.eval(tree)
}

func (s *Session) evaluation(item, frame int) (*evaluation, error) {
	w, _, lane := s.waveOf(item)
	if w == nil {
		return nil, ErrNoItem
	}
	v := &evaluation{s: s, w: w, lane: lane, item: item}
	frames := s.FramesOf(item)
	if frame >= 0 && frame < len(frames) {
		v.loc, v.frame = frames[frame].loc, frames[frame].at
	}
	return v, nil
}

// truth says whether a value counts as true.
func (v *evaluation) truth(x Value) (bool, error) {
	t := x.Type.strip()
	switch {
	case t.Kind == isa.DebugFloat:
		return x.float() != 0, nil
	case t.isInt(), t.Kind == isa.DebugPointer:
		return x.word() != 0, nil
	}
	return false, bad("%s is neither true nor false", x.Type)
}

func (v *evaluation) eval(n *node) (Value, error) {
	switch n.op {
	case "name":
		if n.means != nil {
			return v.variable(n.means)
		}
		return v.name(n.text)
	case "number":
		return v.number(n)
	case "call":
		return v.call(n)
	case "cast":
		x, err := whole(v.eval(n.args[0]))
		if err != nil {
			return x, err
		}
		return v.convert(x, n.typ)
	case "list":
		return v.list(n)
	case "sizeof":
		t := n.typ
		if t == nil {
			x, err := whole(v.eval(n.args[0]))
			if err != nil {
				return x, err
			}
			t = x.Type
		}
		return integer(v.s.info.base.ulong, t.Size), nil
	case "?:":
		c, err := whole(v.eval(n.args[0]))
		if err != nil {
			return c, err
		}
		yes, err := v.truth(c)
		if err != nil {
			return c, err
		}
		x, err := whole(v.eval(n.args[1]))
		y, other := whole(v.eval(n.args[2]))
		if !yes {
			x, y, err, other = y, x, other, err
		}
		if xt := x.Type; err == nil && other == nil && xt.strip().isNumber() && y.Type.strip().isNumber() {
			b := &v.s.info.base // both have the type that arithmetic on them would have
			return v.convert(x, b.common(b.promoted(xt, x.Bit.Bits), b.promoted(y.Type, y.Bit.Bits)))
		}
		return x, err
	case "&&", "||":
		return v.logical(n)
	case "index":
		return v.index(n)
	case "member":
		return v.member(n)
	}
	if op, ok := strings.CutPrefix(n.op, "unary"); ok {
		return v.unary(op, n.args[0])
	}
	x, err := whole(v.eval(n.args[0]))
	if err != nil {
		return x, err
	}
	y, err := whole(v.eval(n.args[1]))
	if err != nil {
		return y, err
	}
	return v.binary(n.op, x, y)
}

// integer returns a number of an integer type.
func integer(t *Type, x uint64) Value {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return Value{Type: t, Bytes: append([]byte(nil), b[:t.Size]...)}
}

// floating returns a number of a floating-point type, rounded to it.
func floating(t *Type, x float64) Value {
	switch t.Size {
	case 2:
		return integer(t, uint64(clmath.F64ToF16(x)))
	case 4:
		return integer(t, uint64(math.Float32bits(float32(x))))
	}
	return integer(t, math.Float64bits(x))
}

func (v *evaluation) boolean(is bool) Value {
	if is {
		return integer(v.s.info.base.integer, 1)
	}
	return integer(v.s.info.base.integer, 0)
}

// number returns the value of a literal (C99 6.4.4).
func (v *evaluation) number(n *node) (Value, error) {
	b := &v.s.info.base
	text := strings.ToLower(n.text)
	if n.float {
		t := b.double
		hex := strings.HasPrefix(text, "0x")
		if s, ok := strings.CutSuffix(text, "f"); ok && (!hex || strings.Contains(text, "p")) {
			t, text = b.float, s
		} else if s, ok := strings.CutSuffix(text, "h"); ok {
			t, text = b.half, s
		}
		x, err := strconv.ParseFloat(text, int(max(8*t.Size, 32)))
		if err != nil && !math.IsInf(x, 0) || strings.Contains(text, "_") {
			return Value{}, bad("%s is no number", n.text)
		}
		return floating(t, x), nil
	}
	digits := strings.TrimRight(text, "ul")
	suffix := text[len(digits):]
	x, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || strings.ContainsAny(digits, "_bo") && !strings.HasPrefix(digits, "0x") {
		return Value{}, bad("%s is no number", n.text)
	}
	decimal := !strings.HasPrefix(digits, "0") || digits == "0"
	unsigned, long := strings.Contains(suffix, "u"), strings.Contains(suffix, "l")
	t := b.ulong
	switch {
	case !unsigned && !long && x <= math.MaxInt32:
		t = b.integer
	case !long && x <= math.MaxUint32 && (unsigned || !decimal):
		t = b.uint
	case !unsigned && x <= math.MaxInt64:
		t = b.long
	}
	return integer(t, x), nil
}

// isConstant says whether a name is one of the constants of the language that expressions know.
func isConstant(name string) bool {
	return name == "true" || name == "false" || name == "NULL" || name == "NAN" || name == "INFINITY"
}

// name returns the value of a variable, a parameter or a register.
func (v *evaluation) name(name string) (Value, error) {
	s := v.s
	if strings.HasPrefix(name, "$") {
		return v.special(name[1:])
	}
	if d, ok := s.info.lookup(name, v.loc); ok {
		return v.variable(d)
	}
	if i := s.param(name, v.loc); i >= 0 {
		return s.paramValue(i, v.item)
	}
	b := &s.info.base
	switch name {
	case "true":
		return v.boolean(true), nil
	case "false", "NULL":
		return v.boolean(false), nil
	case "NAN":
		return floating(b.float, math.NaN()), nil
	case "INFINITY":
		return floating(b.float, math.Inf(1)), nil
	}
	if x, ok := s.info.enumerator(name); ok {
		return x, nil
	}
	if x, ok := s.pipeVariable(name); ok {
		return x, nil
	}
	return Value{}, bad("there is no variable %s here", name)
}

// variable returns what a variable holds.
func (v *evaluation) variable(d *isa.DebugVar) (Value, error) {
	s := v.s
	t := s.info.types[d.Type]
	if d.Where == isa.DebugPrivate && d.Arg > 0 && d.At == 0 && v.frame == 0 && s.kernel.Locs[v.loc].Line == 0 {
		// At its beginning the kernel has not put its parameters into their variables yet.
		return s.argument(int(d.Arg)-1, t, v.item), nil
	}
	switch d.Where {
	case isa.DebugPrivate:
		return s.load(t, place{kind: placePrivate, item: v.item, alloc: int(d.Index), off: d.Offset}, v.item)
	case isa.DebugShadow:
		return v.shadow(d, t)
	case isa.DebugNowhere:
		return lost(t, v.item), nil
	case isa.DebugLocal:
		return s.load(t, lead(pointerTo(isa.SpaceLocal, int(d.Index), d.Offset), v.item), v.item)
	}
	p, ok := s.launch.Global(int(d.Index))
	if !ok {
		return Value{}, bad("%s has no memory", d.Name)
	}
	return s.load(t, lead(p.Add(int64(d.Offset)), v.item), v.item)
}

// special returns the value of a register or of what the session knows: $pc, $tick, $item, $lane, $wave.
func (v *evaluation) special(name string) (Value, error) {
	b := &v.s.info.base
	switch name {
	case "pc":
		_, pc := v.w.Lane(v.lane)
		return integer(b.integer, uint64(pc)), nil
	case "tick":
		return integer(b.ulong, v.s.Tick()), nil
	case "item":
		return integer(b.integer, uint64(v.item)), nil
	case "lane":
		return integer(b.integer, uint64(v.lane)), nil
	case "wave":
		_, wave, _ := v.s.waveOf(v.item)
		return integer(b.integer, uint64(wave)), nil
	}
	r, t, ok := v.s.register(name)
	if !ok {
		return Value{}, bad("there is no register $%s", name)
	}
	typ := map[int]*Type{0: b.byName["uchar"], 1: b.byName["uchar"], 2: b.byName["ushort"], 4: b.uint, 8: b.ulong}[t.Bytes()]
	return v.s.load(typ, place{kind: placeRegister, item: v.item, reg: r, regType: t}, v.item)
}

// logical evaluates && and ||.
func (v *evaluation) logical(n *node) (Value, error) {
	x, err := whole(v.eval(n.args[0]))
	if err != nil {
		return x, err
	}
	a, err := v.truth(x)
	if err != nil || a == (n.op == "||") {
		return v.boolean(a), err
	}
	if x, err = whole(v.eval(n.args[1])); err != nil {
		return x, err
	}
	a, err = v.truth(x)
	return v.boolean(a), err
}

// index evaluates x[i].
func (v *evaluation) index(n *node) (Value, error) {
	x, err := v.eval(n.args[0])
	if err != nil {
		return x, err
	}
	i, err := whole(v.eval(n.args[1]))
	if err != nil {
		return i, err
	}
	t := x.Type.strip()
	if !i.Type.strip().isInt() {
		return x, bad("the index is %s", i.Type)
	}
	at := i.signed()
	if i.Type.strip().Kind != isa.DebugSigned {
		at = int64(i.word())
	}
	switch t.Kind {
	case isa.DebugPointer:
		return v.deref(x, at)
	case isa.DebugArray, isa.DebugVector:
		if at < 0 || uint64(at) >= t.Count {
			return x, bad("index %d is outside of %s", at, x.Type)
		}
		return element(x, t, uint64(at)), nil
	}
	return x, bad("%s has no elements", x.Type)
}

// deref returns what a pointer leads to, some elements further on.
func (v *evaluation) deref(x Value, n int64) (Value, error) {
	t := x.Type.strip()
	if _, err := whole(x, nil); err != nil {
		return x, err
	}
	if t.Kind != isa.DebugPointer || t.Elem == nil || t.Elem.Size == 0 {
		return x, bad("%s leads to nothing that is known", x.Type)
	}
	p := v.s.pointerOf(x).Add(n * int64(t.Elem.Size))
	return v.s.load(t.Elem, lead(p, v.item), v.item)
}

// member evaluates x.m, with the components of vectors.
func (v *evaluation) member(n *node) (Value, error) {
	x, err := v.eval(n.args[0])
	if err != nil {
		return x, err
	}
	t := x.Type.strip()
	switch t.Kind {
	case isa.DebugStruct, isa.DebugUnion:
		for i := range t.Members {
			if t.Members[i].Name == n.text {
				return member(x, &t.Members[i]), nil
			}
		}
		return x, bad("%s has no member %s", x.Type, n.text)
	case isa.DebugPointer:
		return x, bad("%s is a pointer: -> is meant", x.Type)
	case isa.DebugVector:
		return v.components(x, t, n.text)
	}
	return x, bad("%s has no members", x.Type)
}

// components evaluates v.xyz, v.s03, v.lo and their like (OpenCL C 6.1.7).
func (v *evaluation) components(x Value, t *Type, name string) (Value, error) {
	var list []uint64
	half := (t.Count + 1) / 2
	switch {
	case name == "lo" || name == "hi" || name == "even" || name == "odd":
		for i := range half {
			at := map[string]uint64{"lo": i, "hi": i + half, "even": 2 * i, "odd": 2*i + 1}[name]
			list = append(list, min(at, t.Count-1))
		}
	case len(name) > 1 && (name[0] == 's' || name[0] == 'S'):
		for _, c := range name[1:] {
			i, err := strconv.ParseUint(string(c), 16, 8)
			if err != nil {
				return x, bad("%s has no component %s", x.Type, name)
			}
			list = append(list, i)
		}
	default:
		for _, c := range name {
			i := max(strings.IndexRune("xyzw", c), strings.IndexRune("rgba", c))
			if i < 0 {
				return x, bad("%s has no component %s", x.Type, name)
			}
			list = append(list, uint64(i))
		}
	}
	out := Value{Type: vector(t.Elem, uint64(len(list)))}
	for _, i := range list {
		if i >= t.Count {
			return x, bad("%s has no component %s", x.Type, name)
		}
		e := element(x, t, i)
		if len(list) == 1 {
			return e, nil
		}
		out.Bytes = append(out.Bytes, e.Bytes...)
		if out.lost = append(out.lost, e.lost...); e.lost == nil {
			out.lost = append(out.lost, make([]bool, len(e.Bytes))...)
		}
	}
	out.Bytes = append(out.Bytes, make([]byte, out.Type.Size-uint64(len(out.Bytes)))...)
	out.lost = cutLost(append(out.lost, make([]bool, len(out.Bytes)-len(out.lost))...), 0, uint64(len(out.Bytes)))
	return out, nil
}

// list evaluates (float4)(a, b, c, d).
func (v *evaluation) list(n *node) (Value, error) {
	t := n.typ.strip()
	if t.Kind != isa.DebugVector {
		return Value{}, bad("%s cannot be made of a list", n.typ)
	}
	out := Value{Type: n.typ}
	count := uint64(0)
	for _, a := range n.args {
		x, err := whole(v.eval(a))
		if err != nil {
			return x, err
		}
		parts := []Value{x}
		if xt := x.Type.strip(); xt.Kind == isa.DebugVector {
			parts = nil
			for i := range xt.Count {
				parts = append(parts, element(x, xt, i))
			}
		}
		for _, p := range parts {
			e, err := v.convert(p, t.Elem)
			if err != nil {
				return e, err
			}
			out.Bytes = append(out.Bytes, e.Bytes...)
			count++
		}
	}
	for count == 1 && uint64(len(out.Bytes)) < t.Count*t.Elem.Size {
		out.Bytes = append(out.Bytes, out.Bytes[:t.Elem.Size]...)
	}
	if uint64(len(out.Bytes)) != t.Count*t.Elem.Size {
		return out, bad("%s is made of %d elements, not of %d", n.typ, t.Count, count)
	}
	out.Bytes = append(out.Bytes, make([]byte, t.Size-uint64(len(out.Bytes)))...)
	return out, nil
}
