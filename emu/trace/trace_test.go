package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

var update = flag.Bool("update", false, "rewrite testdata with what is written now")

// source is the kernel of the traces that are made by hand.
var source = []string{
	"kernel void stencil(global const float *in, global float *out, local float *tile) {",
	"  event_t e = async_work_group_copy(tile, in, 64, 0);",
	"  wait_group_events(1, &e);",
	"  barrier(CLK_LOCAL_MEM_FENCE);",
	"  __asyncmark();",
	"}",
}

// info describes their launch. An instruction's index is its line.
func info() LaunchInfo {
	return LaunchInfo{
		Kernel: "stencil", Schedule: "paced", Completion: "paced", Engines: 2, QueueDepth: 16, BytesPerStep: 64, SubgroupSize: 32,
		Global: [3]uint64{128, 1, 1}, Local: [3]uint32{64, 1, 1}, Groups: [3]uint64{2, 1, 1},
		Place: func(pc int) finding.Place {
			if pc < 1 || pc > len(source) {
				return finding.Place{Instruction: fmt.Sprintf("OpNop %d", pc)}
			}
			return finding.Place{File: "stencil.cl", Line: uint32(pc), Column: 3, Source: source[pc-1], Instruction: "OpFunctionCall"}
		},
		Region: func(p memory.Pointer) string {
			return map[memory.Space]string{memory.SpaceGlobal: "in", memory.SpaceLocal: "tile"}[p.Space()]
		},
	}
}

func global(off int64) memory.Pointer { return memory.MakePointer(memory.SpaceGlobal, 1, off) }
func local(off int64) memory.Pointer  { return memory.MakePointer(memory.SpaceLocal, 1, off) }

func items(first, last uint64) finding.Spans { return finding.Spans{{first, last}} }

// copyOf is a group copy of 256 bytes.
func copyOf(id uint64, wave, engine int, issued uint64) transfer {
	return transfer{id: id, pc: 2, name: "async_work_group_copy", items: items(0, 63), wave: wave, dst: local(int64(id-1) * 256),
		src: global(int64(id-1) * 256), bytes: 256, lines: 1, planes: 1, event: id, async: true, engine: engine, issued: issued}
}

// stencil plays a launch of two groups of two waves. In the first group copies
// overlap with work; the second waits for each at once.
func stencil(r *Recorder) {
	r.begin([3]uint64{0, 0, 0}, 64, 0)
	r.issue(copyOf(1, 0, 0, 4))
	r.issue(copyOf(2, 0, 1, 6))
	r.complete(1, 4, 8)
	r.wait(10, 10, 3, 0, "event 1", 0)
	r.turn(0, 0, 32, 0, 14, engine.StopBarrier)
	r.complete(2, 6, 18)
	r.turn(1, 32, 32, 14, 20, engine.StopBarrier)
	r.barrier(4, 20)
	lane := transfer{id: 3, pc: 5, name: "llvm.amdgcn.load.async.to.lds", items: items(0, 31), wave: 0, dst: local(512), src: global(-4),
		bytes: 128, lines: 32, planes: 1, async: true, engine: 0, issued: 22}
	r.issue(lane)
	r.mark(23, 5, 0, 0, items(0, 31))
	r.complete(3, 22, 30)
	r.wait(24, 30, 3, 0, "marks ≤ 0", 1)
	r.turn(0, 0, 32, 20, 35, engine.StopDone)
	r.turn(1, 32, 32, 35, 40, engine.StopQuantum)
	r.mark(41, 5, 1, 2, items(40, 40))
	r.turn(1, 32, 32, 40, 44, engine.StopDone)
	r.end(44)

	r.begin([3]uint64{1, 0, 0}, 64, 44)
	zero := copyOf(1, 0, 0, 46)
	zero.zero, zero.planes, zero.lines = true, 2, 4
	r.issue(zero)
	overtakes := copyOf(2, 0, 0, 47)
	overtakes.event = 1
	r.issue(overtakes)
	r.complete(2, 48, 52)
	r.complete(1, 46, 58)
	r.wait(49, 58, 3, 0, "event 1", 0)
	r.wait(59, 59, 3, 0, "event 0", 0)
	never := copyOf(3, 0, 1, 60)
	never.async, never.event = false, 0
	r.issue(never)
	r.turn(0, 0, 64, 44, 66, engine.StopFault)
	r.end(66)
}

func recorded(play func(*Recorder), max int) *Recorder {
	r := New(Options{MaxEvents: max})
	r.Begin(info())
	play(r)
	return r
}

func chrome(t *testing.T, r *Recorder) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteChrome(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t *testing.T, r *Recorder, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(data), "\r\n", "\n"); got != want {
		t.Errorf("%s differs (-update rewrites); got\n%s", file, got)
	}
}

func TestGolden(t *testing.T) {
	r := recorded(stencil, 0)
	golden(t, "stencil.json", chrome(t, r))
	golden(t, "stencil.txt", text(t, r, TextOptions{}))
	golden(t, "narrow.txt", text(t, r, TextOptions{Width: 40, MaxGroups: 1, MaxLines: 3}))
	golden(t, "limit.json", chrome(t, recorded(stencil, 9)))
	golden(t, "limit.txt", text(t, recorded(stencil, 9), TextOptions{}))
	golden(t, "empty.txt", text(t, recorded(func(*Recorder) {}, 0), TextOptions{}))
}

// chromeEvent is an event as a reader of the format sees it.
type chromeEvent struct {
	Ph, Name, Cat, Bp, S string
	Ts, Dur, ID          uint64
	Pid, Tid             int
	Args                 map[string]any
}

// check reads a trace and complains of what a viewer would trip over: slices of
// a thread that overlap without nesting, timestamps that go back, arrows whose
// ends do not lie in slices, threads and processes without names.
func check(doc string) ([]chromeEvent, error) {
	var file struct {
		DisplayTimeUnit string
		OtherData       map[string]any
		TraceEvents     []chromeEvent
	}
	d := json.NewDecoder(strings.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	if file.DisplayTimeUnit != "ms" || file.OtherData["clock"] == "" {
		return nil, errors.New("the header is not whole")
	}
	type thread struct{ pid, tid int }
	type end struct {
		thread
		ts uint64
	}
	named := map[thread]bool{}
	open := map[thread][]uint64{} // ends of the slices around
	starts := map[uint64]end{}
	var last uint64
	for i, e := range file.TraceEvents {
		fail := func(format string, args ...any) ([]chromeEvent, error) {
			return nil, fmt.Errorf("event %d, %q at %d: %s", i, e.Name, e.Ts, fmt.Sprintf(format, args...))
		}
		th := thread{e.Pid, e.Tid}
		if e.Ph == "M" {
			if strings.HasSuffix(e.Name, "_name") {
				named[th] = true
			}
			continue
		}
		if e.Ts < last {
			return fail("time goes back from %d", last)
		}
		last = e.Ts
		if e.Tid == 0 && e.Ph != "C" || !named[th] || !named[thread{e.Pid, 0}] {
			return fail("process %d, thread %d has no name", e.Pid, e.Tid)
		}
		for n := len(open[th]); n > 0 && open[th][n-1] <= e.Ts; n-- {
			open[th] = open[th][:n-1]
		}
		inside := len(open[th]) > 0
		switch e.Ph {
		case "X":
			if n := len(open[th]); n > 0 && e.Ts+e.Dur > open[th][n-1] {
				return fail("ends at %d, the slice around it at %d", e.Ts+e.Dur, open[th][n-1])
			}
			if e.Dur == 0 {
				return fail("takes no time")
			}
			open[th] = append(open[th], e.Ts+e.Dur)
		case "i":
			if e.S != "t" && e.S != "p" && e.S != "g" {
				return fail("scope %q", e.S)
			}
		case "C":
			if _, ok := e.Args["packets"].(float64); !ok || e.Tid != 0 {
				return fail("a counter without a number")
			}
		case "s":
			if _, twice := starts[e.ID]; twice || !inside || e.ID == 0 {
				return fail("arrow %d starts twice, or outside of a slice", e.ID)
			}
			starts[e.ID] = end{th, e.Ts}
		case "f":
			from, ok := starts[e.ID]
			// A wave may read, in a later turn, what it has written.
			self := from.thread == th && (e.Cat != "pipe" || from.ts == e.Ts)
			if !ok || !inside || e.Bp != "e" || from.ts > e.Ts || self {
				return fail("arrow %d has no start, ends outside of a slice, or goes back", e.ID)
			}
			delete(starts, e.ID)
		default:
			return fail("phase %q", e.Ph)
		}
	}
	if len(starts) > 0 {
		return nil, fmt.Errorf("%d arrows without an end", len(starts))
	}
	return file.TraceEvents, nil
}

func TestChromeIsWellFormed(t *testing.T) {
	for limit := range 60 {
		r := recorded(stencil, limit)
		doc := chrome(t, r)
		events, err := check(doc)
		if err != nil {
			t.Errorf("limit %d: %v", limit, err)
			continue
		}
		if again := chrome(t, recorded(stencil, limit)); again != doc {
			t.Errorf("limit %d: the same launch gives other bytes", limit)
		}
		ends := strings.Contains(events[len(events)-1].Name, "trace ends here")
		if ends != r.Truncated() {
			t.Errorf("limit %d: truncated is %v, and the last event is %q", limit, r.Truncated(), events[len(events)-1].Name)
		}
		if limit > 0 && r.Events() > limit {
			t.Errorf("limit %d: %d events", limit, r.Events())
		}
	}
}

// TestCheckComplains makes sure that check can fail.
func TestCheckComplains(t *testing.T) {
	head := `{"displayTimeUnit":"ms","otherData":{"clock":"c"},"traceEvents":[` +
		`{"ph":"M","name":"process_name","pid":1},{"ph":"M","name":"thread_name","pid":1,"tid":1},{"ph":"M","name":"thread_name","pid":1,"tid":2},`
	slice := func(ts, dur, tid int) string {
		return fmt.Sprintf(`{"ph":"X","name":"x","ts":%d,"dur":%d,"pid":1,"tid":%d}`, ts, dur, tid)
	}
	flow := func(ph string, ts, tid int) string {
		return fmt.Sprintf(`{"ph":%q,"name":"a","id":1,"bp":"e","ts":%d,"pid":1,"tid":%d}`, ph, ts, tid)
	}
	for name, events := range map[string][]string{
		"overlap":   {slice(0, 4, 1), slice(2, 4, 1)},
		"back":      {slice(4, 1, 1), slice(3, 1, 1)},
		"no name":   {slice(4, 1, 3)},
		"no time":   {slice(4, 0, 1)},
		"no slice":  {slice(0, 1, 1), slice(0, 9, 2), flow("s", 1, 1), flow("f", 2, 2)},
		"no end":    {slice(0, 4, 1), flow("s", 1, 1)},
		"no number": {`{"ph":"C","name":"x","ts":0,"pid":1,"tid":0,"args":{}}`},
		"process":   {slice(4, 1, 0)},
		"no start":  {slice(0, 4, 1), flow("f", 1, 1)},
	} {
		if _, err := check(head + strings.Join(events, ",") + "]}"); err == nil {
			t.Errorf("%s: nothing is found", name)
		}
	}
	good := []string{slice(0, 4, 1), slice(0, 9, 2), flow("s", 1, 1), flow("f", 2, 2)}
	if _, err := check(head + strings.Join(good, ",") + "]}"); err != nil {
		t.Errorf("good: %v", err)
	}
}

// TestHostileNames writes what a module may call things.
func TestHostileNames(t *testing.T) {
	r := New(Options{})
	in := info()
	evil := "\x1b[31m\"\\</script>\n\xff\u2028" + strings.Repeat("é", 500)
	in.Kernel = evil
	in.Place = func(int) finding.Place { return finding.Place{File: evil, Line: 1, Source: evil, Instruction: evil} }
	in.Region = func(memory.Pointer) string { return evil }
	r.Begin(in)
	stencil(r)
	if _, err := check(chrome(t, r)); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(text(t, r, TextOptions{})) {
		if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\u2028") || !utf8.ValidString(line) || len(line) > 2000 {
			t.Errorf("not fit for a terminal: %q", line)
		}
	}
}

// TestWithoutNames: a recorder that is told nothing of places and memory.
func TestWithoutNames(t *testing.T) {
	r := New(Options{})
	r.Begin(LaunchInfo{Kernel: "k"})
	stencil(r)
	doc := chrome(t, r)
	if _, err := check(doc); err != nil {
		t.Error(err)
	}
	if !strings.Contains(doc, `"from":"global:1+0"`) {
		t.Error("a pointer without a name does not show")
	}
}

// TestBeginForgets: a recorder has the last launch only.
func TestBeginForgets(t *testing.T) {
	r := recorded(stencil, 9)
	r.Begin(info())
	if r.Events() != 0 || r.Truncated() {
		t.Errorf("%d events, truncated %v", r.Events(), r.Truncated())
	}
	stencil(r)
	if got := chrome(t, r); got != chrome(t, recorded(stencil, 9)) {
		t.Error("the second trace differs from the first")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	r := recorded(stencil, 0)
	if err := r.WriteChrome(failing{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteChrome: %v", err)
	}
	if err := r.WriteText(failing{}, TextOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteText: %v", err)
	}
}

func TestIntervals(t *testing.T) {
	a := union([]interval{{5, 9}, {0, 2}, {2, 3}, {7, 12}, {20, 20}})
	if fmt.Sprint(a) != "[{0 3} {5 12}]" || length(a) != 10 {
		t.Errorf("union %v", a)
	}
	b := []interval{{1, 6}, {8, 9}, {11, 30}}
	if n := common(a, b); n != 2+1+1+1 {
		t.Errorf("common %d", n)
	}
	if c := without(a, b); fmt.Sprint(c) != "[{0 1} {6 8} {9 11}]" {
		t.Errorf("without %v", c)
	}
	if without(nil, b) != nil || fmt.Sprint(without(a, nil)) != fmt.Sprint(a) {
		t.Error("without nothing")
	}
}
