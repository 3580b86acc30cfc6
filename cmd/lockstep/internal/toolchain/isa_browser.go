//go:build browser

package toolchain

import (
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/isa"
)

// write refuses machine code.
func (m machineCode) write(*cmdline.Env, *isa.Program, []*isa.Kernel) error {
	return cmdline.NotInBrowser("-native")
}
