package argspec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseDims reads X[,Y[,Z]], the form of -global, -local and -offset: up to three
// whole numbers, decimal or with a prefix as in Go, optionally followed by k, m or g as
// in a COUNT. The error is an [*Error].
func ParseDims(s string) ([]uint64, error) {
	var dims []uint64
	for pos := 0; ; {
		item, rest, more := strings.Cut(s[pos:], ",")
		text, at := trim(item, pos)
		digits, unit := unitSuffix(text)
		n, err := strconv.ParseUint(digits, 0, 64)
		if err != nil || n > math.MaxUint64/uint64(unit) {
			return nil, &Error{Spec: s, Column: at + 1, Msg: fmt.Sprintf("%q is not a size", text), Allowed: "X[,Y[,Z]], whole numbers; k, m or g may follow each"}
		}
		n *= uint64(unit)
		if len(dims) == 3 {
			return nil, &Error{Spec: s, Column: at + 1, Msg: "more than three dimensions", Allowed: "X[,Y[,Z]]"}
		}
		dims = append(dims, n)
		if !more {
			return dims, nil
		}
		pos = len(s) - len(rest)
	}
}

// ParseOut reads INDEX=PATH, the form of -out: the number of an argument, from 0,
// and the file that its contents go to. [ParseNamedOut] is the form for what
// kernels share. The error is an [*Error].
func ParseOut(s string) (index int, path string, err error) {
	const allowed = "INDEX=PATH, as in 2=y.npy, or 2=- to print"
	number, path, ok := strings.Cut(s, "=")
	n, perr := strconv.ParseUint(number, 10, 31)
	if !ok || perr != nil {
		return 0, "", &Error{Spec: s, Column: 1, Msg: "no argument number before a '='", Allowed: allowed}
	}
	if path == "" {
		return 0, "", &Error{Spec: s, Column: len(s) + 1, Msg: "no file name", Allowed: allowed}
	}
	return int(n), path, nil
}

// ParseNamedOut reads NAME=PATH, the form of -out for a shared pipe or buffer. ok is
// false when what stands before the '=' is no name, but the number of an argument,
// or nothing that makes sense: [ParseOut] has to say. The error is an [*Error].
func ParseNamedOut(s string) (name, path string, ok bool, err error) {
	name, path, ok = strings.Cut(s, "=")
	if !ok || !IsName(name) {
		return "", "", false, nil
	}
	if path == "" {
		return "", "", true, &Error{Spec: s, Column: len(s) + 1, Msg: "no file name", Allowed: "NAME=PATH, as in a=y.npy, or a=- to print"}
	}
	return name, path, true, nil
}
