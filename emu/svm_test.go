package emu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// svmSource has kernels that keep pointers in memory.
const svmSource = `
typedef struct node { global struct node *next; int value; int pad; } node;

// Walks a list that begins at an argument.
kernel void walk(global node *head, global int *sum) {
	int s = 0;
	for (global node *n = head; n; n = n->next) s += n->value;
	sum[get_global_id(0)] = s;
}

// Links the nodes of an array, the last to null, and turns their values round.
kernel void build(global node *nodes, int count) {
	int i = get_global_id(0);
	nodes[i].next = i + 1 < count ? &nodes[i + 1] : 0;
	nodes[i].value = count - i;
}

// Copies a structure with a pointer from a private variable.
kernel void copies(global node *out, global node *to) {
	node n;
	n.next = to + get_global_id(0);
	n.value = 7;
	n.pad = 0;
	out[get_global_id(0)] = n;
}

// Compares pointers from memory and from an argument.
kernel void same(global node *n, global int *out) {
	global node *self = n->next;
	out[0] = self == n;
	out[1] = self + 1 > n;
	out[2] = (int)((self + 3) - n);
	out[3] = (uintptr_t)self == (uintptr_t)n;
}

// Accesses what a pointer in memory leads to, at an index.
kernel void through(global node *n, int i) { ((global int *)n->next)[i] = 1; }

kernel void direct(global int *p, int i) { p[i] = 1; }

// Reads and writes at a number.
kernel void number(ulong at) { *(global int *)at += 5; }

// Goes through an array of pointers in private memory.
kernel void table(global int *a, global int *b, global int *c, global int *d, int n) {
	global int *all[4] = { a, b, c, d };
	for (int i = 0; i < n; i++) all[i & 3][0] += i;
}

// Steps with a pointer of its own.
kernel void steps(global int *from, global int *end, global int *out) {
	int s = 0;
	for (global int *p = from; p < end; p++) s += *p;
	out[get_global_id(0)] = s;
}

// Chooses between pointers.
kernel void picks(global int *a, global int *b, int i, int c) {
	global int *p = b;
	if (c) p = a + i;
	*p = 1;
}

kernel void constants(constant int *c, global ulong *out) { out[0] = (ulong)c; out[1] = c[1]; }

// Keeps pointers in local memory, and swaps them between work-items.
kernel void locals(global int *data, global int *out) {
	local uintptr_t all[64];
	int i = get_local_id(0);
	all[i] = (uintptr_t)(data + i);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = *(global int *)all[63 - i];
}

kernel void anywhere(global node *n, global int *out) {
	void *any = n->next;
	int *p = any;
	out[0] = p[2];
	out[1] = to_global(any) != 0;
}
`

// structModule has kernels that take a structure with a pointer by value, as one value and in memory, and store 1 there.
const structModule = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "whole"
OpEntryPoint Kernel %g "byval"
OpDecorate %q FuncParamAttr ByVal
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%void = OpTypeVoid
%zero = OpConstant %int 0
%one = OpConstant %int 1
%pint = OpTypePointer CrossWorkgroup %int
%args = OpTypeStruct %pint %long
%pargs = OpTypePointer Function %args
%ppint = OpTypePointer Function %pint
%fn = OpTypeFunction %void %args
%gn = OpTypeFunction %void %pargs
%f = OpFunction %void None %fn
%a = OpFunctionParameter %args
%fl = OpLabel
%fp = OpCompositeExtract %pint %a 0
OpStore %fp %one Aligned 4
OpReturn
OpFunctionEnd
%g = OpFunction %void None %gn
%q = OpFunctionParameter %pargs
%gl = OpLabel
%gq = OpInBoundsPtrAccessChain %ppint %q %zero %zero
%gp = OpLoad %pint %gq Aligned 8
OpStore %gp %one Aligned 4
OpReturn
OpFunctionEnd
`

// onEngines runs f on a device of each engine.
func onEngines(t *testing.T, opt emu.DeviceOptions, f func(t *testing.T, d *emu.Device)) {
	for _, engine := range append(emu.Engines(), "compare") {
		opt.Engine = engine
		d, err := emu.NewDevice(opt)
		if err != nil {
			t.Log(err) // a processor without the vectors that machine code needs
			continue
		}
		t.Run(engine, func(t *testing.T) { f(t, d) })
	}
}

// source compiles OpenCL C.
func source(t *testing.T, d *emu.Device, text string) *emu.Program {
	t.Helper()
	p, log, err := d.BuildProgram(text, "-cl-std=CL3.0")
	if err != nil {
		t.Fatal(err, log.Text(false))
	}
	return p
}

func svm(t *testing.T, d *emu.Device, size uint64, opt emu.SVMOptions) *emu.SVM {
	t.Helper()
	s, err := d.NewSVM(size, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const nodeBytes = 16

// list links nodes of an allocation in the order of the numbers given, and gives them their numbers as values.
func list(s *emu.SVM, order ...int) {
	b := s.Bytes()
	for i, n := range order {
		next := uint64(0)
		if i+1 < len(order) {
			next = s.Address() + uint64(order[i+1]*nodeBytes)
		}
		binary.LittleEndian.PutUint64(b[n*nodeBytes:], next)
		binary.LittleEndian.PutUint32(b[n*nodeBytes+8:], uint32(n))
	}
}

func ints(s *emu.SVM) []int32 {
	v := make([]int32, s.Size()/4)
	for i := range v {
		v[i] = int32(binary.LittleEndian.Uint32(s.Bytes()[4*i:]))
	}
	return v
}

func putWord(s *emu.SVM, at int, v uint64) { binary.LittleEndian.PutUint64(s.Bytes()[at:], v) }
func word(s *emu.SVM, at int) uint64       { return binary.LittleEndian.Uint64(s.Bytes()[at:]) }

// TestSVM has pointers go through memory: between the host and kernels, and between kernels, on every engine, with checks and without.
func TestSVM(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p := source(t, d, svmSource)
		module, err := asm.Assemble(structModule, asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		values, err := d.NewProgram(module, emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range []bool{false, true} {
			if check && d.Limits().Engine == "compare" {
				continue
			}
			run := func(name string, global uint64, args ...emu.Arg) {
				t.Helper()
				mustRun(t, &emu.Launch{Kernel: kernel(t, p, name), Range: sized(global, 1), Check: check, Args: args})
			}
			nodes := svm(t, d, 64*nodeBytes, emu.SVMOptions{Kind: emu.SVMFine})
			if a := nodes.Address(); a%128 != 0 || a != uint64(uintptr(unsafe.Pointer(&nodes.Bytes()[0]))) {
				t.Fatalf("address %#x", a)
			}
			out := svm(t, d, 256, emu.SVMOptions{})

			list(nodes, 5, 3, 60, 7)
			run("walk", 4, nodes.At(5*nodeBytes), out)
			if got := ints(out)[:4]; !slices.Equal(got, []int32{75, 75, 75, 75}) {
				t.Errorf("walk: %v", got)
			}

			run("build", 8, nodes, emu.Value(int32(8)))
			for i := range 8 {
				next := nodes.Address() + uint64(i+1)*nodeBytes
				if i == 7 {
					next = 0
				}
				if got := word(nodes, i*nodeBytes); got != next || nodes.Bytes()[i*nodeBytes+8] != byte(8-i) {
					t.Errorf("build: node %d: next %#x, want %#x", i, got, next)
				}
			}

			run("copies", 2, nodes.At(nodeBytes), out.At(16))
			if got, want := word(nodes, 2*nodeBytes), out.Address()+16+nodeBytes; got != want {
				t.Errorf("copies: %#x, want %#x", got, want)
			}

			data := svm(t, d, 16, emu.SVMOptions{Align: 4096, Kind: emu.SVMHost})
			if data.Address()%4096 != 0 {
				t.Errorf("address %#x", data.Address())
			}
			for _, name := range []string{"whole", "byval"} {
				var arg [16]byte
				binary.LittleEndian.PutUint64(arg[:], data.Address()+4)
				l := emu.Launch{Kernel: kernel(t, values, name), Range: sized(1, 1), Check: check, Args: []emu.Arg{emu.Bytes(arg[:])}}
				mustRun(t, &l)
				if got := ints(data); !slices.Equal(got, []int32{0, 1, 0, 0}) {
					t.Errorf("%s: %v", name, got)
				}
				clear(data.Bytes())
			}
			for i := range 4 {
				data.Bytes()[4*i] = 1
			}

			putWord(nodes, 0, nodes.Address())
			run("same", 1, nodes, out)
			if got := ints(out)[:4]; !slices.Equal(got, []int32{1, 1, 3, 1}) {
				t.Errorf("same: %v", got)
			}
			run("number", 1, emu.Value(data.Address()+8))
			if got := ints(data)[2]; got != 6 {
				t.Errorf("number: %v", got)
			}
			run("table", 1, data, data.At(4), data.At(8), data.At(12), emu.Value(int32(8)))
			if got := ints(data); !slices.Equal(got, []int32{5, 7, 14, 11}) {
				t.Errorf("table: %v", got)
			}
			run("steps", 2, data, data.At(16), out)
			if got := ints(out)[:2]; !slices.Equal(got, []int32{37, 37}) {
				t.Errorf("steps: %v", got)
			}
			run("constants", 1, data, out)
			if word(out, 0) != data.Address() || word(out, 8) != 7 {
				t.Errorf("constants: %#x %d", word(out, 0), word(out, 8))
			}
			list(nodes, 0, 1)
			run("anywhere", 1, nodes, out)
			if got := ints(out)[:2]; !slices.Equal(got, []int32{1, 1}) {
				t.Errorf("anywhere: %v", got)
			}
			ramp := svm(t, d, 256, emu.SVMOptions{})
			for i := range 64 {
				binary.LittleEndian.PutUint32(ramp.Bytes()[4*i:], uint32(i))
			}
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "locals"), Range: sized(64, 64), Check: check, Args: []emu.Arg{ramp, out}})
			if got := ints(out); got[0] != 63 || got[63] != 0 {
				t.Errorf("locals: %v", got)
			}
			for _, s := range []*emu.SVM{nodes, out, data, ramp} {
				if err := s.Free(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestSVMFaults has accesses outside of allocations, and to released ones. No address is in a finding.
func TestSVMFaults(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p := source(t, d, svmSource)
		whole := memory.AlignedBytes(3 * 256)
		adopt := func(at int, name string) *emu.SVM {
			s, err := d.SVMFrom(whole[at:at+256:at+256], emu.SVMOptions{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		first, second, third := adopt(0, "first"), adopt(256, "second"), adopt(512, "third")
		far := uint64(1) << 45
		for _, x := range []struct {
			name   string
			kernel string
			next   uint64
			args   []emu.Arg
			code   finding.Code
			text   string
		}{
			{"a neighbour of an argument", "direct", 0, []emu.Arg{second, emu.Value(int32(64))}, finding.OutOfBounds, "p[64] is past the end"},
			{"a neighbour of an argument at an offset", "direct", 0, []emu.Arg{second.At(128), emu.Value(int32(-33))}, finding.OutOfBounds, "p[-1] is before the start"},
			{"a neighbour of a pointer that is stepped", "steps", 0, []emu.Arg{second.At(192), third.At(16), first}, finding.OutOfBounds, "from[64] is past the end"},
			{"a neighbour of a pointer that is chosen", "picks", 0, []emu.Arg{second, first, emu.Value(int32(64)), emu.Value(int32(1))}, finding.OutOfBounds, "a[64] is past the end"},
			{"a neighbour of a pointer in memory", "through", second.Address() + 252, []emu.Arg{first, emu.Value(int32(1))}, finding.OutOfBounds, "byte 256 is past the end: second has 256 bytes"},
			{"far from a pointer in memory", "through", second.Address(), []emu.Arg{first, emu.Value(int32(1 << 30))}, finding.OutOfBounds, "byte 4294967296 is past the end"},
			{"where nothing is", "through", far, []emu.Arg{first, emu.Value(int32(0))}, finding.BadPointer, ""},
			{"null", "through", 0, []emu.Arg{first, emu.Value(int32(0))}, finding.NullPointer, ""},
			{"near null", "through", 8, []emu.Arg{first, emu.Value(int32(0))}, finding.NullPointer, ""},
			{"a number", "number", 0, []emu.Arg{emu.Value(third.Address() + 300)}, finding.OutOfBounds, "byte 300 is past the end: third has 256 bytes"},
			{"released", "through", third.Address() + 4, []emu.Arg{first, emu.Value(int32(0))}, finding.UseAfterFree, "at third+4"},
		} {
			if x.code == finding.UseAfterFree {
				if err := third.Free(); err != nil {
					t.Fatal(err)
				}
			}
			putWord(first, 0, x.next)
			l := emu.Launch{Kernel: kernel(t, p, x.kernel), Range: sized(1, 1), Args: x.args}
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if !errors.As(err, &fe) {
				t.Errorf("%s: %v", x.name, err)
				continue
			}
			f := &res.Findings.Findings[0]
			text := res.Findings.Text()
			if f.Code != x.code || !strings.Contains(text, x.text) {
				t.Errorf("%s: %s", x.name, text)
			}
			for _, a := range []uint64{x.next, second.Address(), third.Address(), first.Address()} {
				if a > 64 && (strings.Contains(text, fmt.Sprintf("%x", a)) || strings.Contains(text, fmt.Sprint(a))) {
					t.Errorf("%s: an address is in the finding: %s", x.name, text)
				}
			}
		}
		// The address of a released allocation is that of the next one there.
		again := adopt(512, "again")
		putWord(first, 0, again.Address())
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "through"), Range: sized(1, 1), Args: []emu.Arg{first, emu.Value(int32(0))}})
		if got := ints(again)[0]; got != 1 {
			t.Errorf("%d", got)
		}
	})
}

// TestSVMMisuse has what is refused.
func TestSVMMisuse(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	data := memory.AlignedBytes(256)
	if _, err := d.NewSVM(0, emu.SVMOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Error(err)
	}
	if _, err := d.NewSVM(64, emu.SVMOptions{Align: 48}); !errors.Is(err, emu.ErrInvalid) {
		t.Error(err)
	}
	if _, err := d.NewSVM(64, emu.SVMOptions{Kind: 77}); !errors.Is(err, emu.ErrInvalid) {
		t.Error(err)
	}
	var limit *emu.LimitError
	if _, err := d.NewSVM(1<<45, emu.SVMOptions{}); !errors.As(err, &limit) {
		t.Error(err)
	}
	if _, err := d.SVMFrom(data[1:], emu.SVMOptions{}); !errors.Is(err, memory.ErrAlign) {
		t.Error(err)
	}
	s, err := d.SVMFrom(data[64:], emu.SVMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SVMFrom(data, emu.SVMOptions{}); !errors.Is(err, memory.ErrAddress) {
		t.Error(err)
	}
	if err := s.Buffer().Free(); !errors.Is(err, emu.ErrInvalid) {
		t.Error(err)
	}
	for _, x := range []struct {
		at, offset uint64
		ok         bool
	}{{0, 0, true}, {191, 191, true}, {192, 0, false}, {^uint64(0), 0, false}} {
		got, off, ok := d.SVMAt(s.Address() + x.at)
		if ok != x.ok || off != x.offset || ok != (got == s) {
			t.Errorf("at %d: %v %d %v", int64(x.at), got, off, ok)
		}
	}
	if err := s.Free(); err != nil {
		t.Error(err)
	}
	if err := s.Free(); !errors.Is(err, emu.ErrClosed) {
		t.Error(err)
	}
	if _, _, ok := d.SVMAt(s.Address()); ok {
		t.Error("there is an allocation that was released")
	}
	var none *emu.SVM
	if none.Address() != 0 || none.Size() != 0 || none.Bytes() != nil || none.Buffer() != nil || none.Kind() != 0 || none.Free() == nil {
		t.Error("a nil allocation is something")
	}
	p := source(t, d, svmSource)
	var arg *emu.ArgError
	if _, err := kernel(t, p, "direct").Run(context.Background(), sized(1, 1), none, emu.Value(int32(0))); !errors.As(err, &arg) {
		t.Error(err)
	}
	module, err := asm.Assemble(`OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %f "direct"
%int = OpTypeInt 32 0
%void = OpTypeVoid
%one = OpConstant %int 1
%pint = OpTypePointer CrossWorkgroup %int
%fn = OpTypeFunction %void %pint
%f = OpFunction %void None %fn
%p = OpFunctionParameter %pint
%l = OpLabel
OpStore %p %one Aligned 4
OpReturn
OpFunctionEnd
`, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	small, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s = svm(t, d, 64, emu.SVMOptions{})
	if _, err := kernel(t, small, "direct").Run(context.Background(), sized(1, 1), s); !errors.Is(err, emu.ErrNotShared) {
		t.Error(err)
	}
	mustRun(t, &emu.Launch{Kernel: kernel(t, small, "direct"), Range: sized(1, 1), Args: []emu.Arg{s.Buffer()}})
	if ints(s)[0] != 1 {
		t.Error("the buffer of the allocation is another")
	}
}

// TestSVMAtomics has a kernel and the host wait for each other in fine-grained memory.
func TestSVMAtomics(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		if d.Limits().Engine == "compare" {
			return // the second run would wait for ever
		}
		p := source(t, d, `
kernel void pingpong(global atomic_int *turn, int rounds, global int *out) {
	int sum = 0;
	for (int i = 0; i < rounds; i++) {
		atomic_store_explicit(turn, 2 * i + 1, memory_order_release, memory_scope_all_svm_devices);
		while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + 2)
			;
		sum += *out;
	}
	*out = sum;
}`)
		for _, check := range []bool{false, true} {
			s := svm(t, d, 64, emu.SVMOptions{Kind: emu.SVMFine})
			turn, out := (*int32)(unsafe.Pointer(&s.Bytes()[0])), (*int32)(unsafe.Pointer(&s.Bytes()[32]))
			const rounds = 20
			done := make(chan error, 1)
			go func() {
				l := emu.Launch{Kernel: kernel(t, p, "pingpong"), Range: sized(1, 1), Check: check, Timeout: time.Minute,
					Args: []emu.Arg{s, emu.Value(int32(rounds)), s.At(32)}}
				_, err := l.Run(context.Background())
				done <- err
			}()
			for i := range int32(rounds) {
				for atomic.LoadInt32(turn) != 2*i+1 {
					if len(done) > 0 {
						t.Fatal(<-done)
					}
					runtime.Gosched()
				}
				atomic.StoreInt32(out, i)
				atomic.StoreInt32(turn, 2*i+2)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if *out != rounds*(rounds-1)/2 {
				t.Errorf("the kernel has read %d", *out)
			}
		}
	})
}

// TestSVMChecks has what launches with checks find in shared memory that no argument leads to.
func TestSVMChecks(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p := source(t, d, `
kernel void race(global ulong *at) { *(global int *)at[0] = get_global_id(0); }
kernel void branch(global ulong *at, global int *out) { if (*(global int *)at[0]) out[0] = 1; }
kernel void leave(global ulong *at) { int x[2]; *(global int *)at[0] = x[get_global_id(0)]; }
kernel void fine(global ulong *at) { ((global int *)at[0])[get_global_id(0)] = get_global_id(0); }
`)
	at := svm(t, d, 64, emu.SVMOptions{Name: "at"})
	far := svm(t, d, 64, emu.SVMOptions{Name: "far", Kind: emu.SVMDevice})
	putWord(at, 0, far.Address())
	for _, x := range []struct {
		kernel string
		items  uint64
		args   []emu.Arg
		code   finding.Code
		text   string
	}{
		{"race", 2, []emu.Arg{at}, finding.Race, "far"},
		{"branch", 1, []emu.Arg{at, at.At(32)}, finding.Uninitialized, "far, which the host never wrote"},
		{"leave", 1, []emu.Arg{at}, finding.Uninitialized, "of far"},
		{"fine", 16, []emu.Arg{at}, "", ""},
	} {
		if x.kernel == "branch" {
			far.Free()
			far = svm(t, d, 64, emu.SVMOptions{Name: "far", Kind: emu.SVMDevice})
			putWord(at, 0, far.Address())
		}
		l := emu.Launch{Kernel: kernel(t, p, x.kernel), Range: sized(x.items, 1), Check: true, Args: x.args}
		res, err := l.Run(context.Background())
		if x.code == "" {
			if err != nil {
				t.Errorf("%s: %v", x.kernel, err)
			}
			continue
		}
		if err == nil && res.Findings.Failed() || len(res.Findings.Findings) == 0 {
			t.Errorf("%s: %v", x.kernel, err)
			continue
		}
		if text := res.Findings.Text(); res.Findings.Findings[0].Code != x.code || !strings.Contains(text, x.text) {
			t.Errorf("%s: %s", x.kernel, text)
		}
	}
	// The host writes a device allocation through its buffer.
	if err := emu.Write(far.Buffer(), 0, make([]int32, 16)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, &emu.Launch{Kernel: kernel(t, p, "branch"), Range: sized(1, 1), Check: true, Args: []emu.Arg{at, at.At(32)}})
}

// TestSVMBinary runs kernels that came as binaries, with their code for shared memory and without.
func TestSVMBinary(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		p := source(t, d, svmSource)
		for _, shared := range []bool{false, true} {
			data, err := p.Binary(emu.BinaryOptions{Shared: shared})
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := d.LoadBinary(data, emu.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			nodes := svm(t, d, 64*nodeBytes, emu.SVMOptions{})
			list(nodes, 5, 3, 60, 7)
			out := buffer(t, d, int32(0), int32(0), int32(0), int32(0))
			for _, check := range []bool{false, true} {
				if check && d.Limits().Engine == "compare" {
					continue
				}
				for _, name := range []string{"walk", "direct"} {
					l := &emu.Launch{Kernel: kernel(t, loaded, name), Range: sized(1, 1), Check: check, Args: []emu.Arg{nodes.At(5 * nodeBytes), out}}
					if name == "direct" {
						l.Args = []emu.Arg{out, emu.Value(int32(1))}
					}
					if !shared {
						if _, err := l.Run(context.Background()); !errors.Is(err, emu.ErrNotShared) {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					mustRun(t, l)
					if got := contents[int32](t, out); name == "walk" && got[0] != 75 || name == "direct" && got[1] != 1 {
						t.Errorf("%s: %v", name, got)
					}
				}
			}
			if again, err := loaded.Binary(emu.BinaryOptions{Shared: true}); shared != (err == nil) || shared && !slices.Equal(again, data) {
				t.Errorf("a binary of a binary: %v", err)
			}
		}
	})
}

// TestSVMAddress runs a kernel on memory that was saved with pointers into itself: it finds them at the addresses of then.
func TestSVMAddress(t *testing.T) {
	onEngines(t, emu.DeviceOptions{Workers: 1}, func(t *testing.T, d *emu.Device) {
		const here, there = 0x7f1234560080, 0x7f6543210000
		a := svm(t, d, 16, emu.SVMOptions{Address: here})
		b := svm(t, d, 8, emu.SVMOptions{Address: there})
		if a.Address() != here || b.Address() != there {
			t.Fatalf("addresses %#x and %#x", a.Address(), b.Address())
		}
		binary.LittleEndian.PutUint64(a.Bytes()[8:], there+4)
		p := source(t, d, "kernel void f(global ulong *a) { global int *b = (global int *)a[0]; *b += 7; a[-1] = (ulong)(b - 1); }")
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "f"), Range: sized(1, 1), Args: []emu.Arg{a.At(8)}})
		if got := binary.LittleEndian.Uint64(a.Bytes()); got != there || b.Bytes()[4] != 7 {
			t.Errorf("the kernel stored %#x, and %d", got, b.Bytes()[4])
		}
		for _, opt := range []emu.SVMOptions{{Address: here + 8}, {Address: 1}, {Address: 1<<64 - 8}, {Address: here + 1024, Align: 1 << 12}} {
			if s, err := d.NewSVM(8, opt); err == nil {
				t.Errorf("%+v: an allocation at %#x", opt, s.Address())
			}
		}
	})
}
