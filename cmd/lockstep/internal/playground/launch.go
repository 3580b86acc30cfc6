package playground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Errors of requests.
var (
	errNoLaunch = errors.New("the request has no launch")
	errNoSource = errors.New("the request has no source")
)

// defaultName is the name of a source without one.
const defaultName = "kernel.cl"

// name returns the name of the source's file.
func (s *Source) name() string {
	if s.Name == "" {
		return defaultName
	}
	return s.Name
}

// files returns the files that the launch finds, its source among them.
func (l *Launch) files() map[string]string {
	files := map[string]string{}
	for name, text := range l.Files {
		files[name] = text
	}
	files[l.Source.name()] = l.Source.Text
	return files
}

// words returns the words of the command line of a command that takes launches.
func (l *Launch) words(command string) ([]string, error) {
	list := []string{command, l.Source.name()}
	options, err := clc.SplitOptions(l.Source.Options)
	if err != nil {
		return nil, err
	}
	list = append(list, options...)
	add := func(flag, value string) {
		if value != "" {
			list = append(list, flag, value)
		}
	}
	number := func(flag string, n uint64) {
		if n != 0 {
			list = append(list, flag, strconv.FormatUint(n, 10))
		}
	}
	add("-kernel", l.Kernel)
	add("-global", l.Global)
	add("-local", l.Local)
	add("-offset", l.Offset)
	for _, a := range l.Args {
		list = append(list, "-arg", a.Spec)
	}
	for i, a := range l.Args {
		if a.Out {
			list = append(list, "-out", fmt.Sprintf("%d=-", i))
		}
	}
	number("-subgroup", uint64(max(l.Subgroup, 0)))
	number("-wave", uint64(max(l.Wave, 0)))
	add("-schedule", l.Schedule)
	number("-seed", l.Seed)
	if l.Check {
		list = append(list, "-check")
	}
	if l.KeepGoing {
		list = append(list, "-keep-going")
	}
	return append(list, l.Flags...), nil
}

// line returns the command line that runs the launch.
func (l *Launch) line() string {
	list, err := l.words("run")
	if err != nil {
		return ""
	}
	return words.Join(append([]string{"lockstep"}, list...))
}

// launchOf makes a launch of the words of a command line.
func launchOf(ctx context.Context, req *Request) (*Launch, error) {
	args, err := req.arguments()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || args[0] != "run" && args[0] != "debug" && args[0] != "explore" {
		return nil, errors.New("a launch is a command line of lockstep run")
	}
	command, args := args[0], args[1:]
	l := &Launch{Args: []Arg{}}
	var outs, options []string
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		if w == "-with" || w == "-then" {
			l.Flags = append(append(l.Flags, w), args...)
			break
		}
		if w == "-" || !strings.HasPrefix(w, "-") {
			if l.Source.Name != "" {
				return nil, fmt.Errorf("two modules, %s and %s", l.Source.Name, w)
			}
			l.Source.Name = w
			continue
		}
		if is, takes := clc.IsOption(w); is {
			options = append(options, w)
			if takes && len(args) > 0 {
				options, args = append(options, args[0]), args[1:]
			}
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w, "-"), "-"), "=")
		is, takes := commands().FlagOf(command, name)
		switch {
		case !is:
			return nil, fmt.Errorf("%s has no flag %s", command, w)
		case takes && !has:
			if len(args) == 0 {
				return nil, fmt.Errorf("%s needs a value", w)
			}
			value, args = args[0], args[1:]
		case !takes && !has:
			value = "true"
		}
		if name == "out" {
			outs = append(outs, value)
			continue
		}
		if !l.set(name, value) {
			l.Flags = append(l.Flags, "-"+name+"="+value)
		}
	}
	if l.Source.Name == "" {
		return nil, errNoSource
	}
	l.Source.Options = words.Join(options)
	disk, err := newDisk(req.Files)
	if err != nil {
		return nil, err
	}
	text, err := disk.read("open", l.Source.Name)
	if err != nil {
		return nil, err
	}
	l.Source.Text = strings.ToValidUTF8(string(text), "\ufffd")
	l.Files = req.Files
	l.setOuts(ctx, outs)
	return l, nil
}

// set takes a flag that the launch has a field for.
func (l *Launch) set(name, value string) bool {
	number := func(to *int) bool {
		n, err := strconv.Atoi(value)
		if err == nil {
			*to = n
		}
		return err == nil
	}
	switch name {
	case "kernel":
		l.Kernel = value
	case "global":
		l.Global = value
	case "local":
		l.Local = value
	case "offset":
		l.Offset = value
	case "arg":
		l.Args = append(l.Args, Arg{Spec: value})
	case "subgroup":
		return number(&l.Subgroup)
	case "wave":
		return number(&l.Wave)
	case "schedule":
		l.Schedule = value
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		l.Seed = n
		return err == nil
	case "check":
		l.Check = value == "true"
	case "keep-going":
		l.KeepGoing = value == "true"
	default:
		return false
	}
	return true
}

// setOuts takes the -out flags: those that print an argument are fields of the argument, the others, to a file or of
// what has no argument, stay flags.
func (l *Launch) setOuts(ctx context.Context, outs []string) {
	for _, out := range outs {
		name, path, _ := strings.Cut(out, "=")
		i, err := strconv.Atoi(name)
		if err != nil {
			i, err = l.param(ctx, name)
		}
		if err == nil && path == "-" && i >= 0 && i < len(l.Args) && !l.Args[i].Out {
			l.Args[i].Out = true
			continue
		}
		l.Flags = slices.Insert(l.Flags, 0, "-out", out)
	}
}

// param returns the number of a parameter by its name.
func (l *Launch) param(ctx context.Context, name string) (int, error) {
	result, err := compile(ctx, &l.Source)
	if err != nil {
		return 0, err
	}
	for i := range result.Kernels {
		if k := &result.Kernels[i]; k.Name == l.Kernel || len(result.Kernels) == 1 {
			if n := slices.IndexFunc(k.Params, func(p Parameter) bool { return p.Name == name }); n >= 0 {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("there is no parameter %s", name)
}
