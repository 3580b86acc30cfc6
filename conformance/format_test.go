package conformance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

const everyKey = `# What this is about,
#   over two lines.

title:    every key, with a #b in it  # a comment
clause:   SPV-OpPhi, CL.WorkItem/3
clause: AAO-01
# between keys
module:
  dir/m.spv
kernel:   main
global:   0x10, 4,1
local:    8,2,1
offset:   1,2,0
spec:     3 = u32:7
spec:     4=f32:1.5
arg:      zero:u32:64
arg:      buf:f32:1,
              2, # two
              # three is missing
              4
arg:      local:64
expect:   0 = sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
expect:   1 = buf:f32:1,2,4 within 3 ulp at 8,
              64
expect:   1 = unchanged at 1
varies:   2
output:   "a #b\n"
output:   "\x23 ß"
finding:  E-OOB 16 "past the end" "of c"
finding:  E-DIV0
exit:     1
subgroup: 1, 8,64
check:    on
timeout:  1.5s
`

func TestParseEveryKey(t *testing.T) {
	c, err := Parse("x/every", "x/every.case", []byte(strings.ReplaceAll(everyKey, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	c.at, c.textLine = nil, 0
	want := &Case{
		Name: "x/every", Comment: "What this is about,\n  over two lines.",
		Title: "every key, with a #b in it", Clauses: []string{"SPV-OpPhi", "CL.WorkItem/3", "AAO-01"},
		Module:        "dir/m.spv",
		SpecConstants: []SpecConstant{{3, "u32:7"}, {4, "f32:1.5"}},
		Steps: []Step{{Launches: []Launch{{
			Kernel: "main",
			Global: []uint64{16, 4, 1}, Local: []uint64{8, 2, 1}, Offset: []uint64{1, 2, 0},
			Args: []string{"zero:u32:64", "buf:f32:1, 2, 4", "local:64"},
			Expect: []Expect{
				{Arg: 0, What: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
				{Arg: 1, What: "buf:f32:1,2,4", ULP: 3, SubGroups: []int{8, 64}},
				{Arg: 1, What: "unchanged", SubGroups: []int{1}},
			},
			Varies: []int{2},
		}}}},
		Output:    []string{"a #b\n", "# ß"},
		Findings:  []ExpectFinding{{Code: "E-OOB", Count: 16, Texts: []string{"past the end", "of c"}}, {Code: "E-DIV0"}},
		Exit:      1,
		SubGroups: []int{1, 8, 64}, Check: ChecksOn, Timeout: 1500 * time.Millisecond,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "format/every-key.case", out.Bytes())
	again, err := Parse("x/every", "x/every.case", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again.at, again.textLine = nil, 0
	if !reflect.DeepEqual(again, want) {
		t.Errorf("after Write: got  %+v\nwant %+v", again, want)
	}
}

const everySetKey = `title: a set of everything
module: m.spv
pipe: q = 4:16
pipe: end_1 =12 : 3
check: off
fill: q = u32:1,2
feed: q = iota:u32:100
kernel: a
global: 1
arg: pipe:q
kernel: b
global: 8
local: 4
arg: pipe:q
arg: zero:u32:8
arg: zero:u32:8
expect: 1 = iota:u32:8
varies: 2
expect: q = none

then: launch
drain: q, end_1
kernel: c
global: 2
arg: pipe:end_1
expect: q = u32:1
expect: end_1 = zero:u8:24

then: reset
global: 3
kernel: a
arg: pipe:q
finding: E-PIPEDEADLOCK "nobody"
`

func TestParseSets(t *testing.T) {
	c, err := Parse("x/sets", "x/sets.case", []byte(everySetKey))
	if err != nil {
		t.Fatal(err)
	}
	c.at = nil
	want := &Case{
		Name: "x/sets", Title: "a set of everything", Module: "m.spv", Check: ChecksOff,
		Pipes: []Pipe{{"q", 4, 16}, {"end_1", 12, 3}},
		Steps: []Step{
			{
				Fill: []Packets{{"q", "u32:1,2"}}, Feed: []Packets{{"q", "iota:u32:100"}},
				Launches: []Launch{
					{Kernel: "a", Global: []uint64{1}, Args: []string{"pipe:q"}},
					{
						Kernel: "b", Global: []uint64{8}, Local: []uint64{4}, Args: []string{"pipe:q", "zero:u32:8", "zero:u32:8"},
						Expect: []Expect{{Arg: 1, What: "iota:u32:8"}}, Varies: []int{2},
					},
				},
				Packets: []Packets{{"q", "none"}},
			},
			{
				Drain:    []string{"q", "end_1"},
				Launches: []Launch{{Kernel: "c", Global: []uint64{2}, Args: []string{"pipe:end_1"}}},
				Packets:  []Packets{{"q", "u32:1"}, {"end_1", "zero:u8:24"}},
			},
			{Reset: true, Launches: []Launch{{Kernel: "a", Global: []uint64{3}, Args: []string{"pipe:q"}}}},
		},
		Findings: []ExpectFinding{{Code: "E-PIPEDEADLOCK", Texts: []string{"nobody"}}}, Exit: 1,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "format/every-set-key.case", out.Bytes())
	again, err := Parse("x/sets", "x/sets.case", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again.at = nil
	if !reflect.DeepEqual(again, want) {
		t.Errorf("after Write: got  %+v\nwant %+v", again, want)
	}
}

// minimal is a case with nothing but what must be there.
const minimal = "title: t\nkernel: k\nmodule: m.spv\nglobal: 1\narg: zero:u8:1\nexpect: 0 = unchanged\n"

func TestCheckOff(t *testing.T) {
	c, err := Parse("x", "x.case", []byte(minimal+"check: off\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	if c.Check != ChecksOff || !strings.Contains(out.String(), "check:    off\n") {
		t.Errorf("%d written as\n%s", c.Check, &out)
	}
}

func TestDefaultExit(t *testing.T) {
	for _, tc := range []struct {
		old, new string
		exit     int
	}{
		{"", "", 0},
		{"expect: 0 = unchanged", "finding: E-OOB", 1},
		{"expect: 0 = unchanged", "refuse: no", 2},
		{"expect: 0 = unchanged", "finding: E-OOB\nexit: 0", 0},
	} {
		c, err := Parse("x", "x.case", []byte(strings.Replace(minimal, tc.old, tc.new, 1)))
		if err != nil || c.Exit != tc.exit {
			t.Errorf("%q: %+v, %v; want exit %d", tc.new, c, err, tc.exit)
		}
	}
}

// TestSyntaxErrors changes one line of a good case and keeps the message, with its
// place, in a golden file.
func TestSyntaxErrors(t *testing.T) {
	var out bytes.Buffer
	for _, tc := range []struct{ old, new string }{
		{"title: t\n", ""},
		{"title: t", "title:"},
		{"title: t", "title: t\ntitle: u"},
		{"title: t", "titel: t"},
		{"title: t", "title"},
		{"title: t", " title: t"},
		{"title: t", "title: a\x00b"},
		{"title: t", "title: t\nclause: a b"},
		{"title: t", "title: t\nclause: ok,,x"},
		{"kernel: k\n", ""},
		{"module: m.spv\n", ""},
		{"module: m.spv", "module: /m.spv"},
		{"module: m.spv", `module: a\m.spv`},
		{"expect: 0 = unchanged\n", "expect: 0 = unchanged\n--- spirv\nOpNop\n"},
		{"global: 1", "global: 1\nversion: 1.2"},
		{"module: m.spv", "version: 1.9"},
		{"module: m.spv\n", "version: 1.9\nmodule: m.spv\n"},
		{"expect: 0 = unchanged\n", "expect: 0 = unchanged\n--- spirv\n\n"},
		{"expect: 0 = unchanged\n", "expect: 0 = unchanged\n--- opencl\nx\n"},
		{"global: 1\n", ""},
		{"global: 1", "global: 0"},
		{"global: 1", "global: 1,x"},
		{"global: 1", "global: 1,\n  2,\n  3,4"},
		{"global: 1", "global: 1\nlocal: 1,1"},
		{"global: 1", "global: 1\nlocal: 0"},
		{"global: 1", "global: 1\noffset: 1,2"},
		{"global: 1", "global: 1\nspec: 3"},
		{"global: 1", "global: 1\nspec: x = 4"},
		{"global: 1", "global: 1\nspec: 4294967296 = 4"},
		{"global: 1", "global: 1\nspec: 3 = u32:1\nspec: 3 = u32:2"},
		{"global: 1", "global: 1\nspec: 3 ="},
		{"global: 1", "global: 1\nsubgroup: 3"},
		{"global: 1", "global: 1\nsubgroup: 8,8"},
		{"global: 1", "global: 1\nsubgroup: all"},
		{"global: 1", "global: 1\noutput: x"},
		{"global: 1", "global: 1\noutput: `x`"},
		{"global: 1", "global: 1\nvaries: 0"},
		{"global: 1", "global: 1\nvaries: 1"},
		{"global: 1", "global: 1\narg: null\nvaries: 1,\n   1"},
		{"global: 1", "global: 1\nvaries: 1,\n   x"},
		{"global: 1", "global: 1\ncheck: yes"},
		{"global: 1", "global: 1\ntimeout: 5"},
		{"global: 1", "global: 1\ntimeout: -5s"},
		{"global: 1", "global: 1\nexit: 3"},
		{"global: 1", "global: 1\nexit: one"},
		{"0 = unchanged", "1 = unchanged"},
		{"0 = unchanged", "70000 = unchanged"},
		{"0 = unchanged", "unchanged"},
		{"0 = unchanged", "0 ="},
		{"0 = unchanged", "0 = unchanged within 3 ulp"},
		{"0 = unchanged", "0 = sha256:12"},
		{"0 = unchanged", "0 = f32:1 within 99999999999999999999 ulp"},
		{"0 = unchanged", "0 = unchanged\nexpect: 0 = unchanged"},
		{"0 = unchanged", "0 = unchanged\nexpect: 0 = unchanged at 8"},
		{"0 = unchanged", "0 = unchanged at 8\nexpect: 0 = unchanged"},
		{"0 = unchanged", "0 = unchanged at 8\nexpect: 0 = unchanged at 4, 8"},
		{"0 = unchanged", "0 = unchanged at 8, 3"},
		{"0 = unchanged", "0 = unchanged at 99999999999999999999"},
		{"0 = unchanged", "0 = unchanged at 8 at 4"},
		{"expect: 0 = unchanged\n", ""},
		{"expect: 0 = unchanged", "finding: OOB"},
		{"expect: 0 = unchanged", "finding: E-OOB 0"},
		{"expect: 0 = unchanged", "finding: E-OOB 1 2"},
		{"expect: 0 = unchanged", "finding: E-OOB\nfinding: E-OOB"},
		{"0 = unchanged", "0 = unchanged\nrefuse: x"},
		{"global: 1", "global: 1\nkernel: m"},
		{"global: 1", "global: 1\nkernel: m\nglobal: 0"},
		{"global: 1", "global: 1\nkernel: m\nglobal: 1\nglobal: 2"},
		{"global: 1", "global: 1\nkernel: m\nglobal: 4\narg: pipe:q"},
		{"kernel: k", "then: launch\nkernel: k"},
		{"global: 1", "global: 1\nthen: launch"},
		{"global: 1", "global: 1\nthen: stop\nkernel: m\nglobal: 1"},
		{"0 = unchanged", "0 = unchanged\nthen: launch\nkernel: m\nglobal: 1\nexpect: 0 = unchanged"},
		{"global: 1", "global: 1\npipe: q"},
		{"global: 1", "global: 1\npipe: 3q = 4:4"},
		{"global: 1", "global: 1\npipe: q = 4:99999999999"},
		{"global: 1", "global: 1\npipe: q = 0:4"},
		{"global: 1", "global: 1\npipe: q = 1048576:1048576"},
		{"global: 1", "global: 1\npipe: q = 4:4\npipe: q = 4:4"},
		{"global: 1", "global: 1\nfill: q = u8:1"},
		{"global: 1", "global: 1\npipe: q = 1:1\nfill: q"},
		{"global: 1", "global: 1\npipe: q = 1:1\nfill: q ="},
		{"global: 1", "global: 1\npipe: q = 1:1\nfeed: q = u8:1\nfeed: q = u8:1"},
		{"global: 1", "global: 1\npipe: q = 1:1\ndrain: q,\n  q"},
		{"global: 1", "global: 1\ndrain: q"},
		{"0 = unchanged", "q = unchanged"},
	} {
		text := strings.Replace(minimal, tc.old, tc.new, 1)
		if text == minimal {
			t.Fatalf("%q is not in the case", tc.old)
		}
		_, err := Parse("x", "x.case", []byte(text))
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: got %v, want a SyntaxError", tc.new, err)
			continue
		}
		fmt.Fprintf(&out, "%q for %q\n\t%v\n", tc.new, tc.old, err)
	}
	golden(t, "format/errors.txt", out.Bytes())
}

// TestResolveMemory: a case cannot take all memory, however many buffers it has.
func TestResolveMemory(t *testing.T) {
	r := &resolved{Case: &Case{Name: "x"}, bytes: maxBytes - 1}
	if err := r.hold(problem{key: "arg"}, []byte{1}); err != nil {
		t.Error(err)
	}
	var se *SyntaxError
	if err := r.hold(problem{key: "arg", index: 1}, []byte{1}); !errors.As(err, &se) || !strings.Contains(err.Error(), "more than 1073741824 bytes") {
		t.Errorf("got %v", err)
	}
}

// caseFS is a file system with one case that differs from minimal in one line.
func caseFS(old, new string) fstest.MapFS {
	return fstest.MapFS{
		"d/x.case":  {Data: []byte(strings.Replace(minimal, old, new, 1))},
		"d/m.spv":   {Data: []byte{3, 2, 35, 7}},
		"in.bin":    {Data: []byte{7}},
		"d/e/y.txt": {Data: []byte("no case")},
	}
}

func TestResolveErrors(t *testing.T) {
	var out bytes.Buffer
	for _, tc := range []struct{ old, new string }{
		{"m.spv", "none.spv"},
		{"m.spv", "../../../m.spv"},
		{"zero:u8:1", "zero:u8:x"},
		{"zero:u8:1", "buf:u8:1,\n  2,\n  300"},
		{"zero:u8:1", "zero:u8:1g"},
		{"zero:u8:1", "in:none.bin"},
		{"zero:u8:1", "local:4"},
		{"0 = unchanged", "0 = u8:1,2"},
		{"0 = unchanged", "0 = u8:x"},
		{"0 = unchanged", "0 = null"},
		{"0 = unchanged", "0 = u8:1 within 1 ulp"},
		{"global: 1", "global: 1\nspec: 1 =   u8:300"},
		{"global: 1", "global: 1\npipe: q = 4:2\nfill: q = u32:1,2,3"},
		{"global: 1", "global: 1\npipe: q = 4:2\nfeed: q = u16:1,2,3"},
		{"global: 1", "global: 1\npipe: q = 4:2\nfeed: q =  u16:1,x"},
		{"0 = unchanged", "q = null\npipe: q = 4:2"},
		{"0 = unchanged", "1 = unchanged\npipe: q = 4:2\narg: pipe:q"},
	} {
		cases, err := Load(caseFS(tc.old, tc.new))
		if err != nil {
			t.Errorf("%q: %v", tc.new, err)
			continue
		}
		if _, err = cases[0].resolve(); err == nil {
			if len(cases[0].SpecConstants) == 0 {
				t.Errorf("%q is accepted", tc.new)
				continue
			}
			_, err = cases[0].spec(problem{key: "spec"}, cases[0].SpecConstants[0].Value)
		}
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: got %v, want a SyntaxError", tc.new, err)
		}
		fmt.Fprintf(&out, "%q for %q\n\t%v\n", tc.new, tc.old, err)
	}
	golden(t, "format/resolve.txt", out.Bytes())
}

func TestResolve(t *testing.T) {
	cases, err := Load(caseFS("zero:u8:1", "in:../in.bin"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := cases[0].resolve()
	if err != nil {
		t.Fatal(err)
	}
	l := &r.steps[0].launches[0]
	if len(r.module) != 4 || string(l.args[0].Data) != "\x07" || string(l.expect[0].data) != "\x07" {
		t.Errorf("got module % x, args %+v, expect %+v", r.module, l.args[0], l.expect[0])
	}
	// A case that came from no file system has no files.
	c, err := Parse("x", "x.case", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.resolve(); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestLoad(t *testing.T) {
	good := &fstest.MapFile{Data: []byte(minimal)}
	fsys := fstest.MapFS{
		"b.case": good, "a/2.case": good, "a/1.case": good, "a/notes.txt": {}, "odd": good,
		"bad/1.case": {Data: []byte("title")}, "bad/2.case": {Data: []byte("x: y")}, "empty/x": {},
	}
	for _, tc := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"a"}, "a/1 a/2"},
		{[]string{"a", "a/1.case", "b.case"}, "a/1 a/2 b"},
		{[]string{"*/2.case", "b.c*"}, "a/2 b; bad/2.case:1:1: unknown key \"x\""},
		{[]string{"odd"}, "odd"},
		{[]string{"a/2", "b"}, "a/2 b"},
		{[]string{"none"}, "; open none: file does not exist"},
		{[]string{"empty", "z*"}, "; no cases (*.case) in empty\nno cases (*.case) in z*"},
		{[]string{"[", "b.case"}, "b; pattern \"[\": syntax error in pattern"},
		{nil, "a/1 a/2 b; bad/1.case:1:1: expected \"key: value\"\nbad/2.case:1:1: unknown key \"x\""},
	} {
		cases, err := Load(fsys, tc.patterns...)
		var names []string
		for _, c := range cases {
			names = append(names, c.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got += "; " + err.Error()
		}
		if got != tc.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tc.patterns, got, tc.want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	c, err := Parse("x", "x.case", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Case){
		"line break": func(c *Case) { c.Title = "a\nb" },
		"comment":    func(c *Case) { c.Title = "a # b" },
		"tolerance":  func(c *Case) { c.Steps[0].Launches[0].Expect = []Expect{{What: "f32:1 within 2 ulp"}} },
		"quotation":  func(c *Case) { c.Findings = []ExpectFinding{{Code: "E-OOB", Texts: []string{`a"b`}}} },
	} {
		bad := *c
		change(&bad)
		if err := bad.Write(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// TestBuiltinFiles resolves every case that ships, so that a broken one is found
// without running it.
func TestBuiltinFiles(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, c := range cases {
		if _, err := c.resolve(); err != nil {
			t.Error(err)
		}
		if len(c.Clauses) == 0 && strings.HasPrefix(c.Name, "cases/core/") {
			t.Errorf("%s names no clause", c.Name)
		}
		if other, ok := titles[c.Title]; ok {
			t.Errorf("%s and %s have the same title", c.Name, other)
		}
		titles[c.Title] = c.Name
	}
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		want, got string
		ulp       uint64
		message   string
	}{
		{"i32:1,2", "i32:1,2", 0, ""},
		{"i32:1,2,3", "i32:1,-2,4", 0, "argument 3: 2 of 3 i32 differ:\n  [1] is -2, want 2\n  [2] is 4, want 3"},
		{"u8:0*20", "u8:1*20", 0, "argument 3: 20 of 20 u8 differ:\n  [0] is 1, want 0\n  [1] is 1, want 0\n  [2] is 1, want 0\n  [3] is 1, want 0\n  [4] is 1, want 0\n  [5] is 1, want 0\n  [6] is 1, want 0\n  [7] is 1, want 0"},
		{"f32:1", "f32:0x1.000002p0", 1, ""},
		{"f32:1", "f32:0x1.000004p0", 1, "argument 3: 1 of 1 f32 differ by more than 1 ulp:\n  [0] is 1.0000002, want 1, 2 ulp away"},
		{"f32:0", "f32:-0", 0, "argument 3: 1 of 1 f32 differ:\n  [0] is -0, want 0"},
		{"f32:0", "f32:-0", 1, ""},
		{"f16:-0x1p-24", "f16:0x1p-24", 2, ""},
		{"f64:-0x1p-1074", "f64:0x1p-1074", 1, "argument 3: 1 of 1 f64 differ by more than 1 ulp:\n  [0] is 5e-324, want -5e-324, 2 ulp away"},
		{"f64:inf", "f64:0x1.fffffffffffffp1023", 1, ""},
		{"f32:nan", "f32:nan(0x7fc00001)", 1, ""},
		{"f32:nan", "f32:nan(0x7fc00001)", 0, "argument 3: 1 of 1 f32 differ:\n  [0] is nan(0x7fc00001), want nan"},
		{"f64:nan", "f64:1", 1000, "argument 3: 1 of 1 f64 differ by more than 1000 ulp:\n  [0] is 1, want nan"},
		{"f64:-1.7e308", "f64:1.7e308", 9223372036854775807, "argument 3: 1 of 1 f64 differ by more than 9223372036854775807 ulp:\n  [0] is 1.7e+308, want -1.7e+308, 18436757907005404908 ulp away"},
		{"u8:1,2", "u8:1", 0, "argument 3: 1 bytes, want 2"},
	} {
		spec := func(s string) *argspec.Arg {
			a, err := argspec.Parse(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		a := spec(tc.want)
		w := want{Expect: Expect{Arg: 3, ULP: tc.ulp}, typ: a.Type, data: a.Data}
		if got := w.compare("argument 3", spec(tc.got).Data); got != tc.message {
			t.Errorf("%s and %s within %d:\ngot  %s\nwant %s", tc.want, tc.got, tc.ulp, got, tc.message)
		}
	}
	sha := want{sha: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if got := sha.compare("argument 0", []byte("abc")); got != "" {
		t.Error(got)
	}
	if got := sha.compare("argument 0", []byte("abd")); !strings.Contains(got, "want ba7816bf") {
		t.Error(got)
	}
}

// FuzzParse: no text may panic, and writing what was read gives a case that is
// written the same way again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(everyKey))
	f.Add([]byte(everySetKey))
	err := fs.WalkDir(Builtin(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Builtin(), name)
		f.Add(text)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("x", "x.case", text)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Line < 1 || se.Column < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		var one, two bytes.Buffer
		if err := c.Write(&one); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("x", "x.case", one.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, one.Bytes())
		}
		if err := again.Write(&two); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("first\n%s\nthen\n%s", one.Bytes(), two.Bytes())
		}
	})
}
