package hostrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDigests(t *testing.T) {
	list := []Digest{{Number: 1, Kernel: "a", Args: []ArgDigest{{"x", Sum([]byte("1"))}, {"3", Sum(nil)}}}, {Number: 2, Kernel: "b"}}
	var b strings.Builder
	for i := range list { // the second launch is over first
		b.WriteString(list[1-i].Line() + "\n")
	}
	got, err := ReadDigests(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, got); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"1\ta\tx\n", "a\tb\tx=1\n", "1\n"} {
		if _, err := ReadDigests(line); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestCompare(t *testing.T) {
	one := Digest{Number: 1, Kernel: "k", Args: []ArgDigest{{"x", "0"}, {"y", "1"}}}
	other := Digest{Number: 2, Kernel: "k", Args: []ArgDigest{{"x", "0"}, {"y", "2"}}}
	for _, c := range []struct {
		a, b   []Digest
		want   string
		differ bool
	}{
		{nil, nil, "the results of all launches agree: 0", false},
		{[]Digest{one, other}, []Digest{one, other}, "the results of all launches agree: 2", false},
		{[]Digest{one, other}, []Digest{one, one}, "the results of launch 2, kernel k, differ: argument y", true},
		{[]Digest{one}, []Digest{{Number: 1, Kernel: "l"}}, "launch 1 is kernel k in the first run and l in the second", true},
		{[]Digest{one}, nil, "the first run has 1 launch, the second 0; those that both have agree", true},
	} {
		if text, differ := Compare(c.a, c.b); text != c.want || differ != c.differ {
			t.Errorf("%s, %v; want %s, %v", text, differ, c.want, c.differ)
		}
	}
}
