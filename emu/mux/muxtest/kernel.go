package muxtest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// zeros are the local sizes that are not allowed, with the rule that each breaks.
var zeros = []struct {
	name string
	size [3]uint64
	want error
}{
	{"local_size_x is 0", [3]uint64{0, 1, 1}, mux.ErrLocalSizeX},
	{"local_size_y is 0", [3]uint64{1, 0, 1}, mux.ErrLocalSizeY},
	{"local_size_z is 0", [3]uint64{1, 1, 0}, mux.ErrLocalSizeZ},
}

// sizeRules are the scenarios of a method that takes a local size: its rules about it.
func sizeRules(section string, call func(k mux.Kernel, x, y, z uint64) error) []Scenario {
	clauses := []string{"MUX-07", "MUX-08"}
	list := []Scenario{{section, "allocation failure", clauses, Deferred, func(r *run) {
		m, a := r.limited(scaleText)
		k := r.kernel(m, "scale")
		full(a)
		r.is(call(k, 8, 1, 1), mux.ErrOutOfMemory)
	}}}
	for _, z := range zeros {
		list = append(list, Scenario{section, z.name, clauses, Deferred, func(r *run) {
			err := call(r.scale(), z.size[0], z.size[1], z.size[2])
			r.is(err, z.want)
			r.is(err, mux.ErrInvalidValue)
		}})
	}
	return list
}

func kernelScenarios() []Scenario {
	clauses := []string{"MUX-07"}
	rules := []string{"MUX-07", "MUX-08"}
	list := []Scenario{
		{"BaseKernel Constructor", "must be called", rules, Anything, func(r *run) {
			var k struct{ *mux.BaseKernel }
			r.is(k.PrecacheLocalSize(1, 1, 1), mux.ErrNotConstructed)
			_, err := k.GetSubGroupSize()
			r.is(err, mux.ErrNotConstructed)
			_, err = mux.NewBaseKernel(nil, "scale", [3]uint64{1, 1, 1}, 0)
			r.is(err, mux.ErrNotConstructed)
		}},
		{"BaseKernel Constructor", "preferred local sizes and local memory", clauses, Deferred, func(r *run) {
			m := r.finalized(scaleText)
			scale, fill := r.kernel(m, "scale"), r.kernel(m, "fill")
			d := r.env.Info.DeviceInfo()
			p := scale.PreferredLocalSizes()
			if n := p[0] * p[1] * p[2]; n == 0 || n > d.MaxWorkGroupSize || d.SubGroupSize > 0 && n%uint64(d.SubGroupSize) != 0 {
				r.bad("scale prefers %d", p)
			}
			if p := fill.PreferredLocalSizes(); p != [3]uint64{8, 1, 1} {
				r.bad("fill, which requires 8, prefers %d", p)
			}
			if scale.LocalMemorySize() != 0 || fill.LocalMemorySize() != 64 {
				r.bad("%d and %d bytes of local memory, want 0 and 64", scale.LocalMemorySize(), fill.LocalMemorySize())
			}
		}},
		{"BaseKernel Constructor", "what it is given", clauses, Deferred, func(r *run) {
			m := r.finalized(scaleText)
			k, err := mux.NewBaseKernel(m, "scale", [3]uint64{4, 2, 1}, 77)
			r.ok(err)
			if k.PreferredLocalSizes() != [3]uint64{4, 2, 1} || k.LocalMemorySize() != 77 {
				r.bad("%d and %d", k.PreferredLocalSizes(), k.LocalMemorySize())
			}
			_, err = mux.NewBaseKernel(m, "no", [3]uint64{1, 1, 1}, 0)
			r.is(err, mux.ErrNoKernel)
		}},
	}
	const precache, width = "BaseKernel::precacheLocalSize", "BaseKernel::getDynamicWorkWidth"
	list = append(list, sizeRules(precache, func(k mux.Kernel, x, y, z uint64) error { return k.PrecacheLocalSize(x, y, z) })...)
	list = append(list, Scenario{precache, "success", clauses, Deferred, func(r *run) {
		m, a := r.limited(scaleText)
		k := r.kernel(m, "scale")
		for n := uint64(1); n <= 20; n++ {
			r.ok(k.PrecacheLocalSize(n, 1, 1))
		}
		used := a.Used()
		r.ok(k.PrecacheLocalSize(20, 1, 1))
		if a.Used() != used {
			r.bad("the same size takes memory again")
		}
		// A size that no launch can have is no error.
		r.ok(k.PrecacheLocalSize(1<<40, 1<<40, 1<<40))
		for n := uint64(21); n <= 40; n++ {
			r.ok(k.PrecacheLocalSize(n, 1, 1))
		}
		if a.Used() > 2*used {
			r.bad("twenty more sizes take %d bytes, the first twenty %d", a.Used(), used)
		}
	}}, Scenario{precache, "createSpecializedKernel may require it", clauses, Deferred, func(r *run) {
		m := r.finalized(scaleText)
		k := r.kernel(m, "scale")
		r.ok(k.PrecacheLocalSize(2, 1, 1))
		b, err := k.CreateSpecializedKernel(background, line(4, 2))
		r.ok(err)
		d := r.device()
		data := r.words(d, 1, 2, 3, 4)
		if got := r.launch(d, b, "scale", line(4, 2, word(2), buffer(data)), data); !slices.Equal(got, []uint32{5, 7, 9, 11}) {
			r.bad("the kernel gives %d", got)
		}
	}})
	list = append(list, sizeRules(width, func(k mux.Kernel, x, y, z uint64) error {
		_, err := k.GetDynamicWorkWidth(x, y, z)
		return err
	})...)
	return append(list, Scenario{width, "greater than 0, and no more than the work-group", clauses, Deferred, func(r *run) {
		k := r.scale()
		d := r.env.Info.DeviceInfo()
		for _, size := range [][3]uint64{{1, 1, 1}, {2, 1, 1}, {3, 5, 1}, {64, 1, 1}, {7, 7, 7}, {d.MaxWorkGroupSize, 1, 1}, {1 << 62, 4, 4}} {
			n, err := k.GetDynamicWorkWidth(size[0], size[1], size[2])
			r.ok(err)
			if n == 0 || size[0] < 1<<20 && uint64(n) > size[0]*size[1]*size[2] || n > d.MaxWorkWidth {
				r.bad("the width is %d for %d", n, size)
			}
		}
	}}, Scenario{width, "the width of a launch", clauses, Deferred, func(r *run) {
		m := r.finalized(scaleText)
		b, err := m.CreateBinary()
		r.ok(err)
		d := r.device()
		e, err := mux.LoadExecutable(d, b)
		r.ok(err)
		for _, n := range []uint64{1, 5, 64} {
			data := r.words(d, make([]uint32, n)...)
			l, err := e.Launch("scale", line(n, n, word(1), buffer(data)))
			r.ok(err)
			res, err := l.Run(background)
			r.ok(err)
			w, err := r.kernel(m, "scale").GetDynamicWorkWidth(n, 1, 1)
			r.ok(err)
			if uint64(w) != min(uint64(res.WaveLanes), n) {
				r.bad("the width is %d, and a launch of %d work-items runs waves of %d", w, n, res.WaveLanes)
			}
		}
	}}, Scenario{"Kernel", "used by several goroutines", []string{"MUX-01", "MUX-07"}, Deferred, func(r *run) {
		m := r.finalized(scaleText)
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() {
				k, err := m.GetKernel("scale")
				if err == nil {
					err = k.PrecacheLocalSize(uint64(i+1), 1, 1)
				}
				if err == nil {
					_, err = k.CreateSpecializedKernel(background, line(8, uint64(i+1)))
				}
				if err == nil {
					_, err = m.Serialize(make([]byte, m.Size()))
				}
				errs[i] = err
			})
		}
		wg.Wait()
		for _, err := range errs {
			r.ok(err)
		}
	}})
}

func specializeScenarios() []Scenario {
	const section = "BaseKernel::createSpecializedKernel"
	clauses := []string{"MUX-07"}
	rules := []string{"MUX-07", "MUX-08"}
	two := func() []mux.Descriptor {
		return []mux.Descriptor{word(2), {Type: mux.DescriptorBuffer}}
	}
	good := func() *mux.NDRangeOptions { return line(4, 2, two()...) }
	// rule is a scenario with options that break one.
	broken := func(name string, want, result error, change func(*mux.NDRangeOptions)) Scenario {
		return Scenario{section, name, rules, Deferred, func(r *run) {
			k := r.scale()
			o := good()
			_, err := k.CreateSpecializedKernel(background, o)
			r.ok(err)
			change(o)
			b, err := k.CreateSpecializedKernel(background, o)
			r.is(err, want)
			r.is(err, result)
			if b != nil {
				r.bad("there is a binary")
			}
		}}
	}
	list := []Scenario{
		{section, "allocation failure", rules, Deferred, func(r *run) {
			m, a := r.limited(scaleText)
			k := r.kernel(m, "scale")
			full(a)
			_, err := k.CreateSpecializedKernel(background, good())
			r.is(err, mux.ErrOutOfMemory)
		}},
		broken("descriptors without a length", mux.ErrDescriptorsEmpty, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.DescriptorsLength = 0 }),
		broken("a length without descriptors", mux.ErrDescriptorsMissing, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.Descriptors = nil }),
		broken("global_offset is NULL", mux.ErrGlobalOffset, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.GlobalOffset = nil }),
		broken("global_size is NULL", mux.ErrGlobalSize, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.GlobalSize = nil }),
		broken("length is 0", mux.ErrDimensions, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.Length = 0 }),
		broken("length is greater than 3", mux.ErrDimensions, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.Length = 4 }),
		broken("another number of descriptors", mux.ErrInvalidValue, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.DescriptorsLength = 1 }),
		broken("descriptors that do not fit the kernel", mux.ErrInvalidValue, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) {
			o.Descriptors[0], o.Descriptors[1] = o.Descriptors[1], o.Descriptors[0]
		}),
		broken("a local size that the device does not have", mux.ErrInvalidValue, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.LocalSize[0] = 1 << 33 }),
	}
	for i, z := range zeros {
		list = append(list, broken(fmt.Sprintf("an element of local_size is 0: %c", "xyz"[i]), z.want, mux.ErrInvalidValue, func(o *mux.NDRangeOptions) { o.LocalSize[i] = 0 }))
	}
	return append(list,
		Scenario{section, "a custom buffer that the device does not take", rules, Deferred, func(r *run) {
			o := good()
			o.Descriptors[0].Type = mux.DescriptorCustomBuffer
			b, err := r.scale().CreateSpecializedKernel(background, o)
			if r.env.Info.DeviceInfo().CustomBuffers {
				r.ok(err)
				return
			}
			r.is(err, mux.ErrCustomBuffer)
			r.is(err, mux.ErrInvalidValue)
			if b != nil {
				r.bad("there is a binary")
			}
		}},
		Scenario{section, "failure of code generation", rules, Anything, func(r *run) {
			// The late pass of this compiler fails the second time, when the kernel is
			// compiled again.
			s, m := r.spied("")
			r.compile(m, printText)
			_, _, err := m.Finalize(background)
			r.ok(err)
			k, err := mux.NewBaseKernel(m, "hello", [3]uint64{1, 1, 1}, 0)
			r.ok(err)
			s.fail = "run late"
			b, err := k.CreateSpecializedKernel(background, line(1, 1, word(1)))
			r.is(err, mux.ErrCodeGeneration)
			r.is(err, mux.ErrFinalizeProgramFailure)
			r.is(err, errHook)
			if b != nil {
				r.bad("there is a binary")
			}
		}},
		Scenario{section, "a valid binary", clauses, Deferred, func(r *run) {
			k := r.scale()
			d := r.device()
			data := r.words(d, 1, 2, 3, 4)
			o := line(4, 2, word(2), buffer(data))
			b, err := k.CreateSpecializedKernel(background, o)
			r.ok(err)
			if got := r.launch(d, b, "scale", o, data); !slices.Equal(got, []uint32{5, 7, 9, 11}) {
				r.bad("the kernel gives %d", got)
			}
		}},
		Scenario{section, "a global offset", clauses, Deferred, func(r *run) {
			k := r.scale()
			d := r.device()
			data := r.words(d, 1, 2, 3, 4)
			o := line(2, 2, word(2), buffer(data))
			o.GlobalOffset[0] = 2
			b, err := k.CreateSpecializedKernel(background, o)
			r.ok(err)
			if got := r.launch(d, b, "scale", o, data); !slices.Equal(got, []uint32{1, 2, 9, 11}) {
				r.bad("the kernel gives %d", got)
			}
		}},
		Scenario{section, "launches that differ are refused", clauses, Deferred, func(r *run) {
			k := r.scale()
			d := r.device()
			data := r.words(d, 1, 2, 3, 4)
			b, err := k.CreateSpecializedKernel(background, line(4, 2, word(2), buffer(data)))
			r.ok(err)
			e, err := mux.LoadExecutable(d, b)
			r.ok(err)
			for i, o := range []*mux.NDRangeOptions{
				line(2, 2, word(2), buffer(data)), line(4, 4, word(2), buffer(data)), line(4, 2, word(3), buffer(data)),
			} {
				l, err := e.Launch("scale", o)
				r.ok(err)
				if _, err := l.Run(background); err == nil {
					r.bad("launch %d runs", i)
				}
			}
			if got, err := emu.Read[uint32](data); err != nil || !slices.Equal(got, []uint32{1, 2, 3, 4}) {
				r.bad("the buffer is %d (%v)", got, err)
			}
		}},
		Scenario{section, "a context that is over", clauses, Deferred, func(r *run) {
			ctx, cancel := context.WithCancel(background)
			cancel()
			_, err := r.scale().CreateSpecializedKernel(ctx, good())
			r.is(err, context.Canceled)
		}},
	)
}
