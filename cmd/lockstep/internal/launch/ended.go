package launch

import (
	"fmt"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// ended says how far the kernels of a command got.
type ended struct {
	early      bool   // some work-group did not run to its end
	halted     bool   // a fault ended them
	ran, total uint64 // work-groups
}

// Ended says how far the kernels got.
func (r *Run) Ended(res *outcome) ended {
	var e ended
	for _, one := range res.launches {
		e.halted = e.halted || one.Halted
		e.ran += one.GroupsRun
		e.total += one.Groups[0] * one.Groups[1] * one.Groups[2]
	}
	e.early = e.halted || e.ran < e.total || len(res.launches) < len(r.Launches) || r.o.Keep && res.Findings.Failed()
	return e
}

// Outs are the -outs that are written: none where memory is half-finished, unless
// -keep-going asks for it.
func (e ended) Outs(r *Run) []*output {
	if e.early && !r.o.Keep {
		return nil
	}
	return r.Outs
}

// nothing lists the kernels that had no work-items.
func (r *Run) nothing(res *outcome) []string {
	var list []string
	for i, one := range res.launches {
		if one.Groups[0]*one.Groups[1]*one.Groups[2] == 0 {
			list = append(list, fmt.Sprintf("%s: 0 work-items (-global %s): nothing ran", r.Launches[i].Label(), r.Launches[i].Part.Global))
		}
	}
	return list
}

// text says what a person has to know about the end, or "".
func (e ended) text(r *Run) string {
	if !e.early {
		return ""
	}
	groups := fmt.Sprintf(", after %d of %s", e.ran, cmdline.Counted(e.total, "work-group"))
	if e.total == 1 {
		groups = ""
	}
	switch {
	case r.o.Keep && len(r.Outs) > 0:
		return "what -out writes may be half-finished: work-items with a fault do not run to their end"
	case r.o.Keep:
		return ""
	case len(r.Outs) > 0 && e.halted:
		return fmt.Sprintf("stopped at the first fault%s; -out is not written (-keep-going runs all work-groups and writes it)", groups)
	case len(r.Outs) > 0:
		return fmt.Sprintf("stopped%s; -out is not written (-keep-going writes it)", groups)
	case e.halted && e.ran < e.total:
		return fmt.Sprintf("stopped at the first fault%s (-keep-going runs all of them)", groups)
	}
	return ""
}
