package muxtest

import (
	"reflect"

	"github.com/lockstep-gpu/lockstep/emu/mux/mangle"
)

func mangleScenarios() []Scenario {
	clauses := []string{"MUX-09"}
	global := func(t mangle.Type) mangle.Type { return mangle.Pointer{Elem: mangle.Qualified{Space: 1, Type: t}} }
	// types compares types with their names, in both directions.
	types := func(list map[string]mangle.Type) func(*run) {
		return func(r *run) {
			for want, t := range list {
				got, err := mangle.Mangle(t)
				if err != nil || got != want {
					r.bad("%v is %q (%v), want %q", t, got, err, want)
				}
				back, err := mangle.DemangleType(want)
				if err != nil || back != t {
					r.bad("%q reads as %v (%v), want %v", want, back, err, t)
				}
			}
		}
	}
	return []Scenario{
		{"Mangling", "SPIR 1.2, Appendix A", clauses, Anything, func(r *run) {
			for want, f := range map[string]mangle.Function{
				"_Z13get_global_idj": {Name: "get_global_id", Types: []mangle.Type{mangle.UInt}},
				"_Z7barrierj":        {Name: "barrier", Types: []mangle.Type{mangle.UInt}},
				"_Z5fractDv4_fPU3AS1S_": {Name: "fract", Types: []mangle.Type{
					mangle.Vector{Len: 4, Elem: mangle.Float}, global(mangle.Vector{Len: 4, Elem: mangle.Float})}},
				"_Z10atomic_addPU3AS1Vii": {Name: "atomic_add", Types: []mangle.Type{
					mangle.Pointer{Elem: mangle.Qualified{Space: 1, Volatile: true, Type: mangle.Int}}, mangle.Int}},
				"_Z6vload4mPU3AS1Kh": {Name: "vload4", Types: []mangle.Type{
					mangle.ULong, mangle.Pointer{Elem: mangle.Qualified{Space: 1, Const: true, Type: mangle.UChar}}}},
			} {
				got, err := f.Mangle()
				if err != nil || got != want {
					r.bad("%v is %q (%v), want %q", f, got, err, want)
				}
				back, err := mangle.Demangle(want)
				if err != nil || !reflect.DeepEqual(back, f) {
					r.bad("%q reads as %v (%v), want %v", want, back, err, f)
				}
			}
		}},
		{"Vector Types", "vectors of a fixed length", clauses, Anything, types(map[string]mangle.Type{
			"Dv2_i": mangle.Vector{Len: 2, Elem: mangle.Int}, "Dv32_d": mangle.Vector{Len: 32, Elem: mangle.Double}, "Dv4_f": mangle.Vector{Len: 4, Elem: mangle.Float},
		})},
		{"Vector Types", "scalable vectors", clauses, Anything, types(map[string]mangle.Type{
			"u5nxv1j": mangle.Scalable{Min: 1, Elem: mangle.UInt}, "u5nxv2f": mangle.Scalable{Min: 2, Elem: mangle.Float},
			"u6nxv16d": mangle.Scalable{Min: 16, Elem: mangle.Double}, "u11nxv4PU3AS1j": mangle.Scalable{Min: 4, Elem: global(mangle.UInt)},
		})},
		{"Vector Types", "functions of the vectorizer", clauses, Anything, func(r *run) {
			for want, v := range map[string]mangle.Type{
				"__vecz_b_interleaved_storeV_Dv16_dPU3AS1d":   mangle.Vector{Len: 16, Elem: mangle.Double},
				"__vecz_b_interleaved_storeV_u6nxv16dPU3AS1d": mangle.Scalable{Min: 16, Elem: mangle.Double},
			} {
				f := mangle.Function{Form: mangle.Internal, Name: "interleaved_storeV", Types: []mangle.Type{v, global(mangle.Double)}}
				got, err := f.Mangle()
				if err != nil || got != want {
					r.bad("%v is %q (%v), want %q", f, got, err, want)
				}
				back, err := mangle.Demangle(want)
				if err != nil || !reflect.DeepEqual(back, f) {
					r.bad("%q reads as %v (%v), want %v", want, back, err, f)
				}
			}
		}},
	}
}
