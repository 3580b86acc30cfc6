package toolchain

import (
	"context"
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// LinkCommand is lockstep link.
var LinkCommand = &cmdline.Command{
	Name:  "link",
	Args:  "MODULE... -o PATH",
	Short: "make one SPIR-V module of several",
	Long: `Links several modules into one. An imported function or variable is joined with the export
of the same name (decoration LinkageAttributes). Equal types and constants are merged. Each
MODULE is a binary, text or OpenCL C; the types of the first module come first.

An import that no module defines is an error, except for built-in functions, such as those
of OpenCL C, and except with -partial or -library. The linked module has no exports;
-library keeps them for a later link.

  lockstep link main.spv math.spv -o whole.spv
  lockstep link a.spv b.spv -library -o lib.spv
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		out := f.String("o", "", "write the module to `PATH`; - is standard output")
		var opt link.Options
		f.BoolVar(&opt.Library, "library", false, "make a library: keep exports, and leave what is not defined yet")
		f.BoolVar(&opt.Partial, "partial", false, "leave imports that no module defines")
		text := f.Bool("text", false, "write text instead of a binary")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if len(args) == 0 {
				return cmdline.Usagef("help link", "link: no module given")
			}
			if *out == "" {
				return cmdline.Usagef("help link", "link: missing -o: the file to write, such as -o all.spv")
			}
			if *out == "-" && env.StdoutTerminal && !*text {
				return cmdline.Usagef("", "link: a terminal cannot show a binary; name a file with -o PATH, or ask for -text")
			}
			if err := cmdline.Apart(env, "link", *out, args); err != nil {
				return err
			}
			list, err := loadModules(ctx, env, "link", args)
			if err != nil {
				return err
			}
			if list[0].File != nil {
				return fmt.Errorf("%s is compiled already; modules are linked before they are compiled", list[0].Name)
			}
			code, err := linked(list, opt)
			if err != nil {
				return err
			}
			if *text {
				m, err := spirv.Decode(code)
				if err != nil {
					return err
				}
				code = []byte(asm.Disassemble(m, asm.DisassembleOptions{}))
			}
			return cmdline.WriteFile(env, *out, func(w io.Writer) error {
				_, err := w.Write(code)
				return err
			})
		}
	},
}
