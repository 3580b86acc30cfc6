package source

import (
	"strings"
	"testing"
)

// TestPosition asks for places in any order, with and without #line.
func TestPosition(t *testing.T) {
	s := NewSet()
	a := s.Add("a", "one\ntwo\r\n\nfour", 0)
	b := s.Add("b", strings.Repeat("x\n", 1000), a.Pos(4))
	b.SetLine(20, 100, "")
	b.SetLine(40, 7, "c")
	b.SetLine(60, 1, "")
	for _, c := range []struct {
		p    Pos
		want Position
		line string
	}{
		{a.Pos(0), Position{"a", 1, 1}, "one"}, {a.Pos(5), Position{"a", 2, 2}, "two"}, {a.Pos(9), Position{"a", 3, 1}, ""},
		{a.Pos(14), Position{"a", 4, 5}, "four"}, {a.Pos(3), Position{"a", 1, 4}, "one"},
		{b.Pos(1998), Position{"c", 970, 1}, "x"}, {b.Pos(0), Position{"b", 1, 1}, "x"}, {b.Pos(18), Position{"b", 10, 1}, "x"},
		{b.Pos(21), Position{"b", 100, 2}, "x"}, {b.Pos(42), Position{"c", 8, 1}, "x"}, {b.Pos(62), Position{"c", 2, 1}, "x"},
		{0, Position{}, ""}, {1 << 30, Position{}, ""}, {1<<31 + 5, Position{}, ""},
	} {
		if got := s.Position(c.p); got != c.want {
			t.Errorf("%d: got %v, want %v", c.p, got, c.want)
		}
		if got := s.Line(c.p); got != c.line {
			t.Errorf("%d: the line is %q", c.p, got)
		}
	}
	if f := s.File(b.Pos(3)); f != b || f.Included != a.Pos(4) || b.Column(5) != 1 {
		t.Error("File is wrong")
	}
}

// TestExpansions follows tokens through macros.
func TestExpansions(t *testing.T) {
	s := NewSet()
	f := s.Add("a", "#define A B\n#define B 1\nA", 0)
	a, b := s.Macro("A"), s.Macro("B")
	inA := s.Expand(f.Pos(10), f.Pos(24), a)
	one := s.Expand(f.Pos(22), inA, b)
	if s.Use(one) != f.Pos(24) || s.Spelling(one) != f.Pos(22) || s.Spelling(f.Pos(3)) != f.Pos(3) || !one.IsMacro() {
		t.Error("Use or Spelling is wrong")
	}
	list := s.Expansions(one)
	if len(list) != 2 || list[0] != (Expansion{"B", f.Pos(22), inA}) || list[1] != (Expansion{"A", f.Pos(10), f.Pos(24)}) {
		t.Errorf("%v", list)
	}
	for range maxExpansions + 10 {
		one = s.Expand(f.Pos(22), f.Pos(24), a)
	}
	if one != f.Pos(24) {
		t.Error("there is no end of expansions")
	}
}

// TestTooLarge adds texts until there is no room.
func TestTooLarge(t *testing.T) {
	s := NewSet()
	text := strings.Repeat("x", 1<<20)
	n := 0
	for s.Add("a", text, 0) != nil {
		if n++; n > 1<<11 {
			t.Fatal("there is no end")
		}
	}
	if n < 2000 {
		t.Error(n)
	}
}
