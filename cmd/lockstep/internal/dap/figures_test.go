package dap

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/lockstep-gpu/lockstep/emu"
)

var figures = flag.Bool("figures", false, "measure how long answers take, in a launch of 2^16 work-items")

// manyVariables returns a kernel with a hundred variables.
func manyVariables() string {
	var b strings.Builder
	b.WriteString("kernel void many(global uint *x, int n)\n{\n\tint i = get_global_id(0);\n")
	for v := range 97 {
		fmt.Fprintf(&b, "\tuint v%d = x[(i + %d) & 255] + %du;\n", v, v, v)
	}
	b.WriteString("\tfor (int k = 0; k < n; k++) {\n\t\tv0 = v0 * 3u + v1;\n\t\tv1 ^= v2 + k;\n\t}\n\tx[i] = v0")
	for v := 1; v < 97; v++ {
		fmt.Fprintf(&b, " + v%d", v)
	}
	b.WriteString(";\n}\n")
	return b.String()
}

// figure is what a request takes.
type figure struct {
	name  string
	times []time.Duration
}

// measure asks for everything that an editor asks for at a stop, some times, and returns what it took.
func measure(t testing.TB, items uint64, stops int) []*figure {
	c := newClient(t, prepareSource(manyVariables(), "many", emu.NDRange{Global: []uint64{items}, Local: []uint64{256}}, 20))
	var list []*figure
	ask := func(name, command string, arguments object) *reply {
		begin := time.Now()
		r := c.call(command, arguments)
		took := time.Since(begin)
		i := slices.IndexFunc(list, func(f *figure) bool { return f.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, &figure{name: name})
		}
		list[i].times = append(list[i].times, took)
		return r
	}
	c.begin(object{"program": "x", "stopOnEntry": true})
	source := object{"path": "program.cl"}
	ask("setBreakpoints", "setBreakpoints", object{"source": source, "breakpoints": []object{{"line": 102, "condition": fmt.Sprintf("i %% %d == 77 && k == 3", items/uint64(stops))}}})
	ask("configurationDone", "configurationDone", object{})
	c.event("stopped")
	for range stops {
		ask("continue", "continue", object{"threadId": 1})
		ask("threads, running", "threads", object{})
		ask("setFunctionBreakpoints, running", "setFunctionBreakpoints", object{"breakpoints": []object{{"name": "nobody"}}})
		ask("evaluate, running", "evaluate", object{"expression": "$tick"})
		stop := c.event("stopped")
		thread := stop.Body.ThreadID
		ask("threads", "threads", object{})
		frame := ask("stackTrace", "stackTrace", object{"threadId": thread}).Body.Frames[0].ID
		for _, scope := range ask("scopes", "scopes", object{"frameId": frame}).Body.Scopes {
			vars := ask("variables of "+scope.Name, "variables", object{"variablesReference": scope.Reference}).Body.Variables
			if i := slices.IndexFunc(vars, func(v dap.Variable) bool { return v.IndexedVariables > 0 }); i >= 0 {
				ask("elements", "variables", object{"variablesReference": vars[i].VariablesReference, "filter": "indexed", "start": 0, "count": 100})
			}
		}
		ask("evaluate", "evaluate", object{"expression": "v0 + v1 * 2", "frameId": frame, "context": "watch"})
		ask("evaluate all", "evaluate", object{"expression": "all v0 + v1", "frameId": frame, "context": "watch"})
		ask("evaluate a command", "evaluate", object{"expression": "info waves", "frameId": frame, "context": "repl"})
		ask("completions", "completions", object{"text": "print v", "column": 8, "frameId": frame})
		ask("setExpression", "setExpression", object{"expression": "v96", "value": "v95 + 1", "frameId": frame})
		ask("disassemble", "disassemble", object{"memoryReference": "100", "instructionOffset": -200, "instructionCount": 400})
		ask("readMemory", "readMemory", object{"memoryReference": "0x1000010000000000", "count": 4096})
		ask("next", "next", object{"threadId": thread})
		c.event("stopped")
		ask("stepBack", "stepBack", object{"threadId": thread})
		c.event("stopped")
	}
	return list
}

// TestFigureAnswers logs how long answers take. No test depends on the times.
func TestFigureAnswers(t *testing.T) {
	items, stops := uint64(1<<12), 2
	if *figures {
		items, stops = 1<<16, 16
	}
	longest := time.Duration(0)
	for _, f := range measure(t, items, stops) {
		slices.Sort(f.times)
		last := f.times[len(f.times)-1]
		longest = max(longest, last)
		t.Logf("%-32s %10v at the median, %10v at most", f.name, f.times[len(f.times)/2].Round(time.Microsecond), last.Round(time.Microsecond))
	}
	t.Logf("the slowest answer took %v", longest.Round(time.Microsecond))
}

// BenchmarkStop measures what an editor asks for at a stop: threads, stack, scopes and a hundred variables.
func BenchmarkStop(b *testing.B) {
	c := newClient(b, prepareSource(manyVariables(), "many", emu.NDRange{Global: []uint64{1 << 16}, Local: []uint64{256}}, 20))
	c.begin(object{"program": "x"})
	c.call("setBreakpoints", object{"source": object{"path": "program.cl"}, "breakpoints": []object{{"line": 102}}})
	c.call("configurationDone", object{})
	thread := c.event("stopped").Body.ThreadID
	for b.Loop() {
		c.call("threads", object{})
		frame := c.call("stackTrace", object{"threadId": thread}).Body.Frames[0].ID
		for _, scope := range c.call("scopes", object{"frameId": frame}).Body.Scopes {
			if scope.Name != "All lanes" {
				c.call("variables", object{"variablesReference": scope.Reference})
			}
		}
	}
}
