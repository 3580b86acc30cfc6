package hostrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDigests(t *testing.T) {
	list := []Digest{{Kernel: "a", Args: []ArgDigest{{"x", Sum([]byte("1"))}, {"3", Sum(nil)}}}, {Kernel: "b"}}
	var b strings.Builder
	for _, d := range list {
		b.WriteString(d.Line() + "\n")
	}
	got, err := ReadDigests(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, got); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadDigests("a\tx\n"); err == nil {
		t.Error("a malformed line is read")
	}
}

func TestCompare(t *testing.T) {
	one := Digest{Kernel: "k", Args: []ArgDigest{{"x", "0"}, {"y", "1"}}}
	other := Digest{Kernel: "k", Args: []ArgDigest{{"x", "0"}, {"y", "2"}}}
	for _, c := range []struct {
		a, b   []Digest
		want   string
		differ bool
	}{
		{nil, nil, "the results of all launches agree: 0", false},
		{[]Digest{one, other}, []Digest{one, other}, "the results of all launches agree: 2", false},
		{[]Digest{one, other}, []Digest{one, one}, "the results of launch 2, kernel k, differ: argument y", true},
		{[]Digest{one}, []Digest{{Kernel: "l"}}, "launch 1 is kernel k in the first run and l in the second", true},
		{[]Digest{one}, nil, "the first run has 1 launch, the second 0; those that both have agree", true},
	} {
		if text, differ := Compare(c.a, c.b); text != c.want || differ != c.differ {
			t.Errorf("%s, %v; want %s, %v", text, differ, c.want, c.differ)
		}
	}
}
