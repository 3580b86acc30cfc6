package checks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestParse reads all kinds of lines.
func TestParse(t *testing.T) {
	const source = `// Comment.
//! run -buffer b=zero:i32:4 -pipe p=i32:4 -D N=4 -kernel f -global 8,2 -local 4,1 -offset 1,0 -arg buffer:b -with -kernel g -global 1 -arg pipe:p -then -kernel f -global 4 -arg i32:1
//! also E-UNINIT
//! some
//! varies
//! subgroup 16
//! no clang: that is so
//! no clang -O2: and this
kernel void f(global int *b) { *b = 1; } // find E-RACE
kernel void g(int p) {} // find E-OOB, and find E-RACE
int x; // find E-RACE
`
	got, err := Parse("c", source)
	if err != nil {
		t.Fatal(err)
	}
	want := &Case{
		Name: "c", Source: source, Options: " -D N=4",
		Buffers: []Named{{"b", "zero:i32:4"}}, Pipes: []Named{{"p", "i32:4"}},
		Steps: [][]Launch{
			{
				{Kernel: "f", Global: []uint64{8, 2}, Local: []uint64{4, 1}, Offset: []uint64{1, 0}, Args: []string{"buffer:b"}},
				{Kernel: "g", Global: []uint64{1}, Args: []string{"pipe:p"}},
			},
			{{Kernel: "f", Global: []uint64{4}, Args: []string{"i32:1"}}},
		},
		Finds: []Find{{"E-RACE", []uint32{9, 11}}, {"E-OOB", []uint32{10}}},
		Also:  []string{"E-UNINIT"}, Some: true, Varies: true, SubGroup: 16,
		NoClang: "that is so", NoClangO2: "and this",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestParseErrors reads what is wrong.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"kernel void k() {}", `there is no line "//! run"`},
		{"//! runs\nkernel void k() {}", `line 1: unknown directive "runs"`},
		{"//! run -global\nkernel void k() {}", "-global needs a value"},
		{"//! run -global x\nkernel void k() {}", `size "x"`},
		{"//! run -wave 3\nkernel void k() {}", "unknown flag -wave"},
		{"//! run -global 1\n//! run -global 1\nkernel void k() {}", `line 2: a second "run"`},
		{"//! run -global 1\n//! no clang\nkernel void k() {}", "is wanted"},
		{"//! run -global 1\n//! subgroup many\nkernel void k() {}", "many"},
		{"//! run -global 1\nkernel void k() {}\nkernel void l() {}", "the source has 2 kernels"},
	} {
		if _, err := Parse("c", c.source); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.source, err, c.want)
		}
	}
}

// TestJudge compares findings with a case.
func TestJudge(t *testing.T) {
	at := func(code finding.Code, line uint32) finding.Finding {
		return finding.Finding{Code: code, Message: "m", Place: finding.Place{Line: line}}
	}
	c := &Case{Finds: []Find{{"E-RACE", []uint32{3, 5}}, {"E-OOB", []uint32{4}}}, Also: []string{"E-UNINIT"}}
	for _, test := range []struct {
		name string
		list []finding.Finding
		want Verdict
	}{
		{"all", []finding.Finding{at("E-RACE", 5), at("E-OOB", 4)}, Verdict{}},
		{"twice, and another", []finding.Finding{at("E-RACE", 3), at("E-RACE", 5), at("E-OOB", 4), at("E-UNINIT", 9)}, Verdict{}},
		{"no lines", []finding.Finding{at("E-RACE", 0), at("E-OOB", 0)}, Verdict{}},
		{"wrong line", []finding.Finding{at("E-RACE", 4), at("E-OOB", 4)}, Verdict{Missed: []string{"E-RACE"}, False: []string{"E-RACE in line 4: m"}}},
		{"other code", []finding.Finding{at("E-RACE", 3), at("E-DIV0", 4)}, Verdict{Missed: []string{"E-OOB"}, False: []string{"E-DIV0 in line 4: m"}}},
	} {
		if diff := cmp.Diff(test.want, c.Judge(test.list)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}
