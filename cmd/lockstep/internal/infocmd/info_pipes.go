package infocmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// pipeInfo is a pipe of the program: one for all kernels of the module.
type pipeInfo struct {
	Name        string   `json:"name"`
	PacketBytes uint32   `json:"packet_bytes"`
	PacketAlign uint32   `json:"packet_align"`
	Capacity    uint32   `json:"capacity"`
	Readers     []string `json:"read_by"` // kernels
	Writers     []string `json:"written_by"`
}

// AddPipes fills in what only the code of the kernels says of pipes: which kernels
// have which ends of those of the program, and how large the packets are that
// go through parameters. A module that cannot be compiled has what it declares.
func (d *ModuleInfo) AddPipes(m *loader.Module) {
	has := len(d.info.Pipes) > 0
	for i := range d.args {
		for _, a := range d.args[i] {
			has = has || a.Kind == spirv.ArgPipe
		}
	}
	// Storages can also be structures, which the program knows.
	for _, c := range []spirv.Capability{spirv.CapabilityPipes, spirv.CapabilityPipeStorage} {
		has = has || slices.Contains(d.Capabilities, c.String())
	}
	if !has {
		return
	}
	for i := range d.info.Pipes {
		p := &d.info.Pipes[i]
		d.Pipes = append(d.Pipes, pipeInfo{Name: p.Name, PacketBytes: p.PacketBytes, PacketAlign: p.PacketAlign, Capacity: max(p.Capacity, 1), Readers: []string{}, Writers: []string{}})
	}
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return
	}
	defer dev.Close()
	prog, err := dev.NewProgram(m.Data, emu.ProgramOptions{})
	if err != nil {
		return
	}
	defer prog.Close()
	code := prog.ISA()
	index := make([]int, len(code.Pipes)) // in d.Pipes
	taken := make([]bool, len(d.Pipes))
	for i := range code.Pipes {
		index[i] = d.declared(&code.Pipes[i], &taken)
	}
	for i := range d.Kernels {
		if k := code.Kernel(d.Kernels[i].Name); k != nil {
			d.pipeEnds(k, index)
			d.packets(i, k)
		}
	}
}

// declared finds the pipe of the program among those that the module declares,
// each once, or adds it.
func (d *ModuleInfo) declared(p *isa.Pipe, taken *[]bool) int {
	for i := range d.Pipes {
		q := &d.Pipes[i]
		if !(*taken)[i] && q.PacketBytes == p.PacketBytes && q.PacketAlign == p.PacketAlign && q.Capacity == p.Capacity && (q.Name == p.Name || q.Name == "") {
			q.Name = p.Name
			(*taken)[i] = true
			return i
		}
	}
	d.Pipes = append(d.Pipes, pipeInfo{Name: p.Name, PacketBytes: p.PacketBytes, PacketAlign: p.PacketAlign, Capacity: p.Capacity, Readers: []string{}, Writers: []string{}})
	*taken = append(*taken, true)
	return len(d.Pipes) - 1
}

// pipeEnds notes which ends of the program's pipes a kernel has.
func (d *ModuleInfo) pipeEnds(k *isa.Kernel, index []int) {
	add := func(list *[]string) {
		if !slices.Contains(*list, k.Name) {
			*list = append(*list, k.Name)
		}
	}
	for _, r := range k.PipeRegs {
		p := &d.Pipes[index[r.Pipe]]
		if r.Reads {
			add(&p.Readers)
		}
		if r.Writes {
			add(&p.Writers)
		}
	}
	if k.AnyPipe {
		for _, i := range index {
			add(&d.Pipes[i].Readers)
			add(&d.Pipes[i].Writers)
		}
	}
}

// packets notes the size of the packets that a kernel moves through its parameters.
func (d *ModuleInfo) packets(kernel int, k *isa.Kernel) {
	for i := range k.PipeAccesses {
		a := &k.PipeAccesses[i]
		if !a.Pipe.IsScalar() || !a.PacketBytes.IsScalar() || a.PacketBytes.Index() >= len(k.ScalarInit) {
			continue
		}
		for _, r := range k.ParamRegs {
			if r.Scalar == a.Pipe.Index() && r.Param < len(d.Kernels[kernel].Args) {
				d.Kernels[kernel].Args[r.Param].PacketBytes = uint32(k.ScalarInit[a.PacketBytes.Index()])
			}
		}
	}
}

// Packet is the PACKET of a SPEC for a pipe parameter of that type, "pipe int",
// and packets of so many bytes; 0 where that is not known.
func Packet(typeName string, bytes uint32) string {
	t, n := cmdline.ElementType(strings.TrimSpace(strings.TrimPrefix(typeName, "pipe")))
	switch {
	case t != "" && n > 1:
		return t + "x" + strconv.Itoa(n)
	case t != "":
		return t
	case bytes > 0:
		return strconv.FormatUint(uint64(bytes), 10)
	}
	return "PACKET"
}

func (a *argInfo) packet() string { return Packet(a.Type, a.PacketBytes) }

// pipeForm is the SPEC for a pipe of the argument's own: one to read is filled. COUNT stands for a number of
// packets; where a packet has several elements, the number is that of a full pipe.
func (a *argInfo) pipeForm() string {
	const capacity = 16
	p := a.packet()
	form := fmt.Sprintf("pipe:%s:%d", p, capacity)
	if a.Access == spirv.AccessQualifierWriteOnly.String() {
		return form
	}
	t, n, _ := strings.Cut(p, "x")
	count := "COUNT"
	if elements, err := strconv.Atoi(n); err == nil {
		count = strconv.Itoa(capacity * elements)
	}
	if words := map[string]string{"2": "u16", "4": "u32", "8": "u64"}; words[t] != "" {
		t = words[t]
	} else if t[0] < 'a' {
		if bytes, err := strconv.Atoi(t); err == nil {
			count = strconv.Itoa(capacity * bytes)
		}
		t = "u8"
	}
	return form + ":iota:" + t + ":" + count
}

// textPipes describes the pipes of the program.
func (d *ModuleInfo) textPipes(b *strings.Builder) {
	for i := range d.Pipes {
		p := &d.Pipes[i]
		name := p.Name
		if name == "" {
			name = "(no name)"
		}
		fmt.Fprintf(b, "\npipe %s: packets of %s, aligned to %d, capacity %d\n", cmdline.Printable(name), cmdline.Counted(uint64(p.PacketBytes), "byte"), p.PacketAlign, p.Capacity)
		for _, side := range []struct {
			does string
			list []string
		}{{"written by", p.Writers}, {"read by", p.Readers}} {
			who := strings.Join(side.list, " ")
			if who == "" {
				who = "no kernel"
			}
			fmt.Fprintf(b, "  %s %s\n", side.does, cmdline.Printable(who))
		}
	}
}

// maxTogether bounds how many kernels the line that runs them together has.
const maxTogether = 8

// together is a command line that runs the kernels which pipes connect: those of
// the program, and parameters of the same name, which are taken to be ends of one
// pipe where one kernel writes it and one reads it. It is "" where nothing is connected.
func (d *ModuleInfo) together() string {
	type ends struct{ reads, writes []int }
	params := make(map[string]*ends)
	var order []string
	linked := make([]bool, len(d.Kernels))
	for i := range d.Kernels {
		for j := range d.Kernels[i].Args {
			a := &d.Kernels[i].Args[j]
			if a.Kind != spirv.ArgPipe.String() || a.Name == "" {
				continue
			}
			e := params[a.Name]
			if e == nil {
				e = &ends{}
				params[a.Name] = e
				order = append(order, a.Name)
			}
			if a.Access == spirv.AccessQualifierWriteOnly.String() {
				e.writes = append(e.writes, i)
			} else {
				e.reads = append(e.reads, i)
			}
		}
	}
	shared := make(map[string]bool)
	var pipes []string
	for _, name := range order {
		e := params[name]
		if len(e.reads) == 1 && len(e.writes) == 1 && e.reads[0] != e.writes[0] {
			shared[name] = true
			linked[e.reads[0]], linked[e.writes[0]] = true, true
			for _, a := range d.Kernels[e.writes[0]].Args {
				if a.Name == name {
					pipes = append(pipes, fmt.Sprintf(" -pipe %s=%s:16", name, a.packet()))
				}
			}
		}
	}
	for i := range d.Pipes {
		p := &d.Pipes[i]
		for k := range d.Kernels {
			name := d.Kernels[k].Name
			reads, writes := slices.Contains(p.Readers, name), slices.Contains(p.Writers, name)
			other := slices.ContainsFunc(slices.Concat(p.Readers, p.Writers), func(s string) bool { return s != name })
			linked[k] = linked[k] || (reads || writes) && other
		}
	}
	var parts []string
	for i := range d.Kernels {
		if linked[i] && d.Unsupported(i) != "" {
			return ""
		}
		if linked[i] {
			parts = append(parts, d.part(i, shared))
		}
	}
	if len(parts) < 2 || len(parts) > maxTogether {
		return ""
	}
	return "lockstep run " + d.Module + strings.Join(pipes, "") + strings.Join(parts, " -"+cmdline.WithFlag)
}
