package readers

import "testing"

func TestResolves(t *testing.T) {
	for name, want := range map[string]bool{
		"_Z13get_global_idj":        true,
		"get_global_id":             true,
		"_Z3sinf":                   true,
		"_Z3maxii":                  true,
		"_Z5clampDv4_jS_S_":         true,
		"_Z10atomic_addPU3AS1Vii":   true,
		"_Z14convert_float4Dv4_i":   true,
		"_Z7barrierj":               true,
		"_Z3dotDv4_fS_":             true,
		"__mux_work_group_barrier":  true,
		"__mux_dma_read_2D":         true,
		"llvm.amdgcn.workitem.id.x": true,
		"_Z22__spirv_ControlBarrierN5__spv5ScopeES0_j": true,
		"_Z20sub_group_reduce_addi":                    true,
		"scale":                                        false,
		"sin":                                          false, // a function of C, which OpenCL C would have mangled
		"dots":                                         false,
		"_Z5scalefi":                                   false,
		"convert_units":                                false,
		"":                                             false,
		"_Z":                                           false,
		"_Z99999999999999999999999999x":                false,
	} {
		if got := Resolves(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
