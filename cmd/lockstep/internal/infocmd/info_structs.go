package infocmd

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/spirv"
)

const (
	MaxFields    = 32   // of a structure: more are only counted
	MaxAllFields = 4096 // of a document: further structures are shown by their size alone
)

// FieldInfo is a field of a structure.
type FieldInfo struct {
	Name   string `json:"name"` // empty when the module does not say
	Type   string `json:"type"`
	Offset uint64 `json:"offset"`
	Bytes  uint64 `json:"bytes"`
}

// AddStructures fills in the fields of the parameters that are structures or point to
// structures. sm may be nil, then nothing is known of them.
func (d *ModuleInfo) AddStructures(sm *spirv.Module) {
	if sm == nil {
		return
	}
	structs, shown := spirv.NewStructs(sm), 0
	for i := range d.Kernels {
		for j, a := range d.args[i] {
			arg, typ := &d.Kernels[i].Args[j], a.Pointee
			if typ == 0 {
				typ = a.Type
			}
			if shown >= MaxAllFields {
				return
			}
			members, total, ok := structs.Members(typ, min(MaxFields, MaxAllFields-shown))
			size := structs.Size(typ)
			if !ok || size == 0 {
				continue
			}
			switch a.Kind {
			case spirv.ArgValue:
				arg.Form = structureForm(structs, typ)
			case spirv.ArgBuffer:
				arg.Form = "zero:u8:BYTES"
			case spirv.ArgLocal:
			default:
				continue
			}
			if a.Kind != spirv.ArgValue {
				arg.ElementBytes = size
			}
			for _, m := range members {
				arg.Fields = append(arg.Fields, FieldInfo{m.Name, m.TypeName, m.Offset, m.Size})
			}
			arg.MoreFields = total - len(members)
			shown += len(members)
		}
	}
}

// structureForm is the SPEC for a structure by value, with a V for each number. Zeros fill
// the gaps that a SPEC does not leave by itself. A structure with other things than
// numbers, with too many, or with a number at an odd place is given as bytes.
func structureForm(structs *spirv.Structs, typ spirv.ID) string {
	const asBytes = "bytes:HEX"
	scalars, ok := structs.Scalars(typ, MaxFields)
	if !ok {
		return asBytes
	}
	var items []string
	var end, align uint64
	last := ""
	put := func(t string, item string) {
		if t != last {
			item = t + ":" + item
		}
		items, last = append(items, item), t
	}
	for _, s := range scalars {
		t := cmdline.ElementTypes[s.Type]
		if spec, known := argspec.ParseType(t); !known || uint64(spec.Size()) != s.Size || s.Offset%s.Size != 0 {
			return asBytes
		}
		if (end+s.Size-1)/s.Size*s.Size != s.Offset {
			put("u8", fmt.Sprintf("0*%d", s.Offset-end))
		}
		put(t, "V")
		end, align = s.Offset+s.Size, max(align, s.Size)
	}
	size := structs.Size(typ)
	if align == 0 || size%align != 0 {
		return asBytes
	}
	// A list of one type has no padding at its end.
	if mixed := strings.Count(strings.Join(items, ","), ":") > 1; end != size && (!mixed || size-end >= align) {
		put("u8", fmt.Sprintf("0*%d", size-end))
	}
	return strings.Join(items, ",")
}

// textFields ends the line of a parameter and adds one for each field.
func (a *argInfo) textFields(b *strings.Builder) {
	if a.ElementBytes > 0 {
		fmt.Fprintf(b, "  (structures of %s)", cmdline.Counted(a.ElementBytes, "byte"))
	}
	b.WriteByte('\n')
	for _, f := range a.Fields {
		fmt.Fprintf(b, "  %8s  %s\n", fmt.Sprintf("+%d", f.Offset), cmdline.Printable(strings.TrimSpace(f.Type+" "+f.Name)))
	}
	if a.MoreFields > 0 {
		fmt.Fprintf(b, "            and %s more\n", cmdline.Counted(uint64(a.MoreFields), "field"))
	}
}
