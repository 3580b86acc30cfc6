package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// resolvedFamilies are the beginnings of the names of OpenCL C, and of SPIR-V's
// instructions as functions, whose functions come in many types.
var resolvedFamilies = []string{
	"__mux_", "__spirv_", "llvm.amdgcn.",
	"as_", "atom_", "atomic_", "async_work_group_", "convert_", "dot", "get_image_", "get_fence", "intel_sub_group_",
	"read_image", "write_image", "sub_group_", "to_global", "to_local", "to_private", "wait_group_events", "work_group_", "vload", "vstore",
}

// Resolves says whether a function that a module only imports may be one that
// the lowering turns into instructions, so that a link can leave it undefined.
// Whether it is depends on its types, too: a kernel that calls one that
// is not is refused when it is lowered, by the function's name.
func Resolves(name string) bool {
	plain := plainName(name)
	if names[plain] != nil || muxNames[name] != nil || asyncNames[plain] != nil {
		return true
	}
	if set, ok := spirv.LookupExtInstSet("OpenCL.std"); ok {
		if _, ok := set.Lookup(plain); ok {
			return true
		}
	}
	for _, family := range resolvedFamilies {
		if strings.HasPrefix(plain, family) {
			return true
		}
	}
	return false
}
