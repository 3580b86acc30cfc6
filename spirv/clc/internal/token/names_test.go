package token

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// TestNames makes many names and finds them again.
func TestNames(t *testing.T) {
	n := NewNames()
	first := n.Lookup("before")
	var made []string
	n.WhenMade(func(x *Name, hash uint32) {
		if hash != HashOf(x.Text) {
			t.Errorf("%s has the hash %d", x.Text, hash)
		}
		made = append(made, x.Text)
	})
	all := make(map[string]*Name)
	for i := range 10000 {
		s := fmt.Sprintf("name%d", i)
		if n.Find(s) != nil {
			t.Fatalf("%s is there already", s)
		}
		all[s] = n.Lookup(s)
	}
	for s, x := range all {
		if n.Lookup(s) != x || n.Find(s) != x || n.LookupHash(s, HashOf(s)) != x || x.Text != s || x.Keyword != Ident {
			t.Errorf("%s is lost", s)
		}
	}
	if n.Find("before") != first || n.Find("after") != nil {
		t.Error("Find is wrong")
	}
	if len(made) != 10001 || made[0] != "before" || made[1] != "name0" {
		t.Errorf("%d names were made", len(made))
	}
	count := 0
	n.Each(func(*Name) { count++ })
	if count != 10001 {
		t.Errorf("Each names %d", count)
	}
}

// TestSpelling has a spelling for every kind, and tokens as they are written.
func TestSpelling(t *testing.T) {
	seen := make(map[string]Kind)
	for k := range NumKinds {
		s := k.String()
		if other, ok := seen[s]; ok || s == "" {
			t.Errorf("kinds %d and %d are both %q", k, other, s)
		}
		seen[s] = k
	}
	if NumKinds.String() != "unknown token" {
		t.Error(NumKinds.String())
	}
	for _, c := range []struct {
		t    Token
		want string
	}{
		{Token{Kind: ShlAssign}, "<<="}, {Token{Kind: LBrack, Text: "<:"}, "<:"}, {Token{Kind: Int, Text: "0x1"}, "0x1"},
		{Token{Kind: Global, Name: &Name{Text: "__global"}}, "__global"},
	} {
		if got := c.t.Spelling(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestEnd has ends of tokens in files and in macros.
func TestEnd(t *testing.T) {
	files := source.NewSet()
	f := files.Add("a", "#define A bb\nA", 0)
	p := files.Expand(f.Pos(10), f.Pos(13), files.Macro("A"))
	if x := (&Token{Pos: f.Pos(3), Len: 4}); x.End() != f.Pos(7) {
		t.Error(x.End())
	}
	if x := (&Token{Pos: p, Len: 2}); x.End() != p || files.End(p, 2) != p || files.End(f.Pos(1), 2) != f.Pos(3) {
		t.Error(x.End())
	}
}
