//go:build !browser

package toolchain

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native"
)

// write prints plans and machine code of kernels.
func (m machineCode) write(env *cmdline.Env, p *isa.Program, list []*isa.Kernel) error {
	options := native.ListOptions{Processor: m.cpu, Offsets: true, Virtual: m.virtual}
	for i, k := range list {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := native.List(env.Stdout, p, k, options); err != nil {
			return fmt.Errorf("kernel %s: %w", cmdline.Printable(k.Name), err)
		}
	}
	return nil
}
