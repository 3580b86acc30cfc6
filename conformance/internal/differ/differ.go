// Package differ runs the kernels of a module with arguments that it makes up, so that what two compilers made of one
// source can be compared: the same kernels, the same arguments, the same launch must leave the same memory.
//
// Arguments follow from the kernel's parameters and a seed: buffers of pseudo-random small numbers for pointers, small
// numbers for values, images and pipes of a few elements. Many kernels make sense of these, others read out of
// bounds; the results are compared all the same. Only tests use the package.
package differ

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// Options shape the launches.
type Options struct {
	Seed    uint64
	Global  uint64 // work-items; 0 is 64
	Local   uint64 // of a work-group; 0 leaves it to the kernel, whose own size then shapes the launch
	Bytes   uint64 // of each buffer; 0 is 4096
	Engine  string
	Timeout time.Duration // of a launch; 0 is 10 s
	Kernel  string        // one kernel alone; empty for all
	// Integers fills buffers with integers for all types, also where parameters are of floats.
	Integers bool
}

// Outcome is what came of one kernel.
type Outcome struct {
	Kernel string
	// Refused is why it cannot be run; Fault the codes of its findings. Both are empty for a launch without any.
	Refused, Fault string
	TimedOut       bool
	Params         []string // types, as the module gives them
	Buffers        [][]byte // what each buffer holds afterwards
	Output         []byte   // of printf
}

// Run runs the kernels of a module. The error says why the module was refused as a whole.
func Run(ctx context.Context, module []byte, opt Options) ([]Outcome, error) {
	if opt.Global == 0 {
		opt.Global = 64
	}
	if opt.Bytes == 0 {
		opt.Bytes = 4096
	}
	if opt.Timeout == 0 {
		opt.Timeout = 10 * time.Second
	}
	dev, err := emu.NewDevice(emu.DeviceOptions{Engine: opt.Engine, Workers: 1, MaxMemory: 1 << 30})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p, err := dev.NewProgramContext(ctx, module, emu.ProgramOptions{})
	if err != nil {
		return nil, err
	}
	var list []Outcome
	for _, name := range p.Kernels() {
		if opt.Kernel == "" || opt.Kernel == name {
			list = append(list, run(ctx, dev, p, name, opt))
			if err := p.Reset(); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// run runs one kernel.
func run(ctx context.Context, dev *emu.Device, p *emu.Program, name string, opt Options) Outcome {
	o := Outcome{Kernel: name}
	k, err := p.KernelContext(ctx, name)
	if err != nil {
		o.Refused = err.Error()
		return o
	}
	var buffers []*emu.Buffer
	defer func() {
		for _, b := range buffers {
			b.Free()
		}
	}()
	l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{opt.Global}}, Timeout: opt.Timeout}
	if opt.Local != 0 {
		l.Range.Local = []uint64{opt.Local}
	}
	if size := k.Info().ReqdLocalSize; size[0] != 0 && opt.Local == 0 {
		l.Range = emu.NDRange{Global: []uint64{2 * uint64(size[0]), 2 * uint64(size[1]), uint64(size[2])}}
	}
	for i, q := range k.Params() {
		o.Params = append(o.Params, q.Type)
		a, b, err := argument(dev, q, opt, uint64(i))
		if err != nil {
			o.Refused = err.Error()
			return o
		}
		if b != nil {
			buffers = append(buffers, b)
		}
		l.Args = append(l.Args, a)
	}
	res, err := l.Run(ctx)
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		o.Refused = err.Error()
		return o
	}
	var codes []string
	for _, f := range res.Findings.Findings {
		codes = append(codes, string(f.Code))
		o.TimedOut = o.TimedOut || f.Code == "E-TIMEOUT"
	}
	o.Fault, o.Output = strings.Join(codes, " "), res.Output
	for _, b := range buffers {
		data, err := b.Bytes()
		if err != nil {
			o.Refused = err.Error()
			return o
		}
		o.Buffers = append(o.Buffers, data)
	}
	return o
}

// argument makes the argument for a parameter, and the buffer that is compared afterwards, if it has one.
func argument(dev *emu.Device, q emu.Param, opt Options, index uint64) (emu.Arg, *emu.Buffer, error) {
	floats := ""
	if !opt.Integers {
		floats = floatOf(q.Type)
	}
	switch q.Kind {
	case isa.ParamValue:
		return emu.Bytes(fill(q.Size, floats, opt.Seed, index, 16)), nil, nil
	case isa.ParamLocal:
		return emu.LocalBytes(opt.Bytes), nil, nil
	case isa.ParamGlobal:
		b, err := dev.NewBuffer(opt.Bytes, emu.BufferOptions{})
		if err == nil {
			_, err = b.WriteAt(fill(opt.Bytes, floats, opt.Seed, index, 64), 0)
		}
		return b, b, err
	}
	return nil, nil, fmt.Errorf("parameter %d is a %s", q.Index, q.Type)
}

// floats are types of floats and vectors of them, and pointers to these. Names of structures are up to the compiler.
var floats = regexp.MustCompile(`\b(half|float|double)\d*\b`)

// floatOf says which floats a type consists of: "half", "float", "double" or "".
func floatOf(t string) string {
	if m := floats.FindStringSubmatch(t); m != nil && !strings.Contains(t, "struct") {
		return m[1]
	}
	return ""
}

// fill returns n bytes of numbers below limit, in 32-bit words or in floats.
func fill(n uint64, floats string, seed, index, limit uint64) []byte {
	b := make([]byte, 0, n+8)
	x := seed*0x9e3779b97f4a7c15 + index*0xd1342543de82ef95 + 1
	for uint64(len(b)) < n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		v := x >> 32 % limit
		f := float64(int64(v)-int64(limit/4)) / 4
		switch floats {
		case "half":
			b = binary.LittleEndian.AppendUint16(b, halfOf(v))
		case "float":
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
		case "double":
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		default:
			if n < 4 {
				b = append(b, byte(v))
			} else {
				b = binary.LittleEndian.AppendUint32(b, uint32(v))
			}
		}
	}
	return b[:n]
}

// halfOf returns a small number as a half: 1 + v/64.
func halfOf(v uint64) uint16 { return 0x3c00 + uint16(v<<4&0x3ff) }

// Difference says in which way two outcomes of one kernel differ, "" if in none. Launches that ended in findings must
// have the same findings; what they leave in memory is not compared.
func Difference(a, b Outcome) string {
	switch {
	case a.TimedOut || b.TimedOut:
		return ""
	case (a.Refused == "") != (b.Refused == ""):
		return fmt.Sprintf("one is refused: %q, %q", a.Refused, b.Refused)
	case a.Refused != "":
		return ""
	case a.Fault != b.Fault:
		return fmt.Sprintf("findings %q and %q", a.Fault, b.Fault)
	case a.Fault != "":
		return ""
	case len(a.Buffers) != len(b.Buffers):
		return fmt.Sprintf("%d and %d buffers", len(a.Buffers), len(b.Buffers))
	}
	for i := range a.Buffers {
		if at, ok := firstDifference(a.Buffers[i], b.Buffers[i]); ok {
			end := min(at&^7+8, len(a.Buffers[i]))
			return fmt.Sprintf("buffer %d at byte %d: % x and % x", i, at, a.Buffers[i][at&^7:end], b.Buffers[i][at&^7:end])
		}
	}
	if !bytes.Equal(a.Output, b.Output) {
		return fmt.Sprintf("output %q and %q", clip(a.Output), clip(b.Output))
	}
	return ""
}

func firstDifference(a, b []byte) (int, bool) {
	for i := range a {
		if a[i] != b[i] {
			return i, true
		}
	}
	return 0, false
}

func clip(b []byte) []byte { return b[:min(len(b), 200)] }

// Hash is a number for what an outcome left in memory.
func (o Outcome) Hash() uint64 {
	h := fnv.New64a()
	for _, b := range o.Buffers {
		h.Write(b)
	}
	h.Write(o.Output)
	return h.Sum64()
}
