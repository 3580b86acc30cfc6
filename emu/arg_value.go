package emu

import (
	"encoding/binary"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// valueArg is bytes by value.
type valueArg struct{}

// Value is a scalar by value. Its type must have the parameter's size; the
// bits are taken as they are.
func Value[T Number](v T) Arg {
	return argument{kind: valueArg{}, bytes: encode([]T{v}), what: fmt.Sprintf("%T", v)}
}

// Vector is an OpenCL vector by value: 2, 3, 4, 8 or 16 elements. A vector of
// three has the size of four (OpenCL C 6.3.5).
func Vector[T Number](v ...T) Arg {
	n := len(v)
	if n == 3 {
		v = append(v[:3:3], 0)
	}
	return argument{kind: valueArg{}, bytes: encode(v), what: fmt.Sprintf("vector of %d %T", n, *new(T))}
}

func encode[T Number](v []T) []byte {
	// The error is for types without a fixed size, which Number excludes.
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}

// Bytes is anything by value, as the little-endian bytes that the kernel sees;
// structs are given so, with their padding. The slice is copied.
func Bytes(b []byte) Arg {
	return argument{kind: valueArg{}, bytes: append([]byte{}, b...), what: "raw bytes"}
}

func (valueArg) describe(a *argument) string {
	return fmt.Sprintf("%s (%s)", a.what, finding.Bytes(uint64(len(a.bytes))))
}

func (valueArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamValue }

func (valueArg) check(a *argument, _ *Kernel, p *isa.Param) (string, error) {
	if uint64(len(a.bytes)) != p.Size {
		return fmt.Sprintf("%s given, the parameter takes %s", a.describe(), finding.Bytes(p.Size)), nil
	}
	return "", nil
}

func (valueArg) fill(p *prepared, i int) (uint64, error) {
	p.launch.Values[i] = p.args[i].bytes
	return 0, nil
}
