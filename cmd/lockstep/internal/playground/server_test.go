package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// call sends a request and returns the response.
func call(t *testing.T, s *Server, req *Request) *Response {
	t.Helper()
	text, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var resp Response
	if err := json.Unmarshal([]byte(s.Call(context.Background(), string(text))), &resp); err != nil {
		t.Fatal(err)
	}
	return &resp
}

// branchy writes odd and even elements on different lines.
const branchy = `kernel void k(global int *p)
{
	int i = get_global_id(0);
	local int t[64];
	t[i * 2] = i;
	barrier(1);
	if (i & 1)
		p[i] = t[i * 2];
	else
		p[i] = 7;
}
`

// TestDebugToTheEnd opens a session, goes to its end and comes back.
func TestDebugToTheEnd(t *testing.T) {
	s := New()
	launch := &Launch{Source: Source{Text: branchy}, Args: []Arg{{Spec: "zero:i32:8", Out: true}}, Global: "8", Local: "8", Subgroup: 4}
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch})
	if opened.Error != "" || opened.State.End == 0 || opened.State.Tick != 0 {
		t.Fatalf("opened: %q, %+v", opened.Error, opened.State)
	}
	end := call(t, s, &Request{Op: OpDebugStep, Session: opened.State.Session, Step: &Step{Kind: "finish"}})
	if end.Error != "" || !end.State.Ended || end.State.Tick != opened.State.End || end.State.Outputs != "0: 7 1 7 3 7 5 7 7\n" {
		t.Fatalf("end: %q, %+v", end.Error, end.State)
	}
	back := call(t, s, &Request{Op: OpDebugStep, Session: opened.State.Session, Step: &Step{Kind: "over", Back: true}})
	if back.Error != "" || back.State.Ended || back.State.Tick >= end.State.Tick {
		t.Fatalf("back: %q, %+v", back.Error, back.State)
	}
}

var update = flag.Bool("update", false, "rewrite the golden documents")

// TestGolden compares responses with documents in testdata.
func TestGolden(t *testing.T) {
	launch := &Launch{Source: Source{Name: "branchy.cl", Text: branchy}, Args: []Arg{{Spec: "zero:i32:8", Out: true}}, Global: "8", Local: "8", Subgroup: 4}
	wrong := Source{Text: "kernel void k(global int *p)\n{\n\tint unused;\n\tp[0] = q;\n}\n", Options: "-Wall"}
	forms := Source{Text: "kernel __attribute__((reqd_work_group_size(8, 2, 1)))\nvoid k(global int *p, constant float4 *q, float x, local int *l, read_only image2d_t i, sampler_t s) { p[0] = x; }\n"}
	s := New()
	for _, test := range []struct {
		name string
		req  Request
	}{
		{"wrong", Request{Op: OpCompile, Source: &wrong}},
		{"forms", Request{Op: OpCompile, Source: &forms}},
		{"options", Request{Op: OpCompile, Source: &Source{Options: "-cl-std=CL9"}}},
		{"launch", Request{Op: OpLaunchOf, Line: "lockstep run docs/course/04-races/early.cl -D N=4 -global 8 -local=8 -schedule reverse -arg iota:i32:8 -arg zero:i32:8 -arg local:32 -out out=- -check -dma-step 8"}},
		{"line", Request{Op: OpCommandOf, Launch: launch}},
		{"run", Request{Op: OpRun, Launch: launch}},
		{"open", Request{Op: OpDebugOpen, Launch: launch}},
		{"breakpoints", Request{Op: OpDebugBreakpoints, Session: 1, Breakpoints: []Breakpoint{{Line: 8, Condition: "i > 2"}, {Watch: "p[5]"}, {Line: 99}}}},
		{"continue", Request{Op: OpDebugStep, Session: 1, Step: &Step{Kind: "continue"}, View: &View{All: "i * 10", Watch: []string{"t[2]", "nothing"},
			Tables: []TableView{{Name: "p"}, {Name: "t", First: 2, Count: 3}, {Name: "x"}}, Disassembly: 4}}},
		{"back", Request{Op: OpDebugStep, Session: 1, Step: &Step{Kind: "instruction", Scope: "wave", Back: true}}},
		{"select", Request{Op: OpDebugEvaluate, Session: 1, Expression: "i + 1"}},
		{"no session", Request{Op: OpDebugGoto, Session: 7}},
	} {
		text, err := json.Marshal(&test.req)
		if err != nil {
			t.Fatal(err)
		}
		var doc bytes.Buffer
		if err := json.Indent(&doc, []byte(s.Call(context.Background(), string(text))), "", " "); err != nil {
			t.Fatal(err)
		}
		doc.WriteByte('\n')
		path := filepath.Join("testdata", test.name+".json")
		if *update {
			if err := os.WriteFile(path, doc.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), doc.String()); diff != "" {
			t.Errorf("%s (-update rewrites %s): %s", test.name, path, diff)
		}
	}
}

// TestRunAsCommand compares what run says of a launch with the command that its line is.
func TestRunAsCommand(t *testing.T) {
	launch := &Launch{Source: Source{Text: branchy}, Args: []Arg{{Spec: "zero:i32:7"}}, Global: "8", Local: "8"}
	s := New()
	ran := call(t, s, &Request{Op: OpRun, Launch: launch})
	command := call(t, s, &Request{Op: OpCommand, Line: ran.Run.Line, Files: map[string]string{"kernel.cl": branchy}})
	if got, want := ran.Run.CommandResult, *command.Command; got.Stdout != want.Stdout || got.Stderr != want.Stderr || got.Exit != want.Exit || want.Exit != 1 {
		t.Errorf("run %+v\ncommand %+v", got, want)
	}
}

// TestLimits has kernels that do not end, and launches without measure: each is answered, and the next request too.
func TestLimits(t *testing.T) {
	s := New()
	endless := &Launch{Source: Source{Text: "kernel void k(global int *p) { while (p[0] == 0) p[1]++; }"}, Args: []Arg{{Spec: "zero:i32:8"}}, Global: "1"}
	if got := call(t, s, &Request{Op: OpRun, Launch: endless, Milliseconds: 200}); got.Error != "" || got.Run.Exit != 1 {
		t.Errorf("run: %+v", got)
	}
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: endless, Milliseconds: 200})
	if opened.Error != "" || opened.State.End != 0 || opened.State.Tick != 0 {
		t.Fatalf("debug: %+v", opened)
	}
	if got := call(t, s, &Request{Op: OpDebugStep, Session: 1, Step: &Step{Kind: "continue"}, Milliseconds: 200}); got.Error != "" || got.State.Reason != "paused" {
		t.Errorf("continue: %+v", got)
	}
	printing := "kernel void k() { for (int i = 0; i < 100000; i++) printf(\"0123456789012345678901234567890123456789012345678901234567890123456789\"); }"
	if got := call(t, s, &Request{Op: OpRun, Launch: &Launch{Source: Source{Text: printing}, Global: "64"}}); got.Error != "" || len(got.Run.Stdout) > maxOutput {
		t.Errorf("printing: %s, %d bytes", got.Error, len(got.Run.Stdout))
	}
	if got := call(t, s, &Request{Op: OpCommand, Args: []string{"run", "k.cl", "-global", "1"}, Files: map[string]string{"k.cl": "base64:?"}}); got.Error == "" {
		t.Error("a file that is not base64 was taken")
	}
}

// FuzzCall sends documents of any form: each has an answer.
func FuzzCall(f *testing.F) {
	for _, text := range []string{
		`{"op":"compile","source":{"text":"kernel void k(global int *p) { p[0] = 1; }"}}`,
		`{"op":"command","line":"lockstep info k.cl","files":{"k.cl":"kernel void k() {}"}}`,
		`{"op":"launchOf","args":["run","k.cl","-out","p=-"],"files":{"k.cl":"kernel void k(global int *p) {}"}}`,
		`{"op":"debugOpen","launch":{"source":{"text":"kernel void k(global int *p) { p[0] = 1; }"},"args":[{"spec":"zero:i32:1"}],"global":"1"},"view":{"all":"p[0]","tables":[{"name":"p","first":18446744073709551615}]}}`,
		`{"op":"debugStep","session":1,"step":{"kind":"over","back":true}}`, `{"op":"debugSelect","session":1,"item":-1}`, `[]`, ``,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := New()
		open := `{"op":"debugOpen","launch":{"source":{"text":"kernel void k(global int *p) { p[0] = 1; }"},"args":[{"spec":"zero:i32:1"}],"global":"1"}}`
		for _, request := range []string{open, text} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			var resp Response
			if err := json.Unmarshal([]byte(s.Call(ctx, request)), &resp); err != nil {
				t.Error(err)
			}
			cancel()
			if strings.Contains(resp.Error, "lockstep has a bug") {
				t.Error(resp.Error)
			}
		}
	})
}
