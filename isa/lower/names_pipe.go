package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Pipe functions that modules call by name: OpenCL C's, as compilers pass them on
// with the size and alignment of a packet behind the arguments
// (__read_pipe_2), and SPIR-V's instructions as SYCL calls them. A pipe and a
// reservation may have any type that handles have there: back ends that know no
// pipes make pointers of them.

// pipeName says which instruction a function is.
type pipeName struct {
	op    spirv.Op
	scope isa.Scope // of a group function whose name has the scope; ScopeCrossDevice for none
}

// pipeNames has the functions of OpenCL C by the name without parameter types.
// Their arguments are the operands of the instruction.
var pipeNames = map[string]pipeName{
	"__read_pipe_2":                   {op: spirv.OpReadPipe},
	"__write_pipe_2":                  {op: spirv.OpWritePipe},
	"__read_pipe_4":                   {op: spirv.OpReservedReadPipe},
	"__write_pipe_4":                  {op: spirv.OpReservedWritePipe},
	"__read_pipe_2_bl":                {op: spirv.OpReadPipeBlockingALTERA},
	"__write_pipe_2_bl":               {op: spirv.OpWritePipeBlockingALTERA},
	"__reserve_read_pipe":             {op: spirv.OpReserveReadPipePackets},
	"__reserve_write_pipe":            {op: spirv.OpReserveWritePipePackets},
	"__commit_read_pipe":              {op: spirv.OpCommitReadPipe},
	"__commit_write_pipe":             {op: spirv.OpCommitWritePipe},
	"__work_group_reserve_read_pipe":  {spirv.OpGroupReserveReadPipePackets, isa.ScopeWorkgroup},
	"__work_group_reserve_write_pipe": {spirv.OpGroupReserveWritePipePackets, isa.ScopeWorkgroup},
	"__work_group_commit_read_pipe":   {spirv.OpGroupCommitReadPipe, isa.ScopeWorkgroup},
	"__work_group_commit_write_pipe":  {spirv.OpGroupCommitWritePipe, isa.ScopeWorkgroup},
	"__sub_group_reserve_read_pipe":   {spirv.OpGroupReserveReadPipePackets, isa.ScopeSubgroup},
	"__sub_group_reserve_write_pipe":  {spirv.OpGroupReserveWritePipePackets, isa.ScopeSubgroup},
	"__sub_group_commit_read_pipe":    {spirv.OpGroupCommitReadPipe, isa.ScopeSubgroup},
	"__sub_group_commit_write_pipe":   {spirv.OpGroupCommitWritePipe, isa.ScopeSubgroup},
	"__get_pipe_num_packets":          {op: spirv.OpGetNumPipePackets},
	"__get_pipe_num_packets_ro":       {op: spirv.OpGetNumPipePackets},
	"__get_pipe_num_packets_wo":       {op: spirv.OpGetNumPipePackets},
	"__get_pipe_max_packets":          {op: spirv.OpGetMaxPipePackets},
	"__get_pipe_max_packets_ro":       {op: spirv.OpGetMaxPipePackets},
	"__get_pipe_max_packets_wo":       {op: spirv.OpGetMaxPipePackets},
}

// clPipe reads a call of a pipe function.
func (b *builder) clPipe(c *clCall) ([]*ssa.Value, bool) {
	name, isSPIRV := strings.CutPrefix(c.name, "__spirv_")
	switch {
	case isSPIRV && name == "CreatePipeFromPipeStorage_read":
		return []*ssa.Value{b.createPipe(c, isa.PipeParam{Reads: true})}, true
	case isSPIRV && name == "CreatePipeFromPipeStorage_write":
		return []*ssa.Value{b.createPipe(c, isa.PipeParam{Writes: true})}, true
	case isSPIRV && name == "IsValidReserveId", c.name == "is_valid_reserve_id":
		b.want(c, 1)
		return b.truth(b.validReserve(b.handleArg(c, 0, "reservation")), c.rt), true
	}
	x, ok := pipeNames[c.name]
	if isSPIRV {
		if x.op, ok = spirv.LookupOp("Op" + name); ok {
			_, ok = pipeInsts[x.op]
		}
	}
	if !ok {
		if x, ok = b.plainPipe(c); !ok {
			return nil, false
		}
	}
	g := &groupCall{op: x.op, a: c.args, t: c.types, rt: c.rt}
	if x.scope != isa.ScopeCrossDevice {
		g.a = append([][]*ssa.Value{{b.imm(isa.I32, uint64(x.scope))}}, g.a...)
		g.t = append([]*typ{nil}, g.t...)
	}
	r := b.pipeFrom(c.name, pipeInsts[x.op], g)
	switch {
	case r != nil:
		return []*ssa.Value{r}, true
	case c.rt.kind == kindVoid:
		return nil, true
	}
	b.fail("%s has no result", c.name)
	return nil, false
}

// plainPipe reads read_pipe, write_pipe and the other functions under the names
// that they have in the source, with the size and alignment of a packet behind
// the arguments, or, where a pointer to a packet is among them, without.
func (b *builder) plainPipe(c *clCall) (pipeName, bool) {
	switch c.name {
	case "read_pipe", "write_pipe":
		n := len(c.args)
		packet := n - 1 // the pointer to it
		if n == 4 && c.types[n-1].kind == kindInt || n == 6 {
			packet = n - 3
		}
		if packet != 1 && packet != 3 {
			return pipeName{}, false
		}
		if packet == n-1 {
			b.packetSize(c, packet)
		}
		if packet == 3 {
			return pipeNames["__"+c.name+"_4"], true
		}
		return pipeNames["__"+c.name+"_2"], true
	}
	x, ok := pipeNames["__"+c.name]
	return x, ok && !strings.HasPrefix(c.name, "_")
}

// packetSize appends the size and alignment of a packet to the arguments of a
// call that has only a pointer to one, if anything tells them.
func (b *builder) packetSize(c *clCall, pointer int) {
	_, t := b.pointerArg(c, pointer)
	size, align := c.element, c.element
	if e := b.m.pointee(t); size == 0 && e != nil {
		size, align = e.size, e.align
	}
	if size == 0 {
		b.fail("a call of %s does not tell the size of a packet", c.name)
	}
	u := &typ{kind: kindInt, bits: 32, flat: 1, size: 4, align: 4}
	for _, n := range []uint64{size, align} {
		c.args = append(c.args[:len(c.args):len(c.args)], []*ssa.Value{b.imm(isa.I32, n)})
		c.types = append(c.types[:len(c.types):len(c.types)], u)
	}
}

// handleArg returns argument i, which must be of a type that handles can have.
func (b *builder) handleArg(c *clCall, i int, what string) *ssa.Value {
	if len(c.args[i]) != 1 || c.args[i][0].Type != isa.I64 || c.types[i].kind == kindInt || c.types[i].kind == kindFloat {
		b.fail("argument %d of %s is no %s", i+1, c.name, what)
	}
	return c.args[i][0]
}

// createPipe reads __spirv_CreatePipeFromPipeStorage_read and _write. Their
// argument is a storage, or a pointer to one, or what SYCL has for a storage: a
// constant structure of a packet's size and alignment and the capacity, by its
// address or by value.
func (b *builder) createPipe(c *clCall, end isa.PipeParam) *ssa.Value {
	b.want(c, 1)
	if s := c.rt.scalar(); c.rt.flat != 1 || s != isa.I64 || c.rt.kind == kindInt {
		b.fail("the result of %s is no pipe", c.name)
	}
	if len(c.args[0]) == 0 {
		b.fail("the argument of %s is no pipe storage", c.name)
	}
	t := c.types[0]
	first := t // the type of what the storage begins with
	if t.kind == kindPointer {
		if first = b.m.pointee(t); first == nil {
			first = b.storageType(c.args[0][0])
		}
	}
	for first != nil && first.kind == kindStruct && len(first.members) > 0 {
		first = first.members[0]
	}
	if first != nil && first.kind == kindPipeStorage {
		v := c.args[0][0]
		if t.kind == kindPointer {
			v = b.loadScalar(v, first, access{space: t.space()})
		}
		return b.pipeEnd(v, end)
	}
	v := c.args[0][0]
	switch {
	case t.kind == kindPointer:
		l := b.f.NewValue(isa.OpLoad, isa.I32, isa.I32, v)
		l.Space, l.Imm2 = t.space(), isa.AlignCode(1)
		v = b.add(l)
	case t.kind != kindStruct || v.Type != isa.I32:
		b.fail("the argument of %s is no pipe storage", c.name)
	}
	s := b.f.NewValue(ssa.OpPipeStorage, isa.I64, isa.I64, v)
	s.Index = int32(len(b.storages))
	b.storages = append(b.storages, c.in)
	return b.pipeEnd(b.add(s), end)
}

// storageType returns the type of the program-scope variable that a pointer
// leads to, nil when it cannot be told.
func (b *builder) storageType(p *ssa.Value) *typ {
	if p.Op == ssa.OpGlobal {
		return b.m.globalTypes[p.Index]
	}
	return nil
}
