package lower_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// throughPasses lowers a module of testdata with a machinery.
func throughPasses(t *testing.T, name string, m *lower.PassMachinery) (*isa.Program, error) {
	t.Helper()
	return lower.Program(load(t, "testdata/"+name+".spvasm"), lower.Options{Passes: m})
}

// TestHooks checks that passes of somebody else run at their places, see what
// the passes before have made, and change what comes after.
func TestHooks(t *testing.T) {
	m := lower.NewPassMachinery()
	var seen []string
	loads := func(ir *lower.IR) (n int) {
		for v := range ir.Insts() {
			if v.Op() == isa.OpLoad {
				n++
			}
		}
		return n
	}
	for _, stage := range []string{"front", "final"} {
		if err := m.Register(lower.Pass{Name: stage, Doc: "counts loads", Keeps: ssa.ControlFlow, IR: func(ir *lower.IR) error {
			seen = append(seen, fmt.Sprintf("%s: %s, %d loads", stage, ir.Kernel(), loads(ir)))
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Register(lower.Pass{Name: "late", Doc: "counts instructions", Kernel: func(p *isa.Program, k *isa.Kernel) error {
		n := 0
		for i := range k.Code {
			if k.Code[i].Op == isa.OpLoad {
				n++
			}
		}
		seen = append(seen, fmt.Sprintf("late: %s, %d loads", k.Name, n))
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	m.Frontend, m.Late = lower.Pipeline{{Pass: "front"}}, lower.Pipeline{{Pass: "late"}}
	m.Finalize = append(m.Default(), lower.Step{Pass: "final"})
	if _, err := throughPasses(t, "private-array", m); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || !strings.HasPrefix(seen[0], "front: f, ") || !strings.HasPrefix(seen[1], "final: f, ") || !strings.HasPrefix(seen[2], "late: f, ") {
		t.Fatalf("%q", seen)
	}
	if strings.TrimPrefix(seen[0], "front") == strings.TrimPrefix(seen[1], "final") || strings.TrimPrefix(seen[1], "final") != strings.TrimPrefix(seen[2], "late") {
		t.Errorf("the optimizations are not between the hooks: %q", seen)
	}
}

// TestCustomPass replaces instructions: a target whose multiplications by 3 are
// additions.
func TestCustomPass(t *testing.T) {
	m := lower.NewPassMachinery()
	replaced := 0
	err := m.Register(lower.Pass{Name: "mul3", Doc: "x*3 is x+x+x", Keeps: ssa.ControlFlow, IR: func(ir *lower.IR) error {
		for v := range ir.Insts() {
			if v.Op() != isa.OpMul {
				continue
			}
			args := v.Args()
			if c, ok := args[1].Const(); !ok || c != 3 {
				continue
			}
			two, err := ir.Insert(v, isa.OpAdd, v.Type(), v.Elem(), args[0], args[0])
			if err != nil {
				return err
			}
			three, err := ir.Insert(v, isa.OpAdd, v.Type(), v.Elem(), two, args[0])
			if err != nil {
				return err
			}
			if err := ir.Replace(v, three); err != nil {
				return err
			}
			replaced++
		}
		for v := range ir.Insts() {
			if v.Op() != isa.OpMul {
				continue
			}
			if c, ok := v.Args()[1].Const(); ok && c == 3 {
				t.Errorf("%s is still there", v)
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetPasses("promote,simplify,mul3"); err != nil {
		t.Fatal(err)
	}
	p, err := lower.Program(load(t, "../../conformance/kernels/spv/collatz.O2.spv"), lower.Options{Passes: m, VerifyEach: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range p.Kernels[0].Code {
		if text := p.Kernels[0].InstText(&in); in.Op == isa.OpMul && strings.HasSuffix(text, ", 3") {
			t.Errorf("a multiplication is left: %s", text)
		}
	}
	if replaced == 0 {
		t.Error("nothing was replaced")
	}
}

// TestViewRefuses checks what the view of a kernel does not do.
func TestViewRefuses(t *testing.T) {
	m := lower.NewPassMachinery()
	ran := false
	if err := m.Register(lower.Pass{Name: "try", IR: func(ir *lower.IR) error {
		ran = true
		var store, load, phi lower.Value
		for v := range ir.Insts() {
			switch {
			case v.Op() == isa.OpStore:
				store = v
			case v.Op() == isa.OpLoad:
				load = v
			case v.IsPhi():
				phi = v
			}
		}
		one := ir.Constant(isa.I32, 1)
		var none lower.Value
		bad := func(what string, err error) {
			if err == nil {
				t.Errorf("%s is not refused", what)
			}
		}
		bad("replacing a store", ir.Replace(store, one))
		bad("replacing by a store", ir.Replace(phi, store))
		bad("replacing nothing", ir.Replace(none, one))
		bad("replacing a constant", ir.Replace(one, ir.Constant(isa.I32, 2)))
		bad("replacing by another width", ir.Replace(phi, ir.Constant(isa.I64, 2)))
		bad("replacing a phi by itself", ir.Replace(phi, phi))
		try := func(what string, before lower.Value, op isa.Op, typ, elem isa.Type, args ...lower.Value) {
			_, err := ir.Insert(before, op, typ, elem, args...)
			bad(what, err)
		}
		try("an addition of one operand", store, isa.OpAdd, isa.I32, isa.I32, one)
		try("an addition of two widths", store, isa.OpAdd, isa.I32, isa.I32, one, ir.Constant(isa.I64, 1))
		try("an addition of booleans", store, isa.OpAdd, isa.B1, isa.B1, ir.Constant(isa.B1, 1), ir.Constant(isa.B1, 1))
		try("a load", store, isa.OpLoad, isa.I32, isa.I32, one)
		try("a division that may fault", store, isa.OpDivU, isa.I32, isa.I32, one, phi)
		try("an instruction ahead of a phi", phi, isa.OpAdd, isa.I32, isa.I32, one, one)
		try("an instruction ahead of nothing", none, isa.OpAdd, isa.I32, isa.I32, one, one)
		try("an operand that is none", store, isa.OpAdd, isa.I32, isa.I32, one, none)
		if v, err := ir.Insert(store, isa.OpAdd, isa.I32, isa.I32, one, one); err != nil {
			t.Error(err)
		} else if c, ok := v.Const(); !ok || c != 2 {
			t.Errorf("1 + 1 is %s", v)
		}
		bad("replacing a load", ir.Replace(load, one))
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if err := m.SetPasses("promote,simplify,try"); err != nil {
		t.Fatal(err)
	}
	if _, err := throughPasses(t, "divergent-exit", m); err != nil || !ran {
		t.Fatal(err, ran)
	}
}

// TestVerifyEach checks that a pass that breaks a kernel is caught, and named.
func TestVerifyEach(t *testing.T) {
	ir := func(f func(*lower.IR) error) lower.Pass { return lower.Pass{Name: "bad", IR: f} }
	for name, pass := range map[string]lower.Pass{
		"a value that is not there": ir(func(ir *lower.IR) error {
			// A phi becomes what the next trip makes of it.
			for v := range ir.Insts() {
				if v.IsPhi() {
					return ir.Replace(v, v.Args()[1])
				}
			}
			return nil
		}),
		"bytecode that is not well-formed": {Name: "bad", Kernel: func(_ *isa.Program, k *isa.Kernel) error {
			k.Code[0].Op = isa.OpInvalid
			return nil
		}},
	} {
		m := lower.NewPassMachinery()
		if err := m.Register(pass); err != nil {
			t.Fatal(err)
		}
		if err := m.SetPasses("promote,simplify,bad"); err != nil {
			t.Fatal(err)
		}
		_, err := lower.Program(load(t, "testdata/divergent-exit.spvasm"), lower.Options{Passes: m, VerifyEach: true})
		var pe *lower.PassError
		if !errors.As(err, &pe) || pe.Pass != "bad" || pe.Kernel != "f" || !errors.Is(err, lower.ErrVerify) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPassFails checks that a pass can refuse a kernel.
func TestPassFails(t *testing.T) {
	m := lower.NewPassMachinery()
	no := errors.New("this target has no loops")
	if err := m.Register(lower.Pass{Name: "refuse", IR: func(*lower.IR) error { return no }}); err != nil {
		t.Fatal(err)
	}
	m.Frontend = lower.Pipeline{{Pass: "refuse"}}
	_, err := throughPasses(t, "divergent-exit", m)
	if !errors.Is(err, no) || err.Error() != "lower: kernel f: pass refuse: this target has no loops" {
		t.Error(err)
	}
	if err := m.Register(lower.Pass{Name: "panic", Kernel: func(_ *isa.Program, k *isa.Kernel) error { k.Code[len(k.Code)].Op = 0; return nil }}); err != nil {
		t.Fatal(err)
	}
	m.Frontend, m.Late = nil, lower.Pipeline{{Pass: "panic"}}
	var pe *lower.PassError
	if _, err := throughPasses(t, "divergent-exit", m); !errors.As(err, &pe) || pe.Pass != "panic" || !strings.Contains(err.Error(), "panicked") {
		t.Error(err)
	}
	m.Late = nil
	m.Frontend = lower.Pipeline{{Repeat: 2, Of: lower.Pipeline{{Pass: "nobody"}}}}
	if _, err := throughPasses(t, "divergent-exit", m); err == nil || !strings.Contains(err.Error(), "no such pass") {
		t.Error(err)
	}
	m.Frontend = lower.Pipeline{{Pass: "emit"}}
	if _, err := throughPasses(t, "divergent-exit", m); err == nil || !strings.Contains(err.Error(), "always runs") {
		t.Error(err)
	}
	m.Frontend, m.Late = nil, lower.Pipeline{{Pass: "fuse"}}
	if _, err := throughPasses(t, "divergent-exit", m); err == nil || !strings.Contains(err.Error(), "works on SSA") {
		t.Error(err)
	}
}

func TestRegister(t *testing.T) {
	m := lower.NewPassMachinery()
	ir := func(*lower.IR) error { return nil }
	code := func(*isa.Program, *isa.Kernel) error { return nil }
	for _, x := range []struct {
		pass lower.Pass
		want string
	}{
		{lower.Pass{IR: ir}, "no name"},
		{lower.Pass{Name: "a b", IR: ir}, "letters, digits"},
		{lower.Pass{Name: "default", IR: ir}, "has a meaning"},
		{lower.Pass{Name: "simplify", IR: ir}, "already"},
		{lower.Pass{Name: "x"}, "either"},
		{lower.Pass{Name: "x", IR: ir, Kernel: code}, "either"},
		{lower.Pass{Name: "x", IR: ir, Needs: ssa.AnalysisDivergence}, "not known before"},
	} {
		if err := m.Register(x.pass); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, expected %q", x.pass.Name, err, x.want)
		}
	}
	n := len(m.Passes())
	if err := m.Register(lower.Pass{Name: "mine", Kernel: code}); err != nil {
		t.Fatal(err)
	}
	if p := m.Passes(); len(p) != n+1 || p[n].Name != "mine" || !p[n].Bytecode() {
		t.Errorf("%d passes", len(p))
	}
	if err := m.SetPasses("default,mine"); err != nil || m.Late.String() != "mine" || m.Finalize.String() != m.Default().String() {
		t.Errorf("%v: %s, %s", err, m.Finalize, m.Late)
	}
	if err := m.SetPasses("mine,fuse"); err == nil || !strings.Contains(err.Error(), "cannot follow") {
		t.Error(err)
	}
	if _, ok := lower.NewPassMachinery().Lookup("mine"); ok {
		t.Error("machineries share their passes")
	}
}

// TestPrint checks what is printed around passes.
func TestPrint(t *testing.T) {
	var b strings.Builder
	m := lower.NewPassMachinery()
	m.Instrument = lower.Instrument{Out: &b, Before: []string{"fuse"}, After: []string{"simplify", "describe"}}
	if _, err := throughPasses(t, "divergent-exit", m); err != nil {
		t.Fatal(err)
	}
	var heads []string
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "; kernel ") {
			heads = append(heads, strings.TrimSpace(line[len("; kernel f, "):]))
		}
	}
	want := []string{"after simplify", "after simplify", "after simplify", "after simplify", "after simplify", "before fuse", "after describe"}
	if !slices.Equal(heads, want) {
		t.Errorf("%q, expected %q", heads, want)
	}
	if !strings.Contains(b.String(), "registers s ") {
		t.Error("the bytecode is not printed")
	}

	b.Reset()
	m.Instrument = lower.Instrument{Out: &b, Changed: true}
	if _, err := throughPasses(t, "divergent-exit", m); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "; kernel f, after specialize: no change\n") || strings.Contains(text, "after promote: no change\n\n; kernel f, after simplify: no change\n\n; kernel f, after ifconvert\n") {
		t.Errorf("changes:\n%s", text)
	}
	if n := strings.Count(text, "no change"); n == 0 || n >= strings.Count(text, "; kernel f, after ") {
		t.Errorf("%d passes changed nothing", n)
	}

	m.Instrument = lower.Instrument{Out: broken{}, After: []string{lower.AllPasses}}
	if _, err := throughPasses(t, "divergent-exit", m); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("an output that fails: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestTimes adds up the readings of a clock that takes a millisecond each time.
func TestTimes(t *testing.T) {
	m := lower.NewPassMachinery()
	now := time.Duration(0)
	times := &lower.PassTimes{}
	m.Instrument = lower.Instrument{Clock: func() time.Duration { now += time.Millisecond; return now }, Times: times}
	if _, err := throughPasses(t, "divergent-exit", m); err != nil {
		t.Fatal(err)
	}
	list := times.List()
	if list[0].Pass != "simplify" || list[0].Runs != 5 || list[0].Time != 5*time.Millisecond {
		t.Errorf("%+v", list)
	}
	var b strings.Builder
	if err := times.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "times.txt", b.String())
	if err := times.WriteText(broken{}); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

// TestPassTable checks that each pass says what it does.
func TestPassTable(t *testing.T) {
	m := lower.NewPassMachinery()
	var b strings.Builder
	for _, p := range m.Passes() {
		if p.Doc == "" || (p.IR == nil) == !p.Bytecode() {
			t.Errorf("pass %s: %q", p.Name, p.Doc)
		}
		fmt.Fprintf(&b, "%s needs %s, keeps %s\n", p.Name, p.Needs, p.Keeps)
	}
	golden(t, "passes.txt", b.String())
	for _, name := range m.Default().Flat() {
		if p, ok := m.Lookup(name); !ok || p.Fixed() {
			t.Errorf("the default pipeline has %s", name)
		}
	}
}
