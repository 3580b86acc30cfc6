// Package gen makes SPIR-V modules of the trees of package tree: types, constants, variables, and functions whose
// local variables are OpVariables of storage class Function. It optimizes nothing; lowering does.
//
// It is called with trees in which semantic analysis found no error. What cannot be said in SPIR-V, such as
// structures of more members than an instruction has room for, is an error of Unit.
//
// Section numbers in comments are those of the SPIR-V specification.
package gen

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Error is what a program needs and a module cannot say.
type Error struct {
	Pos     source.Pos
	Message string
}

// Error returns the message. It has no place, which only a set of files can put into words.
func (e *Error) Error() string { return e.Message }

// module is the module that is being made.
type module struct {
	opts  *lang.Options
	types *types.Table
	files *source.Set
	unit  *tree.Unit

	bound uint32

	// The sections of a module (2.4), in order; capabilities and extensions are below.
	imports, entries, modes, strings, names, decorations, globals, declarations, code section

	capabilities map[spirv.Capability]source.Pos // where each is needed first
	where        source.Pos                      // the place of what is at hand
	extensions   []string
	std          spirv.ID // OpExtInstImport of OpenCL.std, 0 until it is needed

	typeIDs   []typeIDs // by types.Type.ID
	made      memo
	lists     map[string]spirv.ID // types and constants of several operands
	structs   map[*types.Struct]*structLayout
	text      map[string]spirv.ID // OpString
	literals  map[string]spirv.ID // variables of string literals
	inputs    map[spirv.BuiltIn]spirv.ID
	inputList []spirv.ID // in the order in which they were made
	lineFile  *source.File
	lineName  string
	lineText  spirv.ID
	lineFrom  source.Pos // the line that the last OpLine is in
	lineTo    source.Pos
	line      int

	vars                  []spirv.ID              // by tree.Var.Gen - 1
	funcs                 []funcIDs               // by tree.Func.Gen - 1
	functions             words                   // what is not in code yet
	varBuffer, bodyBuffer words                   // memory for the next function
	argTypes, argQuals    []byte                  // memory for the next kernel
	uses                  [][]spirv.ID            // by tree.Func.Gen - 1: the variables of the module that a function names
	callees               [][]int32               // the same for functions, by Gen - 1
	named                 []spirv.ID              // the variables that the initializer at hand names
	refs                  map[spirv.ID][]spirv.ID // by variable: those that its initializer names
	initials              map[spirv.ID]spirv.ID   // variables of initializers, by their constant
	byName                map[string]spirv.ID     // functions that built-in functions import

	debug *debugInfo
	err   *Error
}

// typeIDs are the ids that stand for a type: as a value, in memory, and as pointers by address space.
type typeIDs struct {
	value, memory spirv.ID
	pointers      [5]spirv.ID
}

type funcIDs struct{ id, entry spirv.ID }

// fail notes the first error.
func (m *module) fail(pos source.Pos, format string, args ...any) {
	if m.err == nil {
		m.err = &Error{pos, fmt.Sprintf(format, args...)}
	}
}

// id returns a new id.
func (m *module) id() spirv.ID {
	m.bound++
	return spirv.ID(m.bound - 1)
}

// capability declares a capability, for the place at hand.
func (m *module) capability(c spirv.Capability) {
	if _, ok := m.capabilities[c]; !ok {
		m.capabilities[c] = m.where
	}
}

// checkVersion refuses capabilities that the version of the module does not have and that no extension
// brings.
func (m *module) checkVersion(list []spirv.Capability) {
	for _, c := range list {
		e, ok := spirv.KindCapability.Value(uint32(c))
		if !ok || e.Since <= version(m.opts) || slices.ContainsFunc(e.Extensions, func(x string) bool { return slices.Contains(m.extensions, x) }) {
			continue
		}
		m.fail(m.capabilities[c], "this needs SPIR-V %s (capability %s), and a module of version %s is asked for", e.Since, e.Name,
			version(m.opts))
	}
}

// extension declares an extension.
func (m *module) extension(name string) {
	if !slices.Contains(m.extensions, name) {
		m.extensions = append(m.extensions, name)
	}
}

// stdSet returns the id of the instructions of OpenCL.std.
func (m *module) stdSet() spirv.ID {
	if m.std == 0 {
		m.std = m.id()
		m.imports.text(spirv.OpExtInstImport, "OpenCL.std", uint32(m.std))
	}
	return m.std
}

// name gives an id a name, which is for people only.
func (m *module) name(id spirv.ID, name string) {
	if name != "" {
		m.names.text(spirv.OpName, name, uint32(id))
	}
}

// decorate decorates an id.
func (m *module) decorate(id spirv.ID, d spirv.Decoration, operands ...uint32) {
	s := &m.decorations
	s.room(len(operands) + 3)
	s.words = append(s.words, uint32(len(operands)+3)<<16|uint32(spirv.OpDecorate), uint32(id), uint32(d))
	s.words = append(s.words, operands...)
}

// linkage says by which name other modules know a variable or function.
func (m *module) linkage(id spirv.ID, name string, l spirv.LinkageType) {
	m.capability(spirv.CapabilityLinkage)
	w := words{}
	w.text(spirv.OpDecorate, name, uint32(id), uint32(spirv.DecorationLinkageAttributes))
	w = append(w, uint32(l))
	w[0] += 1 << 16
	m.decorations.add(w)
}

// string returns the id of an OpString.
func (m *module) string(s string) spirv.ID {
	id := m.text[s]
	if id == 0 {
		id = m.id()
		m.text[s] = id
		m.strings.text(spirv.OpString, s, uint32(id))
	}
	return id
}

// once returns the id of a type or constant of at most three operands, and emits it at the first call. Result types
// are operands too: they stand before the id.
func (m *module) once(op spirv.Op, typed bool, operands ...uint32) spirv.ID {
	key := memoKey{uint32(op) | uint32(len(operands))<<16}
	copy(key[1:], operands)
	if id := m.made.find(&key); id != 0 {
		return id
	}
	id := m.emitGlobal(op, typed, operands)
	m.made.add(&key, id)
	return id
}

// list is once for any number of operands.
func (m *module) list(op spirv.Op, typed bool, operands []uint32) spirv.ID {
	if len(operands) <= 3 {
		return m.once(op, typed, operands...)
	}
	key := make([]byte, 0, 4*len(operands)+4)
	for _, x := range append([]uint32{uint32(op)}, operands...) {
		key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	if id := m.lists[string(key)]; id != 0 {
		return id
	}
	id := m.emitGlobal(op, typed, operands)
	m.lists[string(key)] = id
	return id
}

func (m *module) emitGlobal(op spirv.Op, typed bool, operands []uint32) spirv.ID {
	id := m.id()
	if len(operands)+2 > spirv.MaxInstWords {
		m.fail(0, "a type or constant with %d parts is more than SPIR-V can say", len(operands))
		return id
	}
	s := &m.globals
	s.room(len(operands) + 2)
	s.words = append(s.words, uint32(len(operands)+2)<<16|uint32(op))
	if typed {
		s.words = append(s.words, operands[0], uint32(id))
		s.words = append(s.words, operands[1:]...)
	} else {
		s.words = append(s.words, uint32(id))
		s.words = append(s.words, operands...)
	}
	return id
}

// Unit makes the module of a translation unit.
func Unit(u *tree.Unit, opts *lang.Options) (*Module, error) {
	m := &module{
		opts: opts, types: u.Types, files: u.Files, unit: u, bound: 1,
		capabilities: map[spirv.Capability]source.Pos{}, lists: map[string]spirv.ID{},
		refs:    map[spirv.ID][]spirv.ID{},
		structs: map[*types.Struct]*structLayout{}, text: map[string]spirv.ID{}, literals: map[string]spirv.ID{},
		inputs: map[spirv.BuiltIn]spirv.ID{}, typeIDs: make([]typeIDs, u.Types.Types()+1),
	}
	m.capability(spirv.CapabilityAddresses)
	m.capability(spirv.CapabilityKernel)
	m.capability(spirv.CapabilityLinkage)
	if opts.Debug {
		m.beginDebug()
	}
	m.declare()
	for _, f := range u.Funcs {
		if f.Defined() && m.err == nil {
			m.function(f)
		}
	}
	m.entryPoints()
	if m.err != nil {
		return nil, m.err
	}
	return m.assemble()
}
