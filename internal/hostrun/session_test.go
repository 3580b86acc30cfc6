package hostrun

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// kernels are a kernel that writes past the end when n is too large, and one that divides.
const kernels = `
kernel void put(global int *a, int n) { a[n] = 7; }
kernel void same(global int *a) { a[0] = 1; }
`

// launches runs put with n and then same on a new session with options.
func launches(t *testing.T, options string, n int32) (log string, s *Session, errs []error) {
	t.Helper()
	o, err := Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	d, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := d.BuildProgram(kernels, "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.NewBuffer(16, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if s, err = Open(o, Streams{Stderr: &text}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"put", "same"} {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		l := emu.Launch{Kernel: k, Args: []emu.Arg{a}, Range: emu.NDRange{Global: []uint64{2}, Local: []uint64{1}}}
		c := &Case{Call: func() *Call {
			return &Call{API: "clEnqueueTask", Function: "main", File: "host.c", Line: 7, Module: "/host", Offset: 5}
		}, Args: []CaseArg{{Memory: &CaseMemory{Root: a, Bytes: make([]byte, 16)}}}, Beside: []int{9}}
		if name == "put" {
			l.Args, c.Args = append(l.Args, emu.Value(n)), append(c.Args, CaseArg{Value: []byte{byte(n), 0, 0, 0}})
		}
		errs = append(errs, s.Run(context.Background(), s.Number(), &l, c))
	}
	return text.String(), s, errs
}

func TestSession(t *testing.T) {
	for _, c := range []struct {
		options string
		n       int32
		failed  bool     // the first launch
		text    []string // "" alone is no text
	}{
		{"", 3, false, []string{""}},
		{"", 4, true, []string{"error[E-OOB]", "-record DIR -- PROGRAM, then lockstep run @DIR/1\n", "launch 1, kernel put: 1 finding; the launch did not run to its end, and its event has an error; launched by clEnqueueTask at host.c:7 in main\n"}},
		// A race keeps no work-group from its end: the program goes on.
		{"-check", 3, false, []string{"error[E-RACE]", "= reproduce: lockstep exec -check -record DIR", "launch 2, kernel same: 1 finding; launched by"}},
		{"-check -benign", 3, false, []string{""}},
		{"-q", 4, true, []string{"lockstep: launch 1, kernel put: out-of-bounds write of 4 bytes: a[4] is past the end"}},
		{"-stats -schedule reverse", 3, false, []string{"lockstep: launch 2, kernel same: global [2], local [1], engine ", "work-groups 2, "}},
	} {
		text, _, errs := launches(t, c.options, c.n)
		if (errs[0] != nil) != c.failed || errs[1] != nil {
			t.Errorf("%q: %v", c.options, errs)
		}
		for _, part := range c.text {
			if !strings.Contains(text, part) || part == "" && text != "" {
				t.Errorf("%q: no %q in:\n%s", c.options, part, text)
			}
		}
	}
}

func TestSessionJSON(t *testing.T) {
	text, _, _ := launches(t, "-json -check -stats", 4)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2 {
		t.Fatal(text)
	}
	for i, line := range lines {
		var d Document
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d); err != nil {
			t.Fatal(err)
		}
		if d.Schema != 1 || d.Document != "launch" || d.Number != i+1 || len(d.Findings) != 1 || d.Completed != (i == 1) || d.Host == nil || d.Host.File != "host.c" || d.Timing == nil || d.Engine != "interp" {
			t.Errorf("%+v", d)
		}
	}
}

func TestSessionFiles(t *testing.T) {
	dir := t.TempDir()
	record := filepath.Join(dir, "r")
	tally := filepath.Join(dir, "tally")
	o := "-record=" + record + " -digests=" + filepath.Join(dir, "d") + " -subgroup 8 -schedule seeded -seed 3"
	launches(t, o, 1)
	text, err := os.ReadFile(filepath.Join(record, "1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"# launched by clEnqueueTask at host.c:7 in main", "-kernel put", "-global 2", "-local 1", "-arg 'in:{}/1.d/0.bin:as-bytes'", "-arg bytes:01000000", "-subgroup 8", "-schedule seeded -seed 3",
		"# it ran together with launches [9], with which it shares pipes, and is recorded alone"} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("no line %s in:\n%s", line, text)
		}
	}
	text, err = os.ReadFile(filepath.Join(dir, "d"))
	list, rerr := ReadDigests(string(text))
	if err != nil || rerr != nil || len(list) != 2 || list[0].Args[0] != (ArgDigest{"a", Sum(make([]byte, 16))}) {
		t.Error(err, rerr, list)
	}
	// Another process of the program: numbers that are taken are passed over.
	launches(t, o, 1)
	if _, err := os.Stat(filepath.Join(record, "4")); err != nil {
		t.Error(err)
	}
	s, err := Open(&Options{}, Streams{Stderr: os.Stderr, Tally: tally})
	if err != nil {
		t.Fatal(err)
	}
	s.finish(&report{o: s.o, number: 1}, nil)
	if text, err := os.ReadFile(tally); err != nil || ReadTally(string(text)).Text() != "1 launch, 0 findings" {
		t.Error(err, string(text))
	}
}

func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	none := "=" + filepath.ToSlash(filepath.Join(file, "x"))
	for _, options := range []string{"-log" + none, "-digests" + none, "-record" + none, "-trace" + none} {
		o, err := Parse(options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(o, Streams{}); err == nil {
			t.Errorf("%s: no error", options)
		}
	}
}
