package debug

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Frame is a function in which a work-item is: the innermost first, the kernel last.
type Frame struct {
	Function string
	Place    Place
	PC       int // of the innermost, the next instruction; of the others -1

	loc uint32 // of the instruction or the call, in Kernel.Locs
	at  uint32 // the call that the function was inlined at
}

// FramesOf returns the frames of a work-item of the group that runs; none of one that has ended.
func (s *Session) FramesOf(item int) (list []Frame) {
	w, _, lane := s.waveOf(item)
	if w == nil {
		return nil
	}
	_, pc := w.Lane(lane)
	if pc < 0 {
		return nil
	}
	for loc := s.kernel.Code[pc].Loc; ; {
		l := s.kernel.Locs[loc]
		f := Frame{Function: s.program.Functions[l.Func], Place: s.info.placeAt(loc), PC: pc, loc: loc, at: l.At}
		if f.Function == "" && l.At == 0 {
			f.Function = s.kernel.Name
		}
		list = append(list, f)
		if l.At == 0 {
			return list
		}
		loc, pc = l.At, -1
	}
}

// Frames returns the frames of the work-item that is looked at.
func (s *Session) Frames() []Frame { return s.FramesOf(s.item) }

// Frame returns which frame is looked at, and SelectFrame changes it.
func (s *Session) Frame() int { return s.frame }

// SelectFrame looks at a frame of the work-item; 0 is the innermost.
func (s *Session) SelectFrame(n int) bool {
	if n < 0 || n >= len(s.Frames()) {
		return false
	}
	s.frame = n
	return true
}

// depth returns how many scopes are around a scope, itself included.
func depth(d *isa.DebugInfo, scope uint32) (n int) {
	for ; scope != 0; scope = d.Scopes[scope].Parent {
		n++
	}
	return n
}

// encloses says whether a scope is another one or around it.
func encloses(d *isa.DebugInfo, outer, inner uint32) bool {
	for ; inner != 0; inner = d.Scopes[inner].Parent {
		if inner == outer {
			return true
		}
	}
	return outer == 0
}

// visible returns the variables that can be named at a place, the innermost first; of equal names the first
// counts.
func (i *info) visible(loc uint32) (list []*isa.DebugVar) {
	d := i.kernel.Debug
	if d == nil {
		return nil
	}
	at, scope := i.kernel.Locs[loc].At, i.scopeOf(loc)
	for n := range d.Vars {
		v := &d.Vars[n]
		switch v.Where {
		case isa.DebugPrivate, isa.DebugShadow:
			if v.At != at || v.Scope != 0 && scope != 0 && !encloses(d, v.Scope, scope) {
				continue
			}
		case isa.DebugNowhere:
			if scope == 0 || !encloses(d, v.Scope, scope) {
				continue
			}
		}
		list = append(list, v)
	}
	rank := func(v *isa.DebugVar) int {
		if v.Where == isa.DebugLocal || v.Where == isa.DebugGlobal {
			return -1
		}
		return depth(d, v.Scope)
	}
	slices.SortStableFunc(list, func(a, b *isa.DebugVar) int { return rank(b) - rank(a) })
	return list
}

// lookup returns the variable of a name at a place.
func (i *info) lookup(name string, loc uint32) (*isa.DebugVar, bool) {
	for _, v := range i.visible(loc) {
		if sameName(v, name) {
			return v, true
		}
	}
	return nil, false
}

// sameName says whether a variable is meant by a name. Modules call LDS KERNEL.VARIABLE.
func sameName(v *isa.DebugVar, name string) bool {
	if v.Name == name {
		return true
	}
	return v.Where == isa.DebugLocal && strings.HasSuffix(v.Name, "."+name)
}

// shortName returns the name of a variable as the source has it.
func shortName(v *isa.DebugVar) string {
	if v.Where == isa.DebugLocal {
		return v.Name[strings.LastIndexByte(v.Name, '.')+1:]
	}
	return v.Name
}

// param returns the number of a parameter of the kernel that has no variable, at a place in the kernel
// itself, or -1.
func (s *Session) param(name string, loc uint32) int {
	if s.kernel.Locs[loc].At != 0 {
		return -1
	}
	return slices.IndexFunc(s.kernel.Params, func(p isa.Param) bool { return p.Name == name })
}

// paramValue returns what the launch gave for a parameter.
func (s *Session) paramValue(i, item int) (Value, error) {
	p := &s.kernel.Params[i]
	bytes, pointer := s.launch.Argument(i)
	if p.Kind == isa.ParamValue {
		return Value{Type: &Type{Kind: isa.DebugUnknown, Name: p.TypeName, Size: p.Size}, Bytes: bytes, item: item}, nil
	}
	t := &Type{Kind: isa.DebugHandle, Name: p.TypeName, Size: 8}
	if p.Kind == isa.ParamGlobal || p.Kind == isa.ParamLocal {
		t.Kind, t.Space = isa.DebugPointer, isa.SpaceGlobal
		if p.Kind == isa.ParamLocal {
			t.Space = isa.SpaceLocal
		}
		t.Elem = s.info.named(strings.TrimSuffix(p.TypeName, "*"))
	}
	v := integer(t, uint64(pointer))
	v.item = item
	return v, nil
}

// argument returns what the launch gave for a parameter, in a type that is known.
func (s *Session) argument(i int, t *Type, item int) Value {
	p, pointer := s.launch.Argument(i)
	if s.kernel.Params[i].Kind == isa.ParamValue {
		return Value{Type: t, Bytes: cut(p, 0, t.Size), item: item}
	}
	v := s.pointerValue(t, pointer, int(t.Size))
	v.item = item
	return v
}

// Variable is a variable that can be named in a frame.
type Variable struct {
	Name  string
	Scope VariableScope
	Line  int
	Value Value
	Err   error // why there is no value
}

// VariableScope says whose a variable is.
type VariableScope uint8

// The scopes of variables.
const (
	ScopeArguments VariableScope = iota
	ScopeLocals                  // of the function's blocks
	ScopeLDS                     // of the work-group
	ScopeGlobals                 // of the program
)

// String returns the scope's name.
func (v VariableScope) String() string {
	return [...]string{"arguments", "locals", "local memory", "globals"}[v]
}

// Variables returns the variables of a frame of a work-item: arguments in their order, then locals by where
// they are declared. Those of enclosing blocks that are hidden by others are left out.
func (s *Session) Variables(item, frame int) []Variable {
	v, err := s.evaluation(item, frame)
	if err != nil || v.w == nil || len(s.FramesOf(item)) == 0 {
		return nil
	}
	var locals, lds, globals []Variable
	var args []parameter
	seen := map[string]bool{}
	for _, d := range s.info.visible(v.loc) {
		name := shortName(d)
		if seen[name] {
			continue
		}
		seen[name] = true
		x := Variable{Name: name, Line: int(d.Line)}
		x.Value, x.Err = v.variable(d)
		switch {
		case d.Where == isa.DebugLocal:
			x.Scope = ScopeLDS
			lds = append(lds, x)
		case d.Where == isa.DebugGlobal:
			x.Scope = ScopeGlobals
			globals = append(globals, x)
		case d.Arg > 0:
			args = append(args, parameter{x, int(d.Arg)})
		default:
			x.Scope = ScopeLocals
			locals = append(locals, x)
		}
	}
	if s.kernel.Locs[v.loc].At == 0 {
		for i := range s.kernel.Params {
			if name := s.kernel.Params[i].Name; name != "" && !seen[name] {
				x := Variable{Name: name}
				x.Value, x.Err = s.paramValue(i, item)
				args = append(args, parameter{x, i + 1})
			}
		}
	}
	slices.SortStableFunc(args, func(a, b parameter) int { return a.number - b.number })
	slices.SortStableFunc(locals, func(a, b Variable) int { return a.Line - b.Line })
	list := make([]Variable, len(args), len(args)+len(locals)+len(lds)+len(globals))
	for i := range args {
		list[i] = args[i].Variable
	}
	return append(append(append(list, locals...), lds...), globals...)
}

// parameter is a variable that is a parameter, by its number in the function, from 1 on.
type parameter struct {
	Variable
	number int
}

// register returns the register of a name in the text form, "vw3", and the type in which it is shown.
func (s *Session) register(name string) (isa.Reg, isa.Type, bool) {
	digits := strings.TrimLeft(name, "mvsbhwd")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0, 0, false
	}
	prefix := name[:len(name)-len(digits)]
	if prefix == "s" {
		return isa.S(n), isa.I64, n < s.kernel.NumScalar
	}
	for b := range isa.NumBanks {
		if b.String() == prefix {
			return isa.V(n), bankType(b), n < s.kernel.NumVector[b]
		}
	}
	return 0, 0, false
}

func bankType(b isa.Bank) isa.Type {
	return [...]isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64}[b]
}

// Register is what a register holds for a lane.
type Register struct {
	Name string
	Bits uint64
	Type isa.Type
}

// Registers returns the registers of a work-item of the group that runs: the scalar ones of its wave, then
// the vector ones.
func (s *Session) Registers(item int) (list []Register) {
	w, _, lane := s.waveOf(item)
	if w == nil {
		return nil
	}
	add := func(r isa.Reg, t isa.Type) {
		list = append(list, Register{Name: r.Name(t), Bits: w.Register(r, t, lane), Type: t})
	}
	for i := range s.kernel.NumScalar {
		add(isa.S(i), isa.I64)
	}
	for b := range isa.NumBanks {
		for i := range s.kernel.NumVector[b] {
			add(isa.V(i), bankType(b))
		}
	}
	return list
}

// Set changes what an expression names, for the work-item and the frame that are looked at, to the value of
// another one. The launch goes on with it, and does so again whenever it comes here.
func (s *Session) Set(to, text string) (Value, error) {
	x, err := s.Evaluate(to)
	if err != nil {
		return x, err
	}
	return s.Assign(x, text)
}

// SetBytes changes the bytes of a value that is in memory or in a register.
func (s *Session) SetBytes(x Value, p []byte) error {
	if len(p) != len(x.Bytes) || s.ended {
		return bad("%d bytes do not fit", len(p))
	}
	if _, err := s.readAt(x.at, len(p)); err != nil {
		return err
	}
	at, p := x.at, slices.Clone(p)
	s.history.edit(func() { _ = s.writeAt(at, p) })
	return nil
}

// Pointer returns where a pointer leads, or where a value in memory is, for ReadMemory.
func (s *Session) Pointer(v Value) (memory.Pointer, bool) {
	if _, some := v.Lost(); !some && v.Type.strip().Kind == isa.DebugPointer {
		return s.pointerOf(v), true
	}
	return v.At()
}

// ReadMemory copies n bytes from a pointer on; private memory is that of the work-item that is looked at.
func (s *Session) ReadMemory(p memory.Pointer, n int) ([]byte, error) {
	return s.readAt(lead(p, s.item), n)
}

// WriteMemory changes memory, as Set does.
func (s *Session) WriteMemory(p memory.Pointer, data []byte) error {
	at := lead(p, s.item)
	old, err := s.readAt(at, len(data))
	if err != nil {
		return err
	}
	return s.SetBytes(Value{Bytes: old, at: at}, data)
}

// Buffer is memory that an argument of the kernel leads to.
type Buffer struct {
	Name, TypeName string
	Pointer        memory.Pointer
	Bytes          uint64
	Value          Value // the pointer, with its type as far as that is known
}

// Buffers returns the memory of the arguments, in their order.
func (s *Session) Buffers() (list []Buffer) {
	for i := range s.kernel.Params {
		p := &s.kernel.Params[i]
		if p.Kind != isa.ParamGlobal && p.Kind != isa.ParamLocal {
			continue
		}
		_, at := s.launch.Argument(i)
		b := Buffer{Name: p.Name, TypeName: p.TypeName, Pointer: at}
		if at.Space() == memory.SpaceLocal {
			if sizes := s.Launch().LocalSizes; int(at.Alloc()) <= len(sizes) && at.Alloc() > 0 {
				b.Bytes = sizes[at.Alloc()-1]
			}
		} else if r := s.mem.Lookup(at.Alloc()); r != nil {
			b.Bytes = r.Size
		}
		b.Value, _ = s.paramValue(i, s.item)
		if t := s.argumentType(i); t != nil && t.strip().Kind == isa.DebugPointer {
			b.Value = s.argument(i, t, s.item)
		}
		list = append(list, b)
	}
	return list
}
