//go:build browser

package launch

import (
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// writePage refuses the page of -report.
func (r *Run) writePage(*cmdline.Env, *outcome) error {
	if r.o.report == "" {
		return nil
	}
	return cmdline.NotInBrowser("-report")
}
