package playground

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// openLine opens a debug session for a line of lockstep run.
func openLine(t *testing.T, s *Server, line string, files map[string]string) *State {
	t.Helper()
	launch := call(t, s, &Request{Op: OpLaunchOf, Line: line, Files: files})
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch.Launch})
	if launch.Error != "" || opened.Error != "" {
		t.Fatal(launch.Error, opened.Error)
	}
	return opened.State
}

// TestDebugPipes steps to where the kernels of lesson 12 wait for each other for ever, and back to the last packet. What
// a page is told of kernels and pipes is compared as a whole.
func TestDebugPipes(t *testing.T) {
	s := New()
	st := openLine(t, s, strings.Replace(chain, "pipe:x -arg i32:8 -with", "pipe:x -arg i32:7 -with", 1), nil)
	session := st.Session
	group := [][3]uint64{{}}
	want := []DebugLaunch{
		{Name: "source", Groups: 1, InProgress: group, Current: true},
		{Name: "square", Groups: 1, InProgress: group},
		{Name: "sink", Groups: 1, InProgress: group},
	}
	if diff := cmp.Diff(want, st.Launches); diff != "" {
		t.Errorf("launches in the beginning: %s", diff)
	}
	step := func(what *Step) *State {
		resp := call(t, s, &Request{Op: OpDebugStep, Session: session, Step: what})
		if resp.Error != "" {
			t.Fatal(resp.Error)
		}
		return resp.State
	}
	st = step(&Step{Kind: "continue"})
	want[0] = DebugLaunch{Name: "source", Groups: 1, GroupsOver: 1, InProgress: [][3]uint64{}}
	want[1].Current = true
	if diff := cmp.Diff(want, st.Launches); diff != "" || st.Reason != "finding" || st.Kernel != "square" {
		t.Errorf("kernel %s stopped by %s; launches: %s", st.Kernel, st.Reason, diff)
	}
	const file = "docs/course/12-pipes/chain.cl"
	pipes := []DebugPipe{
		{Name: "x", Type: "int", PacketBytes: 4, Capacity: 2, Packets: []string{}, Written: 7, Read: 7,
			Lines: []string{"writers: source (ended); readers: square", "kernel square, group (0): work-item 0 waits for packets at " + file + ":18:3"},
			Waits: []Wait{{Kernel: "square", For: "packets", Items: []int{0}, Place: Place{File: file, Line: 18, Column: 3, Function: "square"}}}},
		{Name: "y", Type: "int", PacketBytes: 4, Capacity: 2, Packets: []string{}, Written: 7, Read: 7,
			Lines: []string{"writers: square; readers: sink", "kernel sink, group (0): work-item 0 waits for packets at " + file + ":28:3"},
			Waits: []Wait{{Kernel: "sink", For: "packets", Items: []int{0}, Place: Place{File: file, Line: 28, Column: 3, Function: "sink"}}}},
	}
	if diff := cmp.Diff(pipes, st.Pipes); diff != "" {
		t.Errorf("pipes of the deadlock: %s", diff)
	}
	// A watchpoint at a pipe stops at reads, too, and names the packet.
	call(t, s, &Request{Op: OpDebugBreakpoints, Session: session, Breakpoints: []Breakpoint{{Watch: "x"}}})
	st = step(&Step{Kind: "continue", Back: true})
	hit := []WatchHit{{Number: 1, Text: "x", Items: 1, Kernel: "square", Place: Place{File: file, Line: 18, Column: 3, Function: "square"},
		New: "packet 6, 6, was read from pipe x by work-item (0) of kernel square"}}
	if diff := cmp.Diff(hit, st.Watchpoints); diff != "" || st.Reason != "watchpoint" || st.Text != "watchpoint 1: "+hit[0].New {
		t.Errorf("back to %s %q: %s", st.Reason, st.Text, diff)
	}
	// What is about one kernel is about the one that is chosen; ids that are not there are refused.
	for _, choice := range []struct {
		GroupChoice
		kernel string
	}{{GroupChoice{Launch: 2}, "sink"}, {GroupChoice{Launch: 1}, "square"}, {GroupChoice{Launch: 3}, ""}, {GroupChoice{Launch: -1}, ""}, {GroupChoice{Launch: 1, ID: [3]uint64{5}}, ""}} {
		resp := call(t, s, &Request{Op: OpDebugSelect, Session: session, Group: &choice.GroupChoice})
		switch {
		case choice.kernel == "":
			if resp.Error == "" || strings.Contains(resp.Error, "bug") {
				t.Errorf("group %+v: %q", choice.GroupChoice, resp.Error)
			}
		case resp.Error != "" || resp.State.Kernel != choice.kernel || !resp.State.Launches[choice.Launch].Current || resp.State.Frames[0].Function != choice.kernel:
			t.Errorf("group %+v: %s %+v", choice.GroupChoice, resp.Error, resp.State)
		default:
			// Why it stopped is as it was.
			if diff := cmp.Diff(hit, resp.State.Watchpoints); diff != "" {
				t.Errorf("looking at %s: %s", choice.kernel, diff)
			}
		}
	}
}

// TestDebugReservations shows packets that the host has put into a pipe, and reservations.
func TestDebugReservations(t *testing.T) {
	const source = `kernel void k(read_only pipe int p, global int *out)
{
	reserve_id_t r = reserve_read_pipe(p, 2);
	if (is_valid_reserve_id(r)) {
		read_pipe(p, r, 1, out);
		commit_read_pipe(p, r);
	}
}
`
	s := New()
	st := openLine(t, s, "run k.cl -global 1 -arg pipe:i32:4:buf:i32:10,20,30 -arg zero:i32:2", map[string]string{"k.cl": source})
	if len(st.Launches) != 0 || len(st.Pipes) != 1 {
		t.Fatalf("launches %+v, pipes %+v", st.Launches, st.Pipes)
	}
	full := st.Pipes[0]
	if diff := cmp.Diff([]string{"10", "20", "30"}, full.Packets); diff != "" || full.Len != 3 || full.Capacity != 4 || full.Read != 0 {
		t.Errorf("%+v: %s", full, diff)
	}
	call(t, s, &Request{Op: OpDebugBreakpoints, Session: st.Session, Breakpoints: []Breakpoint{{Line: 5}}})
	st = call(t, s, &Request{Op: OpDebugStep, Session: st.Session, Step: &Step{Kind: "continue"}}).State
	got := st.Pipes[0]
	if got.Reading != 2 || got.Len != 1 || len(got.Lines) < 2 || !strings.HasPrefix(got.Lines[1], "a reservation to read 2 packets from packet 0 on, of work-item 0 in group (0) of kernel k, made at k.cl:3") {
		t.Errorf("%+v", got)
	}
}

// TestAccessesOfKernels steps through kernels that run together, one instruction after the other: accesses to memory are
// those of the kernel that is shown, and that which is chosen stays chosen.
func TestAccessesOfKernels(t *testing.T) {
	s := New()
	st := openLine(t, s, chain, nil)
	session, shown := st.Session, 0
	for !st.Ended {
		for _, a := range st.Accesses {
			if shown++; a.Line < 24 || st.Kernel != "sink" {
				t.Fatalf("tick %d, kernel %s: access in line %d", st.Tick, st.Kernel, a.Line)
			}
		}
		st = call(t, s, &Request{Op: OpDebugStep, Session: session, Step: &Step{Kind: "instruction", Scope: "group"}}).State
	}
	if shown == 0 {
		t.Error("there was no access")
	}
	call(t, s, &Request{Op: OpDebugGoto, Session: session, Tick: 200})
	for range 3 {
		call(t, s, &Request{Op: OpDebugSelect, Session: session, Group: &GroupChoice{Launch: 2}})
		if st = call(t, s, &Request{Op: OpDebugSelect, Session: session}).State; st.Kernel != "sink" || !st.Launches[2].Current {
			t.Errorf("kernel %s is shown", st.Kernel)
		}
	}
}
