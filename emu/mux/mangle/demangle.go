package mangle

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Demangle reads the name of a function, in either form. The error is an [*Error].
func Demangle(name string) (Function, error) {
	f, err := parse(name)
	if err != nil {
		return Function{}, err
	}
	if err := f.check(); err != nil {
		return Function{}, &Error{Text: name, Reason: reason(err)}
	}
	// Substitutions that were not used, and numbers with zeros in front, would be
	// other names for the same function.
	if want := f.write(); want != name {
		return Function{}, &Error{Text: name, Reason: fmt.Sprintf("the name of %v is %q", f, want)}
	}
	return f, nil
}

// DemangleType reads the mangled form of one type. The error is an [*Error].
func DemangleType(text string) (Type, error) {
	r := &reader{text: text}
	t, err := r.whole(text)
	if err != nil {
		return nil, err
	}
	if want := plain(t); want != text {
		return nil, &Error{Text: text, Reason: fmt.Sprintf("%v is written %q", t, want)}
	}
	return t, nil
}

func reason(err error) string {
	if e, ok := err.(*Error); ok {
		return e.Reason
	}
	return err.Error()
}

// parse reads a name without asking whether it is the only one.
func parse(name string) (Function, error) {
	switch {
	case len(name) > maxText:
		return Function{}, &Error{Text: name, Reason: fmt.Sprintf("a name of %d bytes; there may be %d", len(name), maxText)}
	case strings.HasPrefix(name, internalPrefix):
		return parseInternal(name)
	case !strings.HasPrefix(name, itaniumPrefix):
		return Function{}, &Error{Text: name, Reason: "no mangled name; those start with _Z or __vecz_b_"}
	}
	r := &reader{text: name, at: len(itaniumPrefix)}
	f := Function{}
	var err error
	if f.Name, err = r.name(); err != nil {
		return f, err
	}
	if r.text[r.at:] == "v" {
		return f, nil
	}
	f.Types, err = r.types()
	return f, err
}

// parseInternal takes for the name what stands before the first underscore behind which
// there is nothing but types.
func parseInternal(name string) (Function, error) {
	var first error
	for at := len(internalPrefix); ; at++ {
		next := strings.IndexByte(name[at:], '_')
		if next < 0 {
			break
		}
		at += next
		base := name[len(internalPrefix):at]
		if checkName(base) != nil {
			continue
		}
		r := &reader{text: name, at: at + 1}
		types, err := r.types()
		if err == nil {
			return Function{Form: Internal, Name: base, Types: types}, nil
		}
		first = err
	}
	if first == nil {
		first = &Error{Text: name, Offset: len(name), Reason: "an underscore and types are missing"}
	}
	return Function{}, first
}

// reader reads a name from left to right.
type reader struct {
	text string
	at   int
	seen []Type
}

func (r *reader) fail(format string, args ...any) error {
	return &Error{Text: r.text, Offset: r.at, Reason: fmt.Sprintf(format, args...)}
}

// types reads types up to the end, one at least.
func (r *reader) types() ([]Type, error) {
	var list []Type
	for len(list) == 0 || r.at < len(r.text) {
		t, err := r.typ(0)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// whole reads a type that is all of the text.
func (r *reader) whole(text string) (Type, error) {
	if len(text) > maxText {
		return nil, r.fail("a type of %d bytes; there may be %d", len(text), maxText)
	}
	t, err := r.typ(0)
	if err == nil && r.at < len(text) {
		err = r.fail("something stands behind the type")
	}
	if err != nil {
		return nil, err
	}
	if err := t.check(0); err != nil {
		return nil, &Error{Text: text, Reason: reason(err)}
	}
	return t, nil
}

// take moves past prefix, if that is next.
func (r *reader) take(prefix string) bool {
	ok := strings.HasPrefix(r.text[r.at:], prefix)
	if ok {
		r.at += len(prefix)
	}
	return ok
}

func (r *reader) digits() string {
	from := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	return r.text[from:r.at]
}

// number reads a number above 0.
func (r *reader) number() (uint32, error) {
	d := r.digits()
	n, err := strconv.ParseUint(d, 10, 32)
	if err != nil || n == 0 || d[0] == '0' {
		return 0, r.fail("a number from 1 to %d is missing", uint32(math.MaxUint32))
	}
	return uint32(n), nil
}

// name reads a length and as many bytes.
func (r *reader) name() (string, error) {
	n, err := r.number()
	if err != nil {
		return "", err
	}
	if uint64(n) > uint64(len(r.text)-r.at) {
		return "", r.fail("a name of %d bytes ends behind the end", n)
	}
	s := r.text[r.at : r.at+int(n)]
	r.at += int(n)
	return s, nil
}

// typ reads a type. The depth is that of the text and of what references bring along.
func (r *reader) typ(depth int) (Type, error) {
	if depth > maxDepth {
		return nil, r.fail("types lie more than %d deep in each other", maxDepth)
	}
	rest := r.text[r.at:]
	if rest == "" {
		return nil, r.fail("a type is missing")
	}
	var t Type
	var err error
	switch c := rest[0]; {
	case c == 'S':
		return r.reference()
	case c == 'P':
		r.at++
		var p Pointer
		p.Elem, err = r.typ(depth + 1)
		t = p
	case strings.HasPrefix(rest, "Dv"):
		r.at += 2
		t, err = r.vector(depth)
	case c == 'u':
		r.at++
		t, err = r.scalable()
	case strings.HasPrefix(rest, "U7"+atomicName):
		r.at += 2 + len(atomicName)
		var a Atomic
		a.Elem, err = r.typ(depth + 1)
		t = a
	case c == 'U' || c == 'r' || c == 'V' || c == 'K':
		t, err = r.qualified(depth)
	case c >= '0' && c <= '9':
		var n Named
		n.Name, err = r.name()
		t = n
	default:
		for b := Void; int(b) < len(builtins); b++ {
			if r.take(builtins[b].code) {
				return b, nil
			}
		}
		return nil, r.fail("no type starts with %q", rest[:1])
	}
	if err != nil {
		return nil, err
	}
	// Also checked in the end, but comparing and referring want sound types.
	if err := t.check(0); err != nil {
		return nil, &Error{Text: r.text, Offset: r.at, Reason: reason(err)}
	}
	r.seen = append(r.seen, t)
	return t, nil
}

// reference reads S_, S0_ and so on.
func (r *reader) reference() (Type, error) {
	r.at++
	digits, _, ok := strings.Cut(r.text[r.at:], "_")
	n := uint64(0)
	if ok && digits != "" {
		var err error
		n, err = strconv.ParseUint(digits, 36, 31)
		ok = err == nil && strings.ToUpper(digits) == digits && (digits[0] != '0' || len(digits) == 1)
		n++
	}
	if !ok || n >= uint64(len(r.seen)) {
		return nil, r.fail("a reference to one of the %d types before it is missing", len(r.seen))
	}
	r.at += len(digits) + 1
	return r.seen[n], nil
}

func (r *reader) vector(depth int) (Type, error) {
	n, err := r.number()
	if err != nil {
		return nil, err
	}
	if !r.take("_") {
		return nil, r.fail("an underscore behind the number of elements is missing")
	}
	elem, err := r.typ(depth + 1)
	return Vector{n, elem}, err
}

// scalable reads what stands behind the u of a vendor-extended type.
func (r *reader) scalable() (Type, error) {
	name, err := r.name()
	if err != nil {
		return nil, err
	}
	inner := &reader{text: name}
	if !inner.take(scalablePrefix) {
		return nil, r.fail("the vendor's type %q is not known; there are scalable vectors", name)
	}
	n, err := inner.number()
	if err != nil {
		return nil, err
	}
	elem, err := inner.typ(0)
	if err == nil && inner.at < len(name) {
		err = inner.fail("something stands behind the element")
	}
	return Scalable{n, elem}, err
}

func (r *reader) qualified(depth int) (Type, error) {
	var q Qualified
	if r.take("U") {
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		digits, ok := strings.CutPrefix(name, "AS")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil || n == 0 || digits[0] == '0' {
			return nil, r.fail("the vendor's qualifier %q is not known; there are AS and a number above 0", name)
		}
		q.Space = uint32(n)
	}
	q.Restrict, q.Volatile, q.Const = r.take("r"), r.take("V"), r.take("K")
	var err error
	q.Type, err = r.typ(depth + 1)
	return q, err
}
