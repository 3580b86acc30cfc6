package lang

import "sync"

// Feature is an extension (cl_…) or an optional feature (__opencl_c_…) that lockstep has. It is a macro with the value
// 1 where it is there.
type Feature struct {
	Name  string
	Since Version // the first version of the language that has it
	Until Version // the last one; 0 for no end
	With  string  // another that it needs
}

// Features lists all of them. What depends on an extension (types, keywords, built-in functions) names it here and
// asks Options.Has.
var Features = []Feature{
	{"cl_khr_3d_image_writes", CL10, 0, ""},
	{"cl_khr_byte_addressable_store", CL10, 0, ""},
	{"cl_khr_depth_images", CL12, 0, ""},
	{"cl_khr_expect_assume", CL10, 0, ""},
	{"cl_khr_extended_async_copies", CL10, 0, ""},
	{"cl_khr_extended_bit_ops", CL10, 0, ""},
	{"cl_khr_fp16", CL10, 0, ""},
	{"cl_khr_fp64", CL10, 0, ""},
	{"cl_khr_global_int32_base_atomics", CL10, 0, ""},
	{"cl_khr_global_int32_extended_atomics", CL10, 0, ""},
	{"cl_khr_int64_base_atomics", CL10, 0, ""},
	{"cl_khr_int64_extended_atomics", CL10, 0, ""},
	{"cl_khr_integer_dot_product", CL10, 0, ""},
	{"cl_khr_kernel_clock", CL10, 0, ""},
	{"cl_khr_local_int32_base_atomics", CL10, 0, ""},
	{"cl_khr_local_int32_extended_atomics", CL10, 0, ""},
	{"cl_khr_mipmap_image", CL20, 0, ""},
	{"cl_khr_mipmap_image_writes", CL20, 0, "cl_khr_mipmap_image"},
	{"cl_khr_srgb_image_writes", CL20, 0, ""},
	{"cl_khr_subgroup_ballot", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_clustered_reduce", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_extended_types", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_non_uniform_arithmetic", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_non_uniform_vote", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_rotate", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_shuffle", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroup_shuffle_relative", CL20, 0, "cl_khr_subgroups"},
	{"cl_khr_subgroups", CL20, 0, ""},
	{"cl_khr_work_group_uniform_arithmetic", CL20, 0, ""},
	{"cl_ext_float_atomics", CL20, 0, ""},
	{"cl_intel_bfloat16_conversions", CL12, 0, ""},
	{"cl_intel_required_subgroup_size", CL12, 0, "cl_intel_subgroups"},
	{"cl_intel_media_block_io", CL12, 0, "cl_intel_subgroups"},
	{"cl_intel_spirv_subgroups", CL12, 0, "cl_intel_subgroups"},
	{"cl_intel_split_work_group_barrier", CL10, 0, ""},
	{"cl_intel_subgroups", CL12, 0, ""},
	{"cl_intel_subgroups_char", CL12, 0, "cl_intel_subgroups"},
	{"cl_intel_subgroups_long", CL12, 0, "cl_intel_subgroups"},
	{"cl_intel_subgroups_short", CL12, 0, "cl_intel_subgroups"},
	{"cles_khr_int64", CL12, 0, ""},

	{"__opencl_c_3d_image_writes", CL30, 0, "cl_khr_3d_image_writes"},
	{"__opencl_c_atomic_order_acq_rel", CL20, 0, ""},
	{"__opencl_c_atomic_order_seq_cst", CL20, 0, ""},
	{"__opencl_c_atomic_scope_all_devices", CL20, 0, ""},
	{"__opencl_c_atomic_scope_device", CL20, 0, ""},
	{"__opencl_c_ext_fp16_global_atomic_add", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp16_global_atomic_load_store", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp16_global_atomic_min_max", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp16_local_atomic_add", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp16_local_atomic_load_store", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp16_local_atomic_min_max", CL20, 0, "cl_khr_fp16"},
	{"__opencl_c_ext_fp32_global_atomic_add", CL20, 0, "cl_ext_float_atomics"},
	{"__opencl_c_ext_fp32_global_atomic_min_max", CL20, 0, "cl_ext_float_atomics"},
	{"__opencl_c_ext_fp32_local_atomic_add", CL20, 0, "cl_ext_float_atomics"},
	{"__opencl_c_ext_fp32_local_atomic_min_max", CL20, 0, "cl_ext_float_atomics"},
	{"__opencl_c_ext_fp64_global_atomic_add", CL20, 0, "cl_khr_fp64"},
	{"__opencl_c_ext_fp64_global_atomic_min_max", CL20, 0, "cl_khr_fp64"},
	{"__opencl_c_ext_fp64_local_atomic_add", CL20, 0, "cl_khr_fp64"},
	{"__opencl_c_ext_fp64_local_atomic_min_max", CL20, 0, "cl_khr_fp64"},
	{"__opencl_c_fp64", CL30, 0, "cl_khr_fp64"},
	{"__opencl_c_generic_address_space", CL20, 0, ""},
	{"__opencl_c_images", CL20, 0, ""},
	{"__opencl_c_int64", CL10, 0, ""},
	{"__opencl_c_integer_dot_product_input_4x8bit", CL20, 0, "cl_khr_integer_dot_product"},
	{"__opencl_c_integer_dot_product_input_4x8bit_packed", CL20, 0, "cl_khr_integer_dot_product"},
	{"__opencl_c_kernel_clock_scope_device", CL10, 0, "cl_khr_kernel_clock"},
	{"__opencl_c_kernel_clock_scope_sub_group", CL10, 0, "cl_khr_kernel_clock"},
	{"__opencl_c_kernel_clock_scope_work_group", CL10, 0, "cl_khr_kernel_clock"},
	{"__opencl_c_pipes", CL20, 0, ""},
	{"__opencl_c_program_scope_global_variables", CL20, 0, ""},
	{"__opencl_c_read_write_images", CL20, 0, ""},
	{"__opencl_c_subgroups", CL30, 0, "cl_khr_subgroups"},
	{"__opencl_c_work_group_collective_functions", CL20, 0, ""},
}

var byName = sync.OnceValue(func() map[string]*Feature {
	m := make(map[string]*Feature, len(Features))
	for i := range Features {
		m[Features[i].Name] = &Features[i]
	}
	return m
})

// Known reports whether lockstep has an extension or feature of that name in any version of the language.
func Known(name string) bool { return byName()[name] != nil || languageSwitch(name) }

// languageSwitch reports whether a name is that of an extension which clang has to switch rules of the language off.
func languageSwitch(name string) bool {
	return name == "__cl_clang_bitfields" || name == "cl_clang_storage_class_specifiers"
}

// Has reports whether an extension or feature is there.
func (o *Options) Has(name string) bool {
	for name != "" {
		f := byName()[name]
		if f == nil || o.Version < f.Since || f.Until != 0 && o.Version > f.Until || o.Without[name] {
			return false
		}
		name = f.With
	}
	return true
}

// Nearest returns the extension whose name is nearest to a misspelt one, as nearest finds it.
func Nearest(name string, nearest func(string, []string) string) string {
	var names []string
	for _, f := range Features {
		names = append(names, f.Name)
	}
	return nearest(name, names)
}
