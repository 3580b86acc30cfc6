package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// CompileCommand is lockstep compile.
var CompileCommand = &cmdline.Command{
	Name:  "compile",
	Args:  "MODULE... -o PATH",
	Short: "compile a module to a binary, which runs without being compiled again",
	Long: `Compiles OpenCL C (lockstep help opencl) or a SPIR-V module, and writes the bytecode of
all its kernels to a file, a binary. run, isa and info take a binary in place of the module.
Several modules are linked first (lockstep help link). cc makes a SPIR-V module instead.

A binary works with this version of lockstep only, and with one size of sub-groups. A kernel
that requires another size keeps that size. The binary holds the names of arguments and
variables, and the files and lines of the source. With -module it holds the module as well,
so that findings can show its instructions and source text.

With -g the binary also holds the code that debuggers run, with all variables and their types.

  lockstep compile k.cl -o k.lsb
  lockstep run k.lsb -global 1024 -arg zero:f32:1024
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		var device emu.DeviceOptions
		out := f.String("o", "", "write the binary to `PATH`; - is standard output")
		f.IntVar(&device.SubgroupSize, "subgroup", 0, "for sub-groups of `N` lanes, where a kernel does not require a number: 1, 2, 4, 8,\n16, 32, 64 or 128 (default 32)")
		specs := f.List("spec", "set a specialization constant: `ID=VALUE`")
		keepMarks := f.Bool("keep-marks", false, loader.KeepMarksUsage)
		withModule := f.Bool("module", false, "put the module into the binary, for what findings show")
		passes := loader.Passes(f)
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if len(args) == 0 {
				return cmdline.Usagef("help compile", "compile: no module given")
			}
			if *out == "" {
				return cmdline.Usagef("help compile", "compile: missing -o: the file to write, such as -o k.lsb")
			}
			if *out == "-" && env.StdoutTerminal {
				return cmdline.Usagef("", "compile: a terminal cannot show a binary; name a file with -o PATH")
			}
			if err := cmdline.Apart(env, "compile", *out, args); err != nil {
				return err
			}
			dev, err := emu.NewDevice(device)
			if err != nil {
				return cmdline.Usagef("help compile", "compile: %v", err)
			}
			set, done, err := passes.Machinery(env, "compile")
			if err != nil {
				return err
			}
			m, err := loadLinked(ctx, env, "compile", args, link.Options{})
			if err != nil {
				return err
			}
			p, err := m.Program(ctx, env, dev, "compile", *specs, *keepMarks, set)
			if err != nil {
				return err
			}
			code, err := m.Bytecode(ctx, env, p)
			if err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			for _, r := range code.Refused {
				fmt.Fprintf(env.Stderr, "lockstep: note: kernel %s is left out: %s\n", cmdline.Printable(r.Name), cmdline.Harmless(r.Reason))
			}
			opt := emu.BinaryOptions{Module: *withModule, Debug: slices.Contains(f.Source.Words, "-g")}
			if len(*specs) > 0 {
				opt.Notes = []binary.Note{{Name: loader.SpecNote, Data: []byte(strings.Join(*specs, "\n") + "\n")}}
			}
			data, err := p.Binary(opt)
			if err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			return cmdline.WriteFile(env, *out, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		}
	},
}

// loadLinked reads modules, and links them when there are several.
func loadLinked(ctx context.Context, env *cmdline.Env, command string, paths []string, opt link.Options) (*loader.Module, error) {
	list, err := loadModules(ctx, env, command, paths)
	if err != nil || len(list) == 1 {
		if err == nil && list[0].File != nil {
			err = fmt.Errorf("%s is a binary already", list[0].Name)
		}
		if err != nil {
			return nil, err
		}
		return list[0], nil
	}
	code, err := linked(list, opt)
	if err != nil {
		return nil, err
	}
	m := *list[0]
	m.Data, m.Text = code, false
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
	}
	m.Name = strings.Join(names, " + ")
	return &m, nil
}

// loadModules reads modules to link.
func loadModules(ctx context.Context, env *cmdline.Env, command string, paths []string) ([]*loader.Module, error) {
	var list []*loader.Module
	stdin := false
	for _, path := range paths {
		if path == "-" && stdin {
			return nil, cmdline.Usagef("help "+command, "%s: standard input can be one module only", command)
		}
		stdin = stdin || path == "-"
		m, err := loader.Load(ctx, env, path)
		if err != nil {
			return nil, err
		}
		if m.File != nil && len(paths) > 1 {
			return nil, fmt.Errorf("%s is compiled already; modules are linked before they are compiled", m.Name)
		}
		list = append(list, m)
	}
	return list, nil
}

// linked links modules. Its error is that of the link, since that names them.
func linked(list []*loader.Module, opt link.Options) ([]byte, error) {
	inputs := make([]emu.LinkInput, len(list))
	for i, m := range list {
		inputs[i] = emu.LinkInput{Name: m.Name, Code: m.Data}
	}
	code, err := emu.LinkModules(inputs, opt)
	var me *emu.ModuleError
	if errors.As(err, &me) {
		return nil, me.Err
	}
	return code, err
}
