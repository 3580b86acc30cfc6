package cli

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

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// The flags between the kernels of a command: a kernel behind withFlag runs together with the one before it,
// and a kernel behind thenFlag runs when all those before it have ended. The kernels between two thenFlags
// are a stage.
const (
	withFlag = "with"
	thenFlag = "then"
)

// partOptions are the flags of run that are about one kernel of several.
type partOptions struct {
	path                  string // of the module
	kernel                string
	global, local, offset string
	args, outs, specs     *list
	repeat                int
	number                int // of the instance of -repeat
	stage                 int // the number of -then before it

	from     string   // where in a file the part begins; "" on the command line itself
	argsFrom []string // where each of args stands
	checked  bool     // with -check, command lines that repeat the part read what may be undefined
	showOuts bool     // command lines that repeat the part print what it prints
	own      bool     // the part names its module, rather than to use the one before
}

// partFlags are the names of these flags.
func partFlags() map[string]bool {
	return map[string]bool{"kernel": true, "global": true, "local": true, "offset": true, "arg": true, "out": true, "spec": true, "repeat": true}
}

// declare declares the flags.
func (o *partOptions) declare(f *flags) {
	f.StringVar(&o.kernel, "kernel", "", "run the kernel `NAME` (default: the only one there is)")
	f.StringVar(&o.global, "global", "", "run `X[,Y[,Z]]` work-items; 0 runs none")
	f.StringVar(&o.local, "local", "", "in work-groups of `X[,Y[,Z]]` work-items (default: what the module says, or suits)")
	f.StringVar(&o.offset, "offset", "", "add `X[,Y[,Z]]` to the global ids")
	o.args = f.list("arg", "the next argument is `SPEC`: see lockstep help args")
	o.outs = f.list("out", "write argument N, or the parameter, pipe or buffer of that name, to `N=PATH`\nafterwards: .npy keeps the type, .csv gets lines of numbers, other names raw bytes;\n- prints the values")
	o.specs = f.list("spec", "set a specialization constant: `ID=VALUE`")
	o.repeat = 1
}

// declareRepeat declares the flag for several instances of a kernel.
func (o *partOptions) declareRepeat(f *flags) {
	f.IntVar(&o.repeat, "repeat", 1, "run the kernel `N` times together: {i}, {i+1}, {i/4} and the like stand for numbers of the\ninstance (lockstep help pipes)")
}

// endPart takes what was given for a kernel.
func (o *runOptions) endPart(rest []string, from string, argsFrom []string, next string) error {
	p := o.part
	p.stage = o.stage
	if next == thenFlag {
		o.stage++
	}
	p.argsFrom = argsFrom
	args, outs, specs := slices.Clone(*p.args), slices.Clone(*p.outs), slices.Clone(*p.specs)
	p.args, p.outs, p.specs, p.from = &args, &outs, &specs, from
	if len(rest) == 0 && len(o.parts) > 0 {
		p.path = o.parts[len(o.parts)-1].path
	} else {
		path, err := one("run", rest)
		if err != nil {
			return err
		}
		p.path, p.own = path, true
	}
	if p.repeat < 1 || p.repeat > maxInstances {
		return usagef("help run", "run: -repeat %d: it takes 1 to %d", p.repeat, maxInstances)
	}
	if len(o.parts) >= maxInstances {
		return usagef("help run", "run: more than %d kernels", maxInstances)
	}
	o.parts = append(o.parts, &p)
	return nil
}

// expand writes -repeat out.
func (o *runOptions) expand() ([]*partOptions, error) {
	var list []*partOptions
	for _, p := range o.parts {
		if p.repeat == 1 {
			list = append(list, p)
			continue
		}
		if len(list)+p.repeat > maxInstances {
			return nil, usagef("help run", "run: more than %d kernels", maxInstances)
		}
		for i := range p.repeat {
			q, err := p.instance(i)
			if err != nil {
				return nil, usagef("help pipes", "run: -repeat %d: %v", p.repeat, err)
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
	for _, s := range []*string{&q.kernel, &q.global, &q.local, &q.offset} {
		text, err := instance(*s, i)
		if err != nil {
			return nil, err
		}
		*s = text
	}
	for _, l := range []**list{&q.args, &q.outs} {
		var texts list
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
		q.specs = new(list)
	}
	return &q, nil
}

// launch is a kernel of the command.
type launch struct {
	part   *partOptions
	run    *run
	number int

	kernel *emu.Kernel
	module *module
	specs  []string // of its module
	emu.NDRange
	args []kernelArg
}

// label names the launch: "kernel NAME", and its number where there are several.
func (l *launch) label() string {
	name := l.part.kernel
	if l.kernel != nil {
		name = l.kernel.Name()
	}
	switch {
	case name == "":
		return fmt.Sprintf("launch %d", l.number)
	case len(l.run.launches) == 1:
		return "kernel " + printable(name)
	}
	return fmt.Sprintf("launch %d, kernel %s", l.number, printable(name))
}

// in says which launch of several an error is about, and where in a file of
// arguments it is.
func (l *launch) in(err error) error {
	if err == nil {
		return nil
	}
	from := l.part.from
	var at *argError
	if errors.As(err, &at) && at.number < len(l.part.argsFrom) {
		from = l.part.argsFrom[at.number]
	}
	if from != "" {
		err = fmt.Errorf("%s: %w", from, err)
	}
	if len(l.run.launches) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", l.label(), err)
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
		{"global", o.global, &r.Global},
		{"local", o.local, &r.Local},
		{"offset", o.offset, &r.Offset},
	} {
		if d.text == "" {
			continue
		}
		dims, err := argspec.ParseDims(d.text)
		if err != nil {
			return usagef("help run", "run: -%s %v", d.flag, err)
		}
		if len(r.Global) > 0 && len(dims) != len(r.Global) {
			return usagef("help run", "run: -%s %s has %s, -global %s has %d",
				d.flag, d.text, counted(len(dims), "dimension"), o.global, len(r.Global))
		}
		*d.dst = dims
	}
	return nil
}

// programs loads and compiles the modules, each once, and picks the kernels. The
// specialization constants of a module are those that are given from where it is
// named to where another one is.
func (r *run) programs(ctx context.Context, env *Env) error {
	modules, err := r.modules(ctx, env)
	if err != nil {
		return err
	}
	type key struct{ path, specs string }
	compiled := make(map[key]*emu.Program)
	for i, l := range r.launches {
		o := l.part
		if o.own {
			l.specs = slices.Clone(*o.specs)
			for _, other := range r.launches[i+1:] {
				if other.part.own {
					break
				}
				l.specs = append(l.specs, *other.part.specs...)
			}
		} else {
			l.specs = r.launches[i-1].specs
		}
		l.module = modules[o.path]
		at := key{o.path, strings.Join(l.specs, "\x00")}
		prog := compiled[at]
		if prog == nil {
			// With checks on, a finding can name the very mark that a wait should count.
			if prog, err = modules[o.path].program(ctx, env, r.dev, "run", l.specs, r.o.keepMarks || r.o.check); err != nil {
				return l.in(err)
			}
			compiled[at] = prog
		}
		if l.kernel, err = pick(ctx, env, o.path, prog, o.kernel); err != nil {
			return l.in(err)
		}
		if err := l.subgroups(); err != nil {
			return l.in(err)
		}
		if o.global == "" {
			return l.in(usagef("help run", "run: missing -global: how many work-items to run, such as -global 8%s", l.signature()))
		}
	}
	return nil
}

// subgroups refuses a -subgroup or -wave that the kernel cannot run with.
func (l *launch) subgroups() error {
	lim, info := l.run.dev.Limits(), l.kernel.Info()
	name := printable(l.kernel.Name())
	switch n := info.SubgroupSize; {
	case !slices.Contains(lim.SubgroupSizes(), n):
		return usagef("help run", "run: kernel %s requires sub-groups of %d, but -subgroup asks for %d; leave -subgroup out", name, n, lim.SubgroupSize)
	case lim.WaveLanes%n != 0:
		return usagef("help run", "run: kernel %s requires sub-groups of %d, and -wave %d is no multiple of that", name, n, lim.WaveLanes)
	}
	return nil
}

// subgroupSizes lists the sub-group sizes of the launches.
func (r *run) subgroupSizes() string {
	var sizes []string
	for _, l := range r.launches {
		if n := fmt.Sprint(l.kernel.Info().SubgroupSize); !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return strings.Join(sizes, " and ")
}

// modules reads the modules of all parts, each once, by path, and shapes the
// device after those that are compiled already.
func (r *run) modules(ctx context.Context, env *Env) (map[string]*module, error) {
	modules := make(map[string]*module)
	device := r.o.device
	for _, l := range r.launches {
		path := l.part.path
		if modules[path] != nil {
			continue
		}
		if path == "-" {
			if err := r.claimStdin("the module"); err != nil {
				return nil, l.in(err)
			}
		}
		r.reads(path, "a module")
		m, err := load(ctx, env, path)
		if err != nil {
			return nil, l.in(err)
		}
		modules[path] = m
		if m.file == nil {
			continue
		}
		m.forBinary(&device)
		if r.o.keepMarks {
			return nil, l.in(m.compiledAlready("run", "keep-marks"))
		}
	}
	if device != r.o.device {
		var err error
		if r.dev, err = emu.NewDevice(device); err != nil {
			return nil, usagef("help run", "run: %v", err)
		}
	}
	return modules, nil
}

// claimStdin notes what reads standard input, which can be read once.
func (r *run) claimStdin(what string) error {
	if r.stdin != "" {
		return fmt.Errorf("standard input is %s already, and cannot be %s, too", r.stdin, what)
	}
	r.stdin = what
	return nil
}

// options says how SPECs are read; what is what they are for, in messages.
func (r *run) options(env *Env, what string) *argspec.Options {
	return &argspec.Options{
		Open: func(path string) (io.ReadCloser, error) {
			if path != "-" {
				r.reads(path, what)
				return env.Open(path)
			}
			if err := r.claimStdin(what); err != nil {
				return nil, err
			}
			return io.NopCloser(env.Stdin), nil
		},
		MaxBytes:      math.MaxInt64, // Room says how much
		Room:          func(n uint64) error { return explainLimit(r.dev.Room("device memory", n)) },
		SharedBuffers: true,
	}
}

// parseOuts reads the -out flags, and makes sure before a long run that their
// folders are there.
func (l *launch) parseOuts(env *Env) error {
	params := l.kernel.Params()
	for _, text := range *l.part.outs {
		index, path := -1, ""
		if name, file, ok, err := argspec.ParseNamedOut(text); err != nil {
			return usagef("help run", "run: -out %v", err)
		} else if ok {
			index, path = l.parameter(name), file
			s := l.run.shared[name]
			if s == nil && index < 0 {
				return l.noOutput(text, name)
			}
			if s != nil {
				if l.part.number > 0 && l.run.written(s, path) {
					continue // one output of one pipe, for all instances
				}
				if err := l.run.addOut(env, &output{shared: s, pipe: s.pipe, text: text, path: path}); err != nil {
					return err
				}
				continue
			}
		} else if index, path, err = argspec.ParseOut(text); err != nil {
			return usagef("help run", "run: -out %v", err)
		}
		if index >= len(l.args) {
			return usagef("help run", "run: -out %s: there is no argument %d; the kernel has %s, counted from 0",
				text, index, counted(len(l.args), "argument"))
		}
		a := &l.args[index]
		if a.buffer == nil && a.image == nil && a.pipe == nil {
			return usagef("help run", "run: -out %s: argument %d, %s, is no buffer, image or pipe", text, index, paramText(&params[index]))
		}
		if err := l.run.addOut(env, &output{launch: l, index: index, pipe: a.pipe, text: text, path: path}); err != nil {
			return err
		}
	}
	return nil
}

// parameter returns the number of the parameter of that name, or -1.
func (l *launch) parameter(name string) int {
	return slices.IndexFunc(l.kernel.Params(), func(p emu.Param) bool { return p.Name == name })
}

// noOutput says that an -out names nothing, and which name may be meant.
func (l *launch) noOutput(text, name string) error {
	names := slices.Collect(maps.Keys(l.run.shared))
	for _, p := range l.kernel.Params() {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	msg := fmt.Sprintf("run: -out %s: kernel %s has no parameter %s, and there is no pipe or buffer of that name", text, printable(l.kernel.Name()), name)
	if near := nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %s?", printable(near))
	} else if len(names) > 0 {
		msg += "; there is " + printable(strings.Join(names, ", "))
	}
	return usagef("help run", "%s", msg)
}

// written says whether some -out writes what is shared to that file.
func (r *run) written(s *shared, path string) bool {
	return slices.ContainsFunc(r.outs, func(o *output) bool { return o.shared == s && o.path == path })
}

// addOut takes an -out. Its file must not be written or read by another one.
func (r *run) addOut(env *Env, o *output) error {
	if err := folder(env, o.text, o.path); err != nil {
		return err
	}
	if n := o.writing(r.o.json); n > 0 {
		if err := explainLimit(r.dev.HostRoom("-out "+o.text, n)); err != nil {
			return err
		}
	}
	if o.path != "-" {
		clean := filepath.Clean(o.path)
		for _, other := range r.outs {
			if other.path != "-" && filepath.Clean(other.path) == clean {
				return usagef("help run", "run: -out %s: -out %s writes to the same file", o.text, other.text)
			}
		}
		if what := r.inputs[clean]; what != "" {
			return usagef("help run", "run: -out %s: the file is also read, as %s; write to another one", o.text, what)
		}
		if r.o.trace != "" && r.o.trace != "-" && filepath.Clean(r.o.trace) == clean {
			return usagef("help run", "run: -out %s: -trace writes to the same file", o.text)
		}
		for _, f := range r.o.files() {
			if f.path != "-" && filepath.Clean(f.path) == clean {
				return usagef("help run", "run: -out %s: -%s writes to the same file", o.text, f.flag)
			}
		}
	}
	r.outs = append(r.outs, o)
	if o.pipe != nil {
		o.pipe.outs = append(o.pipe.outs, o)
	}
	return nil
}

// reads notes that a file is read, and as what.
func (r *run) reads(path, what string) {
	if r.inputs == nil {
		r.inputs = make(map[string]string)
	}
	r.inputs[filepath.Clean(path)] = what
}

// folder makes sure that the folder of the -out text is there.
func folder(env *Env, text, path string) error {
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
func (l *launch) describe(w io.Writer) {
	lim := l.run.dev.Limits()
	head := l.label()
	fmt.Fprintf(w, "%s of %s on engine %s, sub-groups of %d\n", head, display(l.part.path), lim.Engine, l.kernel.Info().SubgroupSize)
	if why := l.kernel.Portable(); why != nil {
		fmt.Fprintf(w, "  engine interp: %v\n", why)
	} else if l.run.o.check && lim.Engine != "interp" {
		fmt.Fprintln(w, "  engine interp: -check looks at every instruction")
	}
	fmt.Fprintf(w, "  global %s", dims(l.Global))
	if l.Local != nil {
		fmt.Fprintf(w, ", local %s", dims(l.Local))
	}
	if l.Offset != nil {
		fmt.Fprintf(w, ", offset %s", dims(l.Offset))
	}
	fmt.Fprintf(w, ", %s\n", l.run.schedule.Name())
	for i, p := range l.kernel.Params() {
		fmt.Fprintf(w, "  %d  %-32s  %s\n", i, paramText(&p), l.args[i].text)
	}
	info := l.kernel.Info()
	if info.OrderDependent && len(l.run.launches) == 1 && !info.UsesPipes {
		fmt.Fprintln(w, "  work-groups can see each other's order: they run one after the other")
	}
	if info.LocalMemory > 0 || info.PrivateMemory > 0 {
		fmt.Fprintf(w, "  %s of local memory for a work-group, %d of private memory for a work-item\n", counted(info.LocalMemory, "byte"), info.PrivateMemory)
	}
}

// hint is an -out that shows a result, or "" for a kernel that has none.
func (l *launch) hint() string {
	for i, p := range l.kernel.Params() {
		a := &l.args[i]
		if a.buffer != nil && !p.ReadOnly || a.image != nil && p.Image.Writes || a.pipe != nil && a.pipe.drains() {
			return fmt.Sprintf("-out %d=-", i)
		}
	}
	return ""
}
