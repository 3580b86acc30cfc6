// Package clcjudge judges compilers of OpenCL C by each other: it has them compile random programs of package clcgen,
// runs what they made with package differ, and reduces programs whose results differ.
//
// Only tests use it. Its test has flags for long runs:
//
//	go test ./conformance/internal/clcjudge -run TestRandom -args -first 1 -programs 1000 -kernels 1
package clcjudge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/internal/clcgen"
	"github.com/lockstep-gpu/lockstep/conformance/internal/differ"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// Compiler is a compiler with its options.
type Compiler struct {
	Name string
	// Engine is what its modules run on; empty for the usual one.
	Engine string
	// Compile makes a module of a source of a version of the language.
	Compile func(ctx context.Context, source string, version int) ([]byte, error)
}

// Clang returns clang and the translator of the same version, with options.
func Clang(clang, translator, dir string, options ...string) Compiler {
	return Compiler{
		Name: filepath.Base(clang) + " " + strings.Join(options, " "),
		Compile: func(ctx context.Context, source string, version int) ([]byte, error) {
			in, bc, out := filepath.Join(dir, "in.cl"), filepath.Join(dir, "out.bc"), filepath.Join(dir, "out.spv")
			if err := os.WriteFile(in, []byte(source), 0o666); err != nil {
				return nil, err
			}
			args := append([]string{"-c", "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header", "-w",
				"-cl-std=" + Standard(version), "-emit-llvm", "-o", bc}, options...)
			if text, err := exec.CommandContext(ctx, clang, append(args, in)...).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, text)
			}
			spirv := exec.CommandContext(ctx, translator, bc, "-o", out)
			spirv.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1") // where it crashes does not matter
			if text, err := spirv.CombinedOutput(); err != nil {
				return nil, &translatorError{fmt.Errorf("%w: %s", err, text)}
			}
			return os.ReadFile(out)
		},
	}
}

// later are attributes of LLVM 16 that LLVM 15 does not read. They promise something about functions to
// optimizers.
var later = regexp.MustCompile(`(memory|nofpclass)\([^)]*\) ?`)

// NewerClang returns a clang that is newer than the translator: it writes LLVM's text, which the clang of the
// translator's version reads. It needs to know pointers with types, which clang 16 is the last to have.
func NewerClang(clang, older, translator, dir string, options ...string) Compiler {
	return Compiler{
		Name: filepath.Base(clang) + " " + strings.Join(options, " "),
		Compile: func(ctx context.Context, source string, version int) ([]byte, error) {
			in, ll, bc, out := filepath.Join(dir, "in.cl"), filepath.Join(dir, "out.ll"), filepath.Join(dir, "out.bc"), filepath.Join(dir, "out.spv")
			if err := os.WriteFile(in, []byte(source), 0o666); err != nil {
				return nil, err
			}
			const target, typed = "spir64-unknown-unknown", "-no-opaque-pointers"
			args := append([]string{"-S", "-target", target, "-Xclang", "-finclude-default-header", "-Xclang", typed, "-w",
				"-cl-std=" + Standard(version), "-emit-llvm", "-o", ll}, options...)
			if text, err := exec.CommandContext(ctx, clang, append(args, in)...).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, text)
			}
			text, err := os.ReadFile(ll)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(ll, later.ReplaceAll(text, nil), 0o666); err != nil {
				return nil, err
			}
			if text, err := exec.CommandContext(ctx, older, "-c", "-x", "ir", "-target", target, "-w", "-Xclang", typed, "-O0", "-emit-llvm", ll, "-o", bc).
				CombinedOutput(); err != nil {
				return nil, &translatorError{fmt.Errorf("%w: %s", err, text)}
			}
			if text, err := exec.CommandContext(ctx, translator, bc, "-o", out).CombinedOutput(); err != nil {
				return nil, &translatorError{fmt.Errorf("%w: %s", err, text)}
			}
			return os.ReadFile(out)
		},
	}
}

// translatorError says that the translator from LLVM to SPIR-V cannot take what clang made of a program.
type translatorError struct{ error }

// Standard is the name of a version, as -cl-std takes it.
func Standard(version int) string { return fmt.Sprintf("CL%d.%d", version/100, version/10%10) }

// Finding is a difference between two compilers.
type Finding struct {
	// Kernel is the kernel that differs; a kernel of the program that is refused.
	Kernel string
	What   string
	// Refusal is set if one of them does not take the program at all.
	Refusal bool
	// Foreign is set with Refusal if it is the translator of LLVM, which says nothing about a program.
	Foreign bool
}

// Count is what has been compared.
type Count struct {
	Compared int // kernels
	Refused  int // kernels that neither module can run
	Faulted  int // kernels that end in the same findings
	Foreign  int // kernels that LLVM's translator does not take
}

// Add adds the numbers of another count.
func (n *Count) Add(m Count) {
	n.Compared += m.Compared
	n.Refused += m.Refused
	n.Faulted += m.Faulted
	n.Foreign += m.Foreign
}

// CompareProgram compares a program as Compare does. If LLVM's translator does not take it, it compares halves of it, down to
// single kernels.
func CompareProgram(ctx context.Context, a, b Compiler, p *clcgen.Program, version int, opt differ.Options) ([]Finding, Count, error) {
	found, n, err := Compare(ctx, a, b, p.Text(), version, opt)
	if err != nil || len(found) == 0 || !found[0].Foreign {
		if len(found) > 0 && found[0].Refusal {
			found[0].Kernel = p.Kernels[0]
		}
		return found, n, err
	}
	halves := p.Halves()
	if halves == nil {
		return nil, Count{Foreign: 1}, nil
	}
	var all []Finding
	var sum Count
	for _, h := range halves {
		found, n, err := CompareProgram(ctx, a, b, h, version, opt)
		if err != nil {
			return nil, sum, err
		}
		all = append(all, found...)
		sum.Add(n)
	}
	return all, sum, nil
}

// CompareBatch compares programs whose names differ as one source, so that the compilers start once for all
// of them. If the source is refused, it compares halves of the list, down to single programs.
func CompareBatch(ctx context.Context, a, b Compiler, list []*clcgen.Program, version int, opt differ.Options) ([]Finding, Count, error) {
	if len(list) == 1 {
		return CompareProgram(ctx, a, b, list[0], version, opt)
	}
	var text strings.Builder
	for _, p := range list {
		text.WriteString(p.Text())
	}
	found, n, err := Compare(ctx, a, b, text.String(), version, opt)
	if err != nil || len(found) == 0 || !found[0].Refusal {
		return found, n, err
	}
	var all []Finding
	var sum Count
	for _, part := range [][]*clcgen.Program{list[:len(list)/2], list[len(list)/2:]} {
		found, n, err := CompareBatch(ctx, a, b, part, version, opt)
		if err != nil {
			return nil, sum, err
		}
		all = append(all, found...)
		sum.Add(n)
	}
	return all, sum, nil
}

// Own returns the compiler of this repository, with options.
func Own(name string, o clc.Options) Compiler {
	return Compiler{Name: name, Compile: func(ctx context.Context, source string, version int) ([]byte, error) {
		o := o
		o.Version = clc.Version(version)
		o.NoWarnings = true
		res, err := clc.Compile(ctx, clc.Source{Name: "in.cl", Text: source}, o)
		if err != nil {
			return nil, err
		}
		module := res.Module.Encode()
		if errs := validate.Validate(res.Module, validate.Options{Strict: true}); len(errs) > 0 {
			return nil, fmt.Errorf("the module is not valid: %w", errs.Err())
		}
		return module, nil
	}}
}

// Compare has two compilers compile a program and runs its kernels. It returns what differs.
func Compare(ctx context.Context, a, b Compiler, text string, version int, opt differ.Options) ([]Finding, Count, error) {
	var n Count
	outcomes := [2][]differ.Outcome{}
	var refused [2]error
	for i, c := range [2]Compiler{a, b} {
		module, err := c.Compile(ctx, text, version)
		if err == nil {
			opt.Engine = c.Engine
			if outcomes[i], err = differ.Run(ctx, module, opt); err != nil && strings.HasPrefix(c.Name, "clang") {
				err = &translatorError{err} // it breaks SPIR-V's rules
			}
		}
		if ctx.Err() != nil {
			return nil, n, ctx.Err()
		}
		for j := range outcomes[i] {
			outcomes[i][j].Buffers = outcomes[i][j].Buffers[:min(1, len(outcomes[i][j].Buffers))]
		}
		refused[i] = err
	}
	for i, c := range [2]Compiler{a, b} {
		if refused[i] != nil {
			what := fmt.Sprintf("%s: %v", c.Name, refused[i])
			if refused[1-i] != nil {
				what += fmt.Sprintf("\n%s: %v", [2]Compiler{a, b}[1-i].Name, refused[1-i])
			}
			var foreign *translatorError
			return []Finding{{What: what, Refusal: true, Foreign: errors.As(errors.Join(refused[:]...), &foreign)}}, n, nil
		}
	}
	if len(outcomes[0]) != len(outcomes[1]) {
		return []Finding{{What: fmt.Sprintf("%d and %d kernels", len(outcomes[0]), len(outcomes[1]))}}, n, nil
	}
	var found []Finding
	for i, x := range outcomes[0] {
		y := outcomes[1][i]
		n.Compared++
		switch d := differ.Difference(x, y); {
		case x.Kernel != y.Kernel:
			found = append(found, Finding{Kernel: x.Kernel, What: "is not " + y.Kernel})
		case d != "":
			found = append(found, Finding{Kernel: x.Kernel, What: d})
		case x.Refused != "":
			n.Refused++
		case x.Fault != "":
			n.Faulted++
		}
	}
	return found, n, nil
}

// Launch is how the kernels of random programs are run.
func Launch(seed uint64) differ.Options {
	return differ.Options{Seed: seed, Global: clcgen.Items, Local: clcgen.Group, Bytes: clcgen.Bytes}
}

// Reduce returns the smallest program that shows a finding about two compilers.
func Reduce(ctx context.Context, a, b Compiler, p *clcgen.Program, f Finding, version int, opt differ.Options) *clcgen.Program {
	if !f.Refusal {
		p = p.Only(f.Kernel)
	}
	return clcgen.Reduce(p, 1500, func(text string) bool {
		now, _, err := Compare(ctx, a, b, text, version, opt)
		if err != nil || len(now) == 0 || now[0].Refusal != f.Refusal {
			return false
		}
		// The same sentence, without the numbers and names in it.
		return shape(now[0].What) == shape(f.What)
	})
}

// shape is a message without numbers and quoted names.
func shape(s string) string {
	s, _, _ = strings.Cut(s, " at byte")
	if _, after, ok := strings.Cut(s, "error: "); ok {
		s, _, _ = strings.Cut(after, "\n")
	}
	var b strings.Builder
	quoted := false
	for _, c := range s {
		switch {
		case c == '\'' || c == '"':
			quoted = !quoted
		case quoted || c >= '0' && c <= '9':
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
