package emu

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// NDRange is the index space of a launch: 1 to 3 dimensions of work-items.
type NDRange struct {
	Global []uint64
	// Local is the work-group size, with as many dimensions as Global; nil
	// leaves it to the module or, where that says nothing, to lockstep.
	Local []uint64
	// Offset is added to the global ids; nil is zero.
	Offset []uint64
}

// Range returns the NDRange with the given global size.
func Range(global ...uint64) NDRange { return NDRange{Global: global} }

// Sizes of work-groups that are chosen here: large enough to fill a wave,
// small enough to leave groups for every worker.
const (
	chosenMax = 256
	chosenMin = 64
)

// resolve checks the range against the kernel and the device and fills in the
// launch's sizes (OpenCL API 5.10, clEnqueueNDRangeKernel).
func (r *NDRange) resolve(k *Kernel, l *engine.Launch) error {
	fail := func(format string, args ...any) error {
		return &RangeError{Kernel: k.code.Name, Reason: fmt.Sprintf(format, args...)}
	}
	dim := len(r.Global)
	switch {
	case dim < 1 || dim > 3:
		return fail("global size with %d dimensions; there are 1 to 3", dim)
	case r.Local != nil && len(r.Local) != dim:
		return fail("local size with %d dimensions, global size with %d", len(r.Local), dim)
	case r.Offset != nil && len(r.Offset) != dim:
		return fail("offset with %d dimensions, global size with %d", len(r.Offset), dim)
	}
	l.Dim = dim
	l.Global, l.Offset, l.Local, l.Groups = [3]uint64{1, 1, 1}, [3]uint64{}, [3]uint32{1, 1, 1}, [3]uint64{}
	copy(l.Global[:], r.Global)
	copy(l.Offset[:], r.Offset)

	top := uint64(math.MaxUint64)
	if k.isa.Physical32 {
		top = math.MaxUint32
	}
	total := uint64(1)
	for d := range dim {
		if l.Global[d] > top || l.Offset[d] > top-l.Global[d] {
			return fail("global size %d with offset %d in dimension %d: ids do not fit the module's size_t", l.Global[d], l.Offset[d], d)
		}
		hi, lo := bits.Mul64(total, l.Global[d])
		if hi != 0 || lo > top {
			return fail("global size %v: the number of work-items does not fit the module's size_t", r.Global)
		}
		total = lo
	}

	uniform := !k.nonUniform()
	local, err := r.chooseLocal(k, l.Global, dim, uniform)
	if err != nil {
		return err
	}
	lim := &k.prog.dev.limits
	size := uint64(1)
	for d := range 3 {
		if local[d] == 0 {
			return fail("local size 0 in dimension %d; it must be 1 or more", d)
		}
		hi, lo := bits.Mul64(size, local[d])
		if size = lo; hi != 0 {
			size = math.MaxUint64
		}
		if l.Global[d]%local[d] != 0 && uniform {
			return fail("global size %d is not a multiple of local size %d in dimension %d, which %s does not allow (OpenCL C 2.0 and later do)",
				l.Global[d], local[d], d, k.language())
		}
		l.Local[d] = uint32(local[d])
		l.Groups[d] = l.Global[d] / local[d]
		if l.Global[d]%local[d] != 0 {
			l.Groups[d]++
		}
	}
	if size > uint64(lim.MaxWorkGroupSize) {
		shown := local // which is allocated here only
		return &LimitError{What: fmt.Sprintf("kernel %s: work-group of %v", k.code.Name, shown[:dim]), Need: size, Have: uint64(lim.MaxWorkGroupSize),
			Unit: "work-items", Option: "MaxWorkGroupSize"}
	}
	return nil
}

// LocalSize returns the work-group size of a launch over the range: the range's own, or the one that the module
// requires or lockstep chooses. The error is that of the launch.
func (k *Kernel) LocalSize(r NDRange) ([3]uint32, error) {
	if k == nil || k.prog == nil {
		return [3]uint32{}, fmt.Errorf("kernel: %w", ErrInvalid)
	}
	var l engine.Launch
	err := r.resolve(k, &l)
	return l.Local, err
}

// chooseLocal returns the local size: the caller's, the module's, the hint, or
// one that suits the global size.
func (r *NDRange) chooseLocal(k *Kernel, global [3]uint64, dim int, uniform bool) ([3]uint64, error) {
	local := [3]uint64{1, 1, 1}
	if reqd := &k.code.ReqdLocalSize; *reqd != [3]uint32{} {
		for d := range 3 {
			local[d] = uint64(reqd[d])
		}
		for d := range r.Local {
			if r.Local[d] != local[d] {
				return local, &RangeError{Kernel: k.code.Name, Reason: fmt.Sprintf("local size %v, but the module requires %v", r.Local, reqd[:dim])}
			}
		}
		for d := dim; d < 3; d++ {
			if local[d] != 1 {
				return local, &RangeError{Kernel: k.code.Name, Reason: fmt.Sprintf("%d dimensions, but the module requires the local size %v", dim, *reqd)}
			}
		}
		return local, nil
	}
	if r.Local != nil {
		copy(local[:], r.Local)
		return local, nil
	}
	if k.fitsHint(global, dim, uniform) {
		for d := range dim {
			local[d] = uint64(k.code.LocalSizeHint[d])
		}
		return local, nil
	}
	room := uint64(min(chosenMax, k.prog.dev.limits.MaxWorkGroupSize))
	size := uint64(1)
	for d := range dim {
		local[d] = divisor(global[d], room/size)
		size *= local[d]
	}
	if size >= chosenMin || uniform {
		return local, nil
	}
	// The sizes have no good divisors. Where the last group of a dimension may
	// be smaller, that is the lesser evil.
	size = 1
	for d := range dim {
		local[d] = min(max(global[d], 1), room/size)
		size *= local[d]
	}
	return local, nil
}

// divisor returns the largest divisor of n that is not greater than limit.
func divisor(n, limit uint64) uint64 {
	for d := min(max(n, 1), limit); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// fitsHint says whether the module's work_group_size_hint may be taken.
func (k *Kernel) fitsHint(global [3]uint64, dim int, uniform bool) bool {
	size := uint64(1)
	for d, h := range k.code.LocalSizeHint {
		n := uint64(h)
		if n == 0 || n > k.prog.dev.limits.MaxWorkItemSizes[d] || d >= dim && n != 1 || uniform && global[d]%n != 0 {
			return false
		}
		size *= n
	}
	return size <= uint64(k.prog.dev.limits.MaxWorkGroupSize)
}

// nonUniform says whether the last work-groups may be smaller than the others:
// modules made from OpenCL C before 2.0 do not allow it (OpenCL C 6.15.1 is
// where get_enqueued_local_size comes in). Modules that do not say what they are made
// from may do it.
func (k *Kernel) nonUniform() bool {
	src := k.prog.source()
	return src.Language != spirv.SourceLanguageOpenCL_C || src.Version == 0 || src.Version >= 200000
}

// language names what the module was made from, for messages.
func (k *Kernel) language() string {
	src := k.prog.source()
	return fmt.Sprintf("%s %d.%d", strings.ReplaceAll(src.Language.String(), "_", " "), src.Version/100000, src.Version/1000%100)
}

func (p *Program) source() spirv.Source {
	if p.info == nil {
		return spirv.Source{}
	}
	return p.info.Source
}

// scalarValue returns the bits of a scalar register that holds a part of a
// by-value argument.
func scalarValue(r *isa.ParamReg, value []byte) uint64 {
	var v uint64
	for i := min(r.Offset+uint64(r.Size), uint64(len(value))); i > r.Offset; i-- {
		v = v<<8 | uint64(value[i-1])
	}
	return v
}
