package finding

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func pointer(n int64) *int64 { return &n }

// samples are findings of every shape.
func samples() []Finding {
	return []Finding{
		{
			Code: OutOfBounds, Severity: Error, Message: "out-of-bounds write of 4 bytes", Detail: "c[16] is past the end: c has 16 elements of float (64 bytes)",
			Kernel: "vecadd", Object: &Object{Kind: ObjectArgument, Index: 2, Name: "c", Bytes: 64, Type: "global float*", Element: "float", ElementBytes: 4},
			Access:    &Access{Operation: "write", Bytes: 4, Offset: pointer(64), Index: pointer(16)},
			WorkItem:  &WorkItem{Global: [3]uint64{16, 0, 0}, Group: [3]uint64{16, 0, 0}},
			Place:     Place{Word: 213, Instruction: "OpStore %19 %22 Aligned 4", File: "vecadd.cl", Line: 4, Column: 2, Source: "\tc[i] = a[i] + b[i];", Function: "vecadd"},
			Help:      []string{"test the index"},
			Reproduce: "lockstep run vecadd.spv -kernel vecadd -global 17 -schedule seeded -seed 7",
		},
		{
			Code: Misaligned, Severity: Warning, Message: "misaligned read of 4 bytes", Detail: "at p+2, which is no multiple of 4", Kernel: "filter",
			Place: Place{Word: 9, Instruction: "%3 = OpLoad %uint %2", File: "load.h", Line: 117, Column: 10, Source: "  return p[t[i + 1]][j] + 1;", Function: "load",
				Calls: append(make([]Call, 7), Call{Function: "pair", File: "k.cl", Line: 6, Column: 3, Source: "  load(p, 1);"}, Call{Function: "filter", File: "k.cl", Line: 12})},
			Notes: []string{"a note"},
		},
		{
			Code: OutOfBounds, Severity: Error, Message: "m", Detail: "the label", Kernel: "k", Place: Place{File: "k.cl", Line: 3, Column: 1, Source: "größe[\"日本\"] = x;", Function: "k"},
		},
		{
			Code: OutOfBounds, Severity: Error, Message: "m", Detail: "the label", Kernel: "k", Place: Place{File: "k.cl", Line: 3, Column: 206,
				Source: strings.Repeat("word ", 41) + "value[i] = " + strings.Repeat("more ", 50), Function: "k"},
		},
		{
			Code: OutOfBounds, Severity: Error, Message: "m", Detail: strings.Repeat("a long label ", 12), Kernel: "k", Place: Place{File: "k.cl", Line: 3, Column: 1, Source: "x;"},
		},
		{
			Code: OutOfBounds, Severity: Error, Message: "column past the end", Detail: "the label", Place: Place{File: "k.cl", Line: 3, Column: 99, Source: "x;"},
		},
		{
			Code: BarrierDeadlock, Severity: Error, Message: "work-items of a group wait at different barriers", Detail: "in group (3,0,0)",
			Kernel: "k", Place: Place{Word: 213, Instruction: "OpControlBarrier %2 %2 %272", File: "k.cl", Line: 12},
			Parties: []Party{
				{Does: "wait", Items: Spans{{0, 31}}, Place: Place{Word: 213, Instruction: "OpControlBarrier %2 %2 %272", File: "k.cl", Line: 12}},
				{Does: "waits", Items: Spans{{32, 32}}, Place: Place{Word: 300, Instruction: "OpControlBarrier %2 %2 %272"}},
				{Does: "have ended", Items: Spans{{33, 63}}},
			},
			Count: 132, Groups: 4,
		},
		{
			Code: DivideByZero, Severity: Error, Message: "integer division by zero", Kernel: "k",
			WorkItem: &WorkItem{Global: [3]uint64{5, 6, 7}, Local: [3]uint64{1, 2, 3}, Group: [3]uint64{4, 4, 4}, SubGroup: 2, Lane: 31},
			Place:    Place{Word: 99, Instruction: "%30 = OpSDiv %uint %28 %29"},
			Count:    12, Groups: 1,
		},
		{
			Code: "E-RACE", Severity: Warning, Message: "two work-items write the same 4 bytes", Detail: "at out+0",
			Kernel: "k", Object: &Object{Kind: ObjectLocal, Name: "tile", Bytes: 1},
			WorkItem: &WorkItem{}, Place: Place{File: "k.cl", Line: 3},
			Parties: []Party{{Does: "also wrote", WorkItem: &WorkItem{Lane: 1}, Place: Place{File: "k.cl", Line: 4, Source: "out[0] = 2;"}}},
		},
		{Code: Cancelled, Severity: Error, Message: "the launch was cancelled", Detail: "after 3 of 4 work-groups"},
		{Code: ShiftRange, Severity: Error, Message: "shift by the width or more", Detail: "a 32-bit value is shifted by 40"},
		{
			Code: ReadOnly, Severity: Error, Message: "write of 1 byte in read-only memory\x1b[31m", Detail: "at \tlut\u202e\u2028+0",
			Kernel: "k\nforged: line", Object: &Object{Kind: ObjectVariable, Name: "lut\x1b]0;title\a", Bytes: 256},
			Place: Place{File: "a\rb.cl", Line: 1, Source: "\x00\xff" + strings.Repeat("long ", 200), Instruction: strings.Repeat("é", 500)},
		},
		{Code: OutOfBounds, Severity: Error, Message: "m", Object: &Object{Kind: ObjectPrivate, Bytes: 4}, Kernel: "k"},
		{Code: OutOfBounds, Severity: Error, Message: "m", Object: &Object{Kind: ObjectBuffer, Name: "b", Bytes: 4}, Place: Place{Word: 7}},
	}
}

func TestText(t *testing.T) {
	l := List{Findings: samples(), Omitted: 3}
	text := l.Text()
	golden(t, "findings.txt", text)
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' {
			t.Errorf("the text has the control character %q", r)
		}
	}
}

// TestStyles holds what colours and -v add, and that the text is the same
// without them.
func TestStyles(t *testing.T) {
	l := List{Findings: samples()[:3]}
	golden(t, "styles.txt", strings.ReplaceAll(l.Format(Style{Color: true, Verbose: true}), "\x1b", "<ESC>"))
	plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(l.Format(Style{Color: true}), "")
	if diff := cmp.Diff(l.Text(), plain); diff != "" {
		t.Errorf("without colours (-want +got):\n%s", diff)
	}
}

// TestSummary holds the line that stands in errors and logs.
func TestSummary(t *testing.T) {
	var b strings.Builder
	for _, f := range samples() {
		b.WriteString(f.Summary() + "\n")
	}
	golden(t, "summaries.txt", b.String())
}

// TestExtent holds how far the mark below a source line goes.
func TestExtent(t *testing.T) {
	for s, want := range map[string]string{
		"x[i] + y": "x[i]", "x[a[i]][j];": "x[a[i]][j]", "x [i]": "x", "x[i": "x", "+ y": "+", "_a1b-c": "_a1b", "1x": "1", "é[i]z": "é[i]", "x": "x", "日本[1]": "日本[1]", "\xff": "\xff",
	} {
		if got := s[:extent(s)]; got != want {
			t.Errorf("extent of %q is %q, want %q", s, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	l := List{Findings: samples()[:4], Omitted: 1}
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "findings.json", string(b)+"\n")
	var back List
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, back); diff != "" {
		t.Errorf("through JSON (-before +after):\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	at := func(c Code, kernel string, word uint32) Finding {
		return Finding{Code: c, Kernel: kernel, Place: Place{Word: word}, Severity: Error}
	}
	m := Merger{Limit: 3}
	first := at(OutOfBounds, "k", 10)
	first.Detail = "the first"
	first.Count, first.Groups = 5, 2
	m.Add(first)
	again := at(OutOfBounds, "k", 10)
	again.Detail = "not the first"
	m.Add(again)
	m.Add(at(NullPointer, "k", 10))
	m.Add(at(OutOfBounds, "other", 10))
	m.Add(at(OutOfBounds, "k", 11))
	m.Add(at(OutOfBounds, "k", 11))
	m.Add(at(OutOfBounds, "k", 12))
	m.Add(at(OutOfBounds, "k", 10))
	got := m.List()
	first.Count, first.Groups = 7, 4
	b, c := at(NullPointer, "k", 10), at(OutOfBounds, "other", 10)
	b.Count, b.Groups, c.Count, c.Groups = 1, 1, 1, 1
	if diff := cmp.Diff(List{Findings: []Finding{first, b, c}, Omitted: 2}, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}

	// Without a word offset the place in the source tells instructions apart.
	m = Merger{}
	m.Add(Finding{Code: OutOfBounds, Place: Place{File: "a", Line: 1}})
	m.Add(Finding{Code: OutOfBounds, Place: Place{File: "a", Line: 2}})
	m.Add(Finding{Code: OutOfBounds, Place: Place{File: "a", Line: 1}})
	if got := m.List().Findings; len(got) != 2 || got[0].Count != 2 {
		t.Errorf("by lines: %+v", got)
	}

	for limit, want := range map[int]int{0: DefaultLimit, 5: 5, -1: 100} {
		m := Merger{Limit: limit}
		for i := range uint32(100) {
			m.Add(at(OutOfBounds, "k", i+1))
		}
		if l := m.List(); len(l.Findings) != want || l.Omitted != 100-want {
			t.Errorf("limit %d keeps %d and omits %d", limit, len(l.Findings), l.Omitted)
		}
	}
}

func TestFailed(t *testing.T) {
	for _, c := range []struct {
		l    List
		want bool
	}{
		{List{}, false},
		{List{Findings: []Finding{{Severity: Warning}}}, false},
		{List{Findings: []Finding{{Severity: Warning}, {Severity: Error}}}, true},
		{List{Findings: []Finding{{Severity: Warning}}, Omitted: 1}, true},
	} {
		if got := c.l.Failed(); got != c.want {
			t.Errorf("Failed of %+v is %v", c.l, got)
		}
	}
}

func TestSpans(t *testing.T) {
	add := func(ns ...uint64) (s Spans) {
		for _, n := range ns {
			s = s.Add(n)
		}
		return s
	}
	for _, c := range []struct {
		s    Spans
		n    uint64
		want string
	}{
		{nil, 0, ""},
		{add(0), 1, "0"},
		{add(3, 4, 4, 5, 9), 4, "3–5, 9"},
		{add(0, 2, 4, 6, 8, 10, 12, 14), 8, "0, 2, 4, 6, 8, 10, 12, 14"},
		{add(0, 2, 4, 6, 8, 10, 12, 14, 16, 17), 10, "0, 2, 4, 6, 8, 10, 12, 14 and 2 more"},
		{Spans{{0, math.MaxUint64 - 1}}, math.MaxUint64, "0–18446744073709551614"},
	} {
		if got := c.s.String(); got != c.want || c.s.Len() != c.n {
			t.Errorf("%q with %d numbers, want %q with %d", got, c.s.Len(), c.want, c.n)
		}
	}
}

// TestCodes checks that each constant of type Code has a description, so that
// help can never miss one.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		v, ok := node.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" {
			return true
		}
		n++
		lit, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is no literal", v.Names[0].Name)
		}
		code, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := Describe(Code(code)); !ok || d.Title == "" || d.Text == "" || d.Code != Code(code) {
			t.Errorf("%s has no description", code)
		}
		if !strings.HasPrefix(code, "E-") || strings.ToUpper(code) != code {
			t.Errorf("%s does not look like a code", code)
		}
		return true
	})
	for _, c := range Codes() {
		if Help(c) == "" && c != Cancelled {
			t.Errorf("%s has no help", c)
		}
	}
	codes := Codes()
	if len(codes) != n || !slices.IsSorted(codes) {
		t.Errorf("Codes returns %v, code.go has %d", codes, n)
	}
	if _, ok := Describe("E-NOTHING"); ok {
		t.Error("a code that does not exist has a description")
	}
}

// TestMergePartial: what lists say of checks that did not look at everything stands in the result once, in one order.
func TestMergePartial(t *testing.T) {
	a, b, c := Partial{AsyncRace, "x"}, Partial{Race, "y"}, Partial{Race, "z"}
	var l List
	l.Merge([]Partial{c, a})
	l.Merge(nil)
	l.Merge([]Partial{b, c})
	if diff := cmp.Diff(List{Partial: []Partial{a, b, c}}, l); diff != "" {
		t.Error(diff)
	}
	if l.Failed() {
		t.Error("a check that did not look at everything is no error")
	}
}
