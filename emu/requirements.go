package emu

import (
	"bytes"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// agree refuses a launch that the kernel's metadata or what it was specialized
// for rules out. The sizes of the launch are known.
func (p *prepared) agree() error {
	k := p.Kernel
	m := &k.code.Meta
	l := &p.launch
	fail := func(format string, args ...any) error {
		return &RangeError{Kernel: k.code.Name, Reason: fmt.Sprintf(format, args...)}
	}
	lim := &k.prog.dev.limits
	sub := k.subgroupSize()
	items := uint64(l.Local[0]) * uint64(l.Local[1]) * uint64(l.Local[2])
	switch {
	case m.Inner:
		return fail("the module says that it is no entry point (mux-kernel)")
	case m.MaxWorkDim != 0 && uint32(l.Dim) > m.MaxWorkDim:
		return fail("%d dimensions, but the module allows %d at most (max_work_dim)", l.Dim, m.MaxWorkDim)
	case lim.FixedSubgroups && sub != lim.SubgroupSize || !isa.SubgroupSize(sub):
		return fail("it requires sub-groups of %d work-items, and the device has only those of %d", sub, lim.SubgroupSize)
	case lim.WaveLanes%sub != 0:
		return fail("it requires sub-groups of %d work-items, and waves of %d do not hold a whole number of them", sub, lim.WaveLanes)
	case m.DegenerateSubgroups && items > uint64(sub):
		return fail("work-groups of %d work-items, but the module wants each to be one sub-group (mux-degenerate-subgroups), and sub-groups have %d", items, sub)
	}
	return p.agreeSpecialized(k.code.Specialized)
}

// subgroupSize returns the sub-group size of the kernel's launches: the one that it requires, or that of the
// device.
func (k *Kernel) subgroupSize() int {
	if n := k.code.ReqdSubgroup; n != 0 {
		return int(n)
	}
	return k.prog.dev.limits.SubgroupSize
}

// agreeSpecialized refuses a launch that the kernel was not compiled for.
func (p *prepared) agreeSpecialized(s *isa.Specialization) error {
	if s == nil {
		return nil
	}
	k := p.Kernel
	l := &p.launch
	fail := func(what string, got, want any) error {
		return &RangeError{Kernel: k.code.Name, Reason: fmt.Sprintf("%s %v, but the kernel was specialized for %v", what, got, want)}
	}
	switch {
	case s.Dim != 0 && s.Dim != l.Dim:
		return fail("number of dimensions", l.Dim, s.Dim)
	case s.Global != nil && *s.Global != l.Global:
		return fail("global size", l.Global, *s.Global)
	case s.Offset != nil && *s.Offset != l.Offset:
		return fail("offset", l.Offset, *s.Offset)
	case s.Local != nil && *s.Local != l.Local:
		return fail("local size", l.Local, *s.Local)
	}
	for _, a := range s.Args {
		if !bytes.Equal(a.Value, p.args[a.Param].bytes) {
			param := &k.code.Params[a.Param]
			return &ArgError{Kernel: k.code.Name, Index: a.Param, Name: param.Name, Type: param.TypeName,
				Reason: fmt.Sprintf("the bytes are % x, but the kernel was specialized for % x", p.args[a.Param].bytes, a.Value)}
		}
	}
	return nil
}
