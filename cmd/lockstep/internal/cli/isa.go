package cli

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/emu"
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
`,
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		f.compiler()
		kernel := f.String("kernel", "", "print the kernel `NAME` only")
		specs := f.list("spec", "set a specialization constant: `ID=VALUE`")
		keepMarks := f.Bool("keep-marks", false, keepMarksUsage)
		passes := f.passes()
		list := f.Bool("list-passes", false, "list the passes and end")
		return func(ctx context.Context, env *Env, args []string) error {
			if *list {
				_, err := env.Stdout.Write([]byte(listPasses()))
				return err
			}
			path, err := one("isa", args)
			if err != nil {
				return err
			}
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
			_, err = env.Stdout.Write([]byte(code.Kernel(k.Name()).Text(code)))
			return err
		}
	},
}
