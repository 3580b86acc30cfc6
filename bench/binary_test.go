package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// largeModule returns a module of about n instructions: one kernel,
// void mix(global uint *a), that changes its element of a in one diamond of branches
// after the other, each with arithmetic and a load.
func largeModule(t testing.TB, n int) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString(`OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %mix "mix" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3 = OpTypeVector %ulong 3
%input = OpTypePointer Input %v3
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%one = OpConstant %uint 1
%mask = OpConstant %ulong 63
%factor = OpConstant %uint 2654435761
%gid = OpVariable %input Input
%mix = OpFunction %void None %fn
%a = OpFunctionParameter %ptr
%b0 = OpLabel
%ids = OpLoad %v3 %gid Aligned 32
%i = OpCompositeExtract %ulong %ids 0
%p = OpInBoundsPtrAccessChain %ptr %a %i
%x0 = OpLoad %uint %p Aligned 4
`)
	// Each diamond has 15 instructions.
	count := n / 15
	for d := range count {
		fmt.Fprintf(&b, `%%c%[1]d = OpBitwiseAnd %%uint %%x%[1]d %%one
%%t%[1]d = OpINotEqual %%bool %%c%[1]d %%one
OpBranchConditional %%t%[1]d %%y%[1]d %%n%[1]d
%%y%[1]d = OpLabel
%%w%[1]d = OpUConvert %%ulong %%x%[1]d
%%j%[1]d = OpBitwiseAnd %%ulong %%w%[1]d %%mask
%%q%[1]d = OpInBoundsPtrAccessChain %%ptr %%a %%j%[1]d
%%l%[1]d = OpLoad %%uint %%q%[1]d Aligned 4
%%m%[1]d = OpIMul %%uint %%l%[1]d %%factor
OpBranch %%b%[2]d
%%n%[1]d = OpLabel
%%o%[1]d = OpIAdd %%uint %%x%[1]d %%factor
OpBranch %%b%[2]d
%%b%[2]d = OpLabel
%%x%[2]d = OpPhi %%uint %%m%[1]d %%y%[1]d %%o%[1]d %%n%[1]d
`, d, d+1)
	}
	fmt.Fprintf(&b, "OpStore %%p %%x%d Aligned 4\nOpReturn\nOpFunctionEnd\n", count)
	data, err := asm.Assemble(b.String(), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// loading is a module, and a launch of one of its kernels.
type loading struct {
	name, kernel string
	module       []byte
	args         func(d *emu.Device) ([]emu.Arg, error)
	launch       kernels.Launch
}

// loadings are the modules whose compilation and loading is compared.
func loadings(t testing.TB) []loading {
	t.Helper()
	list := []loading{{
		name: "10000-instructions", kernel: "mix", module: largeModule(t, 10000),
		args: func(d *emu.Device) ([]emu.Arg, error) {
			b, err := emu.NewBufferOf(d, make([]uint32, 64))
			return []emu.Arg{b}, err
		},
		launch: kernels.Launch{Global: []uint64{64}, Local: []uint64{64}},
	}}
	for _, name := range []string{"convert_from_int", "barrier_nested", "collatz", "saxpy"} {
		k := kernels.Find(name)
		if k == nil {
			t.Fatalf("there is no kernel %q", name)
		}
		binary, err := k.Binary(Variant)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, loading{name: name, kernel: k.Entry, module: binary.Code, launch: k.Launch, args: func(d *emu.Device) ([]emu.Arg, error) {
			parsed, err := ParseArgs(k.Launch)
			if err != nil {
				return nil, err
			}
			s := &Session{device: d, kernel: k, memory: make([]contents, len(parsed))}
			var args []emu.Arg
			for i, a := range parsed {
				arg, err := s.argument(i, a)
				if err != nil {
					return nil, err
				}
				args = append(args, arg)
			}
			return args, nil
		}})
	}
	return list
}

// compile makes a program of the module.
func (l *loading) compile(t testing.TB, d *emu.Device) *emu.Program {
	t.Helper()
	p, err := d.NewProgram(l.module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reload sends a program through a binary.
func reload(t testing.TB, d *emu.Device, p *emu.Program) *emu.Program {
	t.Helper()
	data, err := p.Binary(emu.BinaryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.LoadBinary(data, emu.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// first launches one work-group of the kernel of a program that has not run yet.
func (l *loading) first(t testing.TB, p *emu.Program, args []emu.Arg) {
	t.Helper()
	k, err := p.Kernel(l.kernel)
	if err != nil {
		t.Fatal(err)
	}
	launch := emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: l.launch.Local, Local: l.launch.Local}}
	if _, err := launch.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestLoadings holds that what is compared runs.
func TestLoadings(t *testing.T) {
	for _, l := range loadings(t) {
		d, err := emu.NewDevice(emu.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		args, err := l.args(d)
		if err != nil {
			t.Fatal(err)
		}
		l.first(t, reload(t, d, l.compile(t, d)), args)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkBinary compares compiling a module again with writing its binary, reading
// that, and launching a kernel of it for the first time.
func BenchmarkBinary(b *testing.B) {
	for _, l := range loadings(b) {
		d, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		args, err := l.args(d)
		if err != nil {
			b.Fatal(err)
		}
		p := l.compile(b, d)
		closed := func(b *testing.B, p *emu.Program) {
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(l.name+"/compile", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				closed(b, l.compile(b, d))
			}
		})
		b.Run(l.name+"/binary", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				closed(b, reload(b, d, p))
			}
		})
		b.Run(l.name+"/binary-and-launch", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again := reload(b, d, p)
				l.first(b, again, args)
				closed(b, again)
			}
		})
		data, err := p.Binary(emu.BinaryOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(l.name+"/load-and-launch", func(b *testing.B) {
			for b.Loop() {
				again, err := d.LoadBinary(data, emu.LoadOptions{})
				if err != nil {
					b.Fatal(err)
				}
				l.first(b, again, args)
				closed(b, again)
			}
		})
		b.Run(l.name+"/launch", func(b *testing.B) {
			l.first(b, p, args)
			for b.Loop() {
				l.first(b, p, args)
			}
		})
	}
}
