package plan

import "github.com/lockstep-gpu/lockstep/isa"

// Constants returns the scalar registers of a kernel that hold the same value in every launch, by number.
func Constants(k *isa.Kernel) map[int]uint64 {
	m := map[int]uint64{}
	for i, v := range k.ScalarInit {
		m[i] = v
	}
	for _, r := range k.ParamRegs {
		delete(m, r.Scalar)
	}
	for _, r := range k.GlobalRegs {
		delete(m, r.Scalar)
	}
	for _, r := range k.PipeRegs {
		delete(m, r.Scalar)
	}
	for _, r := range k.UndefinedRegs {
		delete(m, r.Scalar)
	}
	for i := range k.Code {
		if d := k.Code[i].Dst; d.IsScalar() {
			delete(m, d.Index())
		}
	}
	return m
}

// constant returns the value of a scalar register that is the same in every launch.
func (d *planner) constant(r isa.Reg) (uint64, bool) {
	if !r.IsScalar() {
		return 0, false
	}
	if d.constants == nil {
		d.constants = Constants(d.kernel)
	}
	v, ok := d.constants[r.Index()]
	return v, ok
}
