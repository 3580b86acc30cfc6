package muxtest

import (
	"context"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv"
)

func moduleScenarios() []Scenario {
	clauses := []string{"MUX-05"}
	rules := []string{"MUX-05", "MUX-08"}
	return []Scenario{
		{"BaseModule Constructor", "must be called", rules, Anything, func(r *run) {
			var m struct{ *mux.BaseModule }
			_, _, err := m.Finalize(background)
			r.is(err, mux.ErrNotConstructed)
			_, err = m.GetKernel("scale")
			r.is(err, mux.ErrNotConstructed)
			_, err = mux.NewBaseModule(nil, r.targetWith(nil), nil)
			r.is(err, mux.ErrNotConstructed)
		}},
		{"BaseModule::clear", "the program is forgotten", clauses, Anything, func(r *run) {
			m, a := r.limited(scaleText)
			used := a.Used()
			m.Clear()
			if a.Used() >= used {
				r.bad("%d bytes are taken after clear, %d before", a.Used(), used)
			}
			_, err := m.CreateBinary()
			r.is(err, mux.ErrNotFinalized)
			_, _, err = m.Finalize(background)
			r.is(err, mux.ErrNoProgram)
			if m.Size() != 0 {
				r.bad("the size is %d", m.Size())
			}
			r.compile(m, printText)
		}},
		{"BaseModule::finalize", "kernel_info", clauses, Anything, func(r *run) {
			m := r.module()
			r.compile(m, scaleText)
			info, printfs, err := m.Finalize(background)
			r.ok(err)
			if len(info.Kernels) != 2 || len(printfs) != 0 {
				r.end("%d kernels and %d printf calls", len(info.Kernels), len(printfs))
			}
			scale, fill := info.Kernel("scale"), info.Kernel("fill")
			if scale == nil || fill == nil {
				r.end("the kernels are called %q and %q", info.Kernels[0].Name, info.Kernels[1].Name)
			}
			if len(scale.Args) != 2 || scale.Args[0].Name != "factor" || scale.Args[0].Kind != spirv.ArgValue || scale.Args[0].Size != 4 ||
				scale.Args[1].TypeName != "uint*" || scale.Args[1].Kind != spirv.ArgBuffer {
				r.bad("the arguments of scale are %+v", scale.Args)
			}
			if fill.ReqdWorkGroupSize != [3]uint32{8, 1, 1} || fill.LocalMemory != 64 || scale.ReqdWorkGroupSize != [3]uint32{} {
				r.bad("fill is %+v", *fill)
			}
			again, _, err := m.Finalize(background)
			r.ok(err)
			if again != info {
				r.bad("finalizing again gives other kernels")
			}
		}},
		{"BaseModule::finalize", "printf_calls", clauses, Anything, func(r *run) {
			m := r.module()
			r.compile(m, printText)
			_, printfs, err := m.Finalize(background)
			r.ok(err)
			if len(printfs) != 1 || printfs[0].Kernel != "hello" || printfs[0].Format != "n=%u%s\n" || len(printfs[0].Args) != 2 {
				r.end("the printf calls are %+v", printfs)
			}
			if a := printfs[0].Args; a[0].Elements != 1 || a[1].Elements != 0 || a[1].Text != "us" {
				r.bad("its arguments are %+v", a)
			}
		}},
		{"BaseModule::finalize", "allocation failure", rules, Anything, func(r *run) {
			a := mux.NewAccount(1 << 20)
			m := r.moduleOf(r.targetWith(a))
			r.compile(m, scaleText)
			full(a)
			_, _, err := m.Finalize(background)
			r.is(err, mux.ErrOutOfMemory)
		}},
		{"BaseModule::finalize", "failure", rules, Anything, func(r *run) {
			m := r.module()
			r.compile(m, callerText)
			_, _, err := m.Finalize(background)
			r.is(err, mux.ErrFinalizeProgramFailure)
			if r.diag.NumErrors() != 1 || !strings.Contains(r.diag.Log(), "twist") {
				r.bad("%d errors and the log %q", r.diag.NumErrors(), r.diag.Log())
			}
		}},
		{"BaseModule::finalize", "a context that is over", clauses, Anything, func(r *run) {
			m := r.module()
			r.compile(m, scaleText)
			ctx, cancel := context.WithCancel(background)
			cancel()
			_, _, err := m.Finalize(ctx)
			r.is(err, context.Canceled)
		}},
		{"BaseModule::createBinary", "allocation failure", rules, Anything, func(r *run) {
			m, a := r.limited(scaleText)
			full(a)
			b, err := m.CreateBinary()
			r.is(err, mux.ErrOutOfMemory)
			if b != nil {
				r.bad("there is a binary")
			}
		}},
		{"BaseModule::createBinary", "success", clauses, Anything, func(r *run) {
			m := r.finalized(scaleText)
			b, err := m.CreateBinary()
			r.ok(err)
			d := r.device()
			data := r.words(d, 1, 2, 3, 4, 5)
			if got := r.launch(d, b, "scale", line(5, 5, word(10), buffer(data)), data); !slices.Equal(got, []uint32{13, 23, 33, 43, 53}) {
				r.bad("the kernel gives %d", got)
			}
			again, err := m.CreateBinary()
			r.ok(err)
			if !slices.Equal(b, again) {
				r.bad("the second binary is another")
			}
		}},
		{"BaseModule::createBinary", "a program that is not finalized", rules, Anything, func(r *run) {
			m := r.module()
			_, err := m.CreateBinary()
			r.is(err, mux.ErrNotFinalized)
			r.compile(m, scaleText)
			_, err = m.CreateBinary()
			r.is(err, mux.ErrNotFinalized)
		}},
		{"BaseModule::createKernel", "allocation failure", []string{"MUX-05", "MUX-07", "MUX-08"}, Deferred, func(r *run) {
			m, a := r.limited(scaleText)
			full(a)
			k, err := m.GetKernel("scale")
			r.is(err, mux.ErrOutOfMemory)
			if k != nil {
				r.bad("there is a kernel")
			}
		}},
		{"BaseModule::createKernel", "no deferred compilation", []string{"MUX-05", "MUX-07", "MUX-08"}, Immediate, func(r *run) {
			m := r.finalized(scaleText)
			k, err := m.CreateKernel("scale")
			r.is(err, mux.ErrNoDeferredCompilation)
			r.is(err, mux.ErrFeatureUnsupported)
			if k != nil {
				r.bad("createKernel gives a kernel")
			}
			k, err = m.GetKernel("scale")
			r.is(err, mux.ErrNoDeferredCompilation)
			if k != nil {
				r.bad("getKernel gives a kernel")
			}
		}},
		{"BaseModule::createKernel", "an existing kernel of the module", clauses, Deferred, func(r *run) {
			m := r.finalized(scaleText)
			before, _, err := m.Finalize(background)
			r.ok(err)
			if k := r.kernel(m, "fill"); k.Name() != "fill" {
				r.bad("its name is %q", k.Name())
			}
			after, _, err := m.Finalize(background)
			r.ok(err)
			if len(after.Kernels) != len(before.Kernels) {
				r.bad("the module has %d kernels now", len(after.Kernels))
			}
			for _, name := range []string{"", "scale2", "twist"} {
				_, err := m.GetKernel(name)
				r.is(err, mux.ErrNoKernel)
			}
		}},
		{"BaseModule::getKernel", "looked up, or created lazily", clauses, Deferred, func(r *run) {
			m, a := r.limited(scaleText)
			before := a.Used()
			k := r.kernel(m, "scale")
			if a.Used() <= before {
				r.bad("the kernel was there before it was asked for")
			}
			if again := r.kernel(m, "scale"); again != k {
				r.bad("the same name gives another kernel")
			}
			if other := r.kernel(m, "fill"); other == k {
				r.bad("another name gives the same kernel")
			}
			m2 := r.module()
			r.compile(m2, scaleText)
			_, err := m2.GetKernel("scale")
			r.is(err, mux.ErrNotFinalized)
		}},
	}
}
