package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// What one input may take. Both are far more than any input needs that was seen;
// they are there for what grows without bounds.
const (
	fuzzTime  = 30 * time.Second
	fuzzBytes = 512 << 20 // allocated, not held
)

// FuzzRun takes bytes all the way from a module to the end of launches of each of
// its kernels. Whatever happens must be an error: no panic, no hang, no memory
// without end. What ends without a finding must not depend on the width of a wave.
//
// With seed 0 the data is a module. With another one it says how a good module is
// to be changed (see edited): random bytes rarely come further than the decoder.
func FuzzRun(f *testing.F) {
	seeds := fuzzSeeds(f)
	f.Add(uint16(0), []byte{})
	for i, seed := range seeds {
		f.Add(uint16(0), seed)
		if !testing.Short() {
			f.Add(uint16(i+1), []byte{}) // the same module
		}
	}
	f.Fuzz(func(t *testing.T, seed uint16, data []byte) {
		if seed > 0 {
			data = edited(seeds[int(seed-1)%len(seeds)], data)
		}
		runAnyhow(t, data)
	})
}

// TestEdited runs modules with random mistakes.
func TestEdited(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 40
	}
	seeds := fuzzSeeds(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		seed := rng.IntN(len(seeds))
		edits := make([]byte, 8*(1+rng.IntN(4)))
		for i := range edits {
			edits[i] = byte(rng.Uint32())
		}
		runAnyhow(t, edited(seeds[seed], edits))
		if t.Failed() {
			t.Fatalf("seed %d, edits %x", seed+1, edits)
		}
	}
}

// fuzzSeeds returns good modules; small ones are more worthwhile to change.
var fuzzSeeds = func() func(t testing.TB) [][]byte {
	read := sync.OnceValues(func() (seeds [][]byte, err error) {
		names, err := filepath.Glob("testdata/*.spv")
		if err != nil {
			return nil, err
		}
		more, err := filepath.Glob("testdata/*/*.spv")
		if err != nil {
			return nil, err
		}
		for _, name := range append(names, more...) {
			module, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			seeds = append(seeds, module)
		}
		for _, k := range kernels.All() {
			bins, err := k.Binaries()
			if err != nil {
				return nil, err
			}
			for _, b := range bins {
				if len(b.Code) < 6000 && b.Variant != "O0.32" {
					seeds = append(seeds, b.Code)
				}
			}
		}
		// The cases are a few instructions each, and have every group and image
		// operation that there is.
		cases, err := filepath.Glob("../conformance/cases/[gim][rsu]*/*.case")
		if err != nil {
			return nil, err
		}
		for _, name := range cases {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			_, code, ok := strings.Cut(string(text), "\n--- spirv\n")
			if !ok && strings.Contains(string(text), "\nscenario:") {
				continue // a test in Go, without a module of its own
			}
			if !ok {
				return nil, fmt.Errorf("%s has no module", name)
			}
			module, err := asm.Assemble(code, asm.Options{})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if len(module) < 6000 {
				seeds = append(seeds, module)
			}
		}
		return seeds, nil
	})
	return func(t testing.TB) [][]byte {
		t.Helper()
		seeds, err := read()
		if err != nil {
			t.Fatal(err)
		}
		return seeds
	}
}()

// edited returns the module with changes. Eight bytes of edits are one: which
// instruction (2), which of its words (1), what is done (1), and with what (4).
func edited(module, edits []byte) []byte {
	m, err := spirv.Decode(module)
	if err != nil {
		return module
	}
	insts := make([][]uint32, len(m.Insts))
	for i, in := range m.Insts {
		insts[i] = append([]uint32(nil), in.Words...)
	}
	bound := max(m.Bound, 1)
	for ; len(edits) >= 8 && len(insts) > 0; edits = edits[8:] {
		at := int(binary.LittleEndian.Uint16(edits)) % len(insts)
		value := binary.LittleEndian.Uint32(edits[4:])
		other := int(value) % len(insts)
		in := insts[at]
		word := &in[int(edits[2])%len(in)]
		switch edits[3] % 10 {
		case 0:
			*word = value
		case 1:
			*word += value&15 - 8
		case 2: // another id
			*word = value % bound
		case 3:
			*word = hostileWords[value%uint32(len(hostileWords))]
		case 4: // another opcode of the same length
			in[0] = in[0]&^0xffff | value&0xffff
		case 5: // the opcode of another instruction
			in[0] = in[0]&^0xffff | insts[other][0]&0xffff
		case 6: // a word of another instruction
			from := insts[other]
			*word = from[int(value>>16)%len(from)]
		case 7:
			insts[at], insts[other] = insts[other], insts[at]
		case 8:
			insts = append(insts[:at], insts[at+1:]...)
		case 9:
			if len(insts) < 4096 {
				again := append([]uint32(nil), insts[other]...)
				insts = append(insts[:at], append([][]uint32{again}, insts[at:]...)...)
			}
		}
	}
	out := append([]byte(nil), module[:20]...)
	for _, in := range insts {
		for _, w := range in {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
	}
	return out
}

// hostileWords are values at which things break.
var hostileWords = []uint32{
	0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x00ffffff, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
}

// runAnyhow loads a module and launches its kernels.
func runAnyhow(t *testing.T, module []byte) {
	watch := time.AfterFunc(fuzzTime, func() { panic(fmt.Sprintf("not over after %v", fuzzTime)) })
	defer watch.Stop()
	before := allocated()
	d, err := emu.NewDevice(emu.DeviceOptions{Workers: 2, SubgroupSize: 4, MaxMemory: 1 << 20, MaxPrivate: 1 << 12, LocalMemory: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p := loadAnyhow(t, d, module)
	if p == nil {
		return
	}
	names := p.Kernels()
	for _, name := range names[:min(len(names), 8)] {
		k, err := p.Kernel(name)
		var refused *emu.ModuleError
		if errors.As(err, &refused) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		k.Info()
		l := emu.Launch{Kernel: k, Range: rangeFor(k), Timeout: 20 * time.Millisecond, MaxOutput: 1 << 12, Check: len(name)%2 == 0}
		args, ok := argsFor(d, k)
		if !ok {
			continue
		}
		for _, a := range args {
			l.Args = append(l.Args, a.arg)
		}
		// Work-items with pipes have to do with each other.
		if clean(t, &l) && !k.Info().UsesPipes {
			compareWidths(t, module, name)
		}
	}
	if n := allocated() - before; n > fuzzBytes {
		t.Fatalf("a module of %d bytes took %d bytes of memory", len(module), n)
	}
}

// allocated returns the bytes allocated since the process started.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// loadAnyhow loads a module; it returns nil when that is refused, as it should be.
func loadAnyhow(t *testing.T, d *emu.Device, module []byte) *emu.Program {
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if errors.Is(err, lower.ErrInternal) {
		t.Fatal(err)
	}
	if err != nil {
		var me *emu.ModuleError
		if !errors.As(err, &me) || me.Stage == "verify" || me.Stage == "compile" {
			t.Fatalf("error %v", err)
		}
		return nil
	}
	for _, r := range p.ISA().Refused {
		if errors.Is(r.Reason, lower.ErrInternal) {
			t.Fatal(r.Name, r.Reason)
		}
	}
	return p
}

// fuzzArg is an argument, and its buffer where it has one.
type fuzzArg struct {
	arg emu.Arg
	buf *emu.Buffer
}

// argsFor returns arguments that fit a kernel's parameters.
func argsFor(d *emu.Device, k *emu.Kernel) (args []fuzzArg, ok bool) {
	for i, p := range k.Params() {
		switch p.Kind {
		case isa.ParamValue:
			if p.Size > 1<<12 {
				return nil, false
			}
			v := make([]byte, p.Size)
			if len(v) > 0 {
				v[0] = 3
			}
			args = append(args, fuzzArg{arg: emu.Bytes(v)})
		case isa.ParamGlobal:
			b, err := d.NewBuffer(256, emu.BufferOptions{})
			if err != nil {
				return nil, false // there are thousands of parameters
			}
			// Small integers are good indices too.
			v := make([]uint32, 64)
			for j := range v {
				v[j] = uint32((i*5 + j*7 + 1) % 61)
			}
			if err := emu.Write(b, 0, v); err != nil {
				return nil, false
			}
			args = append(args, fuzzArg{arg: b, buf: b})
		case isa.ParamLocal:
			args = append(args, fuzzArg{arg: emu.LocalBytes(128)})
		case isa.ParamImage:
			im, err := d.NewImage(fuzzImage(&p.Image), fuzzFormat(&p.Image, i), emu.ImageOptions{})
			if err != nil {
				return nil, false
			}
			args = append(args, fuzzArg{arg: im})
		case isa.ParamSampler:
			args = append(args, fuzzArg{arg: emu.Sampler{Normalized: i&1 != 0, Addressing: emu.Addressing(i % 5), Linear: i&2 != 0, MipLinear: i&4 != 0}})
		case isa.ParamPipe:
			q, err := d.NewPipe(emu.PipeOptions{PacketBytes: 4 << (i % 2), Capacity: 3})
			if err != nil {
				return nil, false
			}
			if _, err := q.Write(make([]byte, 2*q.PacketBytes())); err != nil {
				return nil, false
			}
			args = append(args, fuzzArg{arg: q})
		default:
			return nil, false
		}
	}
	return args, true
}

// fuzzImage describes an image for a parameter.
func fuzzImage(p *isa.ImageParam) emu.ImageDesc {
	switch {
	case p.Dim == isa.Image1D && p.Array:
		return emu.ImageDesc{Kind: emu.Image1DArray, Width: 5, Layers: 3}
	case p.Dim == isa.Image1D:
		return emu.ImageDesc{Kind: emu.Image1D, Width: 5, Levels: 2}
	case p.Dim == isa.ImageBuffer:
		return emu.ImageDesc{Kind: emu.Image1DBuffer, Width: 5}
	case p.Dim == isa.Image3D:
		return emu.ImageDesc{Kind: emu.Image3D, Width: 5, Height: 3, Depth: 2, Levels: 3}
	case p.Array:
		return emu.ImageDesc{Kind: emu.Image2DArray, Width: 5, Height: 3, Layers: 2, Levels: 2}
	}
	return emu.ImageDesc{Width: 5, Height: 3}
}

// fuzzFormat picks a format for parameter i.
func fuzzFormat(p *isa.ImageParam, i int) emu.Format {
	if p.Depth {
		return emu.Format{Order: emu.OrderDepth, Type: emu.Float}
	}
	formats := emu.ImageFormats()
	f := formats[i*7%len(formats)]
	if f.Order == emu.OrderDepth {
		return formats[0]
	}
	return f
}

func rangeFor(k *emu.Kernel) emu.NDRange {
	if reqd := k.Info().ReqdLocalSize; reqd != [3]uint32{} {
		return emu.NDRange{Global: []uint64{2 * uint64(reqd[0]), uint64(reqd[1]), uint64(reqd[2])}}
	}
	return emu.NDRange{Global: []uint64{12}}
}

// clean runs a launch and says whether nothing was wrong with it.
func clean(t *testing.T, l *emu.Launch) bool {
	res, err := l.Run(context.Background())
	var pe *scheduler.PanicError
	if errors.As(err, &pe) {
		t.Fatal(pe)
	}
	if res != nil {
		// Whatever was found has a text and a JSON form.
		res.Findings.Text()
		if _, err := json.Marshal(res.Findings); err != nil {
			t.Fatal(err)
		}
	}
	return err == nil && len(res.Findings.Findings) == 0
}

// compareWidths runs a kernel in waves of 1 and of 64 lanes and compares what is
// in memory, provided that its work-items have nothing to do with each other:
// what each of them writes alone is apart from what the others write, and in
// sequence, in either order, they leave what they leave alone. What work-items do
// in LDS or program-scope variables cannot be seen that way, so kernels that have
// such are left out.
func compareWidths(t *testing.T, module []byte, name string) {
	const items = 6
	narrow := soloDevice(t, module, name, 1)
	if narrow == nil {
		return
	}
	defer narrow.close()
	start := narrow.contents(t)
	want := append([]byte(nil), start...)
	for i := range uint64(items) {
		if !narrow.run(t, emu.InOrder, i, 1) {
			return
		}
		for j, c := range narrow.contents(t) {
			if c == start[j] {
				continue
			}
			if want[j] != start[j] {
				return // somebody else writes it too
			}
			want[j] = c
		}
		narrow.reset(t, start)
	}
	for _, order := range []emu.Order{emu.InOrder, emu.Reverse} {
		if !narrow.run(t, order, 0, items) || !bytes.Equal(narrow.contents(t), want) {
			return
		}
		narrow.reset(t, start)
	}
	wide := soloDevice(t, module, name, 64)
	if wide == nil {
		t.Fatal("the module cannot be loaded again")
	}
	defer wide.close()
	if !wide.run(t, emu.InOrder, 0, items) {
		t.Fatalf("kernel %s: a finding with waves of 64 lanes, none with waves of one", name)
	}
	if got := wide.contents(t); !bytes.Equal(got, want) {
		t.Fatalf("kernel %s: waves of 64 lanes leave\n%x\nwaves of one leave\n%x", name, got, want)
	}
}

// solo is a kernel on a device of its own.
type solo struct {
	dev    *emu.Device
	launch emu.Launch
	bufs   []*emu.Buffer
}

func soloDevice(t *testing.T, module []byte, name string, lanes int) *solo {
	d, err := emu.NewDevice(emu.DeviceOptions{Workers: 1, SubgroupSize: 1, WaveLanes: lanes, MaxMemory: 1 << 20, MaxPrivate: 1 << 12, LocalMemory: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	p := loadAnyhow(t, d, module)
	if p == nil {
		d.Close()
		return nil
	}
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	info := k.Info()
	args, ok := argsFor(d, k)
	if !ok || info.LocalMemory > 0 || info.UsesBarrier || info.ReqdLocalSize != [3]uint32{} || len(p.ISA().Globals) > 0 {
		d.Close()
		return nil
	}
	s := &solo{dev: d, launch: emu.Launch{Kernel: k, Timeout: time.Second, MaxOutput: 1 << 12}}
	for i, a := range args {
		if k.Params()[i].Kind == isa.ParamLocal {
			d.Close()
			return nil
		}
		s.launch.Args = append(s.launch.Args, a.arg)
		if a.buf != nil {
			s.bufs = append(s.bufs, a.buf)
		}
	}
	return s
}

func (s *solo) close() { s.dev.Close() }

func (s *solo) run(t *testing.T, order emu.Order, first, n uint64) bool {
	s.launch.Schedule.Order = order
	s.launch.Range = emu.NDRange{Global: []uint64{n}, Local: []uint64{n}, Offset: []uint64{first}}
	return clean(t, &s.launch)
}

// contents returns all buffers, one after the other.
func (s *solo) contents(t *testing.T) (all []byte) {
	for _, b := range s.bufs {
		v, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v...)
	}
	return all
}

func (s *solo) reset(t *testing.T, all []byte) {
	for _, b := range s.bufs {
		if _, err := b.WriteAt(all[:b.Size()], 0); err != nil {
			t.Fatal(err)
		}
		all = all[b.Size():]
	}
}
