package infocmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// OpcodesInfo is the JSON document of `lockstep info -opcodes`. Field names are stable.
type OpcodesInfo struct {
	Module       string        `json:"module,omitempty"` // of -for
	Instructions []supportInfo `json:"instructions"`
	Capabilities []supportInfo `json:"capabilities"`
	Extensions   []supportInfo `json:"extensions"`
	// Lacks lists what the module has of the above and cannot have.
	Lacks []string `json:"lacks,omitempty"`
}

// supportInfo is an instruction, a capability or an extension with what becomes of it.
type supportInfo struct {
	Name   string `json:"name"`
	Opcode uint32 `json:"opcode,omitempty"` // of an instruction, or the number of a capability
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Times  int    `json:"times,omitempty"` // how often the module has it
}

func newSupportInfo(name string, number uint32, s lower.Support, times int) supportInfo {
	return supportInfo{Name: name, Opcode: number, State: s.State.String(), Reason: s.Reason, Times: times}
}

// opcodesOf returns what becomes of what is in a module, or of all that there is for nil.
func opcodesOf(name string, m *spirv.Module) *OpcodesInfo {
	d := &OpcodesInfo{Module: name, Instructions: []supportInfo{}, Capabilities: []supportInfo{}, Extensions: []supportInfo{}}
	ops, capabilities, extensions := map[spirv.Op]int{}, map[uint32]int{}, map[string]int{}
	if m != nil {
		for _, in := range m.Insts {
			ops[in.Op()]++
			switch in.Op() {
			case spirv.OpCapability:
				capabilities[in.Operand(0)]++
			case spirv.OpExtension:
				extensions[in.StringOperand(0)]++
			}
		}
	}
	add := func(list *[]supportInfo, name string, number uint32, s lower.Support, times int) {
		if m != nil && times == 0 {
			return
		}
		*list = append(*list, newSupportInfo(name, number, s, times))
		if m != nil && s.State != lower.Runs && s.State != lower.Partly {
			d.Lacks = append(d.Lacks, name)
		}
	}
	for info := range spirv.Ops() {
		add(&d.Instructions, info.Name, uint32(info.Op), lower.Instruction(info.Op), ops[info.Op])
	}
	for _, e := range spirv.KindCapability.Enumerants() {
		add(&d.Capabilities, e.Name, e.Value, lower.CapabilitySupport(spirv.Capability(e.Value)), capabilities[e.Value])
	}
	names := lower.Extensions()
	for name := range extensions {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		add(&d.Extensions, name, 0, lower.ExtensionSupport(name), extensions[name])
	}
	return d
}

// print writes the lists as text.
func (d *OpcodesInfo) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	if d.Module != "" {
		fmt.Fprintf(b, "%s needs\n\n", d.Module)
	}
	for _, l := range []struct {
		what string
		list []supportInfo
	}{{"instructions", d.Instructions}, {"capabilities", d.Capabilities}, {"extensions", d.Extensions}} {
		if len(l.list) == 0 {
			continue
		}
		states := map[string]int{}
		width := 0
		for _, s := range l.list {
			states[s.State]++
			width = max(width, len(s.Name))
		}
		var counts []string
		for _, s := range [...]lower.State{lower.Runs, lower.Partly, lower.Refused, lower.Missing, lower.Foreign} {
			if n := states[s.String()]; n > 0 {
				counts = append(counts, fmt.Sprintf("%s: %d", s, n))
			}
		}
		fmt.Fprintf(b, "%s (%s)\n", l.what, strings.Join(counts, ", "))
		for _, s := range l.list {
			b.WriteString("  ")
			if l.what == "instructions" {
				fmt.Fprintf(b, "%4d  ", s.Opcode)
			}
			fmt.Fprintf(b, "%-*s  %s", width, s.Name, s.State)
			if s.Reason != "" {
				b.WriteString(": " + s.Reason)
			}
			if s.Times > 1 {
				fmt.Fprintf(b, ", %d times", s.Times)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	switch {
	case d.Module == "":
	case len(d.Lacks) == 0:
		b.WriteString("nothing is lacking\n")
	default:
		fmt.Fprintf(b, "lacking: %s\n", strings.Join(d.Lacks, ", "))
	}
	return b.Flush()
}

// opcodes is `lockstep info -opcodes`.
func opcodes(ctx context.Context, env *cmdline.Env, path string, asJSON bool) error {
	var sm *spirv.Module
	name := ""
	if path != "" {
		m, decoded, err := loader.Decode(ctx, env, path)
		if err != nil {
			return err
		}
		name, sm = m.Name, decoded
	}
	doc := opcodesOf(name, sm)
	if asJSON {
		return env.WriteDocument("info-opcodes", doc)
	}
	return doc.print(env.Stdout)
}
