package emu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// access describes an access to an object, which may be nil.
func access(f *memory.Fault, o *finding.Object) *finding.Access {
	a := &finding.Access{Operation: f.Access.String(), Bytes: f.Size}
	off := f.Pointer.Offset()
	if o == nil || off == memory.FarOffset {
		return a
	}
	a.Offset = &off
	if e := int64(o.ElementBytes); e > 0 {
		i := floorDiv(off, e)
		a.Index = &i
	}
	return a
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// bounds says where an access out of bounds lies, seen from its memory: "x[8] is
// past the end: x has 8 elements of float (32 bytes)".
func bounds(f *memory.Fault, o *finding.Object, name string) string {
	size := finding.Bytes(f.RegionSize)
	if name == "" {
		name = "the " + noun(o)
	}
	off := f.Pointer.Offset()
	if off == memory.FarOffset {
		return fmt.Sprintf("far outside %s, which has %s", name, size)
	}
	verb := "is past the end"
	switch {
	case off < 0 && off > -int64(f.Size):
		verb = "reaches across the start"
	case off < 0:
		verb = "is before the start"
	case uint64(off) < f.RegionSize:
		verb = "reaches past the end"
	}
	if o == nil || o.ElementBytes == 0 || o.Kind != finding.ObjectArgument && o.ElementBytes == o.Bytes {
		return fmt.Sprintf("byte %d %s: %s has %s", off, verb, name, size)
	}
	e := int64(o.ElementBytes)
	first, last := floorDiv(off, e), floorDiv(off+int64(max(f.Size, 1))-1, e)
	what := indexed(name, first)
	switch {
	case last > first:
		what += " to " + indexed(name, last)
		verb = strings.Replace(strings.Replace(verb, "is ", "are ", 1), "reaches", "reach", 1)
	case off%e != 0:
		what = fmt.Sprintf("byte %d of %s", off-first*e, what)
	}
	return fmt.Sprintf("%s %s: %s has %s", what, verb, name, elements(o, f.RegionSize))
}

// indexed names an element as source code does, where the object has a name.
func indexed(name string, i int64) string {
	if strings.Contains(name, " ") {
		return fmt.Sprintf("element %d of %s", i, name)
	}
	return fmt.Sprintf("%s[%d]", name, i)
}

// elements says how many elements an object of that many bytes has, of which type.
func elements(o *finding.Object, size uint64) string {
	n, what := size/o.ElementBytes, "element"
	if size%o.ElementBytes != 0 {
		what = "whole element"
	}
	s := fmt.Sprintf("%s of %s (%s", counted(n, what), o.Element, finding.Bytes(size))
	if scalarSize(o.Element) == 0 {
		s += fmt.Sprintf(", %d each", o.ElementBytes)
	}
	return s + ")"
}

// counted returns a number of things: "1 element", "8 elements".
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// scalarSize returns the size of a scalar type of OpenCL C, or 0.
func scalarSize(name string) int {
	switch name {
	case "char", "uchar":
		return 1
	case "short", "ushort", "half":
		return 2
	case "int", "uint", "float":
		return 4
	case "long", "ulong", "double":
		return 8
	}
	return 0
}

// elementOf returns the name of what a pointer type of OpenCL C points to.
func elementOf(pointer string) string {
	name, ok := strings.CutSuffix(strings.TrimSpace(pointer), "*")
	if !ok {
		return ""
	}
	var words []string
	for _, w := range strings.Fields(name) {
		switch w {
		case "const", "volatile", "restrict", "global", "__global", "local", "__local", "constant", "__constant":
		default:
			words = append(words, w)
		}
	}
	return typeName(strings.Join(words, " "))
}

// typeName writes the name that compilers give a structure's type as OpenCL C does.
func typeName(name string) string {
	if s, ok := strings.CutPrefix(name, "struct."); ok {
		return "struct " + s
	}
	return name
}

// setElem notes the type of the elements of a variable.
func setElem(o *finding.Object, e *isa.Elem) {
	if e.TypeName != "" && e.Size != 0 {
		o.Element, o.ElementBytes = typeName(e.TypeName), e.Size
	}
}

// parameterType is a parameter's type in OpenCL C, with its address space.
func parameterType(p *isa.Param) string {
	var words []string
	switch p.Kind {
	case isa.ParamGlobal:
		words = append(words, "global")
	case isa.ParamLocal:
		words = append(words, "local")
	}
	if p.ReadOnly && !strings.HasPrefix(p.TypeName, "const ") {
		words = append(words, "const")
	}
	return strings.Join(append(words, typeName(p.TypeName)), " ")
}

// advise says what to do about a finding: what is known of this one, or what
// fits every finding of the code.
func (p *prepared) advise(out *finding.Finding) {
	if len(out.Help) > 0 {
		return
	}
	text := finding.Help(out.Code)
	a, o, w := out.Access, out.Object, out.WorkItem
	if out.Code == finding.OutOfBounds && a != nil && a.Index != nil && o.Kind == finding.ObjectArgument && w != nil {
		n := o.Bytes / o.ElementBytes
		if count := p.launch.Groups[0] * uint64(p.launch.Local[0]); p.launch.Groups[1]*p.launch.Groups[2] == 1 && *a.Index >= 0 && uint64(*a.Index) == w.Global[0] && count > n {
			text = fmt.Sprintf("%s run for %s: run %d, or test the index before the access, as in `if (i < n)`",
				counted(count, "work-item"), counted(n, "element"), n)
		}
	}
	if out.Code == finding.OutOfBounds && o != nil && o.Kind != finding.ObjectArgument && o.Kind != finding.ObjectBuffer {
		text = "test the index before the access, as in `if (i < n)`, or declare a larger array"
	}
	if text != "" {
		out.Help = append(out.Help, text)
	}
}

// noLines is the hint at lines of source.
const noLines = "the module has no line information; compile it with -gline-tables-only, or -g, to see lines of source here"

// hintAtLines adds to the first finding that names an instruction of a kernel
// without lines how to get them.
func hintAtLines(list *finding.List, launches ...*prepared) {
	for i := range list.Findings {
		f := &list.Findings[i]
		if f.Place.Word == 0 || f.Place.File != "" {
			continue
		}
		for _, p := range launches {
			if p.Kernel.code.Name == f.Kernel && !slices.ContainsFunc(p.launch.Kernel.Locs, func(l isa.Loc) bool { return l.Line != 0 }) {
				f.Help = append(f.Help, noLines)
				return
			}
		}
	}
}
