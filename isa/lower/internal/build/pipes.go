package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// pipeStorage adds an OpConstantPipeStorage to Program.Pipes and returns its place.
// The capacity is the least number of packets that the storage can hold
// (SPIR-V 3.3.23), so that 0, which SYCL gives for "any", is 1.
func (m *Module) pipeStorage(in spirv.Inst) int {
	m.refuseIO(in)
	return m.newPipe(in, m.Names[in.ResultID()], in.Operand(0), in.Operand(1), in.Operand(2))
}

// refuseIO refuses a storage, or a variable with one, whose other end is a device
// (SPV_INTEL_io_pipes).
func (m *Module) refuseIO(in spirv.Inst) {
	if w, ok := m.Decoration(in.ResultID(), spirv.DecorationIOPipeStorageALTERA); ok && len(w) > 0 {
		m.fail(in, "the I/O pipe %d is not supported: no device is at its other end", w[0])
	}
}

// newPipe adds a pipe to the program; in is what says so.
func (m *Module) newPipe(in spirv.Inst, name string, bytes, align, capacity uint32) int {
	switch {
	case bytes == 0 || bytes > isa.MaxPacketBytes:
		m.fail(in, "packets of %d bytes are not supported; they may have 1 to %d", bytes, isa.MaxPacketBytes)
	case align == 0 || align&(align-1) != 0:
		m.fail(in, "packets that are aligned to %d bytes are not supported; the alignment is a power of two", align)
	}
	m.Program.Pipes = append(m.Program.Pipes, isa.Pipe{Name: name, PacketBytes: bytes, PacketAlign: align, Capacity: max(capacity, 1)})
	return len(m.Program.Pipes) - 1
}

// PipeParam returns what a kernel may do with a parameter of a pipe type.
func (m *Module) PipeParam(t *Type) isa.PipeParam {
	in, _ := m.Index.Def(t.ID)
	q := spirv.AccessQualifier(in.Operand(0))
	return isa.PipeParam{Reads: q != spirv.AccessQualifierWriteOnly, Writes: q != spirv.AccessQualifierReadOnly}
}

// PipeHandle returns the handle of one of the program's pipes.
func (b *Builder) PipeHandle(p int) *ssa.Value {
	v := b.pipeAt[p]
	if v == nil {
		v = b.Func.NewValue(ssa.OpPipeHandle, isa.I64, isa.I64)
		v.Index = int32(p)
		b.pipeAt[p] = v
	}
	return v
}

// StorageVariable returns the place in Program.Pipes of the pipe that a
// program-scope variable describes.
func (m *Module) StorageVariable(in spirv.Inst, global int) int {
	if p, ok := m.pipeOf[global]; ok {
		return p
	}
	g := &m.Program.Globals[global]
	var field [3]uint32
	n := 0
	m.GlobalTypes[global].leaves(0, func(l leaf) {
		if n < len(field) && l.offset == uint64(4*n) && l.t.Kind == KindInt && l.t.Bits == 32 {
			for i := range uint64(4) {
				if at := l.offset + i; at < uint64(len(g.Init)) {
					field[n] |= uint32(g.Init[at]) << (8 * i)
				}
			}
			n++
		}
	})
	switch {
	case n < len(field) || len(g.Relocs) > 0 && g.Relocs[0].Offset < 12:
		m.fail(in, "the pipe storage %q is no structure of the size and alignment of a packet and the capacity, each an integer of 32 bits", g.Name)
	case !g.ReadOnly:
		m.fail(in, "the pipe storage %q is no constant, so that what it says may change", g.Name)
	}
	p := m.newPipe(in, g.Name, field[0], field[1], field[2])
	m.pipeOf[global] = p
	return p
}
