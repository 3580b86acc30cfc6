package launch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/argument"
)

// shared is what -pipe or -buffer makes for kernels to share.
type shared struct {
	Name   string
	pipe   *Pipe       // or
	Buffer *emu.Buffer // with
	Spec   *argspec.Arg
	svm    *emu.SVM // that the buffer is, where it has an address
	used   bool     // some argument means it
}

// flag is what made it.
func (s *shared) flag() string {
	if s.pipe != nil {
		return "pipe"
	}
	return "buffer"
}

// makeShared makes what -pipe and -buffer ask for.
func (r *Run) makeShared(env *cmdline.Env) error {
	r.shared = make(map[string]*shared)
	for _, f := range []struct {
		flag  string
		texts *cmdline.List
		make  func(env *cmdline.Env, text, name string) (*shared, error)
	}{{"pipe", r.o.Pipes, r.makePipe}, {"buffer", r.o.Buffers, r.makeBuffer}} {
		for _, text := range *f.texts {
			head, tail, more := strings.Cut(text, "=")
			list, err := names(head)
			if err != nil {
				return cmdline.Usagef("help pipes", "run: -%s %v", f.flag, err)
			}
			if len(r.shared)+len(list) > maxInstances {
				return cmdline.Usagef("help pipes", "run: more than %d pipes and buffers", maxInstances)
			}
			for _, name := range list {
				one := text
				if more {
					one = name + "=" + tail
				}
				if r.shared[name] != nil {
					return cmdline.Usagef("help pipes", "run: -%s %s: there is a %s of that name already", f.flag, one, r.shared[name].flag())
				}
				s, err := f.make(env, one, name)
				if err != nil {
					var syntax *argspec.Error
					if errors.As(err, &syntax) {
						return cmdline.Usagef("help pipes", "run: -%s %v", f.flag, err)
					}
					return fmt.Errorf("-%s %s: %w", f.flag, one, err)
				}
				s.Name = name
				r.shared[name] = s
			}
		}
	}
	return nil
}

func (r *Run) makePipe(env *cmdline.Env, text, name string) (*shared, error) {
	_, spec, err := argspec.ParsePipe(text, r.options(env, "what goes into pipe "+name))
	if err != nil {
		return nil, err
	}
	p := &Pipe{Name: name, Spec: spec}
	r.Pipes = append(r.Pipes, p)
	return &shared{pipe: p}, ExplainLimit(p.make(r, name))
}

func (r *Run) makeBuffer(env *cmdline.Env, text, name string) (*shared, error) {
	_, spec, err := argspec.ParseBuffer(text, r.options(env, "buffer "+name))
	if err != nil {
		return nil, err
	}
	if spec.Address != 0 {
		s, err := r.makeAt(spec, name)
		return s, ExplainLimit(err)
	}
	b, err := argument.NewBuffer(r.Dev, spec, argument.Options{Name: name, Take: true})
	return &shared{Buffer: b, Spec: spec}, ExplainLimit(err)
}

// makeAt makes shared virtual memory at an address.
func (r *Run) makeAt(spec *argspec.Arg, name string) (*shared, error) {
	if r.o.Again {
		return nil, errors.New("a buffer at an address has pointers, which are right in one run only")
	}
	s, err := r.Dev.NewSVM(uint64(len(spec.Data)), emu.SVMOptions{Name: name, Address: spec.Address, ReadOnly: spec.ReadOnly, WriteOnly: spec.WriteOnly})
	if err != nil {
		return nil, err
	}
	copy(s.Bytes(), spec.Data)
	spec.Data = nil
	return &shared{Buffer: s.Buffer(), Spec: spec, svm: s}, nil
}

// find returns what is shared under a name; flag is "pipe" or "buffer", or ""
// for either.
func (r *Run) find(name, flag string) (*shared, error) {
	s := r.shared[name]
	if s != nil && (flag == "" || s.flag() == flag) {
		return s, nil
	}
	if s != nil {
		return nil, fmt.Errorf("%s is a %s, which is given to a kernel with -arg %s:%s", name, s.flag(), s.flag(), name)
	}
	what, makes := "pipe or buffer", fmt.Sprintf("-pipe %s=PACKET:CAPACITY or -buffer %s=SPEC makes one", name, name)
	switch flag {
	case "pipe":
		what, makes = flag, fmt.Sprintf("-pipe %s=PACKET:CAPACITY makes one", name)
	case "buffer":
		what, makes = flag, fmt.Sprintf("-buffer %s=SPEC makes one", name)
	}
	msg := fmt.Sprintf("there is no %s %s", what, name)
	var have []string
	for _, n := range slices.Sorted(maps.Keys(r.shared)) {
		if flag == "" || r.shared[n].flag() == flag {
			have = append(have, n)
		}
	}
	if near := cmdline.Nearest(name, have); near != "" {
		return nil, fmt.Errorf("%s; did you mean %s?", msg, near)
	}
	return nil, fmt.Errorf("%s; %s", msg, makes)
}

// unused makes sure that everything shared is some kernel's.
func (r *Run) unused() error {
	for _, name := range slices.Sorted(maps.Keys(r.shared)) {
		if s := r.shared[name]; !s.used && s.svm == nil { // kernels find what has an address
			return cmdline.Usagef("help pipes", "run: -%s %s: no kernel has it; -arg %s:%s gives it to one", s.flag(), name, s.flag(), name)
		}
	}
	return nil
}

// raced returns the first buffer, by name, that several kernels have and one of them may
// write, or "".
func (r *Run) raced() string {
	for _, stage := range r.Stages() {
		if name := r.racedIn(stage); name != "" {
			return name
		}
	}
	return ""
}

// racedIn is raced for the kernels of a stage.
func (r *Run) racedIn(stage []*Launch) string {
	for _, name := range slices.Sorted(maps.Keys(r.shared)) {
		users, writes := 0, false
		for _, l := range stage {
			uses := false
			for i, p := range l.Kernel.Params() {
				switch a := &l.Args[i]; {
				case a.View == r.shared[name]:
					uses, writes = true, writes || p.Image.Writes
				case a.Buffer != nil && a.Buffer == r.shared[name].Buffer:
					uses, writes = true, writes || !p.ReadOnly
				}
			}
			if uses {
				users++
			}
		}
		if users > 1 && writes {
			return name
		}
	}
	return ""
}
