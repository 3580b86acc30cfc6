package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

func toHalf(x float64) uint16   { return clmath.F64ToF16(x) }
func fromHalf(h uint16) float64 { return clmath.F16ToF64(h) }

// types are those of floating-point numbers, in the order of a row's demands.
var types = [3]struct {
	name, unsigned string
	bits           int
}{{"half", "ushort", 16}, {"float", "uint", 32}, {"double", "ulong", 64}}

// A machine runs the kernels of all rows in one type.
type machine struct {
	device  *emu.Device
	program *emu.Program
	bits    int
}

// newMachine compiles the rows that a type has.
func newMachine(engine string, t int) (*machine, error) {
	typ := types[t]
	var source strings.Builder
	fmt.Fprintf(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\ntypedef %s T;\ntypedef %s U;\n", typ.name, typ.unsigned)
	for _, r := range rows {
		if r.demand[t] == "" {
			continue
		}
		fmt.Fprintf(&source, "kernel void k_%s(global const T *x, global const T *y, global const T *z, global const int *n,\n"+
			"\tglobal T *r, global T *s, global int *m)\n{\n\tsize_t i = get_global_id(0);\n\t%s\n}\n", r.name, r.body)
	}
	device, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
	if err != nil {
		return nil, err
	}
	program, _, err := device.BuildProgram(source.String(), "")
	if err != nil {
		device.Close()
		return nil, err
	}
	return &machine{device, program, typ.bits}, nil
}

func (m *machine) close() { m.device.Close() }

// run computes the results of a row at points, r.arity arguments each. out[k] has those of r.results[k].
func (m *machine) run(r *row, points []float64) (out [][]float64, err error) {
	count := len(points) / r.arity
	floats := [3][]byte{{}, {}, {}}
	var ints []byte
	for i := range count {
		for k, v := range points[i*r.arity : (i+1)*r.arity] {
			switch {
			case r.integer && k == r.arity-1:
				ints = binary.LittleEndian.AppendUint32(ints, uint32(int32(v)))
			case r.vector:
				floats[k/4] = m.append(floats[k/4], v)
			default:
				floats[k] = m.append(floats[k], v)
			}
		}
	}
	width := 1
	if r.vector {
		width = 4
	}
	var args []emu.Arg
	var buffers []*emu.Buffer
	for _, b := range [][]byte{floats[0], floats[1], floats[2], ints,
		make([]byte, count*width*m.bits/8), make([]byte, count*m.bits/8), make([]byte, 4*count)} {
		if len(b) == 0 {
			args = append(args, emu.Null())
			continue
		}
		buffer, err := m.device.NewBufferFrom(b, emu.BufferOptions{})
		if err != nil {
			return nil, err
		}
		defer buffer.Free()
		args = append(args, buffer)
		buffers = append(buffers, buffer)
	}
	kernel, err := m.program.Kernel("k_" + r.name)
	if err != nil {
		return nil, err
	}
	if _, err := kernel.Run(context.Background(), emu.Range(uint64(count)), args...); err != nil {
		return nil, fmt.Errorf("%s of %d bits: %w", r.name, m.bits, err)
	}
	results := map[byte][]float64{}
	for i, name := range "rsm" {
		b, err := buffers[len(buffers)-3+i].Bytes()
		if err != nil {
			return nil, err
		}
		results[byte(name)] = m.numbers(b, name == 'm')
	}
	for _, res := range r.results {
		all := results[res.from[0]]
		if len(res.from) > 1 { // a component
			part := make([]float64, count)
			for i := range part {
				part[i] = all[4*i+int(res.from[1]-'0')]
			}
			all = part
		}
		out = append(out, all[:count])
	}
	return out, nil
}

func (m *machine) append(b []byte, x float64) []byte {
	switch m.bits {
	case 16:
		return binary.LittleEndian.AppendUint16(b, toHalf(x))
	case 32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

func (m *machine) numbers(b []byte, integers bool) []float64 {
	size := m.bits / 8
	if integers {
		size = 4
	}
	out := make([]float64, len(b)/size)
	for i := range out {
		p := b[i*size:]
		switch {
		case integers:
			out[i] = float64(int32(binary.LittleEndian.Uint32(p)))
		case m.bits == 16:
			out[i] = fromHalf(binary.LittleEndian.Uint16(p))
		case m.bits == 32:
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
		default:
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(p))
		}
	}
	return out
}
