package emu

import (
	"github.com/lockstep-gpu/lockstep/emu/finding"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// asyncFinding describes what a kernel did wrong with an asynchronous copy.
func (p *prepared) asyncFinding(out *finding.Finding, f *scheduler.Fault, _ *places) {
	d, _ := finding.Describe(f.Code)
	out.Message, out.Detail = d.Title, f.Async.Text
}
