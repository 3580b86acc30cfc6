package isa

import "fmt"

// verifyMeta checks what a kernel carries besides its code.
func (k *Kernel) verifyMeta() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("kernel %s: %s: %w", k.Name, fmt.Sprintf(format, args...), ErrMalformed)
	}
	m := &k.Meta
	switch {
	case m.MaxWorkDim > 3:
		return bad("at most %d dimensions", m.MaxWorkDim)
	case m.Order >= NumWorkItemOrders:
		return bad("unknown work-item order %d", m.Order)
	case m.Barriers >= NumBarrierSchedules:
		return bad("unknown barrier schedule %d", m.Barriers)
	}
	if s := m.Scheduled; s != nil {
		if len(s.Params) < 2 || len(s.Params) > 4 {
			return bad("%d scheduling parameters", len(s.Params))
		}
		for _, p := range s.Params {
			if p < -1 {
				return bad("scheduling parameter %d", p)
			}
		}
	}
	for _, o := range m.vectors() {
		if o.Width == 0 || o.Dim > 2 {
			return bad("a vectorization of width %d along dimension %d", o.Width, o.Dim)
		}
	}
	if s := k.Specialized; s != nil {
		if s.Dim < 0 || s.Dim > 3 {
			return bad("specialized for %d dimensions", s.Dim)
		}
		seen := make(map[int]bool, len(s.Args))
		for _, a := range s.Args {
			if a.Param < 0 || a.Param >= len(k.Params) || k.Params[a.Param].Kind != ParamValue || uint64(len(a.Value)) != k.Params[a.Param].Size {
				return bad("specialized for %d bytes of parameter %d", len(a.Value), a.Param)
			}
			if seen[a.Param] {
				return bad("specialized twice for parameter %d", a.Param)
			}
			seen[a.Param] = true
		}
	}
	return nil
}

// vectors returns the options of all vectorizations that the kernel names.
func (m *KernelMeta) vectors() []VectorOptions {
	list := append([]VectorOptions(nil), m.VectorFailed...)
	for _, l := range m.VectorForms {
		list = append(list, l.Options)
	}
	if m.VectorOf != nil {
		list = append(list, m.VectorOf.Options)
	}
	if w := m.Wrapper; w != nil {
		list = append(list, w.Main)
		if w.Tail != nil {
			list = append(list, *w.Tail)
		}
	}
	return list
}
