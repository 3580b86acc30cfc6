//go:build !browser

package cmdline

import (
	"context"

	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
)

// FrontEnd runs clang and llvm-spirv. Tests have others.
type FrontEnd interface {
	CompileFile(ctx context.Context, src clang.File) (*clang.Compiled, error)
	TranslateFile(ctx context.Context, src clang.File) (*clang.Compiled, error)
}
