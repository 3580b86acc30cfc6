package launch

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "k\x1b", true)
	at := p.start
	p.now = func() time.Time { return at }
	p.update(1, 10)
	if out.Len() > 0 {
		t.Errorf("a word too early: %q", out.String())
	}
	p.clear()
	if out.Len() > 0 {
		t.Errorf("cleared what was not there: %q", out.String())
	}
	p = newProgress(&out, "k\x1b", true)
	at = p.start.Add(4 * time.Second)
	p.now = func() time.Time { return at }
	p.update(40, 100)
	p.clear()
	p.update(41, 100)
	want := "\r\x1b[Kk\\x1b: 40 % of 100 work-groups, 4 s, about 7 s left\r\x1b[K"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if got, want := progressText(0, 1, 2*time.Second), "0 of 1 work-group, 2 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := progressText(0, 1<<63, time.Minute), "0 % of 9223372036854775808 work-groups, 60 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run of five seconds says once how to end it, on a terminal or not.
func TestProgressTellsHowToStop(t *testing.T) {
	const told = "lockstep: kernel k has run for 5 s: 3 of 10 work-groups done; Ctrl-C ends it, and so does -timeout 10s\n"
	for terminal, want := range map[bool]string{
		false: told,
		true: "\r\x1b[Kkernel k: 3 of 10 work-groups, 4 s, about 10 s left\r\x1b[K" + told +
			"\r\x1b[Kkernel k: 3 of 10 work-groups, 5 s, about 12 s left\r\x1b[Kkernel k: 3 of 10 work-groups, 6 s, about 15 s left\r\x1b[K",
	} {
		var out bytes.Buffer
		p := newProgress(&out, "kernel k", terminal)
		for _, s := range []int{0, 4, 5, 6} {
			p.now = func() time.Time { return p.start.Add(time.Duration(s) * time.Second) }
			p.update(3, 10)
		}
		p.clear()
		if out.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, out.String(), want)
		}
	}
}
