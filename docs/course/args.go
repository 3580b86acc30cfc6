package course

import (
	"encoding/binary"
	"math"
)

// Args are the arguments of a run as they were before it, for reference functions.
type Args struct {
	// Data has the bytes of the arguments of all launches, little-endian, in the order of the -arg flags.
	Data [][]byte
}

// Number is a type of elements.
type Number interface{ int32 | uint32 | float32 }

// values reads elements of an argument.
func values[T Number](a *Args, arg int) []T {
	list := make([]T, len(a.Data[arg])/4)
	for i := range list {
		bits := binary.LittleEndian.Uint32(a.Data[arg][4*i:])
		switch p := any(&list[i]).(type) {
		case *int32:
			*p = int32(bits)
		case *uint32:
			*p = bits
		case *float32:
			*p = math.Float32frombits(bits)
		}
	}
	return list
}

// Ints returns the elements of an argument of type int.
func (a *Args) Ints(arg int) []int32 { return values[int32](a, arg) }

// Uints returns the elements of an argument of type uint.
func (a *Args) Uints(arg int) []uint32 { return values[uint32](a, arg) }

// Floats returns the elements of an argument of type float.
func (a *Args) Floats(arg int) []float32 { return values[float32](a, arg) }

// Int returns an argument that is a single int.
func (a *Args) Int(arg int) int { return int(a.Ints(arg)[0]) }

// Want is what an argument's buffer holds after a run.
type Want struct {
	Arg  int    // as in Args
	Data []byte // little-endian
	// AnyOrder says that the elements may stand in any order.
	AnyOrder bool
}

// want is a Want of these elements.
func want[T Number](arg int, list []T) Want {
	w := Want{Arg: arg}
	for _, v := range list {
		var bits uint32
		switch v := any(v).(type) {
		case int32:
			bits = uint32(v)
		case uint32:
			bits = v
		case float32:
			bits = math.Float32bits(v)
		}
		w.Data = binary.LittleEndian.AppendUint32(w.Data, bits)
	}
	return w
}

// each is a Want of n elements that f computes.
func each[T Number](arg, n int, f func(i int) T) []Want {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return []Want{want(arg, list)}
}
