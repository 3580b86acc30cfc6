package toolchain

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// ISACommand is lockstep isa.
var ISACommand = &cmdline.Command{
	Name:  "isa",
	Args:  "MODULE",
	Short: "print the bytecode that a module becomes",
	Text:  true,
	Long: `Compiles a module and prints the bytecode of the modelled GPU, with its scalar (s) and
vector (v…) registers. The package documentation of isa explains the bytecode. MODULE may be
a binary (lockstep help compile). -passes, and the flags that print kernels, show what each
pass of the compiler does (lockstep help passes).

-native prints, instead of the bytecode, the plan of the native engine for each kernel and
its machine code: where each instruction stands, its bytes and its text in Intel's syntax,
with the bytecode that it is for. -virtual prints its machine form instead, before virtual
registers get registers of the processor. -cpu prints the code for other processors, which need not
be at hand.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		kernel := f.String("kernel", "", "print the kernel `NAME` only")
		specs := f.List("spec", "set a specialization constant: `ID=VALUE`")
		keepMarks := f.Bool("keep-marks", false, loader.KeepMarksUsage)
		passes := loader.Passes(f)
		list := f.Bool("list-passes", false, "list the passes and end")
		machine := f.Bool("native", false, "print plans and machine code instead of bytecode")
		virtual := f.Bool("virtual", false, "with -native: print machine form, with virtual registers, instead of machine code")
		cpu := f.String("cpu", "", "print machine code for `CPU`: avx2 or avx512 (default: this processor)")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if *list {
				_, err := env.Stdout.Write([]byte(loader.ListPasses()))
				return err
			}
			path, err := cmdline.OneModule("isa", args)
			if err != nil {
				return err
			}
			switch *cpu {
			case "", "avx2", "avx512":
			default:
				return cmdline.Usagef("isa", "-cpu %s: it is avx2 or avx512", cmdline.Printable(*cpu))
			}
			if *cpu != "" && !*machine {
				return cmdline.Usagef("isa", "-cpu is for -native")
			}
			if *virtual && !*machine {
				return cmdline.Usagef("isa", "-virtual is for -native")
			}
			options := machineCode{*cpu, *virtual}
			set, done, err := passes.Machinery(env, "isa")
			if err != nil {
				return err
			}
			m, err := loader.Load(ctx, env, path)
			if err != nil {
				return err
			}
			if m.File != nil {
				if name := f.Given("keep-marks", "passes", "print-before", "print-after", "print-changed", "time-passes", "verify-each"); name != "" {
					return m.CompiledAlready("isa", name)
				}
			}
			var device emu.DeviceOptions
			m.ForBinary(&device)
			dev, err := emu.NewDevice(device)
			if err != nil {
				return err
			}
			prog, err := m.Program(ctx, env, dev, "isa", *specs, *keepMarks, set)
			if err != nil {
				return err
			}
			if *kernel == "" {
				code, err := m.Bytecode(ctx, env, prog)
				if err != nil {
					return err
				}
				if err := done(); err != nil {
					return err
				}
				for _, r := range code.Refused {
					fmt.Fprintf(env.Stderr, "lockstep: note: kernel %s is left out: %s\n", cmdline.Printable(r.Name), cmdline.Harmless(r.Reason))
				}
				if *machine {
					return options.write(env, code, code.Kernels)
				}
				return code.WriteText(env.Stdout)
			}
			k, err := loader.Pick(ctx, env, path, prog, *kernel)
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
