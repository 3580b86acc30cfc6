package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// muxModule is a kernel f(global ulong *out) that stores the results of calls
// of imported functions, n for each work-item. A call is NAME(TYPE: ARGUMENTS).
func muxModule(calls []muxCall) string {
	w := &writer{seen: map[string]bool{}}
	w.head.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Linkage\n" +
		"OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"f\" %gid\n")
	w.decos.WriteString("OpDecorate %gid BuiltIn GlobalInvocationId\n")
	w.once("%void", "OpTypeVoid")
	w.typ(tb, 1)
	i64 := w.typ(ti(64), 1)
	w.once("%pin", "OpTypePointer Input "+w.typ(ti(64), 3))
	p := w.pointer(ti(64), 1)
	w.once("%fn", "OpTypeFunction %void "+p)
	w.once("%gid", "OpVariable %pin Input")
	typ := func(c byte) string {
		switch c {
		case 'v':
			return "%void"
		case 'b':
			return "%bool"
		case 'i':
			return w.typ(ti(32), 1)
		}
		return i64
	}
	for n, c := range calls {
		sig := "OpTypeFunction " + typ(c.res)
		for range c.args {
			sig += " " + w.typ(ti(32), 1)
		}
		fn := w.once("%fn_"+string(c.res)+strings.Repeat("i", len(c.args)), sig)
		fmt.Fprintf(&w.decos, "OpDecorate %%c%d LinkageAttributes \"%s\" Import\n", n, c.name)
		w.line("%%c%d = OpFunction %s None %s", n, typ(c.res), fn)
		for range c.args {
			w.line("%s = OpFunctionParameter %s", w.next(), w.typ(ti(32), 1))
		}
		w.line("OpFunctionEnd")
	}
	w.line("%%f = OpFunction %%void None %%fn\n%%out = OpFunctionParameter %s\n%%entry = OpLabel", p)
	w.line("%%g3 = OpLoad %s %%gid\n%%g = OpCompositeExtract %s %%g3 0", w.typ(ti(64), 3), i64)
	w.line("%%row = OpIMul %s %%g %s", i64, w.constant(ti(64), uint64(len(calls))))
	for n, c := range calls {
		x := w.next()
		call := fmt.Sprintf("%s = OpFunctionCall %s %%c%d", x, typ(c.res), n)
		for _, a := range c.args {
			call += " " + w.constant(ti(32), a)
		}
		w.line("%s", call)
		switch c.res {
		case 'v':
			continue
		case 'b':
			y := w.next()
			w.line("%s = OpSelect %s %s %s %s", y, i64, x, w.constant(ti(64), 1), w.constant(ti(64), 0))
			x = y
		case 'i':
			y := w.next()
			w.line("%s = OpUConvert %s %s", y, i64, x)
			x = y
		}
		at, ptr := w.next(), w.next()
		w.line("%s = OpIAdd %s %%row %s", at, i64, w.constant(ti(64), uint64(n)))
		w.line("%s = OpInBoundsPtrAccessChain %s %%out %s\nOpStore %s %s", ptr, p, at, ptr, x)
	}
	w.line("OpReturn\nOpFunctionEnd")
	return w.head.String() + w.decos.String() + w.types.String() + w.body.String()
}

type muxCall struct {
	name string
	res  byte // v, b, i (32 bits) or l (64 bits)
	args []uint64
	want func(id int) uint64
}

// TestMuxNames calls the work-item functions, barriers and questions of
// ComputeMux by their names.
func TestMuxNames(t *testing.T) {
	const n, local, size = 60, 30, 8
	fixed := func(v uint64) func(int) uint64 { return func(int) uint64 { return v } }
	lid := func(id int) uint64 { return uint64(id % local) }
	calls := []muxCall{
		{"__mux_isftz", 'b', nil, fixed(0)}, {"__mux_usefast", 'b', nil, fixed(0)}, {"__mux_isembeddedprofile", 'b', nil, fixed(0)},
		{"__mux_get_global_size", 'l', []uint64{0}, fixed(n)}, {"__mux_get_global_size", 'l', []uint64{1}, fixed(1)}, {"__mux_get_global_size", 'l', []uint64{3}, fixed(1)},
		{"__mux_get_global_id", 'l', []uint64{0}, func(id int) uint64 { return uint64(id) }}, {"__mux_get_global_id", 'l', []uint64{3}, fixed(0)},
		{"__mux_get_global_offset", 'l', []uint64{0}, fixed(0)}, {"__mux_get_local_size", 'l', []uint64{0}, fixed(local)},
		{"__mux_get_local_id", 'l', []uint64{0}, lid}, {"__mux_get_num_groups", 'l', []uint64{0}, fixed(2)},
		{"__mux_get_group_id", 'l', []uint64{0}, func(id int) uint64 { return uint64(id / local) }}, {"__mux_get_work_dim", 'i', nil, fixed(1)},
		{"__mux_get_enqueued_local_size", 'l', []uint64{0}, fixed(local)}, {"__mux_get_global_linear_id", 'l', nil, func(id int) uint64 { return uint64(id) }},
		{"__mux_get_local_linear_id", 'l', nil, lid}, {"__mux_get_sub_group_id", 'i', nil, func(id int) uint64 { return uint64(id % local / size) }},
		{"__mux_get_num_sub_groups", 'i', nil, fixed(4)}, {"__mux_get_max_sub_group_size", 'i', nil, fixed(size)},
		{"__mux_get_sub_group_size", 'i', nil, func(id int) uint64 { return uint64(min(size, local-id%local/size*size)) }},
		{"__mux_get_sub_group_local_id", 'i', nil, func(id int) uint64 { return uint64(id % local % size) }},
		{"__mux_mem_barrier", 'v', []uint64{1, 0x208}, nil}, {"__mux_work_group_barrier", 'v', []uint64{0, 2, 0x110}, nil},
		{"__mux_sub_group_barrier", 'v', []uint64{1, 3, 0x82}, nil}, {"__mux_work_group_barrier", 'v', []uint64{0, 4, 0}, nil},
	}
	text := muxModule(calls)
	for _, waves := range []int{size, 0} {
		dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := unpack(ti(64), runGroups(t, dev, text, n, local, make([]byte, 8*n*len(calls))))
		for id := range n {
			for i, c := range calls {
				if v := got[id*len(calls)+i]; c.want != nil && v != c.want(id) {
					t.Errorf("%s%d gives work-item %d %d, want %d", c.name, c.args, id, v, c.want(id))
				}
			}
		}
	}
}

// TestMuxRefusals calls functions as nobody may.
func TestMuxRefusals(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		call muxCall
		want string
	}{
		{muxCall{"__mux_mem_barrier", 'v', []uint64{5, 8}, nil}, "5 is no memory scope"},
		{muxCall{"__mux_mem_barrier", 'v', []uint64{1, 0xc}, nil}, "0xc are no memory semantics"},
		{muxCall{"__mux_mem_barrier", 'v', []uint64{1, 0x400}, nil}, "0x400 are no memory semantics"},
		{muxCall{"__mux_work_group_barrier", 'v', []uint64{1, 0}, nil}, "the function takes 3 arguments"},
		{muxCall{"__mux_sub_group_reduce_add_i64", 'l', []uint64{1}, nil}, "argument 0 of the function is no i64"},
		{muxCall{"__mux_sub_group_reduce_add_i32", 'i', []uint64{1, 2}, nil}, "the function takes 1 arguments"},
		{muxCall{"__mux_sub_group_reduce_fadd_i32", 'i', []uint64{1}, nil}, `calls function "__mux_sub_group_reduce_fadd_i32"`},
		{muxCall{"__mux_sub_group_shuffle_v4i32", 'i', []uint64{1}, nil}, "__mux_sub_group_shuffle_v4i32"},
		{muxCall{"__mux_isftz", 'b', []uint64{1}, nil}, "the function takes no arguments"},
		{muxCall{"__spirv_GroupNonUniformElect", 'b', []uint64{2}, nil}, "scope Workgroup does not exist"},
		{muxCall{"__spirv_GroupNonUniformIAdd", 'i', []uint64{3, 3, 1, 3}, nil}, "is no constant power of two"},
		{muxCall{"__spirv_GroupNonUniformIAdd", 'i', []uint64{3, 3, 1}, nil}, "has no operand 3"},
		{muxCall{"__spirv_GroupNonUniformIAdd", 'i', []uint64{3, 9, 1}, nil}, "is not supported"},
		{muxCall{"__spirv_GroupFAdd", 'i', []uint64{3, 0, 1}, nil}, "OpGroupFAdd of i32 does not exist"},
		{muxCall{"__spirv_ControlBarrier", 'v', []uint64{1, 1, 0}, nil}, "execution scope Device is not supported"},
		{muxCall{"_Z20sub_group_reduce_andf", 'i', nil, nil}, "takes one scalar"},
		{muxCall{"_Z19sub_group_broadcastij", 'i', []uint64{1}, nil}, "has no operand 2"},
		{muxCall{"_Z26intel_sub_group_block_readi", 'i', []uint64{1}, nil}, "intel_sub_group_block_read"},
	} {
		code, err := asm.Assemble(muxModule([]muxCall{c.call}), asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = dev.NewProgram(code, emu.ProgramOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%d: error %v, want one with %q", c.call.name, c.call.args, err, c.want)
		}
	}
}
