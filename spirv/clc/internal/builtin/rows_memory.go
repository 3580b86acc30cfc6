package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

const (
	vectorSection  = "6.15.7"
	syncSection    = "6.15.8"
	fenceSection   = "6.15.9"
	spaceSection   = "6.15.10"
	asyncSection   = "6.15.11"
	shuffleSection = "6.15.13"
	printfSection  = "6.15.14"
)

// move is a row of the vector loads and stores.
func move(name, sig string, of kinds, s Spaces, help string) Def {
	return Def{Name: name, Sig: sig, Over: Over{Of: of, N: n1}, Spaces: s, Emit: code(),
		Section: vectorSection, Help: help}
}

var vectorRows = []Def{
	move("vload{2,3,4,8,16}", "Tn(size, @const E*)", scalars, ReadSpace,
		"Loads components from an address that is only aligned to one."),
	move("vstore{2,3,4,8,16}", "void(Tn, size, @E*)", scalars, AnySpace,
		"Stores components at an address that is only aligned to one."),
	move("vload_half{,2,3,4,8,16}", "Fn(size, @const half*)", 0, ReadSpace,
		"Loads halves and converts them to float."),
	move("vloada_half{2,3,4,8,16}", "Fn(size, @const half*)", 0, ReadSpace,
		"vload_half from an address aligned to the vector, of 4 halves for 3."),
	move("vstore_half{,2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}", "void(Fn, size, @half*); void(Dn, size, @half*)",
		0, AnySpace,
		"Converts floats or doubles to half and stores them."),
	move("vstorea_half{2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}", "void(Fn, size, @half*); void(Dn, size, @half*)",
		0, AnySpace,
		"vstore_half to an address aligned to the vector, of 4 halves for 3."),
}

// syncRow is a row of the barriers and fences.
func syncRow(name, sig, section string, since lang.Version, help string) Def {
	return Def{Name: name, Sig: sig, Emit: code(), Section: section, Since: since, Help: help}
}

var syncRows = []Def{
	syncRow("barrier", "void(flags)", syncSection, 0,
		"Waits until all work-items of the work-group are there."),
	syncRow("work_group_barrier", "void(flags); void(flags, scope)", syncSection, lang.CL20,
		"barrier, with a fence of a scope."),
	{Name: "sub_group_barrier", Sig: "void(flags)", Emit: code(), Section: syncSection, Since: lang.CL12,
		Ext:  "cl_khr_subgroups",
		Help: "Waits until all work-items of the sub-group are there."},
	{Name: "sub_group_barrier", Sig: "void(flags, scope)", Emit: code(), Section: syncSection,
		Since: lang.CL20, Ext: "cl_khr_subgroups",
		Help: "sub_group_barrier with a fence of a scope."},
	{Name: "intel_work_group_barrier_arrive", Sig: "void(flags)", Emit: code(),
		Ext:  "cl_intel_split_work_group_barrier",
		Help: "Tells the work-group that the work-item has come to a barrier, and goes on."},
	{Name: "intel_work_group_barrier_arrive", Sig: "void(flags, scope)", Emit: code(), Since: lang.CL20,
		Ext:  "cl_intel_split_work_group_barrier",
		Help: "intel_work_group_barrier_arrive with a fence of a scope."},
	{Name: "intel_work_group_barrier_wait", Sig: "void(flags)", Emit: code(),
		Ext:  "cl_intel_split_work_group_barrier",
		Help: "Waits until all work-items of the work-group have arrived at the barrier."},
	{Name: "intel_work_group_barrier_wait", Sig: "void(flags, scope)", Emit: code(), Since: lang.CL20,
		Ext:  "cl_intel_split_work_group_barrier",
		Help: "intel_work_group_barrier_wait with a fence of a scope."},
	syncRow("mem_fence", "void(flags)", fenceSection, 0, "Orders loads and stores before and behind it."),
	syncRow("read_mem_fence", "void(flags)", fenceSection, 0, "Orders loads before and behind it."),
	syncRow("write_mem_fence", "void(flags)", fenceSection, 0, "Orders stores before and behind it."),
}

// clock returns the rows that read the clock of a scope.
func clock(scope spirv.Scope, name, help string) []Def {
	d := Def{Name: "clock_read_" + name, Sig: "ulong()", Emit: group(scope, NoOperation, spirv.OpReadClockKHR,
		spirv.OpReadClockKHR, spirv.OpReadClockKHR, spirv.CapabilityShaderClockKHR),
		Ext: "__opencl_c_kernel_clock_scope_" + name, Help: help}
	d.Emit.Ext = "SPV_KHR_shader_clock"
	halves := d
	halves.Name, halves.Sig = "clock_read_hilo_"+name, "uint2()"
	halves.Help = "clock_read_" + name + ", low half first."
	return []Def{d, halves}
}

var clockRows = join(
	clock(spirv.ScopeDevice, "device", "The ticks of the clock that all work-items share."),
	clock(spirv.ScopeWorkgroup, "work_group", "The ticks of the clock of the work-group."),
	clock(spirv.ScopeSubgroup, "sub_group", "The ticks of the clock of the sub-group."),
)

var spaceRows = []Def{
	{Name: "to_{global,local,private}", Sig: "void*(void*)", Emit: code(), Special: true,
		Section: spaceSection, Since: lang.CL20,
		Ext:  "__opencl_c_generic_address_space",
		Help: "The pointer in this address space, or null if it leads elsewhere."},
	{Name: "get_fence", Sig: "flags(generic void*); flags(generic const void*)", Emit: code(),
		Section: spaceSection, Since: lang.CL20,
		Ext:  "__opencl_c_generic_address_space",
		Help: "Which fence orders accesses to what a pointer leads to."},
}

const copies = "cl_khr_extended_async_copies"

var asyncRows = []Def{
	{Name: "async_work_group_copy", Sig: "event(@T*, @const T*, size, event)", Over: Over{Of: scalars,
		N: anyN}, Spaces: CopySpaces,
		Emit: code(), Section: asyncSection,
		Help: "Begins to copy elements between global and local memory."},
	{Name: "async_work_group_strided_copy", Sig: "event(@T*, @const T*, size, size, event)",
		Over: Over{Of: scalars, N: anyN}, Spaces: CopySpaces,
		Emit: code(), Section: asyncSection,
		Help: "Begins to copy elements that are apart in global memory."},
	{Name: "wait_group_events", Sig: "void(int, @event*)", Spaces: OwnSpace, Emit: code(),
		Section: asyncSection,
		Help:    "Waits for copies of the work-group."},
	{Name: "prefetch", Sig: "void(global const T*, size)", Over: Over{Of: scalars, N: anyN},
		Emit:    std(spirv.OpenCLStdPrefetch),
		Section: asyncSection, Help: "Says that elements will be read; nothing else comes of it."},
	{Name: "async_work_group_copy_2D2D",
		Sig:    "event(@void*, size, @const void*, size, size, size, size, size, size, event)",
		Spaces: CopySpaces, Emit: Emit{Kind: Import}, Ext: copies,
		Help: "Begins to copy lines: destination, its offset, source, its offset, bytes of an element, elements of a line, lines, source and destination line lengths, event."},
	{Name: "async_work_group_copy_3D3D",
		Sig:    "event(@void*, size, @const void*, size, size, size, size, size, size, size, size, size, event)",
		Spaces: CopySpaces, Emit: Emit{Kind: Import}, Ext: copies,
		Help: "Begins to copy planes: as 2D2D, with planes behind lines, and for source and destination line length and plane area."},
}

var shuffleRows = []Def{
	{Name: "shuffle", Sig: "Tm(T, Um)", Over: Over{Of: scalars, N: evenN, M: evenN},
		Emit: std(spirv.OpenCLStdShuffle), Section: shuffleSection,
		Help: "Components of a vector, chosen by the low bits of the mask."},
	{Name: "shuffle2", Sig: "Tm(T, T, Um)", Over: Over{Of: scalars, N: evenN, M: evenN},
		Emit: std(spirv.OpenCLStdShuffle2), Section: shuffleSection,
		Help: "Components of two vectors, chosen by the low bits of the mask."},
}

var printfRows = []Def{
	{Name: "printf", Sig: "int(constant const char*, ...)", Emit: code(), Section: printfSection,
		Since: lang.CL12,
		Help:  "Writes formatted text; 0 if that worked."},
}
