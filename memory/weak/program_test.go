package weak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// op is an operation of a test program. Kind is 'R', 'W', 'U' for a read-modify-write that exchanges, or 'F'.
type op struct {
	kind  byte
	cell  int
	value uint64
	order isa.MemoryOrder // 0 for an access that is not atomic
}

const (
	rlx = isa.OrderKnown | isa.MemoryOrder(isa.ScopeDevice)
	acq = rlx | isa.OrderAcquire
	rel = rlx | isa.OrderRelease
	ar  = acq | rel
	sc  = ar | isa.OrderSeqCst
)

var orderNames = map[isa.MemoryOrder]string{0: "na", rlx: "rlx", acq: "acq", rel: "rel", ar: "ar", sc: "sc"}

func (o op) String() string {
	name := orderNames[o.order&^(isa.OrderGlobal|isa.OrderLocal)]
	if o.kind == 'F' {
		return "F" + name
	}
	text := fmt.Sprintf("%c%s %c", o.kind, name, "xyzw"[o.cell])
	if o.kind != 'R' {
		text += fmt.Sprint("=", o.value)
	}
	return text
}

// program is a test program, a work-item of its own work-group each thread. Loads are used at the end of their
// threads.
type program [][]op

func (p program) String() string {
	var threads []string
	for _, t := range p {
		var ops []string
		for _, o := range t {
			ops = append(ops, o.String())
		}
		threads = append(threads, strings.Join(ops, "; "))
	}
	return strings.Join(threads, " || ")
}

// isLate says whether the operation i of a thread is a load that may be performed late, and that it makes a
// difference for.
func isLate(t []op, i int) bool {
	if t[i].kind != 'R' || t[i].order&(isa.OrderAcquire|isa.OrderSeqCst) != 0 {
		return false
	}
	return slices.ContainsFunc(t[i+1:], func(o op) bool { return o.kind == 'W' || o.kind == 'U' })
}

// walk enumerates choices by running again and again: the choices so far, and how many there were.
type walk struct {
	chosen, of []int
	at         int
}

func (w *walk) pick(n int) int {
	if n < 2 {
		return 0
	}
	if w.at == len(w.chosen) {
		w.chosen, w.of = append(w.chosen, 0), append(w.of, n)
	}
	w.at++
	return w.chosen[w.at-1]
}

func (w *walk) Pick(_ What, n int) int { return w.pick(n) }
func (*walk) Stamp() int               { return 0 }
func (*walk) Ordered([]int) bool       { return true }

// again says whether there is another sequence of choices, and goes to it.
func (w *walk) again() bool {
	for n := len(w.chosen) - 1; n >= 0; n-- {
		if w.chosen[n]++; w.chosen[n] < w.of[n] {
			w.chosen, w.of, w.at = w.chosen[:n+1], w.of[:n+1], 0
			return true
		}
	}
	return false
}

// cells is the memory of a program.
const cells = 3

// machine returns all outcomes of the model: what loads read, in the order of the program, and what memory holds
// in the end.
func (p program) machine() map[string]bool {
	outcomes := map[string]bool{}
	w := &walk{}
	for more := true; more; more = w.again() {
		outcomes[p.run(w)] = true
	}
	return outcomes
}

// run is one execution.
func (p program) run(w *walk) string {
	m := New(w, false)
	mem := make([]byte, cells*8)
	var groups []*Group
	read := make([][]uint64, len(p))
	for i, t := range p {
		g := m.Worker(1)
		g.Begin(uint64(i), 1)
		groups = append(groups, g)
		read[i] = make([]uint64, len(t))
	}
	pc, settled := make([]int, len(p)), make([]int, len(p))
	for {
		var ready []int
		for i, t := range p {
			// What is left of a thread at its end are late loads.
			for pc[i] == len(t) && settled[i] < len(t) {
				if _, _, pending := groups[i].Pending(0, settled[i]); pending {
					break
				}
				if v, ok := groups[i].Settle(0, settled[i]); ok {
					read[i][settled[i]] = v
				}
				settled[i]++
			}
			if pc[i] < len(t) || settled[i] < len(t) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		i := ready[w.pick(len(ready))]
		g, t := groups[i], p[i]
		if pc[i] == len(t) {
			read[i][settled[i]], _ = g.Settle(0, settled[i])
			settled[i]++
			continue
		}
		o := t[pc[i]]
		a := &Access{Atomic: o.order != 0, Order: o.order}
		at := mem[8*o.cell : 8*o.cell+8]
		switch o.kind {
		case 'R':
			if !isLate(t, pc[i]) || !g.Defer(0, pc[i], a, 0, at) {
				read[i][pc[i]] = g.Load([]int{0}, a, at)
			}
		case 'W':
			g.Store(0, a, at, o.value)
		case 'U':
			read[i][pc[i]] = g.Update(0, a, at, func(uint64) (uint64, bool) { return o.value, true })
		case 'F':
			g.Fence(0, o.order)
		}
		pc[i]++
	}
	var b strings.Builder
	for i, t := range p {
		for j, o := range t {
			if o.kind == 'R' || o.kind == 'U' {
				fmt.Fprint(&b, read[i][j], " ")
			}
		}
	}
	b.WriteString("|")
	for c := range cells {
		fmt.Fprint(&b, " ", loadBytes(mem[8*c:8*c+8]))
	}
	return b.String()
}
