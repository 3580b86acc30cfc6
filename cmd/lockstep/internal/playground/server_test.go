package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
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

// chain is three kernels of lesson 12 with pipes between them.
const chain = "run docs/course/12-pipes/chain.cl -pipe x=i32:2 -pipe y=i32:2 -kernel source -global 1 -arg pipe:x -arg i32:8 -with -kernel square -global 1 " +
	"-arg pipe:x -arg pipe:y -arg i32:8 -with -kernel sink -global 1 -arg pipe:y -arg zero:i32:8 -arg i32:8 -out out=-"

// noted returns the texts of the notes of a row.
func noted(t *testing.T, list []Timeline, timeline, row string) (texts []string) {
	t.Helper()
	for i := range list {
		for _, r := range list[i].Rows {
			if list[i].Name == timeline && r.Name == row {
				for _, n := range r.Notes {
					texts = append(texts, n.Kind+": "+n.Text)
				}
				return texts
			}
		}
	}
	t.Fatalf("there is no row %s in the timeline %s", row, timeline)
	return nil
}

// TestPipesInTimelines runs kernels with pipes: timelines say who writes, who reads, who waits and how full the pipes are.
func TestPipesInTimelines(t *testing.T) {
	resp := call(t, New(), &Request{Op: OpRun, Line: chain})
	if resp.Error != "" || resp.Run.Exit != 0 || resp.Run.Stdout != "0:  0  1  4  9 16 25 36 49\n" || resp.Run.Line != "lockstep "+chain {
		t.Fatalf("%s %+v", resp.Error, resp.Run)
	}
	for _, test := range []struct{ timeline, row, first, second string }{
		{"3 launches together", "pipe x", "level: 0 of 2 packets", "level: 1 of 2 packets"},
		{"source, group (0,0,0)", "wave 0", "write: writes packets 0–1 to x (line 11)", "waits-room: waits for room in x (line 11)"},
		{"3 launches together", "source", "waits-room: waits for room in x (line 11)", "waits-room: waits for room in x (line 11)"},
		{"sink, group (0,0,0)", "wave 0", "read: reads packets 0–1 of y (line 28)", "waits-packets: waits for packets of y (line 28)"},
	} {
		if got := noted(t, resp.Run.Timelines, test.timeline, test.row); len(got) < 2 || got[0] != test.first || got[1] != test.second {
			t.Errorf("%s, %s: %q", test.timeline, test.row, got)
		}
	}
	for _, one := range resp.Run.Timelines {
		for _, row := range one.Rows {
			for _, s := range row.Spans {
				if one.Stage != 0 || one.Name == "source, group (0,0,0)" && s.Activity != "run" && s.Activity != "waits-room" && s.Activity != "idle" {
					t.Errorf("%s, %s: %+v", one.Name, row.Name, s)
				}
			}
		}
	}
}

// TestStages runs kernels one behind the other: each stage has its pictures, and lines add up what all have done.
func TestStages(t *testing.T) {
	const source = "kernel void twice(global int *p)\n{\n\tp[get_global_id(0)] *= 2;\n}\n"
	line := "run k.cl -global 8 -local 4 -arg buffer:p -buffer p=iota:i32:8 -then -global 4 -local 4 -arg buffer:p -out p=-"
	resp := call(t, New(), &Request{Op: OpRun, Line: line, Files: map[string]string{"k.cl": source}})
	if resp.Error != "" || resp.Run.Exit != 0 {
		t.Fatalf("%s %+v", resp.Error, resp.Run)
	}
	names := ""
	for _, one := range resp.Run.Timelines {
		names += fmt.Sprintf("%d %s; ", one.Stage, one.Name)
	}
	if names != "1 group (0,0,0); 1 group (1,0,0); 2 group (0,0,0); " || len(resp.Run.Divergence) != 2 {
		t.Errorf("timelines %s, %d trees", names, len(resp.Run.Divergence))
	}
	for _, c := range resp.Run.Lines {
		if c.Line == 3 && c.Executions != 3 {
			t.Errorf("line 3 ran %d times", c.Executions)
		}
	}
	if len(resp.Run.Lines) != 2 || len(resp.Run.Accesses) != 4 || resp.Run.Pictures["work-items"] == "" {
		t.Errorf("%d lines, %d accesses", len(resp.Run.Lines), len(resp.Run.Accesses))
	}
}

// TestDebugTimeline asks for the timeline of a debug session, which stays where it is.
func TestDebugTimeline(t *testing.T) {
	s := New()
	launch := &Launch{Source: Source{Text: branchy}, Args: []Arg{{Spec: "zero:i32:8"}}, Global: "8", Local: "4", Subgroup: 2}
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch})
	item, session := 2, opened.State.Session
	call(t, s, &Request{Op: OpDebugGoto, Session: session, Tick: 30})
	before := call(t, s, &Request{Op: OpDebugSelect, Session: session, Item: &item})
	resp := call(t, s, &Request{Op: OpDebugTimeline, Session: session})
	after := call(t, s, &Request{Op: OpDebugSelect, Session: session})
	if resp.Error != "" || resp.Timeline.End != opened.State.End || resp.Timeline.Step != 1 {
		t.Fatalf("%s %+v", resp.Error, resp.Timeline)
	}
	if after.State.Tick != 30 || after.State.Current != 2 || !cmp.Equal(before.State.Waves, after.State.Waves) {
		t.Errorf("the session went from %+v to %+v", before.State, after.State)
	}
	// Exactly one wave runs at each tick; the groups follow each other; a wave waits at the barrier.
	var ran, groups, waited uint64
	for _, row := range resp.Timeline.Rows {
		for _, span := range row.Spans {
			switch span.Activity {
			case "run":
				ran += span.To - span.From
			case "group":
				groups++
			case "barrier-wait":
				waited += span.To - span.From
			}
		}
	}
	if ran != resp.Timeline.End || groups != 2 || waited == 0 || len(resp.Timeline.Rows) != 3 {
		t.Errorf("of %d ticks waves ran in %d and waited in %d; %d groups, %d rows", resp.Timeline.End, ran, waited, groups, len(resp.Timeline.Rows))
	}
	part := call(t, s, &Request{Op: OpDebugTimeline, Session: session, Range: &TickRange{From: 10, To: 31, Columns: 7}})
	if part.Error != "" || part.Timeline.Start != 10 || part.Timeline.End != 31 || part.Timeline.Step != 3 {
		t.Errorf("%s %+v", part.Error, part.Timeline)
	}
	for _, wrong := range []Request{{Session: session + 1}, {Session: session, Range: &TickRange{From: 1 << 40}}} {
		wrong.Op = OpDebugTimeline
		if got := call(t, s, &wrong); got.Error == "" {
			t.Errorf("%+v has the timeline %+v", wrong, got.Timeline)
		}
	}
	// At the end of the launch, too, the session stays where it is.
	call(t, s, &Request{Op: OpDebugStep, Session: session, Step: &Step{Kind: "finish"}})
	call(t, s, &Request{Op: OpDebugTimeline, Session: session})
	if got := call(t, s, &Request{Op: OpDebugSelect, Session: session}); !got.State.Ended || got.State.Tick != opened.State.End {
		t.Errorf("at the end: %+v", got.State)
	}
}

// TestDebugTimelineOfPipes asks for the timeline of kernels that run together.
func TestDebugTimelineOfPipes(t *testing.T) {
	s := New()
	launch := call(t, s, &Request{Op: OpLaunchOf, Line: chain})
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch.Launch})
	if launch.Error != "" || opened.Error != "" {
		t.Fatal(launch.Error, opened.Error)
	}
	session := opened.State.Session
	call(t, s, &Request{Op: OpDebugGoto, Session: session, Tick: 200})
	before := call(t, s, &Request{Op: OpDebugSelect, Session: session})
	resp := call(t, s, &Request{Op: OpDebugTimeline, Session: session, Range: &TickRange{Columns: 2000}})
	after := call(t, s, &Request{Op: OpDebugSelect, Session: session})
	if resp.Error != "" {
		t.Fatal(resp.Error)
	}
	if before.State.Tick != 200 || after.State.Tick != 200 || !cmp.Equal(before.State.Waves, after.State.Waves) || !cmp.Equal(before.State.Group, after.State.Group) {
		t.Errorf("the session went from %+v to %+v", before.State, after.State)
	}
	// The other kernel is chosen, and a watchpoint at a pipe stops.
	st := before.State
	if len(st.Launches) != 3 || st.Launches[1].Name != "square" || len(st.Pipes) != 2 || st.Pipes[0].Written != 4 {
		t.Fatalf("launches %+v, pipes %+v", st.Launches, st.Pipes)
	}
	other := call(t, s, &Request{Op: OpDebugSelect, Session: session, Group: &GroupChoice{Launch: 2}})
	if other.Error != "" || !other.State.Launches[2].Current || other.State.Frames[0].Function != "sink" {
		t.Errorf("%s %+v", other.Error, other.State)
	}
	call(t, s, &Request{Op: OpDebugBreakpoints, Session: session, Breakpoints: []Breakpoint{{Watch: "y"}}})
	stop := call(t, s, &Request{Op: OpDebugStep, Session: session, Step: &Step{Kind: "continue"}})
	if !strings.Contains(stop.State.Text, "pipe y by work-item") || !strings.Contains(stop.State.Text, "of kernel") {
		t.Errorf("%s %s", stop.Error, stop.State.Text)
	}
	var names []string
	texts := map[string]bool{}
	var ran uint64
	for _, row := range resp.Timeline.Rows {
		names = append(names, row.Name)
		for _, span := range row.Spans {
			texts[row.Name+": "+span.Text] = true
			if span.Activity == "run" {
				ran += span.To - span.From
			}
		}
	}
	want := []string{"source", "source wave 0", "square", "square wave 0", "sink", "sink wave 0", "pipe x", "pipe y"}
	if diff := cmp.Diff(want, names); diff != "" || ran != resp.Timeline.End {
		t.Errorf("waves ran in %d of %d ticks; rows %s", ran, resp.Timeline.End, diff)
	}
	for _, text := range []string{"source wave 0: waits for room in x", "sink wave 0: waits for packets of y", "pipe x: 2 of 2 packets", "source wave 0: runs line 11"} {
		if !texts[text] {
			t.Errorf("there is no %q", text)
		}
	}
}

// TestCopiesInFlight steps to where a copy has moved in part.
func TestCopiesInFlight(t *testing.T) {
	s := New()
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: &Launch{Source: Source{Text: `kernel void k(global int *p, global int *q)
{
	local int tile[64];
	event_t e = async_work_group_copy(tile, p, 64, 0);
	for (int i = 0; i < 20; i++)
		q[i] = i;
	wait_group_events(1, &e);
	q[0] = tile[0];
}
`}, Args: []Arg{{Spec: "iota:i32:64"}, {Spec: "zero:i32:64"}}, Global: "1", Schedule: "paced", Flags: []string{"-dma-step", "4"}}})
	if opened.Error != "" {
		t.Fatal(opened.Error)
	}
	last, seen := uint64(0), 0
	for range 60 {
		at := call(t, s, &Request{Op: OpDebugStep, Session: 1, Step: &Step{Kind: "instruction"}})
		for _, c := range at.State.Copies {
			if c.Moved < last || c.Moved >= c.Bytes || c.Bytes != 256 {
				t.Errorf("copy %+v, and %d before", c, last)
			}
			if c.Moved > last {
				seen++
			}
			last = c.Moved
		}
	}
	if seen < 3 {
		t.Errorf("the copy moved in %d steps", seen)
	}
}

// TestDebugTypes shows variables and memory of types that the source defines.
func TestDebugTypes(t *testing.T) {
	const source = `typedef enum color { RED, GREEN = 5 } color;
typedef float2 point;
typedef struct pair { color c; point at; } pair;
typedef uint word;

kernel void k(global word *out, global color *seen, global pair *pairs)
{
	local word sums[4];
	color c = GREEN;
	pair both = { RED, (point)(1.5f, 2.0f) };
	sums[0] = 3000000000u;
	out[0] = sums[0];
	seen[0] = c;
	pairs[0] = both;
}
`
	s := New()
	launch := &Launch{Source: Source{Text: source}, Args: []Arg{{Spec: "zero:u32:2"}, {Spec: "zero:i32:1"}, {Spec: "zero:u8:16"}}, Global: "1"}
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch})
	if opened.Error != "" {
		t.Fatal(opened.Error)
	}
	call(t, s, &Request{Op: OpDebugBreakpoints, Session: 1, Breakpoints: []Breakpoint{{Line: 14}}})
	st := call(t, s, &Request{Op: OpDebugStep, Session: 1, Step: &Step{Kind: "continue"},
		View: &View{Expand: []string{"both"}, Tables: []TableView{{Name: "out"}, {Name: "seen"}, {Name: "sums", Count: 1}, {Name: "pairs", Count: 2}}}}).State
	got := map[string]string{}
	var add func(list []Variable)
	add = func(list []Variable) {
		for _, v := range list {
			got[v.Path] = v.Type + " " + v.Value + v.Error
			add(v.Children)
		}
	}
	add(st.Variables)
	for path, want := range map[string]string{"c": "color GREEN", "both": "pair {c = RED, at = (1.5, 2)}", "both.c": "color RED", "both.at": "point (1.5, 2)", "sums": "word[4] {3000000000, 0, 0, 0}"} {
		if got[path] != want {
			t.Errorf("%s is %q, not %q", path, got[path], want)
		}
	}
	tables := ""
	for _, one := range st.Tables {
		tables += fmt.Sprintf("%s %s %v%s; ", one.Name, one.Element, one.Values, one.Error)
	}
	if tables != "out u32 [3000000000 0]; seen u32 [5]; sums u32 [3000000000]; pairs u8 [0 0]; " {
		t.Error(tables)
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

// TestPanicText compares what people are told of panics.
func TestPanicText(t *testing.T) {
	too := func() (text string) {
		defer func() { text = panicText(recover()) }()
		n := -1
		return fmt.Sprint(len(make([]byte, n)))
	}
	if got := too(); !strings.Contains(got, "more memory than there is") {
		t.Error(got)
	}
	if got := panicText("index out of range"); got != "lockstep has a bug: index out of range" {
		t.Error(got)
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
		`{"op":"debugTimeline","session":1,"range":{"from":1,"to":18446744073709551615,"columns":-1}}`,
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
