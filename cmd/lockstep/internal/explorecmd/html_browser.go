//go:build browser

package explorecmd

import (
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// WriteHTML refuses a page.
func (d *Document) WriteHTML(io.Writer) error { return cmdline.NotInBrowser("-html") }
