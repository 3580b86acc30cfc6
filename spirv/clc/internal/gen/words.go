package gen

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// words is instructions, one after the other.
type words []uint32

// op appends an instruction. The words are its operands, result type and result included.
func (w *words) op(op spirv.Op, operands ...uint32) {
	*w = append(*w, uint32(len(operands)+1)<<16|uint32(op))
	*w = append(*w, operands...)
}

// text appends an instruction that ends in a string.
func (w *words) text(op spirv.Op, s string, operands ...uint32) {
	at := len(*w)
	*w = append(*w, 0)
	*w = append(*w, operands...)
	*w = spirv.AppendString(*w, s)
	(*w)[at] = uint32(len(*w)-at)<<16 | uint32(op)
}

// section is the instructions of a section of a module. It grows by allocations of its own, so that nothing is
// copied when it does, and no instruction lies in two of them.
type section struct {
	full []words
	words
}

// room makes room for n words in a row.
func (s *section) room(n int) {
	if cap(s.words)-len(s.words) >= n {
		return
	}
	if len(s.words) > 0 {
		s.full = append(s.full, s.words)
	}
	s.words = make(words, 0, max(n, min(2*cap(s.words), 1<<14), 128))
}

// op is words.op.
func (s *section) op(op spirv.Op, operands ...uint32) {
	s.room(len(operands) + 1)
	s.words.op(op, operands...)
}

// text is words.text.
func (s *section) text(op spirv.Op, text string, operands ...uint32) {
	s.room(len(operands) + len(text)/4 + 2)
	s.words.text(op, text, operands...)
}

// add appends finished instructions.
func (s *section) add(parts ...words) {
	n := 0
	for _, w := range parts {
		n += len(w)
	}
	s.room(n)
	for _, w := range parts {
		s.words = append(s.words, w...)
	}
}

// Module is a module of SPIR-V as words.
type Module struct {
	version spirv.Version
	bound   uint32
	code    []words // each has whole instructions
}

var errTooLarge = errors.New("the module has more than 2^32 ids or words")

// assemble puts the sections together.
func (m *module) assemble() (*Module, error) {
	var head words
	list := make([]spirv.Capability, 0, len(m.capabilities))
	for c := range m.capabilities {
		list = append(list, c)
	}
	slices.Sort(list)
	if m.checkVersion(list); m.err != nil {
		return nil, m.err
	}
	for _, c := range list {
		head.op(spirv.OpCapability, uint32(c))
	}
	slices.Sort(m.extensions)
	for _, e := range m.extensions {
		head.text(spirv.OpExtension, e)
	}
	model := spirv.AddressingModelPhysical64
	if m.opts.AddressBits == 32 {
		model = spirv.AddressingModelPhysical32
	}
	var rest words
	rest.op(spirv.OpMemoryModel, uint32(model), uint32(spirv.MemoryModelOpenCL))
	m.strings.op(spirv.OpSource, uint32(spirv.SourceLanguageOpenCL_C), uint32(m.opts.Version)*1000)
	m.code.add(m.functions)
	mod := &Module{version: version(m.opts), bound: m.bound, code: []words{head}}
	mod.code = append(append(mod.code, m.imports.full...), m.imports.words, rest)
	for _, s := range []*section{&m.entries, &m.modes, &m.strings, &m.names, &m.decorations, &m.globals,
		&m.declarations, &m.code} {
		mod.code = append(append(mod.code, s.full...), s.words)
	}
	if uint64(mod.Words()) >= 1<<32 || m.bound == 0 {
		return nil, errTooLarge
	}
	return mod, nil
}

// Words returns how many words the module has, with its header.
func (m *Module) Words() int {
	n := spirv.HeaderWords
	for _, w := range m.code {
		n += len(w)
	}
	return n
}

// WriteTo writes the binary of the module, little endian.
func (m *Module) WriteTo(w io.Writer) (int64, error) {
	var total int64
	buf := make([]byte, 0, 1<<15)
	flush := func() error {
		n, err := w.Write(buf)
		total += int64(n)
		buf = buf[:0]
		return err
	}
	for _, c := range append([]words{{spirv.Magic, uint32(m.version), 0, m.bound, 0}}, m.code...) {
		for len(c) > 0 {
			n := min(len(c), (cap(buf)-len(buf))/4)
			for _, x := range c[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, x)
			}
			if c = c[n:]; len(c) == 0 {
				break
			}
			if err := flush(); err != nil {
				return total, err
			}
		}
	}
	return total, flush()
}

// Module returns the module as a list of instructions, which share the words.
func (m *Module) Module() *spirv.Module {
	count := 0
	for _, c := range m.code {
		for i := 0; i < len(c); i += int(c[i] >> 16) {
			count++
		}
	}
	insts := make([]spirv.Inst, count)
	at, k := spirv.HeaderWords, 0
	for _, c := range m.code {
		for i := 0; i < len(c); k++ {
			n := int(c[i] >> 16)
			insts[k] = spirv.Inst{Words: c[i : i+n : i+n], Offset: at + i}
			i += n
		}
		at += len(c)
	}
	return &spirv.Module{Version: m.version, Bound: m.bound, Insts: insts}
}

// version returns the SPIR-V version of the module.
func version(o *lang.Options) spirv.Version {
	if o.SPIRV != 0 {
		return spirv.Version(o.SPIRV)
	}
	return 0x00010400
}
