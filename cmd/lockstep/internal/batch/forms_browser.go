//go:build browser

package batch

import (
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// Write refuses JUnit XML.
func (s *JUnitSuite) Write(io.Writer) error { return cmdline.NotInBrowser("-junit") }

// WritePage refuses a page.
func WritePage(io.Writer, string, any) error { return cmdline.NotInBrowser("-html") }
