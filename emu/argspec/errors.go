package argspec

import (
	"fmt"
	"strings"
)

// Error reports what is wrong in a SPEC or a launch size.
type Error struct {
	Spec    string // the whole text
	Column  int    // where in it, in bytes from 1
	Msg     string // what is wrong there
	Allowed string // what would be right; may be empty
	Err     error  // the cause, such as a file error, or nil
}

// Error returns the message in one line. A long text is shown around the place.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q, column %d: %s", excerpt(e.Spec, e.Column-1), e.Column, e.Msg)
	if e.Allowed != "" {
		fmt.Fprintf(&b, " (allowed: %s)", e.Allowed)
	}
	return b.String()
}

// Unwrap returns the cause, if any.
func (e *Error) Unwrap() error { return e.Err }

// excerpt shortens s to what surrounds the byte at pos.
func excerpt(s string, pos int) string {
	const span = 40
	from, to := max(pos-span, 0), min(pos+span, len(s))
	out := s[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(s) {
		out += "…"
	}
	return out
}
