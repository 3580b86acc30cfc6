//go:build browser

package loader

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// compileSource refuses what only clang compiles.
func compileSource(_ context.Context, _ *cmdline.Env, m *Module, what string, _ bool) error {
	return fmt.Errorf("%s is %s, and programs cannot be started here", m.Name, what)
}
