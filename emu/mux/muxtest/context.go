package muxtest

import (
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

func contextScenarios() []Scenario {
	const section = "Context"
	clauses := []string{"MUX-01"}
	return []Scenario{
		{section, "isValidSPIRV", clauses, Anything, func(r *run) {
			c := r.context()
			good := r.program(scaleText)
			if !c.IsValidSPIRV(good) {
				r.bad("a valid module is not")
			}
			for name, code := range map[string][]uint32{
				"nothing": nil, "no header": {1, 2, 3}, "half a module": good[:len(good)/2+1], "a shader": r.program(shaderText),
			} {
				if c.IsValidSPIRV(code) {
					r.bad("%s is valid", name)
				}
			}
		}},
		{section, "getSpecializableConstants", clauses, Anything, func(r *run) {
			got, err := r.context().GetSpecializableConstants(r.program(scaleText))
			r.ok(err)
			want := map[uint32]mux.SpecializableConstant{
				7: {Name: "BIAS", Type: mux.SpecializationInteger, Bits: 32, Default: 3},
				8: {Type: mux.SpecializationInteger, Bits: 64, Default: 5000000000},
				9: {Type: mux.SpecializationBool, Bits: 1, Default: 1},
			}
			if len(got) != len(want) {
				r.bad("there are %d constants, want %d", len(got), len(want))
			}
			for id, w := range want {
				if got[id] != w {
					r.bad("constant %d is %+v, want %+v", id, got[id], w)
				}
			}
			if c, err := r.context().GetSpecializableConstants([]uint32{1}); err == nil {
				r.bad("something that is no module has the constants %v", c)
			} else {
				r.is(err, mux.ErrInvalidValue)
			}
		}},
		{section, "satisfies Lockable", clauses, Anything, func(r *run) {
			c := r.context()
			if !c.TryLock() {
				r.end("nobody holds the lock, and try_lock does not get it")
			}
			if c.TryLock() {
				r.bad("try_lock gets a lock that is held")
			}
			c.Unlock()
			c.Lock()
			if c.TryLock() {
				r.bad("try_lock gets a lock that lock has taken")
			}
			c.Unlock()
		}},
		{section, "must be locked while the compiler works", clauses, Anything, func(r *run) {
			c := r.context()
			t, err := r.env.Info.CreateTarget(c, nil, nil, nil)
			r.ok(err)
			r.ok(t.InitWithBuiltins(nil))
			m := r.moduleOf(t)
			code := r.program(scaleText)
			device := r.env.Info.DeviceInfo().SPIRV()
			// The compiler tells the device's user of a bad module with the lock held.
			locked := false
			t2, err := r.env.Info.CreateTarget(c, nil, nil, func(mux.Notification) {
				locked = true
				if c.TryLock() {
					locked = false
					c.Unlock()
				}
			})
			r.ok(err)
			r.ok(t2.InitWithBuiltins(nil))
			_, err = r.moduleOf(t2).CompileSPIRV(background, []uint32{1}, &device, nil)
			r.is(err, mux.ErrCompileProgramFailure)
			if !locked {
				r.bad("the lock is not held while a module is compiled")
			}
			// Who holds the lock keeps the compiler out.
			c.Lock()
			done := make(chan error, 1)
			go func() {
				_, err := m.CompileSPIRV(background, code, &device, nil)
				done <- err
			}()
			early := false
			select {
			case <-done:
				early = true
			default:
			}
			c.Unlock()
			if early {
				r.end("a module was compiled while somebody else held the lock")
			}
			r.ok(<-done)
		}},
	}
}
