package binary

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Fingerprint is the beginning of a SHA-256.
type Fingerprint [8]byte

// String returns the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// Layout returns the fingerprint of what a binary of this version holds: the opcodes and
// everything else that bytecode numbers, and the fields of the tables with
// their types.
func Layout() Fingerprint { return layout() }

var layout = sync.OnceValue(func() Fingerprint {
	h := sha256.New()
	writeLayout(h)
	var f Fingerprint
	copy(f[:], h.Sum(nil))
	return f
})

// writeLayout writes the text whose hash the layout is.
func writeLayout(w io.Writer) {
	for op := range isa.NumOps {
		info := op.Info()
		fmt.Fprintf(w, "op %d %s %d %#x %#x\n", op, op, info.Shape, info.Types, info.Src)
	}
	names(w, "builtin", isa.NumBuiltins)
	names(w, "atomic", isa.NumAtomicOps)
	names(w, "scan", isa.NumScanKinds)
	names(w, "scanop", isa.NumScanOps)
	names(w, "vote", isa.NumVotes)
	names(w, "copyarg", isa.NumCopyArgs)
	names(w, "pipe", isa.NumPipeOps)
	names(w, "query", isa.NumImageQueries)
	names(w, "space", isa.NumSpaces)
	names(w, "bank", isa.NumBanks)
	names(w, "function", clmath.Func(clmath.NumFuncs))
	seen := map[reflect.Type]bool{}
	for _, t := range []reflect.Type{reflect.TypeFor[Target](), reflect.TypeFor[isa.Program](), reflect.TypeFor[spirv.Info](), reflect.TypeFor[Note]()} {
		writeType(w, t, seen)
	}
}

// names writes the numbers of an enumeration with their names.
func names[T interface {
	~uint8 | ~uint16 | ~uint32 | ~int
	fmt.Stringer
}](w io.Writer, what string, n T) {
	for i := T(0); i < n; i++ {
		fmt.Fprintf(w, "%s %d %s\n", what, i, i)
	}
}

// writeType writes the fields of a structure and then those of what it holds.
func writeType(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	fmt.Fprintf(w, "type %s\n", t)
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Fprintf(w, "  %s %s %s\n", f.Name, f.Type, kinds(f.Type))
	}
	for i := range t.NumField() {
		writeType(w, t.Field(i).Type, seen)
	}
}

// kinds names the kinds that a type is made of, which its name does not tell.
func kinds(t reflect.Type) string {
	s := t.Kind().String()
	if t.Kind() == reflect.Array {
		s = fmt.Sprintf("%s of %d", s, t.Len())
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		s += " " + kinds(t.Elem())
	}
	return s
}
