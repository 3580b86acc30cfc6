package mangle

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says why a value has no mangled name, or why a text is none.
type Error struct {
	// Text is the name that was read, and Offset the byte where it stops making sense;
	// "" and 0 for a value that was to be written.
	Text   string
	Offset int
	Reason string
}

// Error gives "mangle: "TEXT" at byte N: reason".
func (e *Error) Error() string {
	if e.Text == "" {
		return "mangle: " + e.Reason
	}
	text := e.Text
	if len(text) > 64 {
		text = text[:64] + "..."
	}
	return fmt.Sprintf("mangle: %q at byte %d: %s", text, e.Offset, e.Reason)
}

// Form is one of the shapes that the name of a function has.
type Form uint8

// The forms.
const (
	Itanium  Form = iota // _Z, length, name, parameters
	Internal             // __vecz_b_, name, underscore, types
)

const (
	itaniumPrefix  = "_Z"
	internalPrefix = "__vecz_b_"
)

// Function is a function and the types that its name is overloaded for: all its
// parameters in the form Itanium, those that make a difference in the form Internal.
type Function struct {
	Form Form
	Name string
	// Types may be empty in the form Itanium, and has one type at least in the other.
	Types []Type
}

// String returns "NAME(TYPE, TYPE)".
func (f Function) String() string {
	parts := make([]string, len(f.Types))
	for i, t := range f.Types {
		parts[i] = fmt.Sprint(t)
	}
	return f.Name + "(" + strings.Join(parts, ", ") + ")"
}

// Mangle returns the function's name. The error is an [*Error]: a type or a name that
// is none, or, in the form Internal, a name that could not be told from the types.
func (f Function) Mangle() (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	text := f.write()
	if len(text) > maxText {
		return "", malformed("a name of %d bytes; there may be %d", len(text), maxText)
	}
	if f.Form == Internal {
		// The name ends where types can begin, which another underscore may do earlier.
		if back, err := parse(text); err != nil || back.Name != f.Name {
			return "", malformed("the name %q with these types would read as another", f.Name)
		}
	}
	return text, nil
}

func (f Function) check() error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	switch {
	case f.Form > Internal:
		return malformed("there is no form %d", f.Form)
	case f.Form == Internal && len(f.Types) == 0:
		return malformed("%s: an internal name has a type", f.Name)
	}
	for i, t := range f.Types {
		switch {
		case t == nil:
			return malformed("%s: type %d is missing", f.Name, i)
		case t == Void, t == Ellipsis && i+1 < len(f.Types), t == Ellipsis && f.Form == Internal:
			return malformed("%s: type %d cannot be %v", f.Name, i, t)
		}
		if err := t.check(0); err != nil {
			return err
		}
	}
	return nil
}

// write returns the name of a checked function.
func (f Function) write() string {
	var w writer
	if f.Form == Internal {
		w.text = append(w.text, internalPrefix+f.Name+"_"...)
	} else {
		w.text = append(w.text, itaniumPrefix...)
		w.name(f.Name)
		if len(f.Types) == 0 {
			w.text = append(w.text, 'v')
		}
	}
	for _, t := range f.Types {
		t.mangle(&w)
	}
	return string(w.text)
}

// Mangle returns the mangled form of one type. The error is an [*Error].
func Mangle(t Type) (string, error) {
	if t == nil {
		return "", malformed("no type")
	}
	if err := t.check(0); err != nil {
		return "", err
	}
	return plain(t), nil
}

// plain returns a type that stands for itself: nothing is there to refer to.
func plain(t Type) string {
	var w writer
	t.mangle(&w)
	return string(w.text)
}

// writer builds a name.
type writer struct {
	text []byte
	// seen has the components that can be referred to, in the order of their ends. A
	// component is compared by value: every Type is a comparable struct.
	seen map[Type]int
}

// refer writes a reference to an earlier component, if t is one.
func (w *writer) refer(t Type) bool {
	n, ok := w.seen[t]
	if ok {
		w.text = append(w.text, sequence(n)...)
	}
	return ok
}

// note makes t a component that can be referred to.
func (w *writer) note(t Type) {
	if w.seen == nil {
		w.seen = map[Type]int{}
	}
	w.seen[t] = len(w.seen)
}

// sequence returns the reference to component n: S_, S0_, S1_, …, SZ_, S10_.
func sequence(n int) string {
	if n == 0 {
		return "S_"
	}
	return "S" + strings.ToUpper(strconv.FormatInt(int64(n-1), 36)) + "_"
}

func (w *writer) name(s string) {
	w.text = strconv.AppendInt(w.text, int64(len(s)), 10)
	w.text = append(w.text, s...)
}

func (b Builtin) mangle(w *writer) { w.text = append(w.text, builtins[b].code...) }

func (p Pointer) mangle(w *writer) {
	if w.refer(p) {
		return
	}
	w.text = append(w.text, 'P')
	p.Elem.mangle(w)
	w.note(p)
}

func (q Qualified) mangle(w *writer) {
	if w.refer(q) {
		return
	}
	if q.Space != 0 {
		w.text = append(w.text, 'U')
		w.name("AS" + strconv.FormatUint(uint64(q.Space), 10))
	}
	for _, x := range []struct {
		on   bool
		code byte
	}{{q.Restrict, 'r'}, {q.Volatile, 'V'}, {q.Const, 'K'}} {
		if x.on {
			w.text = append(w.text, x.code)
		}
	}
	q.Type.mangle(w)
	w.note(q)
}

func (v Vector) mangle(w *writer) {
	if w.refer(v) {
		return
	}
	w.text = append(w.text, "Dv"...)
	w.text = strconv.AppendUint(w.text, uint64(v.Len), 10)
	w.text = append(w.text, '_')
	v.Elem.mangle(w)
	w.note(v)
}

const scalablePrefix = "nxv"

func (v Scalable) mangle(w *writer) {
	if w.refer(v) {
		return
	}
	w.text = append(w.text, 'u')
	w.name(scalablePrefix + strconv.FormatUint(uint64(v.Min), 10) + plain(v.Elem))
	w.note(v)
}

const atomicName = "_Atomic"

func (a Atomic) mangle(w *writer) {
	if w.refer(a) {
		return
	}
	w.text = append(w.text, 'U')
	w.name(atomicName)
	a.Elem.mangle(w)
	w.note(a)
}

func (n Named) mangle(w *writer) {
	if w.refer(n) {
		return
	}
	w.name(n.Name)
	w.note(n)
}
