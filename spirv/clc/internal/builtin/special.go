package builtin

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Problem is what is wrong with the arguments of a call of a Special function.
type Problem struct {
	Arg     int    // the argument at fault, -1 for the call
	Message string // in the words that compilers have for it
}

// Special returns the signature for a call of a Special function with arguments of these types, which are those
// of values: arrays have become pointers.
func (t *Table) Special(name string, args []types.Qual) (*Sig, *Problem) {
	d := t.Def(name)
	if d == nil || !d.Special {
		return nil, &Problem{-1, fmt.Sprintf("'%s' is no built-in function of this kind", name)}
	}
	s := &Sig{Name: name, Def: d}
	if d.Section == pipeSection {
		return t.pipe(s, args)
	}
	if len(args) != 1 {
		return nil, &Problem{-1, fmt.Sprintf("invalid number of arguments to function: '%s'", name)}
	}
	if d.Section == spaceSection {
		return t.toSpace(s, args[0])
	}
	x := t.AsType(name)
	s.Result, s.Params = types.Qual{Type: x}, []types.Qual{args[0].Unqual()}
	a := args[0].Type
	if t.types.SizeOf(a) != t.types.SizeOf(x) || !Reinterpretable(a) {
		return nil, &Problem{0, fmt.Sprintf("invalid reinterpretation: sizes of '%s' and '%s' must match", x,
			args[0].Unqual())}
	}
	return s, nil
}

// Reinterpretable reports whether as_TYPE takes values of a type.
func Reinterpretable(x *types.Type) bool {
	switch {
	case x.IsVector():
		return x.Elem.Kind != types.BoolKind
	case x.IsPointer():
		return true
	}
	return x.IsArithmetic() && x.Kind != types.BoolKind
}

// toSpace is the signature of to_global, to_local and to_private.
func (t *Table) toSpace(s *Sig, arg types.Qual) (*Sig, *Problem) {
	if !arg.IsPointer() || arg.Elem.Space() == types.Constant {
		return nil, &Problem{0,
			fmt.Sprintf("invalid argument %s to function: '%s', expecting a generic pointer type",
				arg.Unqual(), s.Name)}
	}
	space := map[string]types.Space{"to_global": types.Global, "to_local": types.Local,
		"to_private": types.Private}[s.Name]
	s.Params = []types.Qual{{Type: t.types.Pointer(arg.Elem.In(types.Generic))}}
	s.Result = types.Qual{Type: t.types.Pointer(arg.Elem.In(space))}
	return s, nil
}

// pipe is the signature of a function of pipes.
func (t *Table) pipe(s *Sig, args []types.Qual) (*Sig, *Problem) {
	wrong := &Problem{-1, fmt.Sprintf("invalid number of arguments to function: '%s'", s.Name)}
	op, query := strings.CutPrefix(s.Name, "get_pipe_")
	access, whole := strings.Contains(s.Name, "write"), strings.HasSuffix(s.Name, "_pipe")
	if len(args) == 0 {
		return nil, wrong
	}
	p := args[0]
	if p.Kind != types.PipeKind {
		return nil, &Problem{0, fmt.Sprintf("first argument to '%s' must be a pipe type", s.Name)}
	}
	if !query && whole && access != (p.Access == types.WriteOnly) {
		want := "read_only"
		if access {
			want = "write_only"
		}
		return nil, &Problem{0, fmt.Sprintf("invalid pipe access modifier (expecting %s)", want)}
	}
	expect := func(i int, x *types.Type) *Problem {
		return &Problem{i, fmt.Sprintf("invalid argument type to function '%s' (expecting '%s' having '%s')",
			s.Name, x, args[i].Unqual())}
	}
	s.Params = []types.Qual{p.Unqual()}
	add := func(x *types.Type) { s.Params = append(s.Params, types.Qual{Type: x}) }
	switch {
	case op == "num_packets" || op == "max_packets":
		s.Result.Type = t.types.UInt
	case strings.Contains(s.Name, "reserve"):
		s.Result.Type = t.types.ReserveID
		if len(args) != 2 {
			return nil, wrong
		}
		if !args[1].IsInteger() {
			return nil, expect(1, t.types.UInt)
		}
		add(t.types.UInt)
		return s, nil
	case strings.Contains(s.Name, "commit"):
		s.Result.Type = t.types.Void
		if len(args) != 2 {
			return nil, wrong
		}
		if args[1].Kind != types.ReserveIDKind {
			return nil, expect(1, t.types.ReserveID)
		}
		add(t.types.ReserveID)
		return s, nil
	default:
		s.Result.Type = t.types.Int
		last := len(args) - 1
		switch len(args) {
		case 4:
			if args[1].Kind != types.ReserveIDKind {
				return nil, expect(1, t.types.ReserveID)
			}
			if !args[2].IsInteger() {
				return nil, expect(2, t.types.UInt)
			}
			add(t.types.ReserveID)
			add(t.types.UInt)
		case 2:
		default:
			return nil, wrong
		}
		packet := args[last]
		if !packet.IsPointer() || packet.Elem.Type != p.Elem.Type || packet.Elem.Space() == types.Constant {
			return nil, expect(last, t.types.Pointer(p.Elem.Unqual()))
		}
		// A packet that is written may be const; compilers do not mind when one that is read is, either.
		elem := p.Elem.Unqual().In(types.Generic)
		elem.Q |= packet.Elem.Q & (types.Const | types.Volatile)
		add(t.types.Pointer(elem))
		return s, nil
	}
	if len(args) != 1 {
		return nil, wrong
	}
	return s, nil
}
