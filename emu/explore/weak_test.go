package explore

import (
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// weakLitmus is a litmus test: threads over the places x, y and z, which are 0 at first, with registers that end up
// in the outcome. A thread is a work-item of a work-group of its own, unless local says otherwise.
//
// Statements are, with the orders rlx, acq, rel, ar and sc: LD(r, x, o), ST(x, value, o), XCHG(r, x, value, o),
// ADD(r, x, value, o) and FENCE(o), of the device's scope; LDS, STS and FENCES have a scope as well; LLD and LST are
// for lx and ly in local memory; r = x and x = 1 are not atomic.
type weakLitmus struct {
	name    string // the shape, and what is particular
	threads []string
	// want are all outcomes: the registers in order, and what the places of final hold in the end.
	want   string
	source string // where the verdict is published
	final  string
	local  uint64 // work-items of a work-group; 0 is 1
	// body is the kernel's, in the place of threads, for so many work-items.
	body  string
	items uint64
}

var register = regexp.MustCompile(`\br[0-9]\b`)

// registers returns those of the threads, in order.
func (l *weakLitmus) registers() []string {
	list := register.FindAllString(strings.Join(l.threads, " ")+l.body, -1)
	slices.Sort(list)
	return slices.Compact(list)
}

func (l *weakLitmus) kernel() string {
	var b strings.Builder
	b.WriteString(weakMacros)
	b.WriteString("kernel void k(volatile global int *v) { local volatile int tile[2];\n")
	if l.body != "" {
		return b.String() + "int i = get_global_id(0); " + l.body + " }\n"
	}
	b.WriteString("switch (get_global_id(0)) {\n")
	for i, t := range l.threads {
		fmt.Fprintf(&b, "case %d: {", i)
		list := register.FindAllString(t, -1)
		slices.Sort(list)
		for _, r := range slices.Compact(list) {
			fmt.Fprintf(&b, " int %s = 0;", r)
			t += fmt.Sprintf(" v[8 + %s] = %s;", r[1:], r)
		}
		fmt.Fprintf(&b, " %s break; }\n", t)
	}
	b.WriteString("} }\n")
	return b.String()
}

const weakMacros = `
#define x v[0]
#define y v[1]
#define z v[2]
#define lx tile[0]
#define ly tile[1]
#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define ar memory_order_acq_rel
#define sc memory_order_seq_cst
#define group memory_scope_work_group
#define device memory_scope_device
#define AT(p) ((volatile global atomic_int *)&p)
#define LOCALLY(p) ((volatile local atomic_int *)&p)
#define LDS(r, p, o, s) r = atomic_load_explicit(AT(p), o, s);
#define STS(p, n, o, s) atomic_store_explicit(AT(p), n, o, s);
#define LD(r, p, o) LDS(r, p, o, device)
#define ST(p, n, o) STS(p, n, o, device)
#define XCHG(r, p, n, o) r = atomic_exchange_explicit(AT(p), n, o, device);
#define ADD(r, p, n, o) r = atomic_fetch_add_explicit(AT(p), n, o, device);
#define FENCES(f, o, s) atomic_work_item_fence(f, o, s);
#define FENCE(o) FENCES(CLK_GLOBAL_MEM_FENCE, o, device)
#define LLD(r, p, o) r = atomic_load_explicit(LOCALLY(p), o, group);
#define LST(p, n, o) atomic_store_explicit(LOCALLY(p), n, o, group);
#define GLOBAL CLK_GLOBAL_MEM_FENCE
#define LOCAL CLK_LOCAL_MEM_FENCE
`

// explorer returns one of the test with a memory model.
func (l *weakLitmus) explorer(m emu.MemoryModel) *Explorer {
	return New(Subject{
		Programs: []func(context.Context, *emu.Device) (*emu.Program, error){func(_ context.Context, dev *emu.Device) (*emu.Program, error) {
			p, log, err := dev.BuildProgram(l.kernel(), "-cl-std=CL3.0")
			if err != nil {
				err = fmt.Errorf("%w\n%v", err, log)
			}
			return p, err
		}},
		Memory: m,
		Launches: []Member{{Kernel: "k", Range: emu.NDRange{
			Global: []uint64{max(l.items, uint64(len(l.threads)))}, Local: []uint64{max(l.local, 1)}}}},
		Args: func(dev *emu.Device) (*Arguments, error) {
			b, err := emu.NewBufferOf(dev, make([]int32, 16))
			return &Arguments{Of: [][]emu.Arg{{b}}}, err
		},
	})
}

// outcomes returns the outcomes of the test: the registers, and the places of final. Each outcome is made again from
// its choices.
func (l *weakLitmus) outcomes(t *testing.T, e *Explorer, r *Exhaustive) []string {
	t.Helper()
	var list []string
	for i := range r.Outcomes {
		v := again(t, e, &r.Outcomes[i])
		text := ""
		for _, name := range l.registers() {
			text += fmt.Sprint(v[8+name[1]-'0'])
		}
		for _, c := range l.final {
			text += fmt.Sprint(v[c-'x'])
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// again makes an outcome again from its choices, and returns the contents of v.
func again(t *testing.T, e *Explorer, o *InterleavedOutcome) []uint32 {
	t.Helper()
	l, err := e.prepare(t.Context(), Config{SubgroupSize: 1, WaveLanes: 1, Schedule: emu.InOrder.String()}, "interp")
	if err != nil {
		t.Fatal(err)
	}
	defer l.dev.Close()
	choices, err := emu.ParseInterleaving(o.Choices)
	if err != nil {
		t.Fatal(err)
	}
	texts := prints{}
	l.launches[0].Interleave, l.launches[0].Prints = choices, texts.of(0)
	res, err := e.run(t.Context(), l, nowhere{})
	if err != nil || choices.Err() != nil {
		t.Fatal(err, choices.Err())
	}
	held, err := l.dev.Contents()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := memoryDigest(held, nil)
	if err != nil {
		t.Fatal(err)
	}
	if id := newOutcome(Run{}, res, memory, texts.digest(), true).ID; id != o.ID {
		t.Errorf("choices %s make outcome %s, not %s", o.Choices, id, o.ID)
	}
	var v []uint32
	for i := 0; i < len(held[0].Data); i += 4 {
		v = append(v, binary.LittleEndian.Uint32(held[0].Data[i:]))
	}
	return v
}

// TestWeak holds that the outcomes of litmus tests are those that are published for C11 and OpenCL, none more and none
// missing.
func TestWeak(t *testing.T) {
	for i := range weakLitmusTests {
		l := &weakLitmusTests[i]
		t.Run(l.name, func(t *testing.T) {
			e := l.explorer(emu.MemoryWeak)
			r, err := e.Exhaustive(t.Context(), ExhaustiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(l.outcomes(t, e, r), " "); !r.Complete || got != l.want {
				t.Errorf("complete %t, %d executions\n got %s\nwant %s", r.Complete, r.Executions, got, l.want)
			}
		})
	}
}
