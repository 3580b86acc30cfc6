package gen

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// caller makes kernels that call overloads of built-in functions.
type caller struct {
	t    *types.Table
	unit *tree.Unit
	n    int
}

// param adds a parameter to a kernel and returns a reference to it.
func (c *caller) param(k *tree.Func, t types.Qual) tree.Expr {
	v := &tree.Var{Name: fmt.Sprintf("p%d", len(k.Params)), Type: t, Storage: tree.ParamVar, Func: k}
	k.Params = append(k.Params, v)
	return &tree.Convert{Base: tree.Base{Type: t.Unqual()}, Kind: tree.Load,
		X: &tree.VarRef{Base: tree.Base{Type: t, LValue: true}, Var: v}}
}

// deref is *p.
func deref(p tree.Expr) tree.Expr {
	return &tree.Unary{Base: tree.Base{Type: p.Info().Type.Elem, LValue: true}, Op: tree.Deref, X: p}
}

// global returns a parameter that is a pointer to global memory of a type.
func (c *caller) global(k *tree.Func, t *types.Type) tree.Expr {
	return c.param(k, types.Qual{Type: c.t.Pointer(types.Qual{Type: t}.In(types.Global))})
}

// constants are the functions whose integer arguments behind the first ones have to be constants.
func constants(name string) bool {
	return strings.HasPrefix(name, "__builtin_amdgcn_") ||
		strings.Contains(name, "fence") || strings.Contains(name, "barrier") ||
		strings.Contains(name, "clustered") || strings.HasSuffix(name, "_explicit") ||
		strings.HasPrefix(name, "async_") || strings.HasPrefix(name, "wait_")
}

// argument returns an expression for a parameter.
func (c *caller) argument(k *tree.Func, s *builtin.Sig, i int) tree.Expr {
	t := s.Params[i]
	switch {
	case t.Kind == types.EventKind, t.Kind == types.ReserveIDKind:
		return &tree.NullLit{Base: tree.Base{Type: t}}
	case t.IsOpaque():
		return c.param(k, t)
	case t.IsPointer():
		switch sp := t.Elem.Space(); sp {
		case types.Global, types.Local, types.Constant:
			return c.param(k, t)
		case types.Private:
			v := &tree.Var{Name: "v", Type: t.Elem.Unqual(), Storage: tree.AutoVar, Func: k}
			k.Body.List = append(k.Body.List, &tree.DeclStmt{Vars: []*tree.Var{v}})
			return &tree.Unary{Base: tree.Base{Type: t}, Op: tree.Addr,
				X: &tree.VarRef{Base: tree.Base{Type: t.Elem, LValue: true}, Var: v}}
		default:
			g := types.Qual{Type: c.t.Pointer(t.Elem.In(types.Global))}
			if t.Elem.Kind == types.EventKind {
				g = types.Qual{Type: c.t.Pointer(t.Elem.In(types.Private))}
				v := &tree.Var{Name: "v", Type: t.Elem.Unqual(), Storage: tree.AutoVar, Func: k}
				k.Body.List = append(k.Body.List, &tree.DeclStmt{Vars: []*tree.Var{v}})
				p := &tree.Unary{Base: tree.Base{Type: g}, Op: tree.Addr,
					X: &tree.VarRef{Base: tree.Base{Type: g.Elem, LValue: true}, Var: v}}
				return &tree.Convert{Base: tree.Base{Type: t}, Kind: tree.Space, X: p}
			}
			return &tree.Convert{Base: tree.Base{Type: t}, Kind: tree.Space, X: c.param(k, g)}
		}
	case t.IsInteger() && constants(s.Name) && (i > 0 || len(s.Params) < 3 || strings.HasSuffix(s.Name,
		"fence")):
		return &tree.IntLit{Base: tree.Base{Type: t}, Value: 4}
	}
	return &tree.Convert{Base: tree.Base{Type: t}, Kind: tree.Load, X: deref(c.global(k, t.Type))}
}

// call adds a kernel that calls an overload, and stores the result.
func (c *caller) call(s *builtin.Sig) *tree.Func {
	k := &tree.Func{Name: fmt.Sprintf("k%d", c.n), Kernel: true, Used: true, Body: &tree.Block{}}
	k.Symbol = k.Name
	c.n++
	call := &tree.CallBuiltin{Base: tree.Base{Type: s.Result}, Sig: s}
	for i := range s.Params {
		call.Args = append(call.Args, c.argument(k, s, i))
	}
	c.finish(k, call)
	return k
}

// finish stores the value of a call and adds the kernel to the unit.
func (c *caller) finish(k *tree.Func, call *tree.CallBuiltin) {
	var x tree.Expr = call
	switch r := call.Type; {
	case r.Kind == types.VoidKind:
	case r.IsPointer():
		x = &tree.Assign{Base: tree.Base{Type: r.Elem.Unqual()}, L: deref(call),
			R: &tree.IntLit{Base: tree.Base{Type: r.Elem.Unqual()}, Value: 1}}
	case r.IsOpaque():
		v := &tree.Var{Name: "r", Type: r, Storage: tree.AutoVar, Func: k}
		k.Body.List = append(k.Body.List, &tree.DeclStmt{Vars: []*tree.Var{v}})
		x = &tree.Assign{Base: tree.Base{Type: r}, L: &tree.VarRef{Base: tree.Base{Type: r, LValue: true},
			Var: v}, R: call}
	default:
		x = &tree.Assign{Base: tree.Base{Type: r}, L: deref(c.global(k, r.Type)), R: call}
	}
	k.Body.List = append(k.Body.List, &tree.ExprStmt{X: x})
	var params []types.Qual
	for _, p := range k.Params {
		params = append(params, p.Type)
	}
	k.Type = c.t.Function(types.Qual{Type: c.t.Void}, params, false, false)
	c.unit.Funcs = append(c.unit.Funcs, k)
}

func newCaller(bits int) *caller {
	t := types.NewTable(types.Config{AddressBits: bits})
	return &caller{t: t, unit: &tree.Unit{Files: source.NewSet(), Types: t}}
}

// notRun says why lockstep does not run what an overload becomes, "" if it does.
func notRun(s *builtin.Sig) string {
	for _, p := range s.Params {
		if p.Image != nil && p.Image.MSAA {
			return "images of several samples are not supported"
		}
	}
	return ""
}

var allBuiltins = flag.Bool("builtins", false, "call each overload of each built-in function, also of convert_")

var long = flag.Bool("long", false, "call each built-in function in more versions of the language, and ask spirv-val about convert_, too")

// sampledOut says whether a function is left to the flags above: most are conversions, which differ little.
func sampledOut(name string) bool {
	return strings.HasPrefix(name, "convert_") && !strings.HasPrefix(name, "convert_short")
}

// TestBuiltins calls each overload of each function, in each version of the language (of some functions, without
// -long): the modules follow the rules of SPIR-V, and lockstep compiles them.
func TestBuiltins(t *testing.T) {
	for _, v := range []struct {
		version lang.Version
		bits    int
	}{{lang.CL30, 64}, {lang.CL12, 64}, {lang.CL30, 32}} {
		if testing.Short() && (v.version != lang.CL30 || v.bits != 64) {
			continue
		}
		calls := 0
		for i, name := range builtin.Names() {
			if sampledOut(name) && !*allBuiltins {
				continue
			}
			if (v.version != lang.CL30 || v.bits != 64) && !*long && i%4 != 0 {
				continue
			}
			opts := lang.Default()
			opts.Version, opts.AddressBits = v.version, v.bits
			c := newCaller(v.bits)
			tab := builtin.NewTable(c.t, &opts)
			var sigs []*builtin.Sig
			for _, s := range tab.Overloads(name) {
				if s.Variadic {
					continue
				}
				c.call(s)
				sigs = append(sigs, s)
			}
			if len(sigs) > 0 {
				checkCalls(t, c, &opts, sigs)
				calls += len(sigs)
			}
		}
		t.Logf("OpenCL C %d, %d bits: %d overloads", v.version, v.bits, calls)
	}
}

// checkCalls makes the module of a unit whose kernels call the signatures, and checks it.
func checkCalls(t *testing.T, c *caller, opts *lang.Options, sigs []*builtin.Sig) {
	t.Helper()
	code, err := Unit(c.unit, opts)
	if err != nil {
		t.Errorf("%s: %v", sigs[0], err)
		return
	}
	m, err := spirv.Decode(code.Module().Encode())
	if err != nil {
		t.Errorf("%s: %v", sigs[0], err)
		return
	}
	if errs := validate.Validate(m, validate.Options{Strict: true, MaxErrors: 3}); len(errs) > 0 {
		t.Errorf("%s: %v", sigs[0], errs.Err())
		return
	}
	comp, err := lower.NewCompiler(m, lower.Options{SubgroupSize: 32})
	if err != nil {
		t.Errorf("%s: %v", sigs[0], err)
		return
	}
	for i, s := range sigs {
		_, err := comp.Kernel(t.Context(), fmt.Sprintf("k%d", i))
		switch why := notRun(s); {
		case err != nil && why == "":
			t.Errorf("%s: %v", s, err)
		case err == nil && why != "":
			t.Errorf("%s runs, although %s", s, why)
		}
	}
}

// notJudged says why spirv-val refuses a module that is right, "" if it does not.
func notJudged(s *builtin.Sig) string {
	if strings.HasPrefix(s.Name, "write_image") && len(s.Params) == 4 {
		return "it knows no levels of detail that are written (cl_khr_mipmap_image_writes)"
	}
	if strings.HasPrefix(s.Name, "clock_read_") && strings.HasSuffix(s.Name, "work_group") {
		return "it asks of clocks in OpenCL what Vulkan says of their scopes"
	}
	if strings.HasPrefix(s.Name, "intel_convert_") {
		return "Debian's spirv-val knows no capability BFloat16ConversionINTEL"
	}
	return ""
}

// TestBuiltinsTools asks spirv-val about the overloads of each function.
func TestBuiltinsTools(t *testing.T) {
	if _, err := exec.LookPath("spirv-val"); err != nil || testing.Short() {
		t.Skip("takes spirv-val and a minute")
	}
	opts := lang.Default()
	file := filepath.Join(t.TempDir(), "x.spv")
	for _, name := range builtin.Names() {
		if sampledOut(name) && !*long {
			continue
		}
		c := newCaller(opts.AddressBits)
		for _, s := range builtin.NewTable(c.t, &opts).Overloads(name) {
			if !s.Variadic && notJudged(s) == "" {
				c.call(s)
			}
		}
		m, err := Unit(c.unit, &opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := os.WriteFile(file, m.Module().Encode(), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("spirv-val", "--target-env", "spv1.4", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}
