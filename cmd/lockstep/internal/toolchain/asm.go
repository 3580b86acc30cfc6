package toolchain

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// AsmCommand is lockstep asm.
var AsmCommand = &cmdline.Command{
	Name:  "asm",
	Args:  "TEXT",
	Short: "assemble SPIR-V text",
	Long: `Assembles text in the syntax of SPIRV-Tools and writes the binary module, with the same
bytes as spirv-as. TEXT is a file, or - for standard input.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		out := f.String("o", "-", "write the binary to `PATH`; - is standard output")
		env0 := f.String("target-env", "spv1.6", "assemble for `ENV`: spv1.0 to spv1.6, opencl1.2 to opencl2.2, vulkan1.0 …")
		keep := f.Bool("preserve-numeric-ids", false, "give ids that are numbers in the text that number")
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			path, err := cmdline.OneModule("asm", args)
			if err != nil {
				return err
			}
			version, ok := asm.TargetEnv(*env0)
			if !ok {
				return cmdline.Usagef("help asm", "asm: there is no target environment %q; there are %s", *env0, strings.Join(asm.TargetEnvs(), " "))
			}
			if *out == "-" && env.StdoutTerminal {
				return cmdline.Usagef("", "asm: a terminal cannot show a binary; name a file with -o PATH")
			}
			data, err := cmdline.ReadFile(env, path)
			if err != nil {
				return err
			}
			name := cmdline.Display(path)
			if spirv.IsBinary(data) {
				return fmt.Errorf("%s is a SPIR-V binary already", name)
			}
			if why := notText(data); why != "" {
				return fmt.Errorf("%s is no SPIR-V assembly: %s", name, why)
			}
			bin, err := asm.Assemble(string(data), asm.Options{Version: version, PreserveNumericIDs: *keep})
			if err != nil {
				return loader.TextError(name, err)
			}
			return cmdline.WriteFile(env, *out, func(w io.Writer) error {
				_, err := w.Write(bin)
				return err
			})
		}
	},
}

// notText says why data cannot be text, or "".
func notText(data []byte) string {
	switch {
	case loader.IsBitcode(data):
		return "it is LLVM bitcode"
	case !utf8.Valid(data):
		return "it is not UTF-8 text"
	}
	return ""
}

// DisCommand is lockstep dis.
var DisCommand = &cmdline.Command{
	Name:  "dis",
	Args:  "MODULE",
	Short: "disassemble a module",
	Long: `Prints a module in the syntax of SPIRV-Tools, as spirv-dis does. A module in text is
assembled first, and OpenCL C is compiled (lockstep help opencl).
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		out := f.String("o", "-", "write the text to `PATH`; - is standard output")
		var opts asm.DisassembleOptions
		f.BoolVar(&opts.RawIDs, "raw-id", false, "numbers instead of friendly names")
		f.BoolVar(&opts.NoIndent, "no-indent", false, "opcodes not lined up")
		f.BoolVar(&opts.NoHeader, "no-header", false, "without the comments about the header")
		f.BoolVar(&opts.Offsets, "offsets", false, "the byte offset of each instruction in a comment")
		f.BoolVar(&opts.Comments, "comment", false, "headings for the sections, numbers of named ids")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			path, err := cmdline.OneModule("dis", args)
			if err != nil {
				return err
			}
			_, sm, err := loader.Decode(ctx, env, path)
			if err != nil {
				return err
			}
			text := asm.Disassemble(sm, opts)
			return cmdline.WriteFile(env, *out, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		}
	},
}
