package emu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// farSteps are steps, in elements. A loop does each of the first two so many times.
type farSteps struct {
	steps [4]int64
	times uint32
}

// leaves says whether the steps lead further than 2^39 bytes on the way.
func (f *farSteps) leaves(stride int64, loop bool) bool {
	const half = 1 << 39
	at := new(big.Int)
	for i, v := range f.steps {
		d := new(big.Int).Mul(big.NewInt(v), big.NewInt(stride))
		if loop {
			if i >= 2 {
				break
			}
			d.Mul(d, big.NewInt(int64(f.times)))
		}
		if at.Add(at, d); at.Cmp(big.NewInt(half)) >= 0 || at.Cmp(big.NewInt(-half)) <= 0 {
			return true
		}
	}
	return false
}

// farStepsOf returns steps that leave, most of which come back to where they began: as numbers, or if offsets
// wrap at 2^40 bytes, or sums and products at 2^64.
func farStepsOf(index int, stride int64, loop bool) []farSteps {
	e := (int64(1)<<39 + stride - 1) / stride // elements to where no pointer leads
	var all []farSteps
	add := func(times uint32, s ...int64) {
		f := farSteps{times: times}
		copy(f.steps[:], s)
		for _, v := range s {
			if index == 32 && v != int64(int32(v)) {
				return
			}
		}
		if f.leaves(stride, loop) {
			all = append(all, f)
		}
	}
	add(1, e, e)
	add(1, e, -e)
	add(1, -e-1, e+1)
	add(1, e/2+1, e/2+1, e/2-1, e/2-1)
	add(2, e/2+1, -e/2-1)
	add(1, 1<<30, -1<<30)
	add(1, -1<<30, 1<<30)
	add(1, 1<<30, 1<<30, 1<<30, 1<<30)
	add(1, math.MaxInt64/stride+1, math.MaxInt64/stride+1)
	add(1, math.MaxInt64, -math.MaxInt64)
	add(1, 1<<62)
	add(1, 1<<62, 1<<62, 1<<62, 1<<62)
	add(1, -1<<63)
	add(1<<9, 1<<28, -1<<28)
	add(1<<10, 1<<28, 1<<28)
	return all
}

// farRows are steps for "rows": elements of T, and then of 32 bits.
func farRows(index int, stride int64) []farSteps {
	e := (int64(1)<<39 + stride - 1) / stride
	var all []farSteps
	for _, v := range [][2]int64{
		{e, -e * stride / 4}, {-e, e * stride / 4}, {2 * e}, {1 << 45}, {1 << 62}, {-1 << 63}, {1 << 61, 4}, {1 << 30}, {1 << 30, -1 << 30},
	} {
		f := farSteps{steps: [4]int64{v[0], v[1]}, times: 1}
		fits := index == 64 || v[0] == int64(int32(v[0])) && v[1] == int64(int32(v[1]))
		if fits && f.leaves(stride, false) {
			all = append(all, f)
		}
	}
	return all
}

// cases returns steps that stay near and such that do not, for a kernel.
func (k *farKernel) cases() (near, far []farSteps) {
	near = []farSteps{{times: 1}}
	add := func(list *[]farSteps, times uint32, first, second int64) {
		*list = append(*list, farSteps{[4]int64{first, second}, times})
	}
	switch k.steps {
	case "rows", "rows32":
		if k.stride < 1<<30 {
			add(&near, 1, 3, -3*k.stride/4)
			add(&near, 1, -1, k.stride/4)
		}
		return near, farRows(k.index, k.stride)
	case "mul":
		add(&near, 1, -1<<(k.index-1), 0)
		add(&near, 1, 1<<(k.index-2), 0)
		return near, nil
	case "chain":
		const most = 1<<29 - 1 // 2^31 - 4 bytes
		add(&near, 1, 1<<20, -1<<20)
		add(&near, 1, -3, 3)
		add(&far, 1, most, -most)
		add(&far, 1, -most, most)
		return near, far
	case "walk":
		return near, farStepsOf(k.index, k.stride, true)
	}
	add(&near, 2, 3, -3)
	add(&near, 3, -1, 1)
	return near, farStepsOf(k.index, k.stride, strings.HasSuffix(k.steps, "loop"))
}

// makesSense says whether there is such a kernel, and it has something that others have not.
func (k *farKernel) makesSense() bool {
	switch k.access {
	case "block", "async":
		if k.space != "CrossWorkgroup" {
			return false
		}
	case "atomic":
		if k.space == "Function" {
			return false
		}
	}
	switch k.steps {
	case "rows", "rows32":
		return k.stride != 12 && (k.access == "store" || k.access == "load" || k.access == "atomic")
	case "mul":
		return k.stride == 4
	case "walk":
		return k.access == "load" || k.access == "block" || k.access == "copy"
	case "chain":
		return k.stride == 4 && k.index == 64
	}
	return true
}

// TestFarPointers moves pointers further than 2^39 bytes and back, in two steps, three and many: whatever is
// accessed there is out of bounds, on every engine, and memory is what it was. The same kernels work with
// steps that stay near.
func TestFarPointers(t *testing.T) {
	var all []farKernel
	for _, bits := range []int{64, 32} {
		for _, space := range []string{"CrossWorkgroup", "Workgroup", "Function"} {
			for _, steps := range []string{"arg", "lane", "const", "loop", "laneloop", "rows", "rows32", "mul", "walk", "chain"} {
				for _, index := range []int{64, 32} {
					for _, stride := range []int64{4, 12, 1 << 21, 1 << 33} {
						for _, access := range []string{"store", "uniform", "load", "atomic", "block", "async", "copy"} {
							k := farKernel{bits: bits, index: index, stride: stride, space: space, steps: steps, access: access}
							if k.makesSense() {
								all = append(all, k)
							}
						}
					}
				}
			}
		}
	}
	for i := range all {
		if i%amount(11, 5, 1) != 0 {
			continue
		}
		near, far := all[i].cases()
		for _, engine := range emu.Engines()[1:] {
			r := &farRun{farKernel: all[i], t: t, d: device(t, emu.DeviceOptions{Engine: engine, Workers: 1}), engine: engine}
			for _, s := range near {
				r.near(s)
			}
			for _, s := range far {
				r.far(s)
			}
		}
	}
}

// farRun runs a kernel on an engine.
type farRun struct {
	farKernel
	t      *testing.T
	d      *emu.Device
	engine string
	p      *emu.Program
	a, out []uint32 // what the buffers have afterwards
}

const farItems = 64

// run runs the kernel with the steps, and returns what they are called.
func (r *farRun) run(s farSteps) (what string, res *emu.Result, err error) {
	t := r.t
	what = fmt.Sprintf("%s: %d/%s/%s/%d/%d/%s, steps %d, %d times",
		r.engine, r.bits, r.space, r.steps, r.index, r.stride, r.access, s.steps, s.times)
	if fixed := r.steps == "const" || r.steps == "chain"; fixed || r.p == nil {
		if fixed {
			r.consts = s.steps
		}
		module, err := asm.Assemble(r.text(), asm.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, r.text())
		}
		if r.p, err = r.d.NewProgram(module, emu.ProgramOptions{}); err != nil {
			t.Fatalf("%s: %v\n%s", what, err, r.text())
		}
	}
	a, out := buffer(t, r.d, farBefore()...), buffer(t, r.d, make([]uint32, farItems)...)
	args := []emu.Arg{a, out}
	var v *emu.Buffer
	if r.index == 32 {
		var short []int32
		for _, x := range s.steps {
			short = append(short, int32(x))
			args = append(args, emu.Value(int32(x)))
		}
		v = buffer(t, r.d, slices.Repeat(short, farItems)...)
	} else {
		for _, x := range s.steps {
			args = append(args, emu.Value(x))
		}
		v = buffer(t, r.d, slices.Repeat(s.steps[:], farItems)...)
	}
	args = append(args, v, emu.Value(s.times))
	res, err = kernel(t, r.p, "f").Run(context.Background(), sized(farItems, farItems), args...)
	r.a, r.out = contents[uint32](t, a), contents[uint32](t, out)
	for _, b := range []*emu.Buffer{a, out, v} {
		if err := b.Free(); err != nil {
			t.Error(err)
		}
	}
	return what, res, err
}

// farBefore is what a has at first.
func farBefore() []uint32 {
	v := make([]uint32, farItems)
	for i := range v {
		v[i] = uint32(100 + i)
	}
	return v
}

// near runs the kernel with steps that lead back to where they began: it does what it should.
func (r *farRun) near(s farSteps) {
	what, _, err := r.run(s)
	if err != nil {
		r.t.Fatalf("%s: %v", what, err)
	}
	before := farBefore()
	a, out := slices.Clone(before), make([]uint32, farItems)
	rows, global := strings.HasPrefix(r.steps, "rows"), r.space == "CrossWorkgroup"
	for i := range uint32(farItems) {
		at := i
		switch {
		case rows || r.access == "uniform": // all lanes have the first element
			at = 0
		case r.access == "block":
			at = i % uint32(r.d.Limits().SubgroupSize)
		}
		switch {
		case !global: // zeros
		case r.access == "load", r.access == "block", r.access == "copy":
			out[i] = before[at]
		case r.access == "store":
			a[at] = i + 1
		case r.access == "uniform":
			a[at] = 1
		case r.access == "atomic":
			a[at] += i + 1
		}
	}
	if !slices.Equal(r.a, a) || !slices.Equal(r.out, out) {
		r.t.Errorf("%s: %d and %d, want %d and %d", what, r.a, r.out, a, out)
	}
}

// far runs the kernel with steps that lead further than offsets do.
func (r *farRun) far(s farSteps) {
	what, res, err := r.run(s)
	var fe *emu.FindingsError
	if !errors.As(err, &fe) || res.Findings.Findings[0].Code != finding.OutOfBounds {
		r.t.Errorf("%s: error %v", what, err)
		return
	}
	walk := r.steps == "walk" // some accesses on the way are inside, or outside and near
	if f := &res.Findings.Findings[0]; !walk && !strings.HasPrefix(f.Detail, "far outside") {
		r.t.Errorf("%s: %s", what, f.Detail)
	}
	if !slices.Equal(r.a, farBefore()) || !walk && !slices.Equal(r.out, make([]uint32, farItems)) {
		r.t.Errorf("%s: %d and %d have changed", what, r.a, r.out)
	}
}
