package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

var compileCommand = &command{
	name:  "compile",
	args:  "MODULE... -o PATH",
	short: "compile a module to a binary, which runs without being compiled again",
	long: `Compiles OpenCL C (lockstep help opencl) or a SPIR-V module, and writes the bytecode of
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
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		f.compiler()
		var device emu.DeviceOptions
		out := f.String("o", "", "write the binary to `PATH`; - is standard output")
		f.IntVar(&device.SubgroupSize, "subgroup", 0, "for sub-groups of `N` lanes, where a kernel does not require a number: 1, 2, 4, 8,\n16, 32, 64 or 128 (default 32)")
		specs := f.list("spec", "set a specialization constant: `ID=VALUE`")
		keepMarks := f.Bool("keep-marks", false, keepMarksUsage)
		withModule := f.Bool("module", false, "put the module into the binary, for what findings show")
		passes := f.passes()
		return func(ctx context.Context, env *Env, args []string) error {
			if len(args) == 0 {
				return usagef("help compile", "compile: no module given")
			}
			if *out == "" {
				return usagef("help compile", "compile: missing -o: the file to write, such as -o k.lsb")
			}
			if *out == "-" && env.StdoutTerminal {
				return usagef("", "compile: a terminal cannot show a binary; name a file with -o PATH")
			}
			if err := apart(env, "compile", *out, args); err != nil {
				return err
			}
			dev, err := emu.NewDevice(device)
			if err != nil {
				return usagef("help compile", "compile: %v", err)
			}
			set, done, err := passes.machinery(env, "compile")
			if err != nil {
				return err
			}
			m, err := loadLinked(ctx, env, "compile", args, link.Options{})
			if err != nil {
				return err
			}
			p, err := m.program(ctx, env, dev, "compile", *specs, *keepMarks, set)
			if err != nil {
				return err
			}
			code, err := m.bytecode(ctx, env, p)
			if err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			for _, r := range code.Refused {
				fmt.Fprintf(env.Stderr, "lockstep: note: kernel %s is left out: %s\n", printable(r.Name), harmless(r.Reason))
			}
			opt := emu.BinaryOptions{Module: *withModule, Debug: slices.Contains(f.source.words, "-g")}
			if len(*specs) > 0 {
				opt.Notes = []binary.Note{{Name: specNote, Data: []byte(strings.Join(*specs, "\n") + "\n")}}
			}
			data, err := p.Binary(opt)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			return writeFile(env, *out, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		}
	},
}

// loadLinked reads modules, and links them when there are several.
func loadLinked(ctx context.Context, env *Env, command string, paths []string, opt link.Options) (*module, error) {
	list, err := loadModules(ctx, env, command, paths)
	if err != nil || len(list) == 1 {
		if err == nil && list[0].file != nil {
			err = fmt.Errorf("%s is a binary already", list[0].name)
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
	m.data, m.text = code, false
	var names []string
	for _, l := range list {
		names = append(names, l.name)
	}
	m.name = strings.Join(names, " + ")
	return &m, nil
}

// loadModules reads modules to link.
func loadModules(ctx context.Context, env *Env, command string, paths []string) ([]*module, error) {
	var list []*module
	stdin := false
	for _, path := range paths {
		if path == "-" && stdin {
			return nil, usagef("help "+command, "%s: standard input can be one module only", command)
		}
		stdin = stdin || path == "-"
		m, err := load(ctx, env, path)
		if err != nil {
			return nil, err
		}
		if m.file != nil && len(paths) > 1 {
			return nil, fmt.Errorf("%s is compiled already; modules are linked before they are compiled", m.name)
		}
		list = append(list, m)
	}
	return list, nil
}

// linked links modules. Its error is that of the link, since that names them.
func linked(list []*module, opt link.Options) ([]byte, error) {
	inputs := make([]emu.LinkInput, len(list))
	for i, m := range list {
		inputs[i] = emu.LinkInput{Name: m.name, Code: m.data}
	}
	code, err := emu.LinkModules(inputs, opt)
	var me *emu.ModuleError
	if errors.As(err, &me) {
		return nil, me.Err
	}
	return code, err
}
