package readers

import (
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// resolvedFamilies are the beginnings of the names of functions of OpenCL C that
// come in many types, and whose names are mangled therefore.
var resolvedFamilies = []string{
	"as_", "atom_", "atomic_", "async_work_group_", "convert_", "dot_", "get_image_", "intel_sub_group_", "read_image", "write_image",
	"sub_group_", "work_group_",
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
	for _, family := range []string{"__mux_", "__spirv_", "llvm.amdgcn."} {
		if strings.HasPrefix(plain, family) {
			return true
		}
	}
	if plain == name {
		return false
	}
	set, ok := spirv.LookupExtInstSet("OpenCL.std")
	for _, prefix := range []string{"", "s_", "u_"} {
		if !ok {
			break
		}
		if _, known := set.InstNamed(prefix + plain); known {
			return true
		}
	}
	if plain == "dot" || plain == "get_fence" || plain == "to_global" || plain == "to_local" || plain == "to_private" {
		return true
	}
	return slices.ContainsFunc(resolvedFamilies, func(family string) bool { return strings.HasPrefix(plain, family) })
}
