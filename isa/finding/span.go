package finding

import (
	"strconv"
	"strings"
)

// Span is a run of consecutive numbers, both ends included. In JSON it is a
// pair.
type Span [2]uint64

// Spans are runs of numbers in ascending order, not touching each other. They
// hold the work-items of a group without holding each of them.
type Spans []Span

// Add puts n, which must not be less than the greatest number so far, at the end.
func (s Spans) Add(n uint64) Spans {
	if k := len(s); k > 0 && n <= s[k-1][1]+1 {
		s[k-1][1] = max(s[k-1][1], n)
		return s
	}
	return append(s, Span{n, n})
}

// Len returns how many numbers the spans have.
func (s Spans) Len() uint64 {
	var n uint64
	for _, p := range s {
		n += p[1] - p[0] + 1
	}
	return n
}

// maxSpans is how many spans the text form shows.
const maxSpans = 8

// String returns the spans as people write them: "0–31, 40, 64–95". A list that
// is too long for a line ends in how many numbers are left out.
func (s Spans) String() string {
	var b strings.Builder
	for i, p := range s {
		if i == maxSpans {
			b.WriteString(" and ")
			b.WriteString(strconv.FormatUint(s[i:].Len(), 10))
			b.WriteString(" more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatUint(p[0], 10))
		if p[1] != p[0] {
			b.WriteString("–")
			b.WriteString(strconv.FormatUint(p[1], 10))
		}
	}
	return b.String()
}
