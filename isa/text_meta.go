package isa

import (
	"fmt"
	"strings"
)

// text writes what a kernel's first line says of its metadata: what is not as it
// is for most kernels.
func (m *KernelMeta) text(b *strings.Builder) {
	if m.MaxWorkDim != 0 {
		fmt.Fprintf(b, " max_work_dim %d", m.MaxWorkDim)
	}
	if m.Inner {
		b.WriteString(" inner")
	}
	if m.OrigName != "" {
		fmt.Fprintf(b, " orig %q", m.OrigName)
	}
	if m.BaseName != "" {
		fmt.Fprintf(b, " base %q", m.BaseName)
	}
	if m.LocalMemory != 0 {
		fmt.Fprintf(b, " local_memory %d", m.LocalMemory)
	}
	if m.Order != OrderXYZ {
		fmt.Fprintf(b, " order %s", m.Order)
	}
	if m.Barriers != ScheduleUnordered {
		fmt.Fprintf(b, " barriers %s", m.Barriers)
	}
	if m.Subgroups {
		b.WriteString(" subgroups")
	}
	if m.DegenerateSubgroups {
		b.WriteString(" degenerate_subgroups")
	}
}

// links writes the metadata that has lines of its own.
func (k *Kernel) links(b *strings.Builder) {
	m := &k.Meta
	if s := m.Scheduled; s != nil {
		b.WriteString("  scheduled_fn")
		for _, p := range s.Params {
			fmt.Fprintf(b, " %d", p)
		}
		b.WriteByte('\n')
	}
	if w := m.Wrapper; w != nil {
		fmt.Fprintf(b, "  wrapper main %s", w.Main)
		if w.Tail != nil {
			fmt.Fprintf(b, " tail %s", *w.Tail)
		}
		b.WriteByte('\n')
	}
	for _, l := range m.VectorForms {
		fmt.Fprintf(b, "  vector form %s %q\n", l.Options, l.Kernel)
	}
	if l := m.VectorOf; l != nil {
		fmt.Fprintf(b, "  vector form of %q %s\n", l.Kernel, l.Options)
	}
	for _, o := range m.VectorFailed {
		fmt.Fprintf(b, "  vector form failed %s\n", o)
	}
	s := k.Specialized
	if s == nil {
		return
	}
	b.WriteString("  specialized")
	if s.Dim != 0 {
		fmt.Fprintf(b, " dim %d", s.Dim)
	}
	if s.Global != nil {
		fmt.Fprintf(b, " global %d,%d,%d", s.Global[0], s.Global[1], s.Global[2])
	}
	if s.Local != nil {
		fmt.Fprintf(b, " local %d,%d,%d", s.Local[0], s.Local[1], s.Local[2])
	}
	if s.Offset != nil {
		fmt.Fprintf(b, " offset %d,%d,%d", s.Offset[0], s.Offset[1], s.Offset[2])
	}
	for _, a := range s.Args {
		fmt.Fprintf(b, " param%d=%x", a.Param, a.Value)
	}
	b.WriteByte('\n')
}
