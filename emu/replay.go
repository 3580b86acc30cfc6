package emu

import (
	"fmt"
	"strconv"
	"strings"
)

// Interleaving is the choices of one execution of a launch with [Launch.Interleave]: who makes each step, and, with
// MemoryWeak, what was chosen then. As a [Chooser] it makes the launch run so again; where it has come to its end, the
// first work-item that can goes on, with the newest values. It is for one run.
type Interleaving struct {
	Before []int // choices ahead of the first step
	Steps  []InterleavedChoice

	at, picked int // the steps made, and the choices made since the last of them
	err        error
}

// InterleavedChoice is a step, and the choices until the next one.
type InterleavedChoice struct {
	Group uint64
	Item  int // of the group
	Picks []int
}

// maxInterleaving bounds the steps of a text.
const maxInterleaving = 1 << 20

// String writes the choices for ParseInterleaving: steps with commas between them, each the number of the work-group,
// with ".1" and so on for other work-items than the first, with ":1" and so on for choices, and with "x3" for as many
// alike. Choices of 0 at the end are left out.
func (x *Interleaving) String() string {
	var words []string
	add := func(word string, picks []int) {
		for len(picks) > 0 && picks[len(picks)-1] == 0 {
			picks = picks[:len(picks)-1]
		}
		for _, p := range picks {
			word += ":" + strconv.Itoa(p)
		}
		words = append(words, word)
	}
	add("", x.Before)
	for _, s := range x.Steps {
		word := strconv.FormatUint(s.Group, 10)
		if s.Item != 0 {
			word += "." + strconv.Itoa(s.Item)
		}
		add(word, s.Picks)
	}
	var out []string
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && words[i+n] == words[i] {
			n++
		}
		switch {
		case words[i] == "":
		case n > 1:
			out = append(out, fmt.Sprintf("%sx%d", words[i], n))
		default:
			out = append(out, words[i])
		}
		i += n
	}
	return strings.Join(out, ",")
}

// ParseInterleaving reads what String has written.
func ParseInterleaving(text string) (*Interleaving, error) {
	x := &Interleaving{}
	for i, word := range strings.Split(text, ",") {
		body, times, repeated := strings.Cut(word, "x")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 1 || n > maxInterleaving-len(x.Steps) {
				return nil, fmt.Errorf("%q: %q is no number of steps", word, times)
			}
		}
		parts := strings.Split(body, ":")
		var picks []int
		for _, p := range parts[1:] {
			v, err := strconv.Atoi(p)
			if err != nil || v < 0 {
				return nil, fmt.Errorf("%q: %q is no choice; choices are numbers from 0", word, p)
			}
			picks = append(picks, v)
		}
		if i == 0 && parts[0] == "" && !repeated {
			x.Before = picks
			continue
		}
		group, item, _ := strings.Cut(parts[0], ".")
		s := InterleavedChoice{Picks: picks}
		var err error
		if s.Group, err = strconv.ParseUint(group, 10, 64); err == nil && item != "" {
			s.Item, err = strconv.Atoi(item)
		}
		if err != nil || s.Item < 0 {
			return nil, fmt.Errorf("%q: %q is no work-item; 2.1 is work-item 1 of work-group 2", word, parts[0])
		}
		if len(x.Steps)+n > maxInterleaving {
			return nil, fmt.Errorf("more than %d steps", maxInterleaving)
		}
		for range n {
			x.Steps = append(x.Steps, s)
		}
	}
	return x, nil
}

// Choose is for Chooser.
func (x *Interleaving) Choose(pending []Step) int {
	if x.at >= len(x.Steps) {
		x.at, x.picked = x.at+1, 0
		return 0
	}
	s := &x.Steps[x.at]
	x.at, x.picked = x.at+1, 0
	for i := range pending {
		if pending[i].Group == s.Group && pending[i].Item == s.Item {
			return i
		}
	}
	x.err = fmt.Errorf("step %d: work-item %d of work-group %d has no access to make", x.at, s.Item, s.Group)
	return -1
}

// Err says why the launch could not run so, or nil.
func (x *Interleaving) Err() error { return x.err }

// Opened is for Chooser.
func (*Interleaving) Opened(uint64) {}

// Pick is for MemoryChoices.
func (x *Interleaving) Pick(_ MemoryChoice, n int) int {
	picks := x.Before
	if x.at > 0 {
		if picks = nil; x.at <= len(x.Steps) {
			picks = x.Steps[x.at-1].Picks
		}
	}
	x.picked++
	if x.picked > len(picks) {
		return 0
	}
	return min(picks[x.picked-1], n-1)
}

// Stamp is for MemoryChoices.
func (x *Interleaving) Stamp() int { return 0 }

// Ordered is for MemoryChoices.
func (x *Interleaving) Ordered([]int) bool { return true }
