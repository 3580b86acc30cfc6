package conformancecmd

import (
	"io"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/conformance"
)

// writeConformanceHTML writes a report of conformance as a page.
func writeConformanceHTML(w io.Writer, r *conformance.Report) error {
	page := struct {
		Title, Headline string
		Good            bool
		Results         []conformance.ResultDocument
	}{"lockstep conformance", r.Summary().String(), r.OK(), r.Document().Results}
	return batch.WritePage(w, "conformance", page)
}
