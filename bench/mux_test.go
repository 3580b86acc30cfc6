package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// sized returns a module of about n instructions: kernel work(global uint *data, uint n), whose
// loops over data have branches and arithmetic in them, 20 instructions a loop.
func sized(t testing.TB, n int) []uint32 {
	t.Helper()
	var b strings.Builder
	b.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %work "work" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%size3 = OpTypeVector %ulong 3
%in = OpTypePointer Input %size3
%guint = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %guint %uint
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c7 = OpConstant %uint 7
%gid = OpVariable %in Input
%work = OpFunction %void None %fn
%data = OpFunctionParameter %guint
%n = OpFunctionParameter %uint
%entry = OpLabel
%id3 = OpLoad %size3 %gid
%id = OpCompositeExtract %ulong %id3 0
%at = OpInBoundsPtrAccessChain %guint %data %id
%s0 = OpLoad %uint %at Aligned 4
OpBranch %h0
`)
	loops := max(n/20, 1)
	for i := range loops {
		from := "entry"
		if i > 0 {
			from = fmt.Sprintf("x%d", i-1)
		}
		fmt.Fprintf(&b, `%%h%[1]d = OpLabel
%%i%[1]d = OpPhi %%uint %%c0 %%%[3]s %%j%[1]d %%e%[1]d
%%v%[1]d = OpPhi %%uint %%s%[1]d %%%[3]s %%w%[1]d %%e%[1]d
%%m%[1]d = OpULessThan %%bool %%i%[1]d %%n
OpBranchConditional %%m%[1]d %%b%[1]d %%x%[1]d
%%b%[1]d = OpLabel
%%p%[1]d = OpIMul %%uint %%v%[1]d %%c7
%%q%[1]d = OpIAdd %%uint %%p%[1]d %%i%[1]d
%%r%[1]d = OpBitwiseAnd %%uint %%q%[1]d %%c1
%%k%[1]d = OpIEqual %%bool %%r%[1]d %%c0
OpBranchConditional %%k%[1]d %%t%[1]d %%e%[1]d
%%t%[1]d = OpLabel
%%u%[1]d = OpBitwiseXor %%uint %%q%[1]d %%c7
OpStore %%at %%u%[1]d Aligned 4
OpBranch %%e%[1]d
%%e%[1]d = OpLabel
%%w%[1]d = OpPhi %%uint %%q%[1]d %%b%[1]d %%u%[1]d %%t%[1]d
%%j%[1]d = OpIAdd %%uint %%i%[1]d %%c1
OpBranch %%h%[1]d
%%x%[1]d = OpLabel
%%s%[2]d = OpIAdd %%uint %%v%[1]d %%c1
`, i, i+1, from)
		if i+1 < loops {
			fmt.Fprintf(&b, "OpBranch %%h%d\n", i+1)
		}
	}
	fmt.Fprintf(&b, "OpStore %%at %%s%d Aligned 4\nOpReturn\nOpFunctionEnd\n", loops)
	code, err := asm.Assemble(b.String(), asm.Options{Version: spirv.Version10})
	if err != nil {
		t.Fatal(err)
	}
	words, err := mux.Words(code)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// muxTarget returns a target of lockstep's first compiler.
func muxTarget(t testing.TB, alloc mux.Allocator) mux.Target {
	t.Helper()
	list, err := mux.Compilers(mux.GetCompilers)
	if err != nil {
		t.Fatal(err)
	}
	target, err := list[0].CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, alloc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	return target
}

// muxModule returns a module with the program, finalized.
func muxModule(t testing.TB, target mux.Target, words []uint32) mux.Module {
	t.Helper()
	m, err := target.CreateModule(nil)
	if err != nil {
		t.Fatal(err)
	}
	device := target.CompilerInfo().DeviceInfo().SPIRV()
	if _, err := m.CompileSPIRV(context.Background(), words, &device, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

// BenchmarkMuxFinalize is CompileSPIRV to Finalize for modules of so many instructions.
// bytes/inst is what was allocated on the way.
func BenchmarkMuxFinalize(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		words := sized(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			target := muxTarget(b, nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				muxModule(b, target, words)
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(n), "bytes/inst")
		})
	}
}

// TestMuxMemory: what a compiler keeps for a module is linear in its size.
func TestMuxMemory(t *testing.T) {
	kept := func(n int) float64 {
		a := mux.NewAccount(1 << 40)
		target := muxTarget(t, a)
		before := a.Used()
		muxModule(t, target, sized(t, n))
		return float64(a.Used()-before) / float64(n)
	}
	small, large := kept(1000), kept(32000)
	if large > 1.1*small {
		t.Errorf("%.0f bytes an instruction for a large module, %.0f for a small one", large, small)
	}
}

// muxLaunch loads a binary on a new device and runs kernel work once.
func muxLaunch(t testing.TB, program []byte) {
	t.Helper()
	d, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e, err := mux.LoadExecutable(d, program)
	if err != nil {
		t.Fatal(err)
	}
	data, err := emu.NewBufferOf(d, []uint32{1})
	if err != nil {
		t.Fatal(err)
	}
	l, err := e.Launch("work", &mux.NDRangeOptions{
		Descriptors:       []mux.Descriptor{{Type: mux.DescriptorBuffer, Buffer: data}, {Type: mux.DescriptorPlainOldData, Data: []byte{1, 0, 0, 0}}},
		DescriptorsLength: 2, LocalSize: [3]uint64{1, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{1}, Length: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMuxSerialize sets Serialize, Deserialize and a first launch against compiling
// again.
func BenchmarkMuxSerialize(b *testing.B) {
	words := sized(b, 10000)
	target := muxTarget(b, nil)
	m := muxModule(b, target, words)
	create := func(b *testing.B, m mux.Module) []byte {
		data, err := m.CreateBinary()
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			muxModule(b, target, words)
		}
	})
	b.Run("compile-launch", func(b *testing.B) {
		for b.Loop() {
			muxLaunch(b, create(b, muxModule(b, target, words)))
		}
	})
	b.Run("serialize-deserialize", func(b *testing.B) {
		for b.Loop() {
			image := make([]byte, m.Size())
			if _, err := m.Serialize(image); err != nil {
				b.Fatal(err)
			}
			back, err := target.CreateModule(nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := back.Deserialize(image); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("serialize-deserialize-launch", func(b *testing.B) {
		for b.Loop() {
			image := make([]byte, m.Size())
			if _, err := m.Serialize(image); err != nil {
				b.Fatal(err)
			}
			back, err := target.CreateModule(nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := back.Deserialize(image); err != nil {
				b.Fatal(err)
			}
			muxLaunch(b, create(b, back))
		}
	})
}

// options is the launch of s in terms of the compiler API.
func (s *special) options(t testing.TB, d *emu.Device) *mux.NDRangeOptions {
	t.Helper()
	o := &mux.NDRangeOptions{LocalSize: [3]uint64{s.local, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{s.global}, Length: 1}
	for _, n := range []int{s.out, s.in, s.taps} {
		if n == 0 {
			continue
		}
		b, err := emu.NewBufferOf(d, make([]float32, n))
		if err != nil {
			t.Fatal(err)
		}
		o.Descriptors = append(o.Descriptors, mux.Descriptor{Type: mux.DescriptorBuffer, Buffer: b})
	}
	for _, w := range s.words {
		o.Descriptors = append(o.Descriptors, mux.Descriptor{Type: mux.DescriptorPlainOldData, Data: binary.LittleEndian.AppendUint32(nil, w)})
	}
	o.DescriptorsLength = len(o.Descriptors)
	return o
}

// BenchmarkMuxSpecialized runs kernels as they are and as CreateSpecializedKernel makes them
// of a launch.
func BenchmarkMuxSpecialized(b *testing.B) {
	module, err := os.ReadFile("testdata/specialize.spv")
	if err != nil {
		b.Fatal(err)
	}
	words, err := mux.Words(module)
	if err != nil {
		b.Fatal(err)
	}
	m := muxModule(b, muxTarget(b, nil), words)
	general, err := m.CreateBinary()
	if err != nil {
		b.Fatal(err)
	}
	for i := range specials {
		s := &specials[i]
		d, err := emu.NewDevice(emu.DeviceOptions{})
		if err != nil {
			b.Fatal(err)
		}
		options := s.options(b, d)
		k, err := m.GetKernel(s.kernel)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s.kernel+"/create", func(b *testing.B) {
			for b.Loop() {
				if _, err := k.CreateSpecializedKernel(context.Background(), options); err != nil {
					b.Fatal(err)
				}
			}
		})
		specialized, err := k.CreateSpecializedKernel(context.Background(), options)
		if err != nil {
			b.Fatal(err)
		}
		for _, v := range []struct {
			name   string
			binary []byte
		}{{"general", general}, {"specialized", specialized}} {
			e, err := mux.LoadExecutable(d, v.binary)
			if err != nil {
				b.Fatal(err)
			}
			l, err := e.Launch(s.kernel, options)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(s.kernel+"/"+v.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := l.Run(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
