package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// pipeKernel is a kernel f(pipe in, pipe out, uint *out) that calls the imported
// function name, if there is one, with arguments "%type %value".
func pipeKernel(name, result, typs, body string, args ...string) string {
	decos, decls := "", ""
	typs = pipeTypes + "%fp = OpTypeFunction %void %pr %pw %pg\n%desc = OpTypeStruct %uint %uint %uint\n%pdesc = OpTypePointer CrossWorkgroup %desc\n%fst = OpTypePointer Function %store\n" +
		"%opaque = OpTypePointer CrossWorkgroup %uchar\n%null = OpConstantNull %opaque\n%noid = OpConstantNull %rid\n" + typs
	if name != "" {
		var fn, params, vals string
		for i, a := range args {
			t, v, _ := strings.Cut(a, " ")
			fn += " " + t
			params += fmt.Sprintf("%%imp%d = OpFunctionParameter %s\n", i, t)
			vals += " " + v
		}
		decos = "OpDecorate %imp LinkageAttributes \"" + name + "\" Import\n"
		typs += "%if = OpTypeFunction " + result + fn + "\n"
		decls = "%imp = OpFunction " + result + " None %if\n" + params + "OpFunctionEnd\n"
		body += "%r = OpFunctionCall " + result + " %imp" + vals + "\n"
		if strings.Contains(name, "CreatePipe") {
			body += "%u = OpReadPipe %uint %r %at %c4 %c4\n"
		}
	}
	return pipeHead + decos + types + typs + decls +
		"%f = OpFunction %void None %fp\n%in = OpFunctionParameter %pr\n%to = OpFunctionParameter %pw\n%out = OpFunctionParameter %pg\n%entry = OpLabel\n" +
		"%g3 = OpLoad %vec3 %gid\n%g64 = OpCompositeExtract %ulong %g3 0\n%g = OpUConvert %uint %g64\n%at = OpPtrCastToGeneric %gen %out\n" + body + end
}

// TestPipeRefusals compares what is said about pipes that cannot be lowered.
func TestPipeRefusals(t *testing.T) {
	core := func(typs, body string) string { return pipeKernel("", "", typs, body) }
	call := func(name, result string, args ...string) string { return pipeKernel(name, result, "", "", args...) }
	described := func(init, deco, typs, body string, args ...string) string {
		text := pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%opaque", typs+"%d = "+init+"\n%link = OpVariable %pdesc CrossWorkgroup %d\n", body, args...)
		return strings.Replace(text, "OpDecorate", "OpName %link \"link\"\n"+deco+"OpDecorate", 1)
	}
	const (
		in   = "%pr %in"
		to   = "%pw %to"
		at   = "%gen %at"
		four = "%uint %c4"
		con  = "OpDecorate %link Constant\n"
	)
	argument := func(typ string) string {
		return pipeHead + types + pipeTypes + "%fa = OpTypeFunction %void " + typ + "\n%f = OpFunction %void None %fa\n%a = OpFunctionParameter " + typ + "\n%entry = OpLabel\n" + end
	}
	var b strings.Builder
	for _, c := range []struct{ name, text string }{
		{"packets of no bytes", core("%link = OpConstantPipeStorage %store 0 1 1\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n")},
		{"packets that are too large", core("%link = OpConstantPipeStorage %store 1048577 1 1\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n")},
		{"packets of 4 GiB", core("%link = OpConstantPipeStorage %store 4294967295 1 4294967295\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n")},
		{"alignment that is no power of two", core("%link = OpConstantPipeStorage %store 12 3 1\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n")},
		{"alignment of 0", core("%link = OpConstantPipeStorage %store 4 0 1\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n")},
		{"I/O pipe", strings.Replace(core("%link = OpConstantPipeStorage %store 4 4 1\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n"), "OpDecorate", "OpDecorate %link IOPipeStorageALTERA 3\nOpDecorate", 1)},
		{"variable of an I/O pipe", strings.Replace(core("%link = OpConstantPipeStorage %store 4 4 1\n%gst = OpTypePointer CrossWorkgroup %store\n%var = OpVariable %gst CrossWorkgroup %link\n",
			"%s = OpLoad %store %var\n%p = OpCreatePipeFromPipeStorage %pr %s\n"), "OpDecorate", "OpDecorate %var IOPipeStorageALTERA 3\nOpDecorate", 1)},
		{"storage as an argument", argument("%store")},
		{"reservation as an argument", argument("%rid")},
		{"variable with a pipe outside of functions", core("%ppr = OpTypePointer CrossWorkgroup %pr\n%var = OpVariable %ppr CrossWorkgroup\n", "%p = OpLoad %pr %var\n")},
		{"scope that is no constant", core("", "%p = OpGroupReserveReadPipePackets %rid %g %in %c1 %c4 %c4\n")},
		{"scope of a device", core("", "%p = OpGroupReserveReadPipePackets %rid %c1 %in %c1 %c4 %c4\n")},
		{"scope of a commit", core("", "OpGroupCommitWritePipe %c4 %to %noid %c4 %c4\n")},
		{"pipe that is an integer", core("", "%p = OpReadPipe %uint %g64 %at %c4 %c4\n")},
		{"pipe that is a vector", core("", "%p = OpReadPipe %uint %g3 %at %c4 %c4\n")},
		{"number that is a pointer", core("", "%p = OpReserveReadPipePackets %rid %in %at %c4 %c4\n")},
		{"result that is a float", core("%float = OpTypeFloat 32\n", "%p = OpReadPipe %float %in %at %c4 %c4\n")},
		{"result that is no reservation", core("", "%p = OpReserveReadPipePackets %uint %in %c1 %c4 %c4\n")},
		{"storage that is an integer", core("", "%p = OpCreatePipeFromPipeStorage %pr %c4\n")},

		{"name with too few arguments", call("__read_pipe_2", "%uint", in, at)},
		{"name with too many arguments", call("__read_pipe_2", "%uint", in, at, four, four, four)},
		{"name with no arguments", call("__spirv_GroupCommitReadPipe", "%void")},
		{"storage of nothing", pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%pr", "%empty = OpTypeStruct\n%nil = OpConstantNull %empty\n", "", "%empty %nil")},
		{"name with an integer for a pipe", call("_Z17__spirv_WritePipeIiEi8ocl_pipePT_ii", "%uint", "%ulong %g64", at, four, four)},
		{"name with an integer for a reservation", call("__commit_read_pipe", "%void", in, "%ulong %g64", four, four)},
		{"name with a result that is none", call("__commit_read_pipe", "%uint", in, "%rid %noid", four, four)},
		{"name with a scope that is no constant", call("__spirv_GroupReserveReadPipePackets", "%rid", "%uint %g", in, four, four, four)},
		{"name of a validity of two", call("is_valid_reserve_id", "%bool", "%rid %noid", "%rid %noid")},
		{"name of a validity of a number", call("is_valid_reserve_id", "%bool", "%ulong %g64")},
		{"packet of unknown size", pipeKernel("read_pipe", "%uint", "%up = OpTypeUntypedPointerKHR CrossWorkgroup\n", "%q = OpBitcast %up %out\n", in, "%up %q")},
		{"name of the source with too many arguments", call("read_pipe", "%uint", in, at, four, four, four)},
		{"pipe function that does not exist", call("__read_pipe_3", "%uint", in, at, four)},

		{"storage that is null", call("__spirv_CreatePipeFromPipeStorage_read", "%opaque", "%opaque %null")},
		{"storage that is an argument", call("__spirv_CreatePipeFromPipeStorage_read", "%opaque", "%pg %out")},
		{"storage that is made in the kernel", pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%opaque", "", "%d = OpCompositeConstruct %desc %c4 %c4 %g\n", "%desc %d")},
		{"storage that is a constant without a variable", pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%opaque", "%d = OpConstantComposite %desc %c4 %c4 %c4\n", "", "%desc %d")},
		{"storage that may change", described("OpConstantComposite %desc %c4 %c4 %c4", "", "", "", "%pdesc %link")},
		{"storage of too few numbers", strings.Replace(described("OpConstantComposite %desc %c4 %c4", con, "", "", "%pdesc %link"), "OpTypeStruct %uint %uint %uint", "OpTypeStruct %uint %uint", 1)},
		{"storage of longs", strings.ReplaceAll(strings.Replace(described("OpConstantNull %desc", con, "", "", "%pdesc %link"), "OpTypeStruct %uint %uint %uint", "OpTypeStruct %ulong %ulong %ulong", 1), "%c4 %c4 %c4", "%c4")},
		{"storage of zeros", described("OpConstantNull %desc", con, "", "", "%pdesc %link")},
		{"one of two storages", described("OpConstantComposite %desc %c4 %c4 %c4", con+"OpDecorate %link2 Constant\n", "", "%b = OpIEqual %bool %g %c0\n%s = OpSelect %pdesc %b %link %link2\n", "%pdesc %s")},
		{"result of a creation", pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%uint", "%link = OpConstantPipeStorage %store 4 4 4\n", "", "%store %link")},
		{"creation of two arguments", pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%pr", "%link = OpConstantPipeStorage %store 4 4 4\n", "", "%store %link", four)},
	} {
		text := c.text
		if strings.Contains(text, "%link2") {
			text = strings.Replace(text, "%link = OpVariable", "%link2 = OpVariable %pdesc CrossWorkgroup %d\n%link = OpVariable", 1)
		}
		_, err := lower.Program(decode(t, text), lower.Options{})
		var le *lower.Error
		if err == nil {
			t.Errorf("%s: no error", c.name)
		} else if !errors.As(err, &le) {
			t.Errorf("%s: %v is no *lower.Error", c.name, err)
		}
		fmt.Fprintf(&b, "%s:\n\t%v\n", c.name, err)
	}
	golden(t, "pipe-refusals.txt", b.String())
}

// TestPipeDirection uses the wrong end of a pipe: validation refuses that for
// instructions, so a call by name, or a pipe of both ends, has to do it.
func TestPipeDirection(t *testing.T) {
	const four = "%uint %c4"
	for _, c := range []struct{ name, text string }{
		{"write to a parameter that is read", pipeKernel("__write_pipe_2", "%uint", "", "", "%pr %in", "%gen %at", four, four)},
		{"read of a parameter that is written", pipeKernel("__spirv_ReadPipe", "%uint", "", "", "%pw %to", "%gen %at", four, four)},
		{"reservation of packets to write in a parameter that is read", pipeKernel("__work_group_reserve_write_pipe", "%rid", "", "", "%pr %in", four, four, four)},
		{"write to the end that is read", pipeKernel("_Z17__spirv_WritePipeIiEi8ocl_pipePT_ii", "%uint", "%link = OpConstantPipeStorage %store 4 4 4\n",
			"%p = OpCreatePipeFromPipeStorage %pr %link\n", "%pr %p", "%gen %at", four, four)},
		{"blocking read of the end that is written", pipeKernel("__read_pipe_2_bl", "%void", "%link = OpConstantPipeStorage %store 4 4 4\n",
			"%p = OpCreatePipeFromPipeStorage %pw %link\n", "%pw %p", "%gen %at", four, four)},
	} {
		r := pipeRun{text: c.text, local: 1, global: 1, in: &pipeBytes{4, []uint32{1}}, out: &pipeBytes{4, []uint32{1}}, buffer: make([]uint32, 4)}
		_, list, err := r.run(t)
		if err == nil || len(list) != 1 || list[0].Code != finding.PipeDirection {
			t.Errorf("%s: %v %v", c.name, err, list)
		}
	}
	// Both ends of a pipe, made from a storage.
	both := pipeKernel("__write_pipe_2", "%uint", "%link = OpConstantPipeStorage %store 4 4 4\n",
		"%p = OpCreatePipeFromPipeStorage %prw %link\n", "%prw %p", "%gen %at", four, four)
	p, err := lower.Program(decode(t, both), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Kernel("f").PipeRegs; len(r) != 1 || r[0].Reads || !r[0].Writes {
		t.Errorf("pipes %+v", r)
	}
	r := pipeRun{text: both, local: 1, global: 1, in: &pipeBytes{4, nil}, out: &pipeBytes{4, nil}, buffer: make([]uint32, 4)}
	if _, list, err := r.run(t); err != nil || len(list) > 0 {
		t.Errorf("both ends: %v %v", err, list)
	}
}

// TestPipeUses looks at what kernels are said to do with pipes.
func TestPipeUses(t *testing.T) {
	const link = "%link = OpConstantPipeStorage %store 4 4 4\n"
	read := "%p = OpCreatePipeFromPipeStorage %pr %link\n"
	idle, err := lower.Program(decode(t, pipeKernel("", "", "", "")), lower.Options{})
	if err != nil || !idle.Kernel("f").UsesPipes {
		t.Errorf("a kernel that is given pipes does not use them: %v", err)
	}
	for _, c := range []struct {
		name, typs, body string
		want             isa.PipeReg
		any              bool
	}{
		{"read", link, read + "%x = OpReadPipe %uint %p %at %c4 %c4\n", isa.PipeReg{Reads: true}, false},
		{"count", link, read + "%x = OpGetNumPipePackets %uint %p %c4 %c4\nOpStore %out %x\n", isa.PipeReg{}, false},
		{"both", link, read + "%x = OpReadPipe %uint %p %at %c4 %c4\n%q = OpCreatePipeFromPipeStorage %pw %link\n%y = OpWritePipe %uint %q %at %c4 %c4\n",
			isa.PipeReg{Reads: true, Writes: true}, false},
		{"a storage in an array", link + "%arr = OpTypeArray %store %c2\n%parr = OpTypePointer Function %arr\n",
			"%v = OpVariable %parr Function\n%s0 = OpInBoundsAccessChain %fst %v %c0\nOpStore %s0 %link\n%s1 = OpInBoundsAccessChain %fst %v %g\n%st = OpLoad %store %s1\n" +
				"%p = OpCreatePipeFromPipeStorage %pr %st\n%x = OpReadPipe %uint %p %at %c4 %c4\n", isa.PipeReg{Reads: true, Writes: true}, true},
		{"an end in an array", link + "%arr = OpTypeArray %pr %c2\n%parr = OpTypePointer Function %arr\n%fpr = OpTypePointer Function %pr\n",
			"%v = OpVariable %parr Function\n%s0 = OpInBoundsAccessChain %fpr %v %c0\n" + read + "OpStore %s0 %p\n%s1 = OpInBoundsAccessChain %fpr %v %g\n%q = OpLoad %pr %s1\n" +
				"%x = OpReadPipe %uint %q %at %c4 %c4\n", isa.PipeReg{Reads: true}, true},
		{"a storage in a constant", link + "%two = OpTypeStruct %ulong %store\n%l9 = OpConstant %ulong 9\n%kk = OpConstantComposite %two %l9 %link\n%pk = OpTypePointer UniformConstant %two\n" +
			"%pks = OpTypePointer UniformConstant %store\n%var = OpVariable %pk UniformConstant %kk\n",
			"%s0 = OpInBoundsAccessChain %pks %var %c1\n%st = OpLoad %store %s0\n%p = OpCreatePipeFromPipeStorage %pr %st\n%x = OpReadPipe %uint %p %at %c4 %c4\n", isa.PipeReg{Reads: true}, false},
		{"a copy of a storage in a constant", link + "%pk = OpTypePointer UniformConstant %store\n%var = OpVariable %pk UniformConstant %link\n",
			"%v = OpVariable %fst Function\nOpCopyMemory %v %var\n%st = OpLoad %store %v\n%p = OpCreatePipeFromPipeStorage %pw %st\n%x = OpWritePipe %uint %p %at %c4 %c4\n", isa.PipeReg{Writes: true}, false},
		{"a handle that goes to memory", link + "%gpr = OpTypePointer CrossWorkgroup %pr\n", read + "%q = OpBitcast %gpr %out\nOpStore %q %p\n", isa.PipeReg{Reads: true}, false},
		{"a parameter", link, "%x = OpReadPipe %uint %in %at %c4 %c4\n" + read + "%y = OpReadPipe %uint %p %at %c4 %c4\n", isa.PipeReg{Reads: true}, false},
	} {
		p, err := lower.Program(decode(t, pipeKernel("", "", c.typs, c.body)), lower.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		k := p.Kernel("f")
		if len(k.PipeRegs) != 1 || k.PipeRegs[0].Reads != c.want.Reads || k.PipeRegs[0].Writes != c.want.Writes || k.AnyPipe != c.any || !k.UsesPipes {
			t.Errorf("%s: %+v, any %v, uses %v\n%s", c.name, k.PipeRegs, k.AnyPipe, k.UsesPipes, k.Text(p))
		}
		if pr := k.Params; pr[0].Kind != isa.ParamPipe || pr[0].Pipe != (isa.PipeParam{Reads: true}) || pr[1].Pipe != (isa.PipeParam{Writes: true}) {
			t.Errorf("%s: parameters %+v", c.name, pr)
		}
	}
}

// TestUntypedStorage makes pipes from pointers without a type: what they lead to
// says whether it is a storage or describes one.
func TestUntypedStorage(t *testing.T) {
	const up = "%up = OpTypeUntypedPointerKHR CrossWorkgroup\n"
	for _, c := range []struct {
		name, typs string
		want       isa.Pipe
	}{
		{"storage", up + "%link = OpConstantPipeStorage %store 8 4 5\n%pst = OpTypePointer CrossWorkgroup %store\n%var = OpVariable %pst CrossWorkgroup %link\n",
			isa.Pipe{PacketBytes: 8, PacketAlign: 4, Capacity: 5}},
		{"description", up + "%d = OpConstantComposite %desc %c4 %c2 %c9\n%var = OpVariable %pdesc CrossWorkgroup %d\n",
			isa.Pipe{PacketBytes: 4, PacketAlign: 2, Capacity: 9}},
	} {
		text := pipeKernel("__spirv_CreatePipeFromPipeStorage_read", "%pr", c.typs, "%q = OpBitcast %up %var\n", "%up %q")
		p, err := lower.Program(decode(t, strings.Replace(text, "OpDecorate", "OpDecorate %var Constant\nOpDecorate", 1)), lower.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if k := p.Kernel("f"); len(p.Pipes) != 1 || p.Pipes[0] != c.want || len(k.PipeRegs) != 1 || !k.PipeRegs[0].Reads || k.AnyPipe {
			t.Errorf("%s:\n%s", c.name, k.Text(p))
		}
	}
}
