package cli

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

var isaCommand = &command{
	name:  "isa",
	args:  "MODULE",
	short: "print the bytecode that a module becomes",
	text:  true,
	long: `Compiles a module and prints the bytecode of the modelled GPU, with its scalar (s) and
vector (v…) registers. The package documentation of isa explains the bytecode. MODULE may be
a binary (lockstep help compile). -passes, and the flags that print kernels, show what each
pass of the compiler does (lockstep help passes).

-native prints, instead of the bytecode, the plan of the native engine for each kernel and
its machine code: where each instruction stands, its bytes and its text in Intel's syntax,
with the bytecode that it is for. -virtual prints its machine form instead, before virtual
registers get registers of the processor. -cpu prints the code for other processors, which need not
be at hand.
`,
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		f.compiler()
		kernel := f.String("kernel", "", "print the kernel `NAME` only")
		specs := f.list("spec", "set a specialization constant: `ID=VALUE`")
		keepMarks := f.Bool("keep-marks", false, keepMarksUsage)
		passes := f.passes()
		list := f.Bool("list-passes", false, "list the passes and end")
		machine := f.Bool("native", false, "print plans and machine code instead of bytecode")
		virtual := f.Bool("virtual", false, "with -native: print machine form, with virtual registers, instead of machine code")
		cpu := f.String("cpu", "", "print machine code for `CPU`: avx2 or avx512 (default: this processor)")
		return func(ctx context.Context, env *Env, args []string) error {
			if *list {
				_, err := env.Stdout.Write([]byte(listPasses()))
				return err
			}
			path, err := one("isa", args)
			if err != nil {
				return err
			}
			switch *cpu {
			case "", "avx2", "avx512":
			default:
				return usagef("isa", "-cpu %s: it is avx2 or avx512", printable(*cpu))
			}
			if *cpu != "" && !*machine {
				return usagef("isa", "-cpu is for -native")
			}
			if *virtual && !*machine {
				return usagef("isa", "-virtual is for -native")
			}
			options := machineCode{*cpu, *virtual}
			set, done, err := passes.machinery(env, "isa")
			if err != nil {
				return err
			}
			m, err := load(ctx, env, path)
			if err != nil {
				return err
			}
			if m.file != nil {
				if name := f.given("keep-marks", "passes", "print-before", "print-after", "print-changed", "time-passes", "verify-each"); name != "" {
					return m.compiledAlready("isa", name)
				}
			}
			var device emu.DeviceOptions
			m.forBinary(&device)
			dev, err := emu.NewDevice(device)
			if err != nil {
				return err
			}
			prog, err := m.program(ctx, env, dev, "isa", *specs, *keepMarks, set)
			if err != nil {
				return err
			}
			if *kernel == "" {
				code, err := m.bytecode(ctx, env, prog)
				if err != nil {
					return err
				}
				if err := done(); err != nil {
					return err
				}
				for _, r := range code.Refused {
					fmt.Fprintf(env.Stderr, "lockstep: note: kernel %s is left out: %s\n", printable(r.Name), harmless(r.Reason))
				}
				if *machine {
					return options.write(env, code, code.Kernels)
				}
				return code.WriteText(env.Stdout)
			}
			k, err := pick(ctx, env, path, prog, *kernel)
			if err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			code := k.ISA()
			if *machine {
				return options.write(env, code, []*isa.Kernel{code.Kernel(k.Name())})
			}
			_, err = env.Stdout.Write([]byte(code.Kernel(k.Name()).Text(code)))
			return err
		}
	},
}

// machineCode says how isa -native prints: for which processor, and whether with virtual registers.
type machineCode struct {
	cpu     string
	virtual bool
}
