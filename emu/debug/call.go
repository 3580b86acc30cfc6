package debug

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

const eventEnded = scheduler.EventEnded

// Functions that expressions can call: those of work-items, and simple ones of numbers. Others of OpenCL C are refused by name.

// call evaluates a call.
func (v *evaluation) call(n *node) (Value, error) {
	args := make([]Value, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = v.eval(a); err != nil {
			return args[i], err
		}
	}
	if x, ok, err := v.workItem(n.text, args); ok {
		return x, err
	}
	f := numberFunctions[n.text]
	if f == nil || len(args) != f.args {
		return Value{}, bad("%s of %d arguments cannot be called here", n.text, len(args))
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
	g, _ := v.s.stepper.Group()
	l := g.Launch
	it := v.s.Item(v.item)
	b := &v.s.info.base
	first, _ := v.w.Items()
	linear := func(id, size [3]uint64) uint64 { return (id[2]*size[1]+id[1])*size[0] + id[0] }
	size := [3]uint64{uint64(g.Size[0]), uint64(g.Size[1]), uint64(g.Size[2])}
	var from [3]uint64
	for d := range 3 {
		from[d] = it.Global[d] - l.Offset[d]
	}
	plain := map[string]uint64{
		"get_work_dim": uint64(l.Dim), "get_local_linear_id": linear(it.Local, size), "get_global_linear_id": linear(from, l.Global),
		"get_sub_group_id": uint64(it.Subgroup), "get_sub_group_local_id": uint64((v.item - first) % l.SubgroupSize),
	}
	if n, is := plain[name]; is {
		t := b.ulong
		if name == "get_work_dim" || it.Subgroup >= 0 && (name == "get_sub_group_id" || name == "get_sub_group_local_id") {
			t = b.uint
		}
		return integer(t, n), true, nil
	}
	enqueued := [3]uint64{uint64(l.Local[0]), uint64(l.Local[1]), uint64(l.Local[2])}
	by, is := map[string][3]uint64{
		"get_global_id": it.Global, "get_local_id": it.Local, "get_group_id": it.Group, "get_global_size": l.Global, "get_local_size": size,
		"get_enqueued_local_size": enqueued, "get_num_groups": l.Groups, "get_global_offset": l.Offset,
	}[name]
	if !is {
		return Value{}, false, nil
	}
	if len(args) != 1 || !args[0].Type.strip().isInt() {
		return Value{}, true, bad("%s wants the number of a dimension", name)
	}
	d := args[0].word()
	if d > 2 {
		switch name { // OpenCL C 6.15.1: what is outside of the dimensions
		case "get_global_size", "get_local_size", "get_enqueued_local_size", "get_num_groups":
			return integer(b.ulong, 1), true, nil
		}
		return integer(b.ulong, 0), true, nil
	}
	return integer(b.ulong, by[d]), true, nil
}
