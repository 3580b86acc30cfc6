package lower_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

const pipeHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability Linkage
OpCapability Groups
OpCapability GenericPointer
OpCapability PipeStorage
OpCapability BlockingPipesALTERA
OpExtension "SPV_INTEL_blocking_pipes"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
`

const pipeTypes = `%pr = OpTypePipe ReadOnly
%pw = OpTypePipe WriteOnly
%prw = OpTypePipe ReadWrite
%rid = OpTypeReserveId
%store = OpTypePipeStorage
%uchar = OpTypeInt 8 0
%gen = OpTypePointer Generic %uint
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c9 = OpConstant %uint 9
%c100 = OpConstant %uint 100
`

// pipeOp is one step of the kernels of TestPipeForms: an instruction as SPIR-V
// has it, its result's type and its operands. Those are OpName's names; int
// constants begin with %c.
type pipeOp struct {
	res, inst string
	result    string // type
	args      []string
}

// pipeScript uses every pipe instruction once at least. Its results, 0 or 1 for
// a Boolean and for whether a reservation is valid, go to the output one after
// the other.
var pipeScript = []pipeOp{
	{"n0", "GetNumPipePackets", "%uint", []string{"in", "%c4", "%c4"}},
	{"m0", "GetMaxPipePackets", "%uint", []string{"in", "%c4", "%c4"}},
	{"r0", "ReadPipe", "%uint", []string{"in", "to0", "%c4", "%c4"}},
	{"i0", "ReserveReadPipePackets", "%rid", []string{"in", "%c2", "%c4", "%c4"}},
	{"b0", "IsValidReserveId", "%bool", []string{"i0"}},
	{"r1", "ReservedReadPipe", "%uint", []string{"in", "i0", "%c1", "to1", "%c4", "%c4"}},
	{"r2", "ReservedReadPipe", "%uint", []string{"in", "i0", "%c0", "to2", "%c4", "%c4"}},
	{"", "CommitReadPipe", "%void", []string{"in", "i0", "%c4", "%c4"}},
	{"i1", "GroupReserveReadPipePackets", "%rid", []string{"%c2", "in", "%c1", "%c4", "%c4"}},
	{"r3", "ReservedReadPipe", "%uint", []string{"in", "i1", "%c0", "to3", "%c4", "%c4"}},
	{"", "GroupCommitReadPipe", "%void", []string{"%c2", "in", "i1", "%c4", "%c4"}},
	{"i2", "GroupReserveReadPipePackets", "%rid", []string{"%c3", "in", "%c1", "%c4", "%c4"}},
	{"r4", "ReservedReadPipe", "%uint", []string{"in", "i2", "%c0", "to4", "%c4", "%c4"}},
	{"", "GroupCommitReadPipe", "%void", []string{"%c3", "in", "i2", "%c4", "%c4"}},
	{"", "ReadPipeBlockingALTERA", "%void", []string{"in", "to5", "%c4", "%c4"}},
	{"r6", "ReadPipe", "%uint", []string{"in", "to6", "%c4", "%c4"}}, // empty
	{"i3", "ReserveReadPipePackets", "%rid", []string{"in", "%c1", "%c4", "%c4"}},
	{"b3", "IsValidReserveId", "%bool", []string{"i3"}},

	{"w0", "WritePipe", "%uint", []string{"out", "from0", "%c4", "%c4"}},
	{"i4", "ReserveWritePipePackets", "%rid", []string{"out", "%c2", "%c4", "%c4"}},
	{"w1", "ReservedWritePipe", "%uint", []string{"out", "i4", "%c1", "from1", "%c4", "%c4"}},
	{"w2", "ReservedWritePipe", "%uint", []string{"out", "i4", "%c0", "from2", "%c4", "%c4"}},
	{"", "CommitWritePipe", "%void", []string{"out", "i4", "%c4", "%c4"}},
	{"i5", "GroupReserveWritePipePackets", "%rid", []string{"%c2", "out", "%c1", "%c4", "%c4"}},
	{"w3", "ReservedWritePipe", "%uint", []string{"out", "i5", "%c0", "from3", "%c4", "%c4"}},
	{"", "GroupCommitWritePipe", "%void", []string{"%c2", "out", "i5", "%c4", "%c4"}},
	{"i6", "GroupReserveWritePipePackets", "%rid", []string{"%c3", "out", "%c1", "%c4", "%c4"}},
	{"w4", "ReservedWritePipe", "%uint", []string{"out", "i6", "%c0", "from4", "%c4", "%c4"}},
	{"", "GroupCommitWritePipe", "%void", []string{"%c3", "out", "i6", "%c4", "%c4"}},
	{"", "WritePipeBlockingALTERA", "%void", []string{"out", "from5", "%c4", "%c4"}},
	{"w6", "WritePipe", "%uint", []string{"out", "from6", "%c4", "%c4"}}, // full
	{"n1", "GetNumPipePackets", "%uint", []string{"out", "%c4", "%c4"}},
	{"m1", "GetMaxPipePackets", "%uint", []string{"out", "%c4", "%c4"}},
}

// Both pipes have room for six packets, and one is full.
var (
	pipeInput   = []uint32{100, 101, 102, 103, 104, 105}
	pipeResults = []uint32{6, 6, 0, 1, 1, 0, 0, 1, 0, 1, 0, ^uint32(0), 0, 0,
		0, 1, 0, 0, 1, 0, 1, 0, ^uint32(0), 6, 6}
	pipePackets = []uint32{100, 102, 101, 103, 104, 105, 7} // what the reads of to0 … have got
	pipeOutput  = []uint32{50, 52, 51, 53, 54, 55}          // from0 … hold 50 …
)

// openCLPipe has the names of OpenCL C for the instructions; a %d is a scope.
var openCLPipe = map[string]string{
	"ReadPipe": "__read_pipe_2", "WritePipe": "__write_pipe_2", "ReservedReadPipe": "__read_pipe_4", "ReservedWritePipe": "__write_pipe_4",
	"ReserveReadPipePackets": "__reserve_read_pipe", "ReserveWritePipePackets": "__reserve_write_pipe",
	"CommitReadPipe": "__commit_read_pipe", "CommitWritePipe": "__commit_write_pipe",
	"GroupReserveReadPipePackets": "__GROUP_reserve_read_pipe", "GroupReserveWritePipePackets": "__GROUP_reserve_write_pipe",
	"GroupCommitReadPipe": "__GROUP_commit_read_pipe", "GroupCommitWritePipe": "__GROUP_commit_write_pipe",
	"GetNumPipePackets": "__get_pipe_num_packets_DIR", "GetMaxPipePackets": "__get_pipe_max_packets_DIR",
	"IsValidReserveId": "_Z19is_valid_reserve_id13ocl_reserveid", "ReadPipeBlockingALTERA": "__read_pipe_2_bl", "WritePipeBlockingALTERA": "__write_pipe_2_bl",
}

// pipeForm writes a step of the script in some way.
type pipeForm struct {
	name string
	// call is the function that stands for the instruction, and its arguments; ""
	// for the instruction itself.
	call func(op pipeOp) (string, []string)
	// result is the width of integer results; Booleans are that wide too where
	// functions are called.
	result int
	// handles is the type of pipes and reservations in calls, "" for their own.
	handles string
	// wide makes numbers of 64 bits.
	wide bool
}

func spirvName(suffix string) func(pipeOp) (string, []string) {
	return func(op pipeOp) (string, []string) {
		name := "__spirv_" + strings.Replace(op.inst, "ALTERA", "INTEL", 1)
		if suffix != "" {
			name = fmt.Sprintf("_Z%d%s%s", len(name), name, suffix)
		}
		return name, op.args
	}
}

func openCLName(plain bool) func(pipeOp) (string, []string) {
	return func(op pipeOp) (string, []string) {
		name, args := openCLPipe[op.inst], op.args
		if strings.Contains(name, "GROUP") {
			name = strings.Replace(name, "GROUP", map[string]string{"%c2": "work_group", "%c3": "sub_group"}[args[0]], 1)
			args = args[1:]
		}
		name = strings.Replace(name, "DIR", map[string]string{"in": "ro", "out": "wo"}[args[0]], 1)
		if plain && op.inst != "IsValidReserveId" && !strings.HasSuffix(name, "_bl") {
			name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "__"), "_ro"), "_wo")
			name = strings.TrimSuffix(strings.TrimSuffix(name, "_2"), "_4")
		}
		return name, args
	}
}

// sourceName is the name in the source with its types, without the size of a
// packet where the pointer tells it.
func sourceName(op pipeOp) (string, []string) {
	name, args := openCLName(true)(op)
	switch op.inst {
	case "ReadPipe", "WritePipe":
		return fmt.Sprintf("_Z%d%s8ocl_pipePU3AS4j", len(name), name), args[:2]
	case "ReservedReadPipe", "ReservedWritePipe":
		return fmt.Sprintf("_Z%d%s8ocl_pipe13ocl_reserveidjPU3AS4j", len(name), name), args[:4]
	}
	return name, args
}

var pipeForms = []pipeForm{
	{name: "instructions", result: 32},
	{name: "instructions with results of 64 bits", result: 64},
	{name: "instructions with results of 8 bits", result: 8},
	{name: "instructions with results of 23 bits", result: 23},
	{name: "SPIR-V names", call: spirvName(""), result: 32},
	{name: "mangled SPIR-V names", call: spirvName("IiEi8ocl_pipePT_ii"), result: 32},
	{name: "other mangled SPIR-V names", call: spirvName("PU3AS115__spirv_Pipe__0PU3AS4iii"), result: 32, handles: "pointer"},
	{name: "OpenCL names", call: openCLName(false), result: 32},
	{name: "OpenCL names of opaque pointers", call: openCLName(false), result: 32, handles: "pointer"},
	{name: "OpenCL names with results of 64 bits", call: openCLName(false), result: 64},
	{name: "OpenCL names with numbers of 64 bits", call: openCLName(false), result: 32, wide: true},
	{name: "names of the source", call: openCLName(true), result: 32},
	{name: "names of the source without sizes", call: sourceName, result: 32},
}

// module writes the script as a kernel.
func (f *pipeForm) module() string {
	decos, decls, body := "", "", ""
	declared := map[string]bool{}
	rt := fmt.Sprintf("%%u%d", f.result)
	typs := pipeTypes
	if f.result == 32 {
		rt = "%uint"
	} else if f.result == 64 {
		rt = "%ulong"
	} else if f.result == 8 {
		rt = "%uchar"
	} else {
		typs += fmt.Sprintf("%s = OpTypeInt %d 0\n", rt, f.result)
	}
	typs += "%opaque = OpTypePointer CrossWorkgroup %uchar\n%fp = OpTypeFunction %void %pr %pw %pg\n"
	if f.wide {
		for _, n := range []int{0, 1, 2, 4} {
			typs += fmt.Sprintf("%%wc%d = OpConstant %%ulong %[1]d\n", n)
		}
	}
	at := 0
	typeOf := func(arg string) string {
		switch {
		case arg[0] == '%' && f.wide:
			return "%ulong"
		case arg[0] == '%':
			return "%uint"
		case arg == "in" && f.handles == "":
			return "%pr"
		case arg == "out" && f.handles == "":
			return "%pw"
		case strings.HasPrefix(arg, "to") || strings.HasPrefix(arg, "from"):
			return "%gen"
		case f.handles == "":
			return "%rid"
		}
		return "%opaque"
	}
	value := func(arg string) string {
		switch {
		case arg[0] == '%' && f.wide:
			return "%w" + arg[1:]
		case arg[0] == '%':
			return arg
		}
		return "%v_" + arg
	}
	// The packets lie behind the results.
	for i := range 7 {
		typs += fmt.Sprintf("%%at_to%d = OpConstant %%uint %d\n%%at_from%d = OpConstant %%uint %d\n", i, 40+i, i, 50+i)
		for _, what := range []string{"to", "from"} {
			body += fmt.Sprintf("%%p_%[1]s%[2]d = OpInBoundsPtrAccessChain %%pg %%out %%at_%[1]s%[2]d\n%%v_%[1]s%[2]d = OpPtrCastToGeneric %%gen %%p_%[1]s%[2]d\n", what, i)
		}
	}
	for i, op := range pipeScript {
		var result string
		switch op.result {
		case "%uint":
			result = rt
		case "%rid":
			result = "%rid"
			if f.handles != "" {
				result = "%opaque"
			}
		case "%bool":
			result = "%bool"
			if f.call != nil {
				result = rt
			}
		default:
			result = "%void"
		}
		id := fmt.Sprintf("%%v_%s", op.res)
		if op.res == "" {
			id = fmt.Sprintf("%%nothing%d", i)
		}
		if f.call == nil {
			if op.res != "" {
				body += id + " = "
			}
			body += "Op" + op.inst + " "
			if op.res != "" {
				body += result + " "
			}
			for _, a := range op.args {
				body += value(a) + " "
			}
			body += "\n"
		} else {
			name, args := f.call(op)
			var fn, vals string
			for _, a := range args {
				fn += " " + typeOf(a)
				vals += " " + value(a)
			}
			key := strings.NewReplacer("%", "_", " ", "").Replace(name + result + fn)
			if !declared[key] {
				declared[key] = true
				decos += fmt.Sprintf("OpDecorate %%imp%s LinkageAttributes \"%s\" Import\n", key, name)
				typs += fmt.Sprintf("%%fn%s = OpTypeFunction %s%s\n", key, result, fn)
				decls += fmt.Sprintf("%%imp%[1]s = OpFunction %[2]s None %%fn%[1]s\n", key, result)
				for j, a := range args {
					decls += fmt.Sprintf("%%par%s_%d = OpFunctionParameter %s\n", key, j, typeOf(a))
				}
				decls += "OpFunctionEnd\n"
			}
			body += fmt.Sprintf("%s = OpFunctionCall %s %%imp%s%s\n", id, result, key, vals)
		}
		if op.res == "" {
			continue
		}
		shown := id
		switch op.result {
		case "%rid":
			if f.handles != "" {
				body += fmt.Sprintf("%%valid%d = OpPtrNotEqual %%bool %s %%noid\n", i, id)
			} else {
				body += fmt.Sprintf("%%valid%d = OpIsValidReserveId %%bool %s\n", i, id)
			}
			shown = fmt.Sprintf("%%shown%d", i)
			body += fmt.Sprintf("%s = OpSelect %%uint %%valid%d %%c1 %%c0\n", shown, i)
		case "%bool":
			if f.call == nil {
				shown = fmt.Sprintf("%%shown%d", i)
				body += fmt.Sprintf("%s = OpSelect %%uint %s %%c1 %%c0\n", shown, id)
				break
			}
			fallthrough
		default:
			if f.result != 32 {
				shown = fmt.Sprintf("%%shown%d", i)
				body += fmt.Sprintf("%s = OpSConvert %%uint %s\n", shown, id)
			}
		}
		typs += fmt.Sprintf("%%at%d = OpConstant %%uint %d\n", i, at)
		body += fmt.Sprintf("%%p%d = OpInBoundsPtrAccessChain %%pg %%out %%at%[1]d\nOpStore %%p%[1]d %[2]s\n", i, shown)
		at++
	}
	typs += "%noid = OpConstantNull %opaque\n"
	params := "%f = OpFunction %void None %fp\n%v_in = OpFunctionParameter %pr\n%v_out = OpFunctionParameter %pw\n%out = OpFunctionParameter %pg\n%entry = OpLabel\n"
	if f.handles != "" {
		// Pipes go through memory to become pointers.
		typs = strings.Replace(typs, "%fp =", "%hpr = OpTypePointer Function %pr\n%hpw = OpTypePointer Function %pw\n%ho = OpTypePointer Function %opaque\n%fp =", 1)
		params = strings.NewReplacer("%v_in", "%a_in", "%v_out", "%a_out").Replace(params)
		for _, d := range []string{"r in", "w out"} {
			w, n, _ := strings.Cut(d, " ")
			params += fmt.Sprintf("%%var_%[2]s = OpVariable %%hp%[1]s Function\nOpStore %%var_%[2]s %%a_%[2]s\n%%cast_%[2]s = OpBitcast %%ho %%var_%[2]s\n%%v_%[2]s = OpLoad %%opaque %%cast_%[2]s\n", w, n)
		}
	}
	return pipeHead + decos + types + typs + decls + params + body + end
}

// pipeRun is a launch of a kernel with two pipes, or one or none, and a buffer.
type pipeRun struct {
	dev     emu.DeviceOptions
	text    string // of a module with a kernel f, or else:
	code    []byte
	kernel  string
	local   uint64
	global  uint64
	in, out *pipeBytes // nil for none
	buffer  []uint32
	checked bool
}

// pipeBytes is what a pipe of 4-byte packets begins and ends with.
type pipeBytes struct {
	capacity uint32
	packets  []uint32
}

func (r *pipeRun) run(t *testing.T) ([]uint32, []finding.Finding, error) {
	t.Helper()
	dev, err := emu.NewDevice(r.dev)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	code, kernel := r.code, r.kernel
	if r.text != "" {
		kernel = "f"
		if code, err = asm.Assemble(r.text, asm.Options{}); err != nil {
			t.Fatalf("%v\n%s", err, r.text)
		}
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.text)
	}
	k, err := prog.Kernel(kernel)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.text)
	}
	var args []emu.Arg
	var pipes []*emu.Pipe
	given := []*pipeBytes{}
	for _, b := range []*pipeBytes{r.in, r.out} {
		if b == nil {
			continue
		}
		p, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: b.capacity})
		if err != nil {
			t.Fatal(err)
		}
		data, _ := binary.Append(nil, binary.LittleEndian, b.packets)
		if _, err := p.Write(data); err != nil {
			t.Fatal(err)
		}
		args, pipes, given = append(args, p), append(pipes, p), append(given, b)
	}
	buf, err := emu.NewBufferOf(dev, r.buffer)
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Args: append(args, buf), Range: emu.NDRange{Global: []uint64{r.global}, Local: []uint64{r.local}}, Timeout: 20 * time.Second, Check: r.checked}
	res, err := l.Run(context.Background())
	var list []finding.Finding
	if res != nil {
		list = res.Findings.Findings
	}
	for i, p := range pipes {
		n, err := p.Len()
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 4*n)
		if n > 0 {
			if _, err := p.Read(data); err != nil {
				t.Fatal(err)
			}
		}
		given[i].packets = make([]uint32, n)
		_ = binary.Read(bytes.NewReader(data), binary.LittleEndian, given[i].packets)
	}
	out, err2 := emu.Read[uint32](buf)
	if err2 != nil {
		t.Fatal(err2)
	}
	return out, list, err
}

// TestPipeForms runs every pipe instruction in every form that modules have for it.
func TestPipeForms(t *testing.T) {
	for _, f := range pipeForms {
		t.Run(f.name, func(t *testing.T) {
			text := f.module()
			buffer := make([]uint32, 64)
			for i := range 7 {
				buffer[40+i], buffer[50+i] = 7, 50+uint32(i)
			}
			for _, items := range []uint64{1} {
				in, out := &pipeBytes{6, pipeInput}, &pipeBytes{6, nil}
				r := pipeRun{text: text, local: items, global: items, in: in, out: out, buffer: buffer, checked: true}
				got, list, err := r.run(t)
				if err != nil || len(list) > 0 {
					t.Fatalf("%v %v\n%s", err, list, text)
				}
				if !slices.Equal(got[:len(pipeResults)], pipeResults) {
					t.Errorf("results\n%d, want\n%d", got[:len(pipeResults)], pipeResults)
				}
				if p := got[40:47]; !slices.Equal(p, pipePackets) {
					t.Errorf("packets %d, want %d", p, pipePackets)
				}
				if len(in.packets) != 0 || !slices.Equal(out.packets, pipeOutput) {
					t.Errorf("pipes hold %d and %d, want none and %d", in.packets, out.packets, pipeOutput)
				}
			}
		})
	}
}

// TestMaxPacketBytes compares the limit that lowering knows with that of the pipes.
func TestMaxPacketBytes(t *testing.T) {
	if isa.MaxPacketBytes != memory.MaxPacketBytes {
		t.Errorf("%d and %d", isa.MaxPacketBytes, memory.MaxPacketBytes)
	}
}
