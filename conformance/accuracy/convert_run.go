package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// A converter runs conversions on a device.
type converter struct {
	device   *emu.Device
	programs map[*format]*emu.Program // of the conversions from a type in OpenCL C
}

// newConverter compiles conversions for an engine.
func newConverter(engine string, list []*conversion) (*converter, error) {
	device, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
	if err != nil {
		return nil, err
	}
	v := &converter{device, map[*format]*emu.Program{}}
	for _, from := range formats {
		var source strings.Builder
		source.WriteString("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n")
		for _, c := range list {
			if c.from == from && !c.text() {
				source.WriteString(c.source())
			}
		}
		if v.programs[from], _, err = device.BuildProgram(source.String(), ""); err != nil {
			device.Close()
			return nil, fmt.Errorf("conversions from %s: %w", from.name, err)
		}
	}
	return v, nil
}

// program returns the program that has a conversion.
func (v *converter) program(c *conversion) (*emu.Program, error) {
	if !c.text() {
		return v.programs[c.from], nil
	}
	module, err := asm.Assemble(c.assembly(), asm.Options{})
	if err != nil {
		return nil, err
	}
	return v.device.NewProgram(module, emu.ProgramOptions{})
}

// run returns what a conversion makes of codes: those of form k start at place k·room.
func (v *converter) run(c *conversion, codes []uint64) ([]byte, error) {
	p, err := v.program(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.kernel(), err)
	}
	k, err := p.Kernel(c.kernel())
	if err != nil {
		return nil, err
	}
	if engine := v.device.Limits().Engine; engine != "" && k.Engine() != engine {
		return nil, fmt.Errorf("%s runs on %s, not on %s", c.kernel(), k.Engine(), engine)
	}
	n := room(len(codes))
	in := make([]byte, 0, n*c.from.bits/8)
	for i := range n {
		in = appendCode(in, c.from, codes[i%len(codes)])
	}
	source, err := v.device.NewBufferFrom(in, emu.BufferOptions{})
	if err != nil {
		return nil, err
	}
	defer source.Free()
	out, err := v.device.NewBufferFrom(make([]byte, len(c.forms)*n*c.to.bits/8), emu.BufferOptions{})
	if err != nil {
		return nil, err
	}
	defer out.Free()
	if _, err := k.Run(context.Background(), emu.Range(uint64(len(codes)/c.width)), source, out, emu.Value(uint64(n))); err != nil {
		return nil, fmt.Errorf("%s: %w", c.kernel(), err)
	}
	return out.Bytes()
}

func appendCode(b []byte, f *format, code uint64) []byte {
	switch f.bits {
	case 8:
		return append(b, byte(code))
	case 16:
		return binary.LittleEndian.AppendUint16(b, uint16(code))
	case 32:
		return binary.LittleEndian.AppendUint32(b, uint32(code))
	}
	return binary.LittleEndian.AppendUint64(b, code)
}

func (f *format) codeAt(b []byte, i int) uint64 {
	b = b[i*f.bits/8:]
	switch f.bits {
	case 8:
		return uint64(b[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(b))
	case 32:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// same says whether two codes of a format are the same number. All NaN are.
func (f *format) same(a, b uint64) bool {
	return a == b || f.float() && f.decode(a).class == notANumber && f.decode(b).class == notANumber
}

// check compares results with exact ones. It returns how many it has compared, and tells of each that is wrong.
func (c *conversion) check(codes []uint64, got []byte, wrong func(f form, code, got, want uint64)) (count int) {
	numbers := make([]number, len(codes))
	for i, code := range codes {
		numbers[i] = c.from.decode(code)
	}
	exact := map[want][]byte{}
	size := room(len(codes)) * c.to.bits / 8
	for k, f := range c.forms {
		r := c.want(f)
		list := exact[r]
		if list == nil {
			list = make([]byte, 0, len(codes)*c.to.bits/8)
			for _, n := range numbers {
				list = appendCode(list, c.to, c.to.encode(n, r.mode, r.limit))
			}
			exact[r] = list
		}
		count += len(codes)
		results := got[k*size : (k+1)*size]
		if c.read(f, c.width) == c.width && c.written(f, c.width) == c.width && bytes.HasPrefix(results, list) {
			continue
		}
		for j := range codes {
			i := c.read(f, j) % len(codes)
			have, right := c.to.codeAt(results, c.written(f, j)), c.to.codeAt(list, i)
			if have != right && !c.to.same(have, right) {
				wrong(f, codes[i], have, right)
			}
		}
	}
	return count
}
