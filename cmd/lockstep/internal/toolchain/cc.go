package toolchain

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// CCCommand is lockstep cc.
var CCCommand = &cmdline.Command{
	Name:  "cc",
	Args:  "SOURCE... [-o PATH]",
	Short: "compile OpenCL C to a SPIR-V module",
	Long: `Compiles OpenCL C, version 1.0 to 3.0, and writes a SPIR-V module that any OpenCL driver takes.
Several sources are compiled one by one and linked; modules may stand among them. Without -o,
k.cl becomes k.spv in the same folder.

Options of the compiler are those of clBuildProgram (lockstep help opencl lists them):

  -D NAME[=TEXT]   define a macro               -cl-std=CL2.0    the version of OpenCL C
  -U NAME          undefine one                 -cl-...          further options of OpenCL
  -I FOLDER        look for headers there       -g               debug information
  -Wall -Wno-unused-variable -Werror -w         warnings

  lockstep cc k.cl -D N=64 -o k.spv
  lockstep cc main.cl lib.cl -I include -o whole.spv
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		f.Source.All = true
		out := f.String("o", "", "write the module to `PATH`; - is standard output")
		text := f.Bool("text", false, "write text instead of a binary")
		library := f.Bool("library", false, "keep exports, and leave what is not defined yet to a later link")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if len(args) == 0 {
				return cmdline.Usagef("help cc", "cc: no source given")
			}
			to := *out
			if to == "" {
				if len(args) > 1 || args[0] == "-" {
					return cmdline.Usagef("help cc", "cc: missing -o: the file to write, such as -o k.spv")
				}
				ext := ".spv"
				if *text {
					ext = ".spvasm"
				}
				to = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ext
			}
			if to == "-" && env.StdoutTerminal && !*text {
				return cmdline.Usagef("", "cc: a binary is nothing for a terminal; name a file with -o PATH, or ask for -text")
			}
			if err := cmdline.Apart(env, "cc", to, args); err != nil {
				return err
			}
			f.Source.CodeOnly = len(args) == 1 && !*text
			m, err := loadLinked(ctx, env, "cc", args, link.Options{Library: *library})
			if err != nil {
				return err
			}
			if m.Code != nil {
				return cmdline.WriteFile(env, to, func(w io.Writer) error {
					_, err := m.Code.WriteTo(w)
					return err
				})
			}
			code := m.Data
			if *text {
				sm, err := spirv.Decode(code)
				if err != nil {
					return fmt.Errorf("%s: %w", m.Name, err)
				}
				code = []byte(asm.Disassemble(sm, asm.DisassembleOptions{}))
			}
			return cmdline.WriteFile(env, to, func(w io.Writer) error {
				_, err := w.Write(code)
				return err
			})
		}
	},
}
