package muxtest

import (
	"bytes"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

func serialScenarios() []Scenario {
	clauses := []string{"MUX-05"}
	rules := []string{"MUX-05", "MUX-08"}
	image := func(r *run, m mux.Module) []byte {
		b := make([]byte, m.Size())
		n, err := m.Serialize(b)
		r.ok(err)
		if n != len(b) || n == 0 {
			r.end("%d bytes are written, the size is %d", n, len(b))
		}
		return b
	}
	return []Scenario{
		{"BaseModule::size", "what serialize writes", clauses, Anything, func(r *run) {
			m := r.module()
			if m.Size() != 0 {
				r.bad("a module without a program has the size %d", m.Size())
			}
			r.compile(m, scaleText)
			image(r, m)
			_, _, err := m.Finalize(background)
			r.ok(err)
			image(r, m)
		}},
		{"BaseModule::serialize", "a buffer of the wrong size", rules, Anything, func(r *run) {
			m := r.finalized(scaleText)
			b := make([]byte, m.Size()-1)
			n, err := m.Serialize(b)
			r.is(err, mux.ErrShortBuffer)
			if n != 0 || !bytes.Equal(b, make([]byte, len(b))) {
				r.bad("%d bytes are written to a buffer that is too small", n)
			}
			long := make([]byte, m.Size()+3)
			n, err = m.Serialize(long)
			r.ok(err)
			if n != m.Size() {
				r.bad("%d bytes are written, the size is %d", n, m.Size())
			}
			_, err = r.module().Serialize(long)
			r.is(err, mux.ErrNoProgram)
		}},
		{"BaseModule::deserialize", "a finalized program", clauses, Anything, func(r *run) {
			m := r.finalized(scaleText)
			b := image(r, m)
			back := r.module()
			r.ok(back.Deserialize(b))
			if !bytes.Equal(image(r, back), b) {
				r.bad("serializing again gives other bytes")
			}
			one, err := m.CreateBinary()
			r.ok(err)
			two, err := back.CreateBinary()
			r.ok(err)
			if !bytes.Equal(one, two) {
				r.bad("the binary is another one")
			}
			info, _, err := back.Finalize(background)
			r.ok(err)
			if k := info.Kernel("scale"); k == nil || len(k.Args) != 2 || k.Args[1].TypeName != "uint*" {
				r.bad("the kernels are %+v", info.Kernels)
			}
			d := r.device()
			data := r.words(d, 1, 2)
			if got := r.launch(d, two, "scale", line(2, 2, word(2), buffer(data)), data); !slices.Equal(got, []uint32{5, 7}) {
				r.bad("the kernel gives %d", got)
			}
		}},
		{"BaseModule::deserialize", "a kernel of a finalized program", clauses, Deferred, func(r *run) {
			back := r.module()
			r.ok(back.Deserialize(image(r, r.finalized(scaleText))))
			b, err := r.kernel(back, "scale").CreateSpecializedKernel(background, line(2, 2, word(3), mux.Descriptor{Type: mux.DescriptorBuffer}))
			r.ok(err)
			d := r.device()
			data := r.words(d, 1, 2)
			if got := r.launch(d, b, "scale", line(2, 2, word(3), buffer(data)), data); !slices.Equal(got, []uint32{6, 9}) {
				r.bad("the kernel gives %d", got)
			}
		}},
		{"BaseModule::deserialize", "a compiled program", clauses, Anything, func(r *run) {
			t := r.targetWith(nil)
			caller, library, m := r.moduleOf(t), r.moduleOf(t), r.moduleOf(t)
			src := r.module()
			r.ok(src.ParseOptions(`-D "A=b c" -cl-std=CL2.0 -w`, mux.OptionsCompile))
			r.compile(src, callerText)
			r.ok(caller.Deserialize(image(r, src)))
			if o := caller.Options(); len(o.Definitions) != 1 || o.Definitions[0] != "A=b c" || o.Std != "CL2.0" || !o.Has("-w") {
				r.bad("the options are %+v", *o)
			}
			r.compile(library, libraryText)
			r.ok(m.Link(background, []mux.Module{caller, library}))
			_, _, err := m.Finalize(background)
			r.ok(err)
		}},
		{"BaseModule::deserialize", "damaged data", rules, Anything, func(r *run) {
			good := image(r, r.finalized(scaleText))
			m := r.module()
			refuse := func(what string, b []byte) {
				if err := m.Deserialize(b); err == nil {
					r.bad("%s is taken", what)
				} else {
					r.is(err, mux.ErrNotSerialized)
				}
			}
			refuse("nothing", nil)
			refuse("half of it", good[:len(good)/2])
			refuse("all but a byte", good[:len(good)-1])
			refuse("a byte more", append(slices.Clone(good), 0))
			for at := 0; at < len(good); at += max(len(good)/97, 1) {
				b := slices.Clone(good)
				b[at] ^= 0x10
				refuse("one bit changed", b)
			}
			src := r.module()
			r.compile(src, libraryText)
			plain := image(r, src)
			for at := range plain {
				b := slices.Clone(plain)
				b[at] ^= 1
				refuse("one bit changed", b)
			}
			version := slices.Clone(good)
			version[8]++
			refuse("another version", version)
			_, _, err := m.Finalize(background)
			r.is(err, mux.ErrNoProgram)
		}},
		{"BaseModule::deserialize", "data of another compiler", rules, Anything, func(r *run) {
			f := mux.InfoFields{Device: *r.env.Info.DeviceInfo()}
			f.Device.Name += "-other"
			base, err := mux.NewBaseInfo(f)
			r.ok(err)
			s := &spy{BaseInfo: base, machineries: map[string]*mux.PassMachinery{}}
			t, err := s.CreateTarget(r.context(), nil, nil, nil)
			r.ok(err)
			r.ok(t.InitWithBuiltins(nil))
			m := r.moduleOf(t)
			r.is(m.Deserialize(image(r, r.finalized(scaleText))), mux.ErrForeignModule)
		}},
		{"BaseModule::deserialize", "allocation failure", rules, Anything, func(r *run) {
			b := image(r, r.finalized(scaleText))
			a := mux.NewAccount(1 << 20)
			m := r.moduleOf(r.targetWith(a))
			full(a)
			r.is(m.Deserialize(b), mux.ErrOutOfMemory)
		}},
	}
}
