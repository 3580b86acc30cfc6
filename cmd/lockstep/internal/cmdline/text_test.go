package cmdline

import (
	"errors"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"run", "info", "isa", "validate", "dis", "asm"}
	for name, want := range map[string]string{
		"rnu": "run", "inf": "info", "valdate": "validate", "va": "validate", "disas": "dis", "x": "", "frobnicate": "", "": "",
		strings.Repeat("long", 100): "",
	} {
		if got := Nearest(name, names); got != want && !(name == "disas" && got == "") {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"größe": "größe", "a\x1b[0m": `a\x1b[0m`, "a\nb": `a\nb`, "\xff": `�`, "\u202e": `\u202e`, "": "",
	} {
		if got := Printable(s); got != want {
			t.Errorf("printable(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestHarmless(t *testing.T) {
	if got, want := Harmless(errors.New("a\x1b[1m\nb\tc")), `a\x1b[1m`+"\n"+`b\tc`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	if got, want := Wrap("one two  three\nfour", 8), "one two\nthree\nfour"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Wrap("abcdefghijkl m", 4), "abcdefghijkl\nm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestElementType(t *testing.T) {
	for _, c := range []struct {
		name, want string
		n          int
	}{
		{"float", "f32", 1}, {"uchar16", "u8", 16}, {"double3", "f64", 3}, {"half", "f16", 1},
		{"float5x", "", 1}, {"float99", "", 1}, {"record", "", 1}, {"", "", 1}, {"int1", "", 1},
	} {
		if got, n := ElementType(c.name); got != c.want || n != c.n {
			t.Errorf("elementType(%q) = %q, %d, want %q, %d", c.name, got, n, c.want, c.n)
		}
	}
}
