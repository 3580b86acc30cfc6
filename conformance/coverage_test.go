package conformance

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

func TestClauses(t *testing.T) {
	list, err := Clauses()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	byID := map[string]Clause{}
	for _, c := range list {
		counts[c.prefix()]++
		byID[c.ID] = c
	}
	for prefix, n := range map[string]int{"GAC": 16, "ISG": 18, "MUX": 20, "AAO": 11, "PIP": 10} {
		if counts[prefix] != n {
			t.Errorf("%s has %d clauses, want %d", prefix, counts[prefix], n)
		}
	}
	for id, want := range map[string][2]bool{"GAC-10": {true, false}, "GAC-11": {false, true}, "GAC-15": {true, true}, "AAO-10": {false, true}} {
		if c := byID[id]; c.Defined != want[0] || c.Undefined != want[1] || c.Text == "" || c.Specification == "" {
			t.Errorf("%s is %+v", id, c)
		}
	}
}

func TestParseClauses(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"words\n- GAC-01 no heading, no clause\n## A: x\n\n- A-1 y\n", ""},
		{"## A: x\nA-1 y", `clauses.md:2: neither "## PREFIX: NAME" nor "- PREFIX-N TEXT"`},
		{"## A: x\n- B-1 y", "clauses.md:2: B-1 stands among the clauses of A"},
		{"## A: x\n- A-1 y\n- A-1 z", "clauses.md:3: A-1 is there twice"},
		{"## A: x\n## B: y\n## A: z", "clauses.md:3: a second specification with the prefix A"},
	} {
		list, err := parseClauses(tc.text)
		got := ""
		if err != nil {
			got = err.Error()
		} else if len(list) != 1 || list[0].ID != "A-1" || list[0].Specification != "x" || list[0].Text != "y" {
			t.Errorf("%q gives %+v", tc.text, list)
		}
		if got != tc.want {
			t.Errorf("%q: error %q, want %q", tc.text, got, tc.want)
		}
	}
}

// freeClause is a clause outside of the list: an instruction or another name of the
// SPIR-V specification, or of the OpenCL ones.
var freeClause = regexp.MustCompile(`^(SPV|CL|CLSTD|OCLC)-[A-Za-z]\w*(-\w+)?$`)

// TestCasesNameClauses: what cases say that they prove exists.
func TestCasesNameClauses(t *testing.T) {
	list, err := Clauses()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range list {
		listed[c.ID] = true
	}
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, id := range c.Clauses {
			if !listed[id] && !freeClause.MatchString(id) {
				t.Errorf("%s names the clause %s, which does not exist", c.Name, id)
			}
			if op, ok := strings.CutPrefix(id, "SPV-Op"); ok {
				op, _, _ = strings.Cut(op, "-")
				if _, known := spirv.LookupOp("Op" + op); !known {
					t.Errorf("%s names the instruction Op%s, which does not exist", c.Name, op)
				}
			}
		}
	}
}

// TestCoverage keeps the forms of a small coverage in golden files.
func TestCoverage(t *testing.T) {
	clauses, err := parseClauses("## A: first\n- A-01 one\n- A-02 **U** two\n- A-03 three **U** and more\n- A-04 four\n- A-05 five\n## B: second\n- B-01 six\n")
	if err != nil {
		t.Fatal(err)
	}
	found := []ExpectFinding{{Code: "E-OOB"}}
	r := &Report{Results: []Result{
		{Case: &Case{Name: "x/one", Clauses: []string{"A-01", "A-03", "A-01", "SPV-OpNop"}}, Status: Passed},
		{Case: &Case{Name: "x/two", Clauses: []string{"A-02"}, Findings: found}, Status: Passed},
		{Case: &Case{Name: "x/bad", Clauses: []string{"A-04"}, Findings: found}, Status: Failed},
		{Case: &Case{Name: "x/broken", Clauses: []string{"A-04"}}, Status: Broken},
		{Case: &Case{Name: "x/skipped", Clauses: []string{"A-05"}}, Status: Skipped},
	}}
	c := Cover(clauses, r)
	var text, verbose, jsonText, one bytes.Buffer
	alone := Coverage{Clauses: c.Clauses[:1]}
	for _, err := range []error{c.WriteText(&text, false), c.WriteText(&verbose, true), c.WriteJSON(&jsonText), alone.WriteText(&one, false)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "run/coverage.txt", text.Bytes())
	golden(t, "run/coverage-verbose.txt", verbose.Bytes())
	golden(t, "run/coverage.json", jsonText.Bytes())
	golden(t, "run/coverage-one.txt", one.Bytes())
	if !json.Valid(jsonText.Bytes()) {
		t.Error("the JSON form is not valid")
	}
}

func TestSelect(t *testing.T) {
	list, err := Clauses()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		prefixes []string
		n        int
		err      string
	}{
		{nil, len(list), ""},
		{[]string{"GAC-1", "GAC"}, 16, ""},
		{[]string{"MUX-11", "AAO-0"}, 10, ""},
		{[]string{"AAO", "gac"}, 0, `no clause begins with "gac"; they are called as GAC-04 is`},
	} {
		got, err := SelectClauses(list, tc.prefixes)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if len(got) != tc.n || text != tc.err {
			t.Errorf("%q: %d clauses and error %q, want %d and %q", tc.prefixes, len(got), text, tc.n, tc.err)
		}
	}
	a, b := &Case{Clauses: []string{"GAC-10", "SPV-OpNop"}}, &Case{Clauses: []string{"SPV-OpUndef"}}
	if got := SelectCases([]*Case{a, b}, []string{"AAO", "GAC-1"}); len(got) != 1 || got[0] != a {
		t.Errorf("selected %v", got)
	}
	if got := SelectCases([]*Case{a, b}, nil); len(got) != 0 {
		t.Errorf("selected %v without prefixes", got)
	}
}
