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
	sub := k.prog.dev.limits.SubgroupSize
	items := uint64(l.Local[0]) * uint64(l.Local[1]) * uint64(l.Local[2])
	switch {
	case m.Inner:
		return fail("the module says that it is no entry point (mux-kernel)")
	case m.MaxWorkDim != 0 && uint32(l.Dim) > m.MaxWorkDim:
		return fail("%d dimensions, but the module allows %d at most (max_work_dim)", l.Dim, m.MaxWorkDim)
	case k.code.ReqdSubgroup != 0 && int(k.code.ReqdSubgroup) != sub:
		return fail("the module requires sub-groups of %d, the device has %d (DeviceOptions.SubgroupSize)", k.code.ReqdSubgroup, sub)
	case m.DegenerateSubgroups && items > uint64(sub):
		return fail("work-groups of %d work-items, but the module wants each to be one sub-group (mux-degenerate-subgroups), and the device has sub-groups of %d", items, sub)
	}
	return p.agreeSpecialized(k.code.Specialized)
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
