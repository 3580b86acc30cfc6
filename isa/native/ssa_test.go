package native

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// throughSSA returns a kernel as bytecode that is made of its SSA form, with all passes in between that are
// given. After each step the form is verified.
func throughSSA(k *isa.Kernel, passes ...opt.Pass) (*isa.Kernel, error) {
	f, err := ssa.FromKernel(k)
	if err != nil {
		return nil, err
	}
	verify := func(behind string) error {
		err := f.Verify()
		if err == nil {
			err = f.CheckAnalyses()
		}
		if err != nil {
			return fmt.Errorf("behind %s: %w\n%s", behind, err, f)
		}
		return nil
	}
	if err := verify("FromKernel"); err != nil {
		return nil, err
	}
	for _, p := range passes {
		if err := p.Apply(f); err != nil {
			return nil, err
		}
		if err := verify(p.Name); err != nil {
			return nil, err
		}
	}
	if len(passes) > 0 {
		f.CanonicalLoops()
		f.Diverge()
		if err := verify("diverge"); err != nil {
			return nil, err
		}
	}
	out, err := ssa.ToKernel(f)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, f)
	}
	return out, nil
}

// way is a list of passes that a kernel is taken through. What is wrong with the result, and not with that of
// the ways before, is the fault of the last pass.
type way struct {
	name   string
	passes []opt.Pass
}

// chain has the passes in an order in which the lowering runs them.
const chain = "simplify,ifconvert,unroll,simplify,asyncwaits,asyncmarks,narrow,simplify,unselect,address,flatten,narrow,simplify," +
	"address,walks,rotate,loads,ifconvert,hoist,fuse,sink,returns"

// chained returns the passes of the chain.
func chained() (passes []opt.Pass) {
	for name := range strings.SplitSeq(chain, ",") {
		p, ok := opt.Lookup(name)
		if !ok {
			panic(name)
		}
		passes = append(passes, p)
	}
	return passes
}

// through returns the ways through the SSA form: without a pass, with the layout alone, with each pass alone,
// and with a list of passes up to each of them.
func through(list []opt.Pass) []way {
	layout := opt.Pass{Name: "diverge", Run: func(*ssa.Func) error { return nil }} // as behind any pass
	ways := []way{{name: "no pass"}, {"the layout", []opt.Pass{layout}}}
	for _, p := range opt.Passes() {
		ways = append(ways, way{p.Name, []opt.Pass{p}})
	}
	for i := 1; i < len(list); i++ {
		var before []string
		for _, p := range list[:i] {
			before = append(before, p.Name)
		}
		ways = append(ways, way{list[i].Name + " behind " + strings.Join(before, ","), list[:i+1]})
	}
	return ways
}

// differing takes a kernel through SSA form on each way, and compares what becomes of it with want. It
// returns the first way on which that is not the same, and what differs; nil where all is well. Results that
// one kernel has had already are not made again.
func differing(k *isa.Kernel, ways []way, compare func(*isa.Kernel) string) (*way, string, error) {
	var seen []*isa.Kernel
	for i := range ways {
		again, err := throughSSA(k, ways[i].passes...)
		if err != nil {
			return &ways[i], "", err
		}
		if slices.ContainsFunc(seen, func(s *isa.Kernel) bool { return reflect.DeepEqual(s, again) }) {
			continue
		}
		seen = append(seen, again)
		if d := compare(again); d != "" {
			return &ways[i], fmt.Sprintf("%s\n%s", d, again.Text(&isa.Program{})), nil
		}
	}
	return nil, "", nil
}

// finish runs a session to its end. It returns false if that does not come.
func (s *session) finish() (fault, ended bool) {
	done := make([]bool, len(s.waves))
	for turns := 0; turns < mostStops; turns++ {
		waiting := 0
		for i, w := range s.waves {
			if done[i] {
				continue
			}
			switch w.Run(100) {
			case engine.StopFault:
				return true, true
			case engine.StopDone:
				done[i] = true
			case engine.StopBarrier:
				waiting++
			}
		}
		if !slices.Contains(done, false) {
			return false, true
		}
		if waiting > 0 && waiting == count(done, false) {
			for _, w := range s.waves {
				w.Open()
			}
			if s.orders != nil {
				s.orders.epoch++
			}
		}
	}
	return false, false
}

// ended is what the reference engine makes of a generated program.
type ended struct {
	*session
	fault, over bool
}

// onReference runs a kernel in the place of a program's on the reference engine; o is told of accesses, if it
// is not nil.
func (p *generated) onReference(t *testing.T, k *isa.Kernel, c setting, o *orders) ended {
	t.Helper()
	code, err := interp.Engine{}.Compile(&isa.Program{Kernels: []*isa.Kernel{k}}, k)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.kernel = k
	s, err := q.startWatched(code, c, o)
	if err != nil {
		t.Fatal(err)
	}
	fault, over := s.finish()
	return ended{s, fault, over}
}

// ordered returns why results of a program may depend on the order in which work-items run; "" if they do
// not.
func (p *generated) ordered(t *testing.T, k *isa.Kernel, c setting) string {
	t.Helper()
	o := &orders{kernel: k, bytes: map[memory.Pointer]byteUse{}}
	p.onReference(t, k, c, o)
	return o.why
}

// TestSSAPrograms takes random bytecode through the SSA form and through each pass over it, back to bytecode,
// and compares what the reference engine makes of both.
func TestSSAPrograms(t *testing.T) {
	ways := through(chained())
	compared, refused, ordered, count := 0, 0, 0, amount(100, 300, 6000)
	if *programCount > 0 {
		count = *programCount
	}
	for seed := *programFirst; seed < *programFirst+count; seed++ {
		s := &source{state: uint64(seed) * 0x2545f4914f6cdd1d}
		p := generate(s)
		c := newSetting(s)
		c.Check = false
		if _, err := ssa.FromKernel(p.kernel); errors.Is(err, ssa.ErrNoForm) {
			refused++
			continue
		}
		want := p.onReference(t, p.kernel, c, nil)
		if !want.over {
			continue
		}
		compared++
		wrong, d, err := differing(p.kernel, ways, func(k *isa.Kernel) string {
			got := p.onReference(t, k, c, nil)
			d := ""
			switch {
			case got.fault != want.fault || !got.over:
				d = fmt.Sprintf("a fault: %v, want %v; ended: %v", got.fault, want.fault, got.over)
			case !want.fault:
				d = p.compareMemory(want.session, got.session)
			}
			if d != "" && p.ordered(t, p.kernel, c) != "" {
				ordered++
				return ""
			}
			return d
		})
		if err != nil || wrong != nil {
			t.Fatalf("seed %d, %s: %v: %s\n%s", seed, wrong.name, err, d, p.kernel.Text(&isa.Program{}))
		}
	}
	t.Logf("%d of %d programs compared, %d refused; %d comparisons of such that depend on the order of work-items",
		compared, count, refused, ordered)
	if *programCount == 0 && (compared < count/4 || ordered > count/20) {
		t.Errorf("%d of %d programs were compared, %d have no SSA form, and %d differ rightly", compared, count, refused, ordered)
	}
}

// TestSSANamesPass puts a pass that is wrong into the list. It must be named, and no other one.
func TestSSANamesPass(t *testing.T) {
	wrong := opt.Pass{Name: "mistaken", Keeps: ssa.ControlFlow, Run: func(f *ssa.Func) error {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				switch v.Op {
				case isa.OpXor:
					v.Op = isa.OpOr
				case isa.OpSubSatS, isa.OpMulHiS, isa.OpAbsDiffS:
					v.Op = isa.OpMul
				}
			}
		}
		return nil
	}}
	ways := through(slices.Insert(chained(), 7, wrong))
	named := 0
	for seed := 0; seed < 150 && named < 5; seed++ {
		p := generate(&source{state: uint64(seed) * 0x2545f4914f6cdd1d})
		c := setting{Width: 64, Subgroup: 32}
		if _, err := ssa.FromKernel(p.kernel); errors.Is(err, ssa.ErrNoForm) {
			continue
		}
		want := p.onReference(t, p.kernel, c, nil)
		if !want.over || want.fault {
			continue
		}
		way, _, err := differing(p.kernel, ways, func(k *isa.Kernel) string {
			got := p.onReference(t, k, c, nil)
			if got.fault {
				return "a fault"
			}
			return p.compareMemory(want.session, got.session)
		})
		if err != nil {
			t.Fatal(err)
		}
		if way == nil {
			continue // nothing of what the program leaves depends on the instructions
		}
		if named++; !strings.HasPrefix(way.name, "mistaken behind ") {
			t.Errorf("seed %d: %q is named", seed, way.name)
		}
	}
	if named < 5 {
		t.Errorf("the wrong pass is named for %d programs", named)
	}
}

// TestSSAKernels does the same with random kernels that isa/lower has compiled, all of which have an SSA
// form.
func TestSSAKernels(t *testing.T) {
	ways := through(chained())
	for i := range numberOf(400, 40) {
		seed := *programFirst + i
		w := newWritten(sourceOf(seed), fmt.Sprint("k", seed))
		source := w.spirvText(seed%4 > 0)
		module, err := asm.Assemble(source, asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		program := lowered(t, module)
		k := program.Kernels[0]
		run := func(k *isa.Kernel) *ran {
			program := *program
			program.Kernels = []*isa.Kernel{k}
			code, err := interp.Engine{}.Compile(&program, k)
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.launch(&program, k, code, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		want := run(k)
		wrong, d, err := differing(k, ways, func(k *isa.Kernel) string {
			got := run(k)
			got.Counters = want.Counters
			if len(want.Faults) > 0 && len(got.Faults) > 0 {
				return "" // with other places, and in another order
			}
			return w.difference(want, got)
		})
		if err != nil || wrong != nil {
			t.Fatalf("seed %d, %s: %v: %s\n%s", seed, wrong.name, err, d, k.Text(program))
		}
	}
}

// races says whether work-items of the kernel race: whether accesses conflict that nothing orders. Work-items
// of one sub-group are not ordered by that.
func (w *written) races(t *testing.T, c *lower.Compiler) bool {
	t.Helper()
	p, err := c.CheckedStage(t.Context(), w.name, false)
	if err != nil {
		t.Fatal(err)
	}
	code, err := interp.Engine{}.Compile(p, p.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.launch(p, p.Kernels[0], code, scheduler.Options{Races: race.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	return r.races > 0
}

// TestStages runs random kernels in the form that they have behind each pass of the lowering, from the one
// that is as the module has it to the one that is run otherwise, and compares what they leave.
func TestStages(t *testing.T) {
	forms, racy, count := 0, 0, amount(30, 80, 500)
	if *programCount > 0 {
		count = *programCount
	}
	for i := range count {
		seed := *programFirst + i
		w := newWritten(sourceOf(seed), fmt.Sprint("k", seed))
		source := w.spirvText(seed%4 > 0)
		module, err := asm.Assemble(source, asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(module)
		if err != nil {
			t.Fatal(err)
		}
		c, err := lower.NewCompiler(m, lower.Options{SubgroupSize: 32})
		if err != nil {
			t.Fatal(err)
		}
		stages, _, err := c.Stages(t.Context(), w.name, false)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		var want *ran
		for n := range stages {
			k := stages[n].Program.Kernels[0]
			code, err := interp.Engine{}.Compile(stages[n].Program, k)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.launch(stages[n].Program, k, code, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			forms++
			if n == 0 {
				if want = got; len(want.Faults) > 0 {
					break
				}
				continue
			}
			got.Counters = want.Counters
			d := w.difference(want, got)
			if d != "" && w.races(t, c) {
				racy++
				break
			}
			if d != "" {
				t.Fatalf("seed %d, pass %s, number %d: %s\n%s\nbefore:\n%s\nbehind:\n%s", seed, stages[n].Pass, stages[n].Number, d,
					source, stages[n-1].Program.Kernels[0].Text(stages[n-1].Program), k.Text(stages[n].Program))
			}
		}
	}
	t.Logf("%d forms of %d kernels; %d differ and may, since work-items race", forms, count, racy)
	if forms < 5*count || racy > count/20 {
		t.Errorf("%d forms of %d kernels, of which %d differ", forms, count, racy)
	}
}
