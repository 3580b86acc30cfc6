package cli

import "fmt"

// ended says how far the kernels of a command got.
type ended struct {
	early      bool   // some work-group did not run to its end
	halted     bool   // a fault ended them
	ran, total uint64 // work-groups
}

// ended says how far the kernels got.
func (r *run) ended(res *outcome) ended {
	var e ended
	for _, one := range res.launches {
		e.halted = e.halted || one.Halted
		e.ran += one.GroupsRun
		e.total += one.Groups[0] * one.Groups[1] * one.Groups[2]
	}
	e.early = e.halted || e.ran < e.total || len(res.launches) < len(r.launches) || r.o.keep && res.findings.Failed()
	return e
}

// outs are the -outs that are written: none where memory is half-finished, unless
// -keep-going asks for it.
func (e ended) outs(r *run) []*output {
	if e.early && !r.o.keep {
		return nil
	}
	return r.outs
}

// nothing lists the kernels that had no work-items.
func (r *run) nothing(res *outcome) []string {
	var list []string
	for i, one := range res.launches {
		if one.Groups[0]*one.Groups[1]*one.Groups[2] == 0 {
			list = append(list, fmt.Sprintf("%s: 0 work-items (-global %s): nothing ran", r.launches[i].label(), r.launches[i].part.global))
		}
	}
	return list
}

// text says what a person has to know about the end, or "".
func (e ended) text(r *run) string {
	if !e.early {
		return ""
	}
	groups := fmt.Sprintf(", after %d of %s", e.ran, counted(e.total, "work-group"))
	if e.total == 1 {
		groups = ""
	}
	switch {
	case r.o.keep && len(r.outs) > 0:
		return "what -out writes may be half-finished: work-items with a fault do not run to their end"
	case r.o.keep:
		return ""
	case len(r.outs) > 0 && e.halted:
		return fmt.Sprintf("stopped at the first fault%s; -out is not written (-keep-going runs all work-groups and writes it)", groups)
	case len(r.outs) > 0:
		return fmt.Sprintf("stopped%s; -out is not written (-keep-going writes it)", groups)
	case e.halted && e.ran < e.total:
		return fmt.Sprintf("stopped at the first fault%s (-keep-going runs all of them)", groups)
	}
	return ""
}
