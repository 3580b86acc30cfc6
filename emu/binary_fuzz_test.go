package emu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	lsb "github.com/lockstep-gpu/lockstep/isa/binary"
)

// binarySeeds returns programs for devices with sub-groups of 4, as binaries.
var binarySeeds = func() func(t testing.TB) [][]byte {
	read := sync.OnceValues(func() (seeds [][]byte, err error) {
		d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"fault", "async", "hazards", "launch", "flags"} {
			module, err := os.ReadFile("testdata/" + name + ".spv")
			if err != nil {
				return nil, err
			}
			var opt emu.ProgramOptions
			if name == "fault" {
				opt.Specialize = map[string]*isa.Specialization{"vecadd": {Dim: 1, Global: &[3]uint64{12, 1, 1}, Local: &[3]uint32{4, 1, 1}}}
			}
			p, err := d.NewProgram(module, opt)
			if err != nil {
				return nil, err
			}
			// One kernel each, so that changes hit what will run.
			for _, k := range p.ISA().Kernels {
				f := *p.ISA()
				f.Kernels, f.Refused = []*isa.Kernel{k}, nil
				data, err := lsb.Encode(&lsb.File{Target: lsb.Target{Name: "lockstep", SubgroupSize: 4}, Program: &f})
				if err != nil {
					return nil, err
				}
				seeds = append(seeds, data)
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

// leaves appends the numbers, truth values and strings below v that can be set.
func leaves(v reflect.Value, list []reflect.Value) []reflect.Value {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Kind() == reflect.Pointer {
			list = leaves(v.Elem(), list)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = leaves(v.Field(i), list)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			list = append(list, v)
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			list = leaves(v.Index(i), list)
		}
	default:
		list = append(list, v)
	}
	return list
}

// editedFile changes what a binary says. Eight bytes of edits are one: which
// place (3), what is done (1), and with what (4).
func editedFile(f *lsb.File, edits []byte) {
	list := leaves(reflect.ValueOf(f.Program), nil)
	for ; len(edits) >= 8; edits = edits[8:] {
		at := uint32(edits[0]) | uint32(edits[1])<<8 | uint32(edits[2])<<16
		v := list[int(at)%len(list)]
		value := binary.LittleEndian.Uint32(edits[4:])
		other := list[int(value)%len(list)]
		n := uint64(hostileWords[value%uint32(len(hostileWords))])
		switch edits[3] % 4 {
		case 0:
			n = uint64(value % 16)
		case 1:
			n = uint64(value) << 32
		}
		switch {
		case v.Kind() == reflect.Slice:
			v.Set(v.Slice(0, int(value)%max(v.Len(), 1)))
		case edits[3] >= 128 && other.Type() == v.Type():
			v.Set(other)
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.CanInt():
			v.SetInt(int64(n))
		case v.CanUint():
			v.SetUint(n)
		}
	}
}

// loadedAnyhow loads a binary with changes and launches its kernel.
func loadedAnyhow(t *testing.T, seed, edits []byte) {
	watch := time.AfterFunc(fuzzTime, func() { panic(fmt.Sprintf("not over after %v", fuzzTime)) })
	defer watch.Stop()
	file, err := lsb.Decode(seed)
	if err != nil {
		t.Fatal(err)
	}
	editedFile(file, edits)
	before := allocated()
	d, err := emu.NewDevice(emu.DeviceOptions{Workers: 2, SubgroupSize: 4, MaxMemory: 1 << 20, MaxPrivate: 1 << 12, LocalMemory: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.LoadFile(file, emu.LoadOptions{})
	if err != nil {
		var be *emu.BinaryError
		var me *emu.ModuleError
		if !errors.As(err, &be) && (!errors.As(err, &me) || me.Stage != "allocate") {
			t.Fatalf("error %v", err)
		}
		return
	}
	var text strings.Builder
	if err := p.ISA().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range p.Kernels() {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		k.Info()
		l := emu.Launch{Kernel: k, Range: rangeFor(k), Timeout: 20 * time.Millisecond, MaxOutput: 1 << 12, Check: len(edits)%16 == 0}
		args, ok := argsFor(d, k)
		if !ok {
			continue
		}
		for _, a := range args {
			l.Args = append(l.Args, a.arg)
		}
		clean(t, &l)
	}
	if n := allocated() - before; n > fuzzBytes {
		t.Fatalf("a binary of %d bytes took %d bytes of memory", len(seed), n)
	}
}

// FuzzLoadBinary holds that what a binary claims, however wrong, ends in an
// error or in a finding: engines trust what [isa.Program.Verify] lets pass.
func FuzzLoadBinary(f *testing.F) {
	seeds := binarySeeds(f)
	for i := range seeds {
		f.Add(uint16(i), []byte{})
	}
	f.Fuzz(func(t *testing.T, seed uint16, edits []byte) {
		loadedAnyhow(t, seeds[int(seed)%len(seeds)], edits)
	})
}

// TestEditedBinaries loads and runs programs with random mistakes.
func TestEditedBinaries(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	seeds := binarySeeds(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for range n {
		seed := rng.IntN(len(seeds))
		edits := make([]byte, 8*(1+rng.IntN(2)))
		for i := range edits {
			edits[i] = byte(rng.Uint32())
		}
		loadedAnyhow(t, seeds[seed], edits)
		if t.Failed() {
			t.Fatalf("seed %d, edits %x", seed, edits)
		}
	}
}
