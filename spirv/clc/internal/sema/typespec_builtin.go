package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Types that OpenCL C names without a keyword are declared when a source first uses their names, so that a
// translation unit pays for no name that it does not use.

// Values of memory_order and memory_scope (OpenCL C 3.0, 6.15.12.3 and 6.15.12.4; the numbers are those of clang).
const (
	orderRelaxed, orderAcquire, orderRelease, orderAcqRel, orderSeqCst = 0, 2, 3, 4, 5

	scopeWorkItem, scopeWorkGroup, scopeDevice, scopeAllDevices, scopeSubGroup = 0, 1, 2, 3, 4
)

// lookBuiltin declares a name if it is that of a built-in type or enumerator. It is called once for each name.
func (c *Checker) lookBuiltin(n *token.Name) {
	n.Looked = true
	if len(n.Text) < 3 {
		return
	}
	if t := c.builtinType(n.Text); t != nil {
		n.Decl, n.DeclDepth = t, builtinDepth
		return
	}
	if e := c.builtinEnumerator(n.Text); e != nil {
		n.Decl, n.DeclDepth = e, builtinDepth
	}
}

// builtinType returns the built-in type of a spelling, nil if there is none.
func (c *Checker) builtinType(s string) *Typedef {
	var x types.Qual
	sized := false
	switch {
	case len(s) > 7 && s[:7] == "atomic_":
		x = types.Qual{Type: c.atomicType(s[7:]), Q: types.Atomic}
	case len(s) > 8 && s[:5] == "image":
		if i, ok := imageOf(s); ok && (!i.MSAA || c.Opts.Version >= lang.CL12) {
			x.Type = c.Types.ImageType(i)
		}
	default:
		x.Type = c.vectorType(s)
		if x.Type == nil {
			x.Type, sized = c.namedType(s)
		}
	}
	if x.Type == nil {
		return nil
	}
	td := &Typedef{Name: s, Type: x, SizeDependent: sized}
	if sized || s == "cl_mem_fence_flags" { // typedefs in the specification
		td.written = &types.Typedef{Name: s, Type: x}
	}
	return td
}

// vectorType returns the type of a spelling such as uchar or float4.
func (c *Checker) vectorType(s string) *types.Type {
	t := c.Types
	base, n := s, 1
	if last := s[len(s)-1]; last <= '9' {
		n, base = int(last-'0'), s[:len(s)-1]
		if n == 6 && base[len(base)-1] == '1' {
			n, base = 16, base[:len(base)-1]
		}
		switch n {
		case 2, 3, 4, 8, 16:
		default:
			return nil
		}
	}
	var x *types.Type
	switch base {
	case "uchar":
		x = t.UChar
	case "ushort":
		x = t.UShort
	case "uint":
		x = t.UInt
	case "ulong":
		x = t.ULong
	case "char":
		x = t.Char
	case "short":
		x = t.Short
	case "int":
		x = t.Int
	case "long":
		x = t.Long
	case "float":
		x = t.Float
	case "half":
		x = t.Half
	case "double":
		if !c.Opts.Has("cl_khr_fp64") {
			return nil
		}
		x = t.Double
	default:
		return nil
	}
	return t.Vector(x, n)
}

// namedType returns the type of a spelling that no rule makes, and whether its size depends on the device.
func (c *Checker) namedType(s string) (*types.Type, bool) {
	t := c.Types
	switch s {
	case "size_t":
		return t.Size, true
	case "ptrdiff_t":
		return t.PtrDiff, true
	case "intptr_t":
		return t.IntPtr, true
	case "uintptr_t":
		return t.UIntPtr, true
	case "sampler_t":
		return t.Sampler, false
	case "event_t":
		return t.Event, false
	case "cl_mem_fence_flags":
		return t.UInt, false
	case "__half":
		return t.Half, false
	}
	if c.Opts.Version < lang.CL20 {
		return nil, false
	}
	switch s {
	case "reserve_id_t":
		return t.ReserveID, false
	case "queue_t":
		return t.Queue, false
	case "clk_event_t":
		return t.ClkEvent, false
	case "ndrange_t":
		return t.NDRange, false
	case "kernel_enqueue_flags_t", "clk_profiling_info":
		return t.Int, false
	case "memory_order":
		return c.orderType(), false
	case "memory_scope":
		return c.scopeType(), false
	}
	return nil, false
}

// atomicType returns the type without _Atomic of atomic_s.
func (c *Checker) atomicType(s string) *types.Type {
	if c.Opts.Version < lang.CL20 {
		return nil
	}
	switch s {
	case "flag":
		return c.Types.Int
	case "size_t", "ptrdiff_t", "intptr_t", "uintptr_t":
		x, _ := c.namedType(s)
		return x
	case "int", "uint", "long", "ulong", "half", "float", "double":
		return c.vectorType(s)
	}
	return nil
}

// imageOf returns the image of a spelling: image2d_array_msaa_depth_t. Images are read_only unless they are
// qualified.
func imageOf(s string) (types.Image, bool) {
	var i types.Image
	if s[5] < '1' || s[5] > '3' || s[6] != 'd' {
		return i, false
	}
	i.Dim = int(s[5] - '0')
	switch s[7:] {
	case "_t":
		return i, true
	case "_array_t":
		i.Array = true
		return i, i.Dim < 3
	case "_buffer_t":
		i.Buffer = true
		return i, i.Dim == 1
	case "_depth_t":
		i.Depth = true
	case "_msaa_t":
		i.MSAA = true
	case "_msaa_depth_t":
		i.MSAA, i.Depth = true, true
	case "_array_depth_t":
		i.Array, i.Depth = true, true
	case "_array_msaa_t":
		i.Array, i.MSAA = true, true
	case "_array_msaa_depth_t":
		i.Array, i.MSAA, i.Depth = true, true, true
	default:
		return i, false
	}
	return i, i.Dim == 2
}

// builtinEnumerator returns the enumerator of memory_order or memory_scope of a spelling, nil if there is none.
func (c *Checker) builtinEnumerator(s string) *Enumerator {
	switch s {
	case "true":
		return &Enumerator{Name: s, Type: types.Qual{Type: c.Types.Bool}, Value: 1}
	case "false":
		return &Enumerator{Name: s, Type: types.Qual{Type: c.Types.Bool}}
	}
	if len(s) < 14 || s[:7] != "memory_" || c.Opts.Version < lang.CL20 {
		return nil
	}
	order := func(v uint64) *Enumerator {
		return &Enumerator{Name: s, Type: types.Qual{Type: c.Types.Int}, Value: v}
	}
	switch s {
	case "memory_order_relaxed":
		return order(orderRelaxed)
	case "memory_order_acquire":
		return order(orderAcquire)
	case "memory_order_release":
		return order(orderRelease)
	case "memory_order_acq_rel":
		return order(orderAcqRel)
	case "memory_order_seq_cst":
		return order(orderSeqCst)
	case "memory_scope_work_item":
		return order(scopeWorkItem)
	case "memory_scope_work_group":
		return order(scopeWorkGroup)
	case "memory_scope_device":
		return order(scopeDevice)
	case "memory_scope_all_svm_devices":
		return order(scopeAllDevices)
	case "memory_scope_all_devices":
		if c.Opts.Version >= lang.CL30 {
			return order(scopeAllDevices)
		}
	case "memory_scope_sub_group":
		return order(scopeSubGroup)
	}
	return nil
}

func (c *Checker) orderType() *types.Type {
	if c.memoryOrder == nil {
		c.memoryOrder = c.Types.NewEnum(&types.Enum{Tag: "memory_order", Alias: "memory_order", Complete: true,
			Base: c.Types.UInt})
	}
	return c.memoryOrder
}

func (c *Checker) scopeType() *types.Type {
	if c.memoryScope == nil {
		c.memoryScope = c.Types.NewEnum(&types.Enum{Tag: "memory_scope", Alias: "memory_scope", Complete: true,
			Base: c.Types.UInt})
	}
	return c.memoryScope
}
