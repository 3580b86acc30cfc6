package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
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
func clPipe(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	name, isSPIRV := strings.CutPrefix(c.name, "__spirv_")
	switch {
	case isSPIRV && name == "CreatePipeFromPipeStorage_read":
		return []*ssa.Value{createPipe(b, c, isa.PipeParam{Reads: true})}, true
	case isSPIRV && name == "CreatePipeFromPipeStorage_write":
		return []*ssa.Value{createPipe(b, c, isa.PipeParam{Writes: true})}, true
	case isSPIRV && name == "IsValidReserveId", c.name == "is_valid_reserve_id":
		want(b, c, 1)
		return truth(b, validReserve(b, handleArg(b, c, 0, "reservation")), c.rt), true
	}
	x, ok := pipeNames[c.name]
	if isSPIRV {
		if x.op, ok = spirv.LookupOp("Op" + name); ok {
			_, ok = pipeInsts[x.op]
		}
	}
	if !ok {
		if x, ok = plainPipe(b, c); !ok {
			return nil, false
		}
	}
	g := &groupCall{op: x.op, a: c.args, t: c.types, rt: c.rt}
	if x.scope != isa.ScopeCrossDevice {
		g.a = append([][]*ssa.Value{{b.Imm(isa.I32, uint64(x.scope))}}, g.a...)
		g.t = append([]*build.Type{nil}, g.t...)
	}
	r := pipeFrom(b, c.name, pipeInsts[x.op], g)
	switch {
	case r != nil:
		return []*ssa.Value{r}, true
	case c.rt.Kind == build.KindVoid:
		return nil, true
	}
	b.Fail("%s has no result", c.name)
	return nil, false
}

// plainPipe reads read_pipe, write_pipe and the other functions under the names
// that they have in the source, with the size and alignment of a packet behind
// the arguments, or, where a pointer to a packet is among them, without.
func plainPipe(b *build.Builder, c *clCall) (pipeName, bool) {
	switch c.name {
	case "read_pipe", "write_pipe":
		n := len(c.args)
		packet := n - 1 // the pointer to it
		if n == 4 && c.types[n-1].Kind == build.KindInt || n == 6 {
			packet = n - 3
		}
		if packet != 1 && packet != 3 {
			return pipeName{}, false
		}
		if packet == n-1 {
			packetSize(b, c, packet)
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
func packetSize(b *build.Builder, c *clCall, pointer int) {
	_, t := pointerArg(b, c, pointer)
	size, align := c.element, c.element
	if e := b.Module.Pointee(t); size == 0 && e != nil {
		size, align = e.Size, e.Align
	}
	if size == 0 {
		b.Fail("a call of %s does not tell the size of a packet", c.name)
	}
	u := &build.Type{Kind: build.KindInt, Bits: 32, Flat: 1, Size: 4, Align: 4}
	for _, n := range []uint64{size, align} {
		c.args = append(c.args[:len(c.args):len(c.args)], []*ssa.Value{b.Imm(isa.I32, n)})
		c.types = append(c.types[:len(c.types):len(c.types)], u)
	}
}

// handleArg returns argument i, which must be of a type that handles can have.
func handleArg(b *build.Builder, c *clCall, i int, what string) *ssa.Value {
	if len(c.args[i]) != 1 || c.args[i][0].Type != isa.I64 || c.types[i].Kind == build.KindInt || c.types[i].Kind == build.KindFloat {
		b.Fail("argument %d of %s is no %s", i+1, c.name, what)
	}
	return c.args[i][0]
}

// createPipe reads __spirv_CreatePipeFromPipeStorage_read and _write. Their
// argument is a storage, or a pointer to one, or what SYCL has for a storage: a
// constant structure of a packet's size and alignment and the capacity, by its
// address or by value.
func createPipe(b *build.Builder, c *clCall, end isa.PipeParam) *ssa.Value {
	want(b, c, 1)
	if s := c.rt.Scalar(); c.rt.Flat != 1 || s != isa.I64 || c.rt.Kind == build.KindInt {
		b.Fail("the result of %s is no pipe", c.name)
	}
	if len(c.args[0]) == 0 {
		b.Fail("the argument of %s is no pipe storage", c.name)
	}
	t := c.types[0]
	first := t // the type of what the storage begins with
	if t.Kind == build.KindPointer {
		if first = b.Module.Pointee(t); first == nil {
			first = storageType(b, c.args[0][0])
		}
	}
	for first != nil && first.Kind == build.KindStruct && len(first.Members) > 0 {
		first = first.Members[0]
	}
	if first != nil && first.Kind == build.KindPipeStorage {
		v := c.args[0][0]
		if t.Kind == build.KindPointer {
			v = b.LoadScalar(v, first, build.Access{Space: t.Space()})
		}
		return pipeEnd(b, v, end)
	}
	v := c.args[0][0]
	switch {
	case t.Kind == build.KindPointer:
		l := b.Func.NewValue(isa.OpLoad, isa.I32, isa.I32, v)
		l.Space, l.Imm2 = t.Space(), isa.AlignCode(1)
		v = b.Add(l)
	case t.Kind != build.KindStruct || v.Type != isa.I32:
		b.Fail("the argument of %s is no pipe storage", c.name)
	}
	s := b.Func.NewValue(ssa.OpPipeStorage, isa.I64, isa.I64, v)
	s.Index = int32(len(b.Storages))
	b.Storages = append(b.Storages, c.in)
	return pipeEnd(b, b.Add(s), end)
}

// storageType returns the type of the program-scope variable that a pointer
// leads to, nil when it cannot be told.
func storageType(b *build.Builder, p *ssa.Value) *build.Type {
	if p.Op == ssa.OpGlobal {
		return b.Module.GlobalTypes[p.Index]
	}
	return nil
}
