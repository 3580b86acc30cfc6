package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

var asmCommand = &command{
	name:  "asm",
	args:  "TEXT",
	short: "assemble SPIR-V text",
	long: `Assembles text in the syntax of SPIRV-Tools and writes the binary module, with the same
bytes as spirv-as. TEXT is a file, or - for standard input.
`,
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		out := f.String("o", "-", "write the binary to `PATH`; - is standard output")
		env0 := f.String("target-env", "spv1.6", "assemble for `ENV`: spv1.0 to spv1.6, opencl1.2 to opencl2.2, vulkan1.0 …")
		keep := f.Bool("preserve-numeric-ids", false, "give ids that are numbers in the text that number")
		return func(_ context.Context, env *Env, args []string) error {
			path, err := one("asm", args)
			if err != nil {
				return err
			}
			version, ok := asm.TargetEnv(*env0)
			if !ok {
				return usagef("help asm", "asm: there is no target environment %q; there are %s", *env0, strings.Join(asm.TargetEnvs(), " "))
			}
			if *out == "-" && env.StdoutTerminal {
				return usagef("", "asm: a terminal cannot show a binary; name a file with -o PATH")
			}
			data, err := readFile(env, path)
			if err != nil {
				return err
			}
			name := display(path)
			if spirv.IsBinary(data) {
				return fmt.Errorf("%s is a SPIR-V binary already", name)
			}
			if why := notText(data); why != "" {
				return fmt.Errorf("%s is no SPIR-V assembly: %s", name, why)
			}
			bin, err := asm.Assemble(string(data), asm.Options{Version: version, PreserveNumericIDs: *keep})
			if err != nil {
				return textError(name, err)
			}
			return writeFile(env, *out, func(w io.Writer) error {
				_, err := w.Write(bin)
				return err
			})
		}
	},
}

// notText says why data cannot be text, or "".
func notText(data []byte) string {
	switch {
	case isBitcode(data):
		return "it is LLVM bitcode"
	case !utf8.Valid(data):
		return "it is not UTF-8 text"
	}
	return ""
}

var disCommand = &command{
	name:  "dis",
	args:  "MODULE",
	short: "disassemble a module",
	long: `Prints a module in the syntax of SPIRV-Tools, as spirv-dis does. A module in text is
assembled first, and OpenCL C is compiled (lockstep help opencl).
`,
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		f.compiler()
		out := f.String("o", "-", "write the text to `PATH`; - is standard output")
		var opts asm.DisassembleOptions
		f.BoolVar(&opts.RawIDs, "raw-id", false, "numbers instead of friendly names")
		f.BoolVar(&opts.NoIndent, "no-indent", false, "opcodes not lined up")
		f.BoolVar(&opts.NoHeader, "no-header", false, "without the comments about the header")
		f.BoolVar(&opts.Offsets, "offsets", false, "the byte offset of each instruction in a comment")
		f.BoolVar(&opts.Comments, "comment", false, "headings for the sections, numbers of named ids")
		return func(ctx context.Context, env *Env, args []string) error {
			path, err := one("dis", args)
			if err != nil {
				return err
			}
			_, sm, err := decode(ctx, env, path)
			if err != nil {
				return err
			}
			text := asm.Disassemble(sm, opts)
			return writeFile(env, *out, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		}
	},
}

// apart refuses an output that is one of the inputs, which writing would destroy.
func apart(env *Env, command, out string, inputs []string) error {
	if out == "-" {
		return nil
	}
	to, err := env.Stat(out)
	for _, in := range inputs {
		same := in != "-" && filepath.Clean(in) == filepath.Clean(out)
		if !same && in != "-" && err == nil && to.Mode().IsRegular() {
			from, err := env.Stat(in)
			same = err == nil && os.SameFile(from, to)
		}
		if same {
			return usagef("", "%s: -o %s would overwrite the module %s; name another file", command, out, in)
		}
	}
	return nil
}

// writeFile writes to a file, or to standard output for "-".
func writeFile(env *Env, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(env.Stdout)
	}
	f, err := env.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
