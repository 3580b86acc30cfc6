package clc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

var allBuiltins = flag.Bool("builtins", false,
	"compare every overload of every built-in function with clang's, which takes minutes")

var long = flag.Bool("long", false, "compare the built-in functions of OpenCL C 1.2 with clang's, too")

// The test below has a kernel for each overload, compiled by clang and by this package, run on lockstep with the
// same buffers: their contents have to be the same afterwards.

const (
	testItems = 64
	testGroup = 32
)

// testKernel is a kernel that calls an overload.
type testKernel struct {
	sig     *builtin.Sig
	name    string
	text    string
	buffers []testBuffer
}

// testBuffer is a parameter of the kernel.
type testBuffer struct {
	elem  *types.Type // scalars that it is filled with
	bytes int64
	three bool // of vectors of three components, behind which there is a fourth that is not defined
}

// writer writes a kernel.
type writer struct {
	t      *types.Table
	k      testKernel
	params []string
	body   strings.Builder
}

// buffer adds a buffer of n values of a type for each work-item and returns its name.
func (w *writer) buffer(t *types.Type, n int64) string {
	name := fmt.Sprintf("p%d", len(w.params))
	w.params = append(w.params, "global "+t.String()+" *"+name)
	w.k.buffers = append(w.k.buffers, testBuffer{elem: t.Component(), bytes: testItems * n * w.t.SizeOf(t),
		three: t.Lanes() == 3})
	return name
}

// uniformArgs are what arguments have to be, for all work-items alike.
func uniformArgs(s *builtin.Sig, i int) (string, bool) {
	name := s.Name
	switch {
	case strings.HasSuffix(name, "barrier"), strings.HasSuffix(name, "fence") && name != "get_fence":
		return []string{"CLK_LOCAL_MEM_FENCE", "memory_scope_work_group"}[i], true
	case i == 0 && len(s.Params) > 1:
		return "", false
	case strings.Contains(name, "clustered"):
		return "4", i == len(s.Params)-1 || strings.Contains(name, "rotate")
	case strings.HasPrefix(name, "work_group_broadcast"):
		return []string{"3", "3", "0", "0"}[i], true
	case strings.Contains(name, "broadcast") && len(s.Params) == 2:
		return "5", true
	case strings.HasPrefix(name, "intel_sub_group_shuffle_") && !strings.HasSuffix(name, "xor"):
		return "3", i == 2
	case strings.Contains(name, "group_rotate"):
		return "3", true
	case strings.Contains(name, "shuffle") && strings.Contains(name, "sub_group") && i == len(s.Params)-1:
		if strings.HasSuffix(name, "shuffle") {
			return "(l * 7) % 32", true
		}
		return "3", true
	case strings.HasPrefix(name, "bitfield") && i >= len(s.Params)-2:
		return "(i & 3)", true
	case strings.HasSuffix(name, "bit_extract"):
		return "i", true
	}
	return "", false
}

// write makes the kernel of an overload; false if the test has no way to call it.
func write(t *types.Table, s *builtin.Sig, number int) (testKernel, bool) {
	w := &writer{t: t, k: testKernel{sig: s, name: fmt.Sprintf("k%d", number)}}
	ok := false
	switch d := s.Def; {
	case strings.HasPrefix(s.Name, "__builtin_amdgcn_"), s.Name == "__builtin_unreachable", s.Name == "__builtin_trap",
		s.Name == "__builtin_assume", s.Name == "__builtin_expect_with_probability", s.Variadic, strings.Contains(s.Name, "2D2D"), strings.Contains(s.Name,
			"3D3D"):
		return w.k, false
	case strings.HasPrefix(s.Name, "intel_sub_group_shuffle") && s.Params[0].Lanes() > 1 &&
		s.Params[0].Component().Kind == types.HalfKind, d.Ext == "cl_intel_subgroups_char", d.Ext == "cl_intel_subgroups_long",
		d.Ext == "cl_intel_media_block_io", d.Ext == "cl_intel_bfloat16_conversions",
		d.Ext == "cl_intel_split_work_group_barrier", strings.HasPrefix(s.Name, "clock_read_"):
		return w.k, false // clang's header does not have them
	case strings.HasPrefix(s.Name, "intel_sub_group_block_"):
		ok = w.block(s)
	case d.Section == "6.15.7":
		ok = w.move(s)
	case d.Section == "6.15.12" || strings.HasPrefix(s.Name, "atom"):
		ok = w.atomic(s)
	case strings.HasPrefix(s.Name, "async_work_group"):
		ok = w.copies(s)
	case d.Section == "6.15.1", d.Section == "6.15.19" && len(s.Params) == 0:
		ok = w.items(s)
	default:
		ok = w.plain(s)
	}
	w.k.text = fmt.Sprintf("kernel void %s(%s)\n{\n\tsize_t i = get_global_id(0), l = get_local_id(0);\n%s}\n",
		w.k.name, strings.Join(w.params, ", "), w.body.String())
	return w.k, ok
}

// plain calls a function of values; pointers lead to an element of a buffer for each work-item.
func (w *writer) plain(s *builtin.Sig) bool {
	var args []string
	for i, p := range s.Params {
		switch u, uniform := uniformArgs(s, i); {
		case uniform && p.IsInteger():
			args = append(args, u)
		case p.IsArithmetic() || p.IsVector():
			args = append(args, w.buffer(p.Type, 1)+"[i]")
		case p.IsPointer() && (p.Elem.IsVector() || p.Elem.IsArithmetic()) && p.Elem.Space() != types.Local && p.Elem.Space() != types.Constant:
			args = append(args, w.buffer(p.Elem.Type, 1)+" + i")
		default:
			return false
		}
	}
	call := s.Name + "(" + strings.Join(args, ", ") + ")"
	if s.Result.Kind != types.VoidKind {
		call = w.buffer(s.Result.Type, 1) + "[i] = " + call
	}
	w.body.WriteString("\t" + call + ";\n")
	return true
}

// items asks for numbers of work-items in all dimensions, and for dimensions that there are not.
func (w *writer) items(s *builtin.Sig) bool {
	out := w.buffer(s.Result.Type, 1) + "[get_global_id(0) - get_global_offset(0)]"
	if len(s.Params) == 0 {
		fmt.Fprintf(&w.body, "\t%s = %s();\n", out, s.Name)
		return true
	}
	fmt.Fprintf(&w.body, "\tulong x = 0;\n\tfor (uint d = 0; d < 5; d++)\n\t\tx = x * 31 + %s(d);\n", s.Name)
	for d := range 4 {
		fmt.Fprintf(&w.body, "\tx = x * 31 + %s(%d);\n", s.Name, d)
	}
	fmt.Fprintf(&w.body, "\t%s = x;\n", out)
	return true
}

// block reads or writes a block of a buffer; a work-group is one sub-group.
func (w *writer) block(s *builtin.Sig) bool {
	if !s.Params[0].IsPointer() {
		return false
	}
	v := s.Result.Type
	if len(s.Params) == 2 {
		v = s.Params[1].Type
	}
	p := fmt.Sprintf("%s + get_group_id(0) * %d", w.buffer(s.Params[0].Elem.Type, int64(v.Lanes())),
		testGroup*v.Lanes())
	if len(s.Params) == 2 {
		fmt.Fprintf(&w.body, "\t%s(%s, %s[i]);\n", s.Name, p, w.buffer(v, 1))
	} else {
		fmt.Fprintf(&w.body, "\t%s[i] = %s(%s);\n", w.buffer(v, 1), s.Name, p)
	}
	return true
}

// move calls a vector load or store.
func (w *writer) move(s *builtin.Sig) bool {
	last := s.Params[len(s.Params)-1]
	n := int64(16)
	p := w.buffer(last.Elem.Type, n)
	if last.Elem.Space() == types.Constant {
		w.params[0] = strings.Replace(w.params[0], "global", "constant", 1)
	}
	if s.Result.Kind != types.VoidKind {
		fmt.Fprintf(&w.body, "\t%s[i] = %s(i, %s);\n", w.buffer(s.Result.Type, 1), s.Name, p)
		return true
	}
	fmt.Fprintf(&w.body, "\t%s(%s[i], i, %s);\n", s.Name, w.buffer(s.Params[0].Type, 1), p)
	return true
}

// atomic calls an atomic function on an object for each work-item.
func (w *writer) atomic(s *builtin.Sig) bool {
	if len(s.Params) == 0 || !s.Params[0].IsPointer() {
		return false
	}
	o := s.Params[0].Elem
	if o.Kind == types.HalfKind {
		return false // clang 15 has no atomic_half
	}
	if strings.Contains(s.Name, "compare_exchange") && o.HasFloat() {
		return false // the translator of clang's modules ends on an assertion
	}
	quals, typ := "volatile ", o.Type.String()
	if o.Q&types.Atomic != 0 {
		typ = "atomic_" + typ
	}
	buf := w.buffer(o.Type, 1)
	spaces := map[types.Space]string{types.Global: "global", types.Local: "local", types.Generic: "generic",
		types.Private: "private"}
	place := func(name, typ, quals string, s types.Space) {
		switch s {
		case types.Local:
			fmt.Fprintf(&w.body, "\tlocal %s %s_l[%d];\n\t%s_l[l] = %s[i];\n", o.Type, name, testGroup, name,
				buf)
			fmt.Fprintf(&w.body, "\t%slocal %s *%s = (%slocal %s *)(%s_l + l);\n", quals, typ, name, quals,
				typ, name)
		case types.Private:
			fmt.Fprintf(&w.body, "\tprivate %s %s_v = %s[i];\n\tprivate %s *%s = &%s_v;\n", o.Type, name,
				buf, typ, name, name)
		default:
			fmt.Fprintf(&w.body, "\t%s%s %s *%s = (%s%s %s *)(%s + i);\n", quals, spaces[s], typ, name,
				quals, spaces[s], typ, buf)
		}
	}
	var after []string
	for i, p := range s.Params[:min(2, len(s.Params))] {
		if p.IsPointer() && p.Elem.Space() == types.Local {
			after = append(after, fmt.Sprintf("\t%s[i] ^= *(local uint *)(%s_l + l);\n", w.buffer(w.t.UInt,
				1), []string{"o", "e"}[i]))
		}
	}
	place("o", typ, quals, o.Space())
	args := []string{"o"}
	values := len(s.Params) // how many arguments are no orders
	if strings.HasSuffix(s.Name, "_explicit") {
		switch name := s.Name; {
		case strings.Contains(name, "compare"):
			values = 3
		case strings.Contains(name, "load"), strings.Contains(name, "flag"):
			values = 1
		default:
			values = 2
		}
	}
	for i := 1; i < len(s.Params); i++ {
		switch p := s.Params[i]; {
		case p.IsPointer():
			buf = w.buffer(o.Type, 1)
			fmt.Fprintf(&w.body, "\tif (i & 1) %s[i] = *(global %s *)(p0 + i);\n", buf, o.Type)
			place("e", o.Type.String(), "", p.Elem.Space())
			args = append(args, "e")
		case i < values:
			args = append(args, w.buffer(p.Type, 1)+"[i]")
		case i == values, i == 4 && values == 3:
			args = append(args, "memory_order_relaxed")
		default:
			args = append(args, "memory_scope_device")
		}
	}
	call := s.Name + "(" + strings.Join(args, ", ") + ")"
	if s.Result.Kind != types.VoidKind {
		r := s.Result.Type
		if r.Kind == types.BoolKind {
			r = w.t.Int
		}
		call = w.buffer(r, 1) + "[i] = " + call
	}
	w.body.WriteString("\t" + call + ";\n" + strings.Join(after, ""))
	return true
}

// copies copies a work-group's elements.
func (w *writer) copies(s *builtin.Sig) bool {
	t := s.Params[0].Elem.Type
	g := w.buffer(t, 3)
	stride := ""
	if len(s.Params) == 5 {
		stride = ", 3"
	}
	fmt.Fprintf(&w.body, "\tlocal %s t[%d];\n\tevent_t e;\n", t, testGroup)
	if s.Params[0].Elem.Space() == types.Local {
		fmt.Fprintf(&w.body, "\te = %s(t, %s + get_group_id(0) * %d, %d%s, 0);\n\twait_group_events(1, &e);\n\t%s[i] = t[l];\n",
			s.Name, g, testGroup, testGroup, stride, w.buffer(t, 1))
		return true
	}
	fmt.Fprintf(&w.body, "\tt[l] = %s[i];\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\te = %s(%s + get_group_id(0) * %d, t, %d%s, 0);\n\twait_group_events(1, &e);\n",
		w.buffer(t, 1), s.Name, g, 3*testGroup, testGroup, stride)
	return true
}

// fill gives a buffer contents that only its place decides: for floats some special values, some of moderate size,
// and any bits.
func fill(b testBuffer, seed uint64) []byte {
	next := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), 2,
		-2.5, 1.5, 127, 255.5, -128.5, 65535}
	out := make([]byte, 0, b.bytes)
	for int64(len(out)) < b.bytes {
		x := next()
		v := special[x>>8%uint64(len(special))]
		if x&1 != 0 {
			v = float64(int64(x)>>20) / (1 << 36)
		}
		anyBits := x&6 == 6
		switch b.elem.Kind {
		case types.FloatKind:
			bits := math.Float32bits(float32(v))
			if anyBits {
				bits = uint32(x >> 32)
			}
			out = binary.LittleEndian.AppendUint32(out, bits)
		case types.DoubleKind:
			bits := math.Float64bits(v)
			if anyBits {
				bits = next()
			}
			out = binary.LittleEndian.AppendUint64(out, bits)
		default:
			if b.elem.IsInteger() && x&6 == 0 { // small numbers
				x = x >> 8 & 15
			}
			out = binary.LittleEndian.AppendUint64(out, x)
		}
	}
	return out[:b.bytes]
}

// run runs a kernel and returns what the buffers have then.
func run(dev *emu.Device, p *emu.Program, k *testKernel) ([]byte, error) {
	kernel, err := p.Kernel(k.name)
	if err != nil {
		return nil, err
	}
	var args []emu.Arg
	var bufs []*emu.Buffer
	for i, b := range k.buffers {
		buf, err := dev.NewBufferFrom(fill(b, uint64(i)), emu.BufferOptions{})
		if err != nil {
			return nil, err
		}
		defer buf.Free()
		bufs = append(bufs, buf)
		args = append(args, buf)
	}
	r := emu.NDRange{Global: []uint64{testItems}, Local: []uint64{testGroup}}
	if k.sig.Def.Section == "6.15.1" {
		r = emu.NDRange{Global: []uint64{16, 2, 2}, Local: []uint64{4, 2, 1}, Offset: []uint64{5, 6, 7}}
	}
	l := emu.Launch{Kernel: kernel, Args: args, Range: r, KeepGoing: true}
	_, err = l.Run(context.Background())
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	var out []byte
	if err != nil {
		out = append(out, err.Error()...)
	}
	for i, b := range bufs {
		data, err := emu.Read[byte](b)
		if err != nil {
			return nil, err
		}
		if n := k.buffers[i].elem.Bits() / 8; k.buffers[i].three {
			for j := 3 * n; j < len(data); j += 4 * n {
				clear(data[j : j+n])
			}
		}
		out = append(out, data...)
	}
	return out, nil
}

// byClang compiles a source with clang and the translator.
func byClang(dir, text string, v lang.Version) ([]byte, error) {
	file := func(ext string) string { return filepath.Join(dir, "k"+ext) }
	if err := os.WriteFile(file(".cl"), []byte(text), 0o666); err != nil {
		return nil, err
	}
	if out, err := exec.Command("clang-15", "-c", "-cl-no-stdinc", "-Xclang", "-finclude-default-header", "-target", "spir64-unknown-unknown", fmt.Sprintf("-cl-std=CL%d.%d", v/100, v/10%10), "-w", "-O0",
		"-emit-llvm", "-o", file(".bc"), file(".cl")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %.1000s", err, out)
	}
	if out, err := exec.Command("llvm-spirv-15", "--spirv-ext=+all,-SPV_INTEL_optnone", "-o", file(".spv"), file(".bc")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %.1000s", err, out)
	}
	return os.ReadFile(file(".spv"))
}

const extensions = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" +
	"#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"

// TestBuiltinsRun compares what kernels with built-in functions compute with what they compute if clang compiles
// them: a sample of the overloads, or all of them with -builtins. The functions of OpenCL C 1.2 take -long.
func TestBuiltinsRun(t *testing.T) {
	for _, tool := range []string{"clang-15", "llvm-spirv-15"} {
		if _, err := exec.LookPath(tool); err != nil || testing.Short() {
			t.Skipf("takes %s and half a minute", tool)
		}
	}
	// One worker: work-items of a launch in three dimensions write to the same places, the last of which stays.
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	versions := []lang.Version{lang.CL30}
	if *long {
		versions = append(versions, lang.CL12)
	}
	for _, v := range versions {
		runVersion(t, dev, v)
	}
}

// shapeOf is what a sample has one overload of: a row of the table with floats, signed or unsigned integers, vectors or
// scalars for each parameter.
func shapeOf(s *builtin.Sig) string {
	shape := s.Def.Name + " " + s.Def.Sig
	if !strings.HasPrefix(s.Name, "convert_") && !strings.HasPrefix(s.Name, "vstore") {
		shape = s.Name + " " + s.Def.Sig
	}
	for _, p := range append([]types.Qual{s.Result}, s.Params...) {
		t := p.Type
		if t.IsPointer() {
			shape += " *"
			t = t.Elem.Type
		}
		switch {
		case t.HasFloat():
			shape += "f"
		case t.IsSigned():
			shape += "s"
		}
		if t.IsVector() {
			shape += "v"
		}
		shape += ","
	}
	if s.Def.Section == "6.4.3" { // every rounding
		shape += s.Name[strings.LastIndexByte(s.Name, '_'):]
	}
	return shape
}

// runVersion compares the functions of a version of OpenCL C.
func runVersion(t *testing.T, dev *emu.Device, v lang.Version) {
	t.Helper()
	ty := types.NewTable(types.Config{AddressBits: 64})
	opts := lang.Default()
	opts.Version = v
	tab := builtin.NewTable(ty, &opts)
	var kernels []testKernel
	seen := map[string]bool{}
	for _, name := range builtin.Names() {
		for _, s := range tab.Overloads(name) {
			if shape := shapeOf(s); *allBuiltins || !seen[shape] {
				if k, ok := write(ty, s, len(kernels)); ok {
					kernels = append(kernels, k)
					seen[shape] = true
				}
			}
		}
	}
	compared := 0
	for len(kernels) > 0 {
		n := min(len(kernels), 400)
		compared += compare(t, dev, v, kernels[:n])
		kernels = kernels[n:]
	}
	t.Logf("OpenCL C %d: %d kernels give the same", v, compared)
}

// compare compiles kernels both ways and runs them. Kernels that clang fails on are found by halving.
func compare(t *testing.T, dev *emu.Device, v lang.Version, kernels []testKernel) int {
	t.Helper()
	var text strings.Builder
	text.WriteString(extensions)
	for i := range kernels {
		text.WriteString(kernels[i].text)
	}
	want, err := byClang(t.TempDir(), text.String(), v)
	if err != nil {
		if len(kernels) == 1 {
			t.Errorf("clang fails on %s: %v", kernels[0].sig, err)
			return 0
		}
		h := len(kernels) / 2
		return compare(t, dev, v, kernels[:h]) + compare(t, dev, v, kernels[h:])
	}
	res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: text.String()},
		clc.Options{Version: clc.Version(v)})
	if err != nil {
		if len(kernels) == 1 {
			t.Errorf("%s: %v\n%s", kernels[0].sig, err, kernels[0].text)
			return 0
		}
		h := len(kernels) / 2
		return compare(t, dev, v, kernels[:h]) + compare(t, dev, v, kernels[h:])
	}
	a, err := dev.NewProgram(want, emu.ProgramOptions{})
	if err != nil {
		if len(kernels) == 1 {
			t.Logf("clang's module is refused: %s: %v", kernels[0].sig, err)
			return 0
		}
		h := len(kernels) / 2
		return compare(t, dev, v, kernels[:h]) + compare(t, dev, v, kernels[h:])
	}
	b, err := dev.NewProgram(res.Module.Encode(), emu.ProgramOptions{})
	if err != nil {
		t.Errorf("%s …: %v", kernels[0].sig, err)
		return 0
	}
	good := 0
	for i := range kernels {
		k := &kernels[i]
		x, err := run(dev, a, k)
		if err != nil {
			t.Logf("clang's module does not run: %s: %v", k.sig, err)
			continue
		}
		y, err := run(dev, b, k)
		switch {
		case err != nil:
			t.Errorf("%s: %v", k.sig, err)
		case !bytes.Equal(x, y):
			t.Errorf("%s gives something else than clang's\n%s", k.sig, k.text)
		default:
			good++
		}
	}
	return good
}
