package asm

import "github.com/lockstep-gpu/lockstep/spirv"

// Printer prints single instructions and ids of a module, with the names that
// [Disassemble] would give them. It must not be used by several goroutines at
// once.
type Printer struct{ d *disassembler }

// NewPrinter makes a printer for a module, with friendly names or numbers. Time and
// memory are proportional to the module.
func NewPrinter(m *spirv.Module, rawIDs bool) *Printer {
	return &Printer{newDisassembler(m, DisassembleOptions{RawIDs: rawIDs, NoIndent: true})}
}

// Inst gives the text of an instruction of the module, in one line unless a
// literal string has line breaks.
func (p *Printer) Inst(in spirv.Inst) string {
	p.d.out = p.d.out[:0]
	p.d.instruction(in)
	return string(p.d.out[:len(p.d.out)-1]) // without the line break at the end
}

// ID gives the text of an id, with its %.
func (p *Printer) ID(id spirv.ID) string {
	p.d.out = p.d.out[:0]
	p.d.id(id)
	return string(p.d.out)
}
