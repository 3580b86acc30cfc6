package native

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/scheduler"
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

// ways are the ways through the SSA form: without a pass, with each one, and with many of them.
func ways() (names []string, lists [][]opt.Pass) {
	names, lists = []string{"no pass"}, [][]opt.Pass{nil}
	byName := func(list ...string) (passes []opt.Pass) {
		for _, name := range list {
			p, ok := opt.Lookup(name)
			if !ok {
				panic(name)
			}
			passes = append(passes, p)
		}
		return passes
	}
	for _, p := range opt.Passes() {
		names, lists = append(names, p.Name), append(lists, []opt.Pass{p})
	}
	return append(names, "all"), append(lists, byName("simplify", "ifconvert", "unroll", "simplify", "asyncwaits",
		"asyncmarks", "narrow", "simplify", "unselect", "address", "flatten", "narrow", "simplify", "address", "walks", "rotate", "loads",
		"ifconvert", "hoist", "fuse", "sink"))
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
		}
	}
	return false, false
}

// TestSSAPrograms takes random bytecode through the SSA form and through each pass over it, back to bytecode,
// and compares what the reference engine makes of both.
func TestSSAPrograms(t *testing.T) {
	names, lists := ways()
	compared, refused, seeds := 0, 0, amount(400, 1500, 3000)
	for seed := *programFirst; seed < *programFirst+seeds; seed++ {
		s := &source{state: uint64(seed) * 0x2545f4914f6cdd1d}
		p := generate(s)
		c := newSetting(s)
		c.Check = false
		run := func(k *isa.Kernel) (s *session, fault, ended bool) {
			program := &isa.Program{Kernels: []*isa.Kernel{k}}
			code, err := interp.Engine{}.Compile(program, k)
			if err != nil {
				t.Fatal(err)
			}
			q := *p
			q.kernel = k
			if s, err = q.start(code, c); err != nil {
				t.Fatal(err)
			}
			fault, ended = s.finish()
			return s, fault, ended
		}
		var want *session
		var fault, ended bool
		for i, passes := range lists {
			k, err := throughSSA(p.kernel, passes...)
			if errors.Is(err, ssa.ErrNoForm) {
				refused++
				break
			}
			text := func() string { return p.kernel.Text(&isa.Program{}) }
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, names[i], err, text())
			}
			if want == nil {
				if want, fault, ended = run(p.kernel); !ended {
					break
				}
				compared++
			}
			got, faulted, over := run(k)
			if faulted != fault || !over {
				t.Fatalf("seed %d, %s: a fault: %v, want %v; ended: %v\n%s\n%s",
					seed, names[i], faulted, fault, over, text(), k.Text(&isa.Program{}))
			}
			if d := p.compareMemory(want, got); d != "" && !fault {
				t.Fatalf("seed %d, %s: %s\n%s\n%s", seed, names[i], d, text(), k.Text(&isa.Program{}))
			}
		}
	}
	t.Logf("%d of %d programs compared, %d refused", compared, seeds, refused)
	if compared < seeds/4 {
		t.Errorf("%d of %d programs were compared, and %d have no SSA form", compared, seeds, refused)
	}
}

// TestSSAKernels does the same with random kernels that isa/lower has compiled, all of which have an SSA
// form.
func TestSSAKernels(t *testing.T) {
	names, lists := ways()
	for i := range amount(40, 150, 400) {
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
		for i, passes := range lists {
			again, err := throughSSA(k, passes...)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, names[i], err, k.Text(program))
			}
			got := run(again)
			got.Counters = want.Counters
			if len(want.Faults) > 0 && len(got.Faults) > 0 {
				continue // with other places, and in another order
			}
			if d := w.difference(want, got); d != "" {
				t.Fatalf("seed %d, %s: %s\n%s\n%s", seed, names[i], d, k.Text(program), again.Text(program))
			}
		}
	}
}
