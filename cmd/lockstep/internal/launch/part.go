package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// partOptions are the flags of run that are about one kernel of several.
type partOptions struct {
	Path                  string // of the module
	kernel                string
	Global, local, offset string
	args, outs, specs     *cmdline.List
	repeat                int
	number                int // of the instance of -repeat
	stage                 int // the number of -then before it

	from     string   // where in a file the part begins; "" on the command line itself
	argsFrom []string // where each of args stands
	checked  bool     // with -check, command lines that repeat the part read what may be undefined
	ShowOuts bool     // command lines that repeat the part print what it prints
	own      bool     // the part names its module, rather than to use the one before
}

// PartFlags are the names of these flags.
func PartFlags() map[string]bool {
	return map[string]bool{"kernel": true, "global": true, "local": true, "offset": true, "arg": true, "out": true, "spec": true, "repeat": true}
}

// Declare declares the flags.
func (o *partOptions) Declare(f *cmdline.Flags) {
	f.StringVar(&o.kernel, "kernel", "", "run the kernel `NAME` (default: the only one there is)")
	f.StringVar(&o.Global, "global", "", "run `X[,Y[,Z]]` work-items; 0 runs none")
	f.StringVar(&o.local, "local", "", "in work-groups of `X[,Y[,Z]]` work-items (default: what the module says, or suits)")
	f.StringVar(&o.offset, "offset", "", "add `X[,Y[,Z]]` to the global ids")
	o.args = f.List("arg", "the next argument is `SPEC`: see lockstep help args")
	o.outs = f.List("out", "write argument N, or the parameter, pipe or buffer of that name, to `N=PATH`\nafterwards: .npy keeps the type, .csv gets lines of numbers, other names raw bytes;\n- prints the values")
	o.specs = f.List("spec", "set a specialization constant: `ID=VALUE`")
	o.repeat = 1
}

// DeclareRepeat declares the flag for several instances of a kernel.
func (o *partOptions) DeclareRepeat(f *cmdline.Flags) {
	f.IntVar(&o.repeat, "repeat", 1, "run the kernel `N` times together: {i}, {i+1}, {i/4} and the like stand for numbers of the\ninstance (lockstep help pipes)")
}

// EndPart takes what was given for a kernel.
func (o *Options) EndPart(rest []string, from string, argsFrom []string, next string) error {
	p := o.Part
	p.stage = o.stage
	if next == cmdline.ThenFlag {
		o.stage++
	}
	p.argsFrom = argsFrom
	args, outs, specs := slices.Clone(*p.args), slices.Clone(*p.outs), slices.Clone(*p.specs)
	p.args, p.outs, p.specs, p.from = &args, &outs, &specs, from
	if len(rest) == 0 && len(o.Parts) > 0 {
		p.Path = o.Parts[len(o.Parts)-1].Path
	} else {
		path, err := cmdline.OneModule("run", rest)
		if err != nil {
			return err
		}
		p.Path, p.own = path, true
	}
	if p.repeat < 1 || p.repeat > maxInstances {
		return cmdline.Usagef("help run", "run: -repeat %d: it takes 1 to %d", p.repeat, maxInstances)
	}
	if len(o.Parts) >= maxInstances {
		return cmdline.Usagef("help run", "run: more than %d kernels", maxInstances)
	}
	o.Parts = append(o.Parts, &p)
	return nil
}

// expand writes -repeat out.
func (o *Options) expand() ([]*partOptions, error) {
	var list []*partOptions
	for _, p := range o.Parts {
		if p.repeat == 1 {
			list = append(list, p)
			continue
		}
		if len(list)+p.repeat > maxInstances {
			return nil, cmdline.Usagef("help run", "run: more than %d kernels", maxInstances)
		}
		for i := range p.repeat {
			q, err := p.instance(i)
			if err != nil {
				return nil, cmdline.Usagef("help pipes", "run: -repeat %d: %v", p.repeat, err)
			}
			list = append(list, q)
		}
	}
	return list, nil
}

// instance is the part for one instance of -repeat.
func (o *partOptions) instance(i int) (*partOptions, error) {
	q := *o
	q.repeat, q.number = 1, i
	q.own = o.own && i == 0
	for _, s := range []*string{&q.kernel, &q.Global, &q.local, &q.offset} {
		text, err := instance(*s, i)
		if err != nil {
			return nil, err
		}
		*s = text
	}
	for _, l := range []**cmdline.List{&q.args, &q.outs} {
		var texts cmdline.List
		for _, s := range **l {
			text, err := instance(s, i)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		*l = &texts
	}
	if i > 0 {
		q.specs = new(cmdline.List)
	}
	return &q, nil
}

// Launch is a kernel of the command.
type Launch struct {
	Part   *partOptions
	run    *Run
	number int

	Kernel *emu.Kernel
	Module *loader.Module
	Specs  []string // of its module
	emu.NDRange
	Args []KernelArg
}

// Label names the launch: "kernel NAME", and its number where there are several.
func (l *Launch) Label() string {
	name := l.Part.kernel
	if l.Kernel != nil {
		name = l.Kernel.Name()
	}
	switch {
	case name == "":
		return fmt.Sprintf("launch %d", l.number)
	case len(l.run.Launches) == 1:
		return "kernel " + cmdline.Printable(name)
	}
	return fmt.Sprintf("launch %d, kernel %s", l.number, cmdline.Printable(name))
}

// in says which launch of several an error is about, and where in a file of
// arguments it is.
func (l *Launch) in(err error) error {
	if err == nil {
		return nil
	}
	from := l.Part.from
	var at *argError
	if errors.As(err, &at) && at.number < len(l.Part.argsFrom) {
		from = l.Part.argsFrom[at.number]
	}
	if from != "" {
		err = fmt.Errorf("%s: %w", from, err)
	}
	if len(l.run.Launches) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", l.Label(), err)
}

// argError is what is wrong with an argument.
type argError struct {
	number int
	err    error
}

func (e *argError) Error() string { return e.err.Error() }

func (e *argError) Unwrap() error { return e.err }

// sizes reads -global, -local and -offset. A missing -global is complained of
// later, when the parameters of the kernel are known.
func (o *partOptions) sizes(r *emu.NDRange) error {
	for _, d := range []struct {
		flag, text string
		dst        *[]uint64
	}{
		{"global", o.Global, &r.Global},
		{"local", o.local, &r.Local},
		{"offset", o.offset, &r.Offset},
	} {
		if d.text == "" {
			continue
		}
		dims, err := argspec.ParseDims(d.text)
		if err != nil {
			return cmdline.Usagef("help run", "run: -%s %v", d.flag, err)
		}
		if len(r.Global) > 0 && len(dims) != len(r.Global) {
			return cmdline.Usagef("help run", "run: -%s %s has %s, -global %s has %d",
				d.flag, d.text, cmdline.Counted(len(dims), "dimension"), o.Global, len(r.Global))
		}
		*d.dst = dims
	}
	return nil
}

// programs loads and compiles the modules, each once, and picks the kernels. The
// specialization constants of a module are those that are given from where it is
// named to where another one is.
func (r *Run) programs(ctx context.Context, env *cmdline.Env) error {
	modules, err := r.modules(ctx, env)
	if err != nil {
		return err
	}
	type key struct{ path, specs string }
	compiled := make(map[key]*emu.Program)
	for i, l := range r.Launches {
		o := l.Part
		if o.own {
			l.Specs = slices.Clone(*o.specs)
			for _, other := range r.Launches[i+1:] {
				if other.Part.own {
					break
				}
				l.Specs = append(l.Specs, *other.Part.specs...)
			}
		} else {
			l.Specs = r.Launches[i-1].Specs
		}
		l.Module = modules[o.Path]
		at := key{o.Path, strings.Join(l.Specs, "\x00")}
		prog := compiled[at]
		if prog == nil {
			// With checks on, a finding can name the very mark that a wait should count.
			if prog, err = modules[o.Path].Program(ctx, env, r.Dev, "run", l.Specs, r.o.KeepMarks || r.o.Check); err != nil {
				return l.in(err)
			}
			compiled[at] = prog
		}
		if l.Kernel, err = loader.Pick(ctx, env, o.Path, prog, o.kernel); err != nil {
			return l.in(err)
		}
		if err := l.subgroups(); err != nil {
			return l.in(err)
		}
		if o.Global == "" {
			return l.in(cmdline.Usagef("help run", "run: missing -global: how many work-items to run, such as -global 8%s", l.signature()))
		}
	}
	return nil
}

// subgroups refuses a -subgroup or -wave that the kernel cannot run with.
func (l *Launch) subgroups() error {
	lim, info := l.run.Dev.Limits(), l.Kernel.Info()
	name := cmdline.Printable(l.Kernel.Name())
	switch n := info.SubgroupSize; {
	case !slices.Contains(lim.SubgroupSizes(), n):
		return cmdline.Usagef("help run", "run: kernel %s requires sub-groups of %d, but -subgroup asks for %d; leave -subgroup out", name, n, lim.SubgroupSize)
	case lim.WaveLanes%n != 0:
		return cmdline.Usagef("help run", "run: kernel %s requires sub-groups of %d, and -wave %d is no multiple of that", name, n, lim.WaveLanes)
	}
	return nil
}

// subgroupSizes lists the sub-group sizes of the launches.
func (r *Run) subgroupSizes() string {
	var sizes []string
	for _, l := range r.Launches {
		if n := fmt.Sprint(l.Kernel.Info().SubgroupSize); !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return strings.Join(sizes, " and ")
}

// modules reads the modules of all parts, each once, by path, and shapes the
// device after those that are compiled already.
func (r *Run) modules(ctx context.Context, env *cmdline.Env) (map[string]*loader.Module, error) {
	modules := make(map[string]*loader.Module)
	device := r.o.Device
	for _, l := range r.Launches {
		path := l.Part.Path
		if modules[path] != nil {
			continue
		}
		if path == "-" {
			if err := r.ClaimStdin("the module"); err != nil {
				return nil, l.in(err)
			}
		}
		r.reads(path, "a module")
		m, err := loader.Load(ctx, env, path)
		if err != nil {
			return nil, l.in(err)
		}
		modules[path] = m
		if m.File == nil {
			continue
		}
		m.ForBinary(&device)
		if r.o.KeepMarks {
			return nil, l.in(m.CompiledAlready("run", "keep-marks"))
		}
	}
	if device != r.o.Device {
		var err error
		if r.Dev, err = emu.NewDevice(device); err != nil {
			return nil, cmdline.Usagef("help run", "run: %v", err)
		}
	}
	return modules, nil
}

// ClaimStdin notes what reads standard input, which can be read once.
func (r *Run) ClaimStdin(what string) error {
	if r.stdin != "" {
		return fmt.Errorf("standard input is %s already, and cannot be %s, too", r.stdin, what)
	}
	r.stdin = what
	return nil
}

// options says how SPECs are read; what is what they are for, in messages.
func (r *Run) options(env *cmdline.Env, what string) *argspec.Options {
	return &argspec.Options{
		Open: func(path string) (io.ReadCloser, error) {
			if path != "-" {
				r.reads(path, what)
				return env.Open(path)
			}
			if err := r.ClaimStdin(what); err != nil {
				return nil, err
			}
			return io.NopCloser(env.Stdin), nil
		},
		MaxBytes:      math.MaxInt64, // Room says how much
		Room:          func(n uint64) error { return ExplainLimit(r.Dev.Room("device memory", n)) },
		SharedBuffers: true,
	}
}

// parseOuts reads the -out flags, and makes sure before a long run that their
// folders are there.
func (l *Launch) parseOuts(env *cmdline.Env) error {
	params := l.Kernel.Params()
	for _, text := range *l.Part.outs {
		index, path := -1, ""
		if name, file, ok, err := argspec.ParseNamedOut(text); err != nil {
			return cmdline.Usagef("help run", "run: -out %v", err)
		} else if ok {
			index, path = l.parameter(name), file
			s := l.run.shared[name]
			if s == nil && index < 0 {
				return l.noOutput(text, name)
			}
			if s != nil {
				if l.Part.number > 0 && l.run.written(s, path) {
					continue // one output of one pipe, for all instances
				}
				if err := l.run.addOut(env, &output{shared: s, Pipe: s.pipe, text: text, Path: path}); err != nil {
					return err
				}
				continue
			}
		} else if index, path, err = argspec.ParseOut(text); err != nil {
			return cmdline.Usagef("help run", "run: -out %v", err)
		}
		if index >= len(l.Args) {
			return cmdline.Usagef("help run", "run: -out %s: there is no argument %d; the kernel has %s, counted from 0",
				text, index, cmdline.Counted(len(l.Args), "argument"))
		}
		a := &l.Args[index]
		if a.Buffer == nil && a.Image == nil && a.Pipe == nil {
			return cmdline.Usagef("help run", "run: -out %s: argument %d, %s, is no buffer, image or pipe", text, index, paramText(&params[index]))
		}
		if err := l.run.addOut(env, &output{Launch: l, Index: index, Pipe: a.Pipe, text: text, Path: path}); err != nil {
			return err
		}
	}
	return nil
}

// parameter returns the number of the parameter of that name, or -1.
func (l *Launch) parameter(name string) int {
	return slices.IndexFunc(l.Kernel.Params(), func(p emu.Param) bool { return p.Name == name })
}

// noOutput says that an -out names nothing, and which name may be meant.
func (l *Launch) noOutput(text, name string) error {
	names := slices.Collect(maps.Keys(l.run.shared))
	for _, p := range l.Kernel.Params() {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	msg := fmt.Sprintf("run: -out %s: kernel %s has no parameter %s, and there is no pipe or buffer of that name", text, cmdline.Printable(l.Kernel.Name()), name)
	if near := cmdline.Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %s?", cmdline.Printable(near))
	} else if len(names) > 0 {
		msg += "; there is " + cmdline.Printable(strings.Join(names, ", "))
	}
	return cmdline.Usagef("help run", "%s", msg)
}

// written says whether some -out writes what is shared to that file.
func (r *Run) written(s *shared, path string) bool {
	return slices.ContainsFunc(r.Outs, func(o *output) bool { return o.shared == s && o.Path == path })
}

// addOut takes an -out. Its file must not be written or read by another one.
func (r *Run) addOut(env *cmdline.Env, o *output) error {
	if err := folder(env, o.text, o.Path); err != nil {
		return err
	}
	if n := o.writing(r.o.JSON); n > 0 {
		if err := ExplainLimit(r.Dev.HostRoom("-out "+o.text, n)); err != nil {
			return err
		}
	}
	if o.Path != "-" {
		clean := filepath.Clean(o.Path)
		for _, other := range r.Outs {
			if other.Path != "-" && filepath.Clean(other.Path) == clean {
				return cmdline.Usagef("help run", "run: -out %s: -out %s writes to the same file", o.text, other.text)
			}
		}
		if what := r.inputs[clean]; what != "" {
			return cmdline.Usagef("help run", "run: -out %s: the file is also read, as %s; write to another one", o.text, what)
		}
		if r.o.trace != "" && r.o.trace != "-" && filepath.Clean(r.o.trace) == clean {
			return cmdline.Usagef("help run", "run: -out %s: -trace writes to the same file", o.text)
		}
		for _, f := range r.o.files() {
			if f.Path != "-" && filepath.Clean(f.Path) == clean {
				return cmdline.Usagef("help run", "run: -out %s: -%s writes to the same file", o.text, f.Flag)
			}
		}
	}
	r.Outs = append(r.Outs, o)
	if o.Pipe != nil {
		o.Pipe.Outs = append(o.Pipe.Outs, o)
	}
	return nil
}

// reads notes that a file is read, and as what.
func (r *Run) reads(path, what string) {
	if r.inputs == nil {
		r.inputs = make(map[string]string)
	}
	r.inputs[filepath.Clean(path)] = what
}

// folder makes sure that the folder of the -out text is there.
func folder(env *cmdline.Env, text, path string) error {
	if path == "-" {
		return nil
	}
	dir := filepath.Dir(path)
	if info, err := env.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-out %s: there is no folder %s", text, dir)
	}
	return nil
}

// describe says what is about to run.
func (l *Launch) describe(w io.Writer) {
	lim := l.run.Dev.Limits()
	head := l.Label()
	fmt.Fprintf(w, "%s of %s on engine %s, sub-groups of %d\n", head, cmdline.Display(l.Part.Path), lim.Engine, l.Kernel.Info().SubgroupSize)
	if why := l.Kernel.Portable(); why != nil {
		fmt.Fprintf(w, "  engine interp: %v\n", why)
	} else if l.run.o.Check && lim.Engine != "interp" {
		fmt.Fprintln(w, "  engine interp: -check looks at every instruction")
	}
	fmt.Fprintf(w, "  global %s", cmdline.Dims(l.Global))
	if l.Local != nil {
		fmt.Fprintf(w, ", local %s", cmdline.Dims(l.Local))
	}
	if l.Offset != nil {
		fmt.Fprintf(w, ", offset %s", cmdline.Dims(l.Offset))
	}
	fmt.Fprintf(w, ", %s\n", l.run.Schedule.Name())
	for i, p := range l.Kernel.Params() {
		fmt.Fprintf(w, "  %d  %-32s  %s\n", i, paramText(&p), l.Args[i].Text)
	}
	info := l.Kernel.Info()
	if info.OrderDependent && len(l.run.Launches) == 1 && !info.UsesPipes {
		fmt.Fprintln(w, "  work-groups can see each other's order: they run one after the other")
	}
	if info.LocalMemory > 0 || info.PrivateMemory > 0 {
		fmt.Fprintf(w, "  %s of local memory for a work-group, %d of private memory for a work-item\n", cmdline.Counted(info.LocalMemory, "byte"), info.PrivateMemory)
	}
}

// hint is an -out that shows a result, or "" for a kernel that has none.
func (l *Launch) hint() string {
	for i, p := range l.Kernel.Params() {
		a := &l.Args[i]
		if a.Buffer != nil && !p.ReadOnly || a.Image != nil && p.Image.Writes || a.Pipe != nil && a.Pipe.Drains() {
			return fmt.Sprintf("-out %d=-", i)
		}
	}
	return ""
}
