package debug

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Functions that expressions can call: those of work-items, and simple ones of numbers. Others of OpenCL C
// are refused by name.

// call evaluates a call.
func (v *evaluation) call(n *node) (Value, error) {
	args := make([]Value, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = whole(v.eval(a)); err != nil {
			return args[i], err
		}
	}
	if x, ok, err := v.workItem(n.text, args); ok {
		return x, err
	}
	f := numberFunctions[n.text]
	if f == nil || len(args) != f.args {
		return Value{}, v.notCalled(n.text, f)
	}
	t := args[0].Type.strip()
	for _, a := range args[1:] {
		if at := a.Type.strip(); at.isNumber() && t.isNumber() {
			t = v.s.info.base.common(t, at)
		} else if at.Kind == isa.DebugVector {
			t = at
		}
	}
	if t.Kind != isa.DebugVector {
		return v.numbers(f, args, t)
	}
	for i := range args {
		var err error
		if args[i], err = v.convert(args[i], t); err != nil {
			return args[i], err
		}
	}
	result := &Type{Kind: isa.DebugVector, Elem: t.Elem, Count: t.Count, Size: t.Size}
	if f.test {
		result.Elem = v.signedOf(t.Elem)
	}
	return v.elementwise(t, result, func(i uint64) (Value, error) {
		parts := make([]Value, len(args))
		for j := range args {
			parts[j] = element(args[j], t, i)
		}
		x, err := v.numbers(f, parts, t.Elem.strip())
		if err == nil && f.test {
			x = v.mask(t.Elem, x.word() != 0)
		}
		return x, err
	})
}

// notCalled says why a function cannot be called: f, when it is not nil, takes another number of arguments.
func (v *evaluation) notCalled(name string, f *numberFunction) error {
	switch {
	case f != nil && f.args == 1:
		return bad("%s takes one argument", name)
	case f != nil:
		return bad("%s takes %d arguments", name, f.args)
	case len(v.s.info.functionStarts(name)) > 0:
		return bad("%s is a function of the kernel: expressions call work-item functions and some of numbers, and no code", name)
	}
	return bad("expressions cannot call %s, only work-item functions and some of numbers, such as min, fabs and sqrt", name)
}

// numberFunction is a function of numbers: of floating-point ones, of integers, or of both.
type numberFunction struct {
	args  int
	test  bool // the result is an int
	float func(x []float64) float64
	int   func(x []int64) int64
	uint  func(x []uint64) uint64
}

var numberFunctions = map[string]*numberFunction{
	"min": {args: 2, float: func(x []float64) float64 {
		if x[1] < x[0] {
			return x[1]
		}
		return x[0]
	}, int: func(x []int64) int64 { return min(x[0], x[1]) }, uint: func(x []uint64) uint64 { return min(x[0], x[1]) }},
	"max": {args: 2, float: func(x []float64) float64 {
		if x[0] < x[1] {
			return x[1]
		}
		return x[0]
	}, int: func(x []int64) int64 { return max(x[0], x[1]) }, uint: func(x []uint64) uint64 { return max(x[0], x[1]) }},
	"abs": {args: 1, int: func(x []int64) int64 {
		if x[0] < 0 {
			return -x[0]
		}
		return x[0]
	}, uint: func(x []uint64) uint64 { return x[0] }},
	"fabs":  {args: 1, float: func(x []float64) float64 { return math.Abs(x[0]) }},
	"sqrt":  {args: 1, float: func(x []float64) float64 { return math.Sqrt(x[0]) }},
	"floor": {args: 1, float: func(x []float64) float64 { return math.Floor(x[0]) }},
	"ceil":  {args: 1, float: func(x []float64) float64 { return math.Ceil(x[0]) }},
	"trunc": {args: 1, float: func(x []float64) float64 { return math.Trunc(x[0]) }},
	"isnan": {args: 1, test: true, float: func(x []float64) float64 { return one(x[0] != x[0]) }},
	"isinf": {args: 1, test: true, float: func(x []float64) float64 { return one(math.IsInf(x[0], 0)) }},
	"isfinite": {args: 1, test: true, float: func(x []float64) float64 {
		return one(!math.IsInf(x[0], 0) && x[0] == x[0])
	}},
	"signbit": {args: 1, test: true, float: func(x []float64) float64 { return one(math.Signbit(x[0])) }},
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// numbers calls a function of numbers in a stripped type.
func (v *evaluation) numbers(f *numberFunction, args []Value, t *Type) (Value, error) {
	if t.isInt() && f.int == nil {
		t = v.s.info.base.float
	}
	var floats []float64
	var ints []int64
	var uints []uint64
	for _, a := range args {
		x, err := v.convert(a, t)
		if err != nil {
			return x, err
		}
		floats, ints, uints = append(floats, x.float()), append(ints, x.signed()), append(uints, x.word())
	}
	switch {
	case t.Kind == isa.DebugFloat && f.float != nil && f.test:
		return v.boolean(f.float(floats) != 0), nil
	case t.Kind == isa.DebugFloat && f.float != nil:
		return floating(t, f.float(floats)), nil
	case t.Kind == isa.DebugSigned && f.int != nil:
		return integer(t, uint64(f.int(ints))), nil
	case t.isInt() && f.uint != nil:
		return integer(t, f.uint(uints)), nil
	}
	return Value{}, bad("the function is not for %s", t)
}

// workItem evaluates a work-item function (OpenCL C 6.15.1); ok is false for others.
func (v *evaluation) workItem(name string, args []Value) (x Value, ok bool, err error) {
	b := &v.s.info.base
	t, dims, ok := b.workItemType(name)
	if !ok {
		return Value{}, false, nil
	}
	d := uint64(0)
	if dims {
		if len(args) != 1 || !args[0].Type.strip().isInt() {
			return Value{}, true, bad("%s wants the number of a dimension", name)
		}
		d = args[0].word()
	}
	return integer(t, v.workItemValue(name, d)), true, nil
}

// workItemType returns the type of what a work-item function returns, and whether it has the number of a
// dimension.
func (b *baseTypes) workItemType(name string) (t *Type, dims, ok bool) {
	switch name {
	case "get_work_dim", "get_sub_group_id", "get_sub_group_local_id":
		return b.uint, false, true
	case "get_local_linear_id", "get_global_linear_id":
		return b.ulong, false, true
	case "get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size", "get_enqueued_local_size",
		"get_num_groups", "get_global_offset":
		return b.ulong, true, true
	}
	return nil, false, false
}

// workItemValue returns what a work-item function returns for a dimension.
func (v *evaluation) workItemValue(name string, d uint64) uint64 {
	g, _ := v.s.stepper.Group()
	l := g.Launch
	if d > 2 {
		switch name { // what is outside of the dimensions
		case "get_global_size", "get_local_size", "get_enqueued_local_size", "get_num_groups":
			return 1
		}
		return 0
	}
	first, _ := v.w.Items()
	switch name {
	case "get_work_dim":
		return uint64(l.Dim)
	case "get_sub_group_id":
		return uint64(v.item / l.SubgroupSize)
	case "get_sub_group_local_id":
		return uint64((v.item - first) % l.SubgroupSize)
	case "get_group_id":
		return g.ID[d]
	case "get_global_size":
		return l.Global[d]
	case "get_local_size":
		return uint64(g.Size[d])
	case "get_enqueued_local_size":
		return uint64(l.Local[d])
	case "get_num_groups":
		return l.Groups[d]
	case "get_global_offset":
		return l.Offset[d]
	}
	local := v.s.kernel.Meta.Order.Item(g.Size, uint64(v.item))
	at := func(d uint64) uint64 { return g.ID[d]*uint64(l.Local[d]) + uint64(local[d]) }
	switch name {
	case "get_local_id":
		return uint64(local[d])
	case "get_local_linear_id":
		return (uint64(local[2])*uint64(g.Size[1])+uint64(local[1]))*uint64(g.Size[0]) + uint64(local[0])
	case "get_global_linear_id":
		return (at(2)*l.Global[1]+at(1))*l.Global[0] + at(0)
	}
	return l.Offset[d] + at(d)
}
