package lower

import "github.com/lockstep-gpu/lockstep/isa/lower/internal/readers"

// Resolves says whether a function that a module only imports may be one that
// the lowering turns into instructions, so that a link can leave it undefined.
// Whether it is depends on its types, too: a kernel that calls one that
// is not is refused when it is lowered, by the function's name.
func Resolves(name string) bool { return readers.Resolves(name) }
