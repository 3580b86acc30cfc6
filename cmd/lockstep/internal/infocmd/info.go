package infocmd

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Command is lockstep info.
var Command = &cmdline.Command{
	Name:  "info",
	Args:  "MODULE",
	Short: "kernels, parameters, capabilities and specialization constants of a module",
	Text:  true,
	Long: `Prints the contents of a module: its kernels, their parameters, and what the module
requires. It neither runs nor checks the module. For each kernel it prints a command line to
start from. For a binary (lockstep help compile) it also prints what the binary was compiled
for, and which kernels could not be compiled.

The fields of structures follow their parameter, with their offsets in bytes. Compilers for
OpenCL C leave out the names of fields. A binary has the fields only if it holds its module
(compile -module).

Integers of SPIR-V made from OpenCL C have no sign. info takes signs from the strings and the
debug information that compilers leave in a module. Where there are none, it takes integers
as unsigned, and says so.

-opcodes takes no module: it prints every instruction of SPIR-V with what becomes of it in a
kernel, and then the capabilities and the extensions. It runs, is refused with the name of the
feature, is not supported yet, or is not of the Kernel environment: shaders have it. -for FILE
prints what a module has of these, and what of that is lacking.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		f.Compiler()
		asJSON := f.Bool("json", false, "print one JSON document")
		all := f.Bool("opcodes", false, "print which instructions, capabilities and extensions run")
		of := f.String("for", "", "with -opcodes: only those of module `FILE`")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			switch {
			case *all && len(args) > 0:
				return cmdline.Usagef("help info", "info: -opcodes takes no module; -for %s names one", args[0])
			case *of != "" && !*all:
				return cmdline.Usagef("help info", "info: -for goes with -opcodes")
			case *all:
				return opcodes(ctx, env, *of, *asJSON)
			}
			path, err := cmdline.OneModule("info", args)
			if err != nil {
				return err
			}
			m, err := loader.Load(ctx, env, path)
			if err != nil {
				return err
			}
			info, sm, err := Reflect(m)
			if err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			doc := NewModuleInfo(m, info)
			doc.AddStructures(sm)
			doc.AddPipes(m)
			if *asJSON {
				doc.specs()
				doc.Diagnostics = env.JSON.Diagnostics
				return env.WriteDocument("info", doc)
			}
			return doc.print(env.Stdout)
		}
	},
}

// ModuleInfo is the JSON document of `lockstep info`. Field names are stable.
type ModuleInfo struct {
	Module        string           `json:"module"`
	Bytes         int              `json:"bytes"`
	Text          bool             `json:"text"` // the module was given as text
	Version       string           `json:"version"`
	Generator     string           `json:"generator"`
	Diagnostics   []clc.Diagnostic `json:"diagnostics,omitempty"` // of a source
	Addressing    string           `json:"addressing_model"`
	MemoryModel   string           `json:"memory_model"`
	Language      string           `json:"source_language"`
	LanguageVer   uint32           `json:"source_version"`
	Capabilities  []string         `json:"capabilities"`
	Extensions    []string         `json:"extensions"`
	Sets          []string         `json:"instruction_sets"`
	Kernels       []KernelInfo     `json:"kernels"`
	OtherEntries  []string         `json:"other_entry_points,omitempty"`
	Pipes         []pipeInfo       `json:"pipes,omitempty"` // of the program
	SpecConstants []specInfo       `json:"spec_constants"`
	Imports       []string         `json:"imported_functions"`
	Binary        *binaryInfo      `json:"binary,omitempty"` // of a compiled module
	info          *spirv.Info      // what it was made from
	args          [][]*spirv.Arg   // of Kernels
}

// KernelInfo is a kernel in the document of info.
type KernelInfo struct {
	Name          string    `json:"name"`
	Args          []argInfo `json:"args"`
	LocalSize     []uint32  `json:"required_local_size,omitempty"`
	LocalSizeHint []uint32  `json:"local_size_hint,omitempty"`
	SubgroupSize  uint32    `json:"required_subgroup_size,omitempty"`
	VecTypeHint   string    `json:"vec_type_hint,omitempty"`
}

type argInfo struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Kind     string `json:"kind"`
	Space    string `json:"address_space,omitempty"`
	Access   string `json:"access,omitempty"`
	Const    bool   `json:"const,omitempty"`
	Volatile bool   `json:"volatile,omitempty"`
	Restrict bool   `json:"restrict,omitempty"`
	// SignAssumed says that the type has unsigned integers because the module does not say which they are.
	SignAssumed bool   `json:"sign_assumed,omitempty"`
	Bytes       uint64 `json:"bytes"`
	// PacketBytes is the size of a pipe's packets, as far as the code tells.
	PacketBytes uint32 `json:"packet_bytes,omitempty"`
	// ElementBytes is the size of a structure that the parameter points to.
	ElementBytes uint64      `json:"element_bytes,omitempty"`
	Fields       []FieldInfo `json:"fields,omitempty"`         // of a structure
	MoreFields   int         `json:"fields_omitted,omitempty"` // how many are not in Fields
	// Spec is an -arg SPEC to start from, with words in capitals for what the reader has to choose; "" where
	// no argument can be given.
	Spec string `json:"spec,omitempty"`
	Form string `json:"-"` // the SPEC for a structure, "" for other parameters
}

type specInfo struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Value   string `json:"value,omitempty"` // of a compiled module: what it was compiled with
}

// binaryInfo is what a compiled module is besides its module.
type binaryInfo struct {
	Format       uint32        `json:"format"`
	Layout       string        `json:"layout"`
	Target       string        `json:"target"`
	SubgroupSize int           `json:"subgroup_size"`
	Module       bool          `json:"module"` // it is in the binary
	Refused      []refusedInfo `json:"refused_kernels"`
}

type refusedInfo struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Reflect returns what a module, or the one that a binary was compiled from, says
// about itself, and that module; nil where the binary does not hold it.
func Reflect(m *loader.Module) (*spirv.Info, *spirv.Module, error) {
	if m.File != nil {
		info := m.File.Info
		if info == nil {
			info = &spirv.Info{}
		}
		if m.File.Module == nil {
			return info, nil, nil
		}
		sm, err := spirv.Decode(m.File.Module)
		return info, sm, err
	}
	sm, err := spirv.Decode(m.Data)
	if err != nil {
		return nil, nil, err
	}
	info, err := spirv.Reflect(sm)
	return info, sm, err
}

// newBinaryInfo describes a compiled module.
func newBinaryInfo(m *loader.Module) *binaryInfo {
	if m.File == nil {
		return nil
	}
	b := &binaryInfo{
		Format: binary.FormatVersion, Layout: binary.Layout().String(), Target: m.File.Target.Name,
		SubgroupSize: m.File.Target.SubgroupSize, Module: m.File.Module != nil, Refused: []refusedInfo{},
	}
	for _, r := range m.File.Program.Refused {
		b.Refused = append(b.Refused, refusedInfo{r.Name, fmt.Sprint(r.Reason)})
	}
	return b
}

// NewModuleInfo describes a module whose interface is info.
func NewModuleInfo(m *loader.Module, info *spirv.Info) *ModuleInfo {
	doc := &ModuleInfo{
		Module: m.Path, Bytes: len(m.Data), Text: m.Text,
		Version:     info.Version.String(),
		Generator:   generator(info.Generator),
		Addressing:  info.AddressingModel.String(),
		MemoryModel: info.MemoryModel.String(),
		Language:    info.Source.Language.String(), LanguageVer: info.Source.Version,
		Capabilities: []string{}, Extensions: append([]string{}, info.Extensions...), Sets: []string{},
		Kernels: []KernelInfo{}, SpecConstants: []specInfo{}, Imports: []string{},
		Binary: newBinaryInfo(m),
		info:   info,
	}
	for _, c := range info.Capabilities {
		doc.Capabilities = append(doc.Capabilities, c.String())
	}
	for _, s := range info.ExtInstImports {
		doc.Sets = append(doc.Sets, s.Name)
	}
	for i := range info.EntryPoints {
		e := &info.EntryPoints[i]
		if e.Model != spirv.ExecutionModelKernel {
			doc.OtherEntries = append(doc.OtherEntries, fmt.Sprintf("%s (%s)", e.Name, e.Model))
			continue
		}
		k := KernelInfo{Name: e.Name, Args: []argInfo{}, SubgroupSize: e.SubgroupSize, VecTypeHint: e.VecTypeHint}
		if e.LocalSize != [3]uint32{} {
			k.LocalSize = e.LocalSize[:]
		}
		if e.LocalSizeHint != [3]uint32{} {
			k.LocalSizeHint = e.LocalSizeHint[:]
		}
		var list []*spirv.Arg
		for j := range e.Args {
			a := &e.Args[j]
			list = append(list, a)
			k.Args = append(k.Args, newArgInfo(a))
		}
		doc.Kernels = append(doc.Kernels, k)
		doc.args = append(doc.args, list)
	}
	if m.Own {
		doc.Generator = "lockstep"
	}
	var builtIn map[string]string
	if m.File != nil {
		builtIn = loader.BuiltInSpecs(m.File)
	}
	for i := range info.SpecConstants {
		c := &info.SpecConstants[i]
		spec := specInfo{ID: c.SpecID, Name: c.Name, Type: c.TypeName, Default: defaultText(c)}
		if m.File != nil {
			spec.Value = spec.Default
			if v, ok := builtIn[fmt.Sprint(c.SpecID)]; ok {
				spec.Value = v
			}
		}
		doc.SpecConstants = append(doc.SpecConstants, spec)
	}
	for _, l := range info.Imports {
		if l.Function {
			doc.Imports = append(doc.Imports, l.Name)
		}
	}
	return doc
}

func newArgInfo(a *spirv.Arg) argInfo {
	i := argInfo{Name: a.Name, Type: a.TypeName, Kind: a.Kind.String(), Const: a.Const,
		Volatile: a.Volatile, Restrict: a.Restrict, SignAssumed: a.SignAssumed, Bytes: a.Size}
	switch a.Kind {
	case spirv.ArgBuffer:
		i.Space = "global"
		if a.AddressSpace == spirv.StorageClassUniformConstant {
			i.Space = "constant"
		}
	case spirv.ArgLocal:
		i.Space = "local"
	case spirv.ArgImage, spirv.ArgPipe:
		i.Access = a.Access.String()
	}
	return i
}

// generator names the tool that made a module.
func generator(word uint32) string {
	if word == 0 {
		return "a tool without a number"
	}
	name, ok := asm.GeneratorName(uint16(word >> 16))
	if !ok {
		name = fmt.Sprintf("tool %d", word>>16)
	}
	return fmt.Sprintf("%s %d", name, word&0xffff)
}

// defaultText is the default of a specialization constant, as -spec would have it.
func defaultText(c *spirv.SpecConstant) string {
	var v uint64
	for i, w := range c.Default {
		if i < 2 {
			v |= uint64(w) << (32 * i)
		}
	}
	switch {
	case c.Bool:
		return fmt.Sprint(v != 0)
	case c.Number.Float && c.Number.Width == 64:
		return fmt.Sprint(math.Float64frombits(v))
	case c.Number.Float && c.Number.Width == 32:
		return fmt.Sprint(math.Float32frombits(uint32(v)))
	case c.Number.Float:
		return fmt.Sprintf("%#x", v)
	case c.Number.Signed && c.Number.Width < 64:
		shift := 64 - max(c.Number.Width, 1)
		return fmt.Sprint(int64(v<<shift) >> shift)
	case c.Number.Signed:
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

// language is what the source was written in: "OpenCL C 2.0".
func (d *ModuleInfo) language() string {
	name := strings.ReplaceAll(d.Language, "_", " ")
	if d.LanguageVer >= 100000 {
		return fmt.Sprintf("%s %d.%d", name, d.LanguageVer/100000, d.LanguageVer/1000%100)
	}
	return name
}

func (d *ModuleInfo) print(w io.Writer) error {
	var b strings.Builder
	if c := d.Binary; c != nil {
		fmt.Fprintf(&b, "%s: compiled for %s with sub-groups of %d\n", cmdline.Display(d.Module), cmdline.Printable(c.Target), c.SubgroupSize)
		within := "which is not in the binary"
		if c.Module {
			within = "which is in the binary"
		}
		fmt.Fprintf(&b, "  of a module in SPIR-V %s from %s, %s\n", d.Version, d.Generator, within)
	} else {
		fmt.Fprintf(&b, "%s: SPIR-V %s, %d bytes, from %s\n", cmdline.Display(d.Module), d.Version, d.Bytes, d.Generator)
	}
	fmt.Fprintf(&b, "  %s addressing, %s memory model, source in %s\n", d.Addressing, d.MemoryModel, d.language())
	for _, l := range []struct {
		what string
		list []string
	}{
		{"capabilities", d.Capabilities},
		{"extensions", d.Extensions},
		{"instruction sets", d.Sets},
		{"imported functions", d.Imports},
		{"entry points of other kinds", d.OtherEntries},
	} {
		if len(l.list) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", l.what, cmdline.Printable(strings.Join(l.list, " ")))
		}
	}
	for _, c := range d.SpecConstants {
		value := "default " + c.Default
		if d.Binary != nil {
			value = "compiled as " + cmdline.Printable(c.Value)
		}
		fmt.Fprintf(&b, "  specialization constant %d: %s, %s\n", c.ID, cmdline.Printable(strings.TrimSpace(c.Type+" "+c.Name)), value)
	}
	if d.Binary != nil {
		for _, r := range d.Binary.Refused {
			fmt.Fprintf(&b, "  kernel %s is left out: %s\n", cmdline.Printable(r.Name), cmdline.Printable(r.Reason))
		}
	}
	d.textPipes(&b)
	for i, k := range d.Kernels {
		fmt.Fprintf(&b, "\nkernel %s\n", cmdline.Printable(k.Name))
		for j, a := range d.args[i] {
			fmt.Fprintf(&b, "  %d  %s", j, cmdline.Parameter(a))
			if a.Kind == spirv.ArgValue {
				fmt.Fprintf(&b, "  (%s)", cmdline.Counted(a.Size, "byte"))
			}
			if n := k.Args[j].PacketBytes; n > 0 {
				fmt.Fprintf(&b, "  (packets of %s)", cmdline.Counted(uint64(n), "byte"))
			}
			k.Args[j].textFields(&b)
		}
		if k.LocalSize != nil {
			fmt.Fprintf(&b, "  local size must be %s\n", cmdline.Dims(k.LocalSize))
		}
		if k.LocalSizeHint != nil {
			fmt.Fprintf(&b, "  local size is meant to be %s\n", cmdline.Dims(k.LocalSizeHint))
		}
		if k.SubgroupSize != 0 {
			fmt.Fprintf(&b, "  runs with sub-groups of %d\n", k.SubgroupSize)
		}
		if k.VecTypeHint != "" {
			fmt.Fprintf(&b, "  computes mostly with %s\n", cmdline.Printable(k.VecTypeHint))
		}
		if list := d.signsAssumed(i); list != "" {
			fmt.Fprintf(&b, "  the module does not say which integers are signed: %s\n", list)
		}
		if reason := d.Unsupported(i); reason != "" {
			fmt.Fprintf(&b, "  lockstep cannot run it: %s\n", reason)
		} else {
			fmt.Fprintf(&b, "  run it: %s\n", cmdline.Printable(d.RunLine(i)))
		}
	}
	if len(d.Kernels) == 0 {
		b.WriteString("\nno kernels\n")
	}
	if line := d.together(); line != "" {
		fmt.Fprintf(&b, "\nrun them together: %s\n", cmdline.Printable(line))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// signsAssumed names the parameters of kernel i that are taken to be unsigned.
func (d *ModuleInfo) signsAssumed(i int) string {
	var list []string
	for j, a := range d.args[i] {
		if a.SignAssumed {
			list = append(list, fmt.Sprint(j))
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "parameter " + list[0] + " is taken as unsigned"
	}
	return "parameters " + strings.Join(list, ", ") + " are taken as unsigned"
}

// Unsupported names the first parameter of kernel i for which there is no argument, "" for none.
func (d *ModuleInfo) Unsupported(i int) string {
	for j, a := range d.args[i] {
		if d.Kernels[i].Args[j].Form != "" || a.Kind == spirv.ArgPipe || cmdline.ArgumentForm(a) != "" {
			continue
		}
		what := "a " + a.Kind.String()
		switch a.Kind {
		case spirv.ArgImage:
			what = "an image of several samples"
		case spirv.ArgOther:
			what = "of a type that has no arguments"
		}
		return fmt.Sprintf("parameter %d is %s", j, what)
	}
	return ""
}

// spec is the -arg SPEC to start from for parameter j of kernel i, "" where there is none.
func (d *ModuleInfo) spec(i, j int) string {
	p, a := &d.Kernels[i].Args[j], d.args[i][j]
	switch {
	case a.Kind == spirv.ArgPipe:
		return p.pipeForm()
	case p.Form != "":
		return p.Form
	}
	return cmdline.ArgumentForm(a)
}

// specs says for all parameters what -arg SPEC to start from.
func (d *ModuleInfo) specs() {
	for i := range d.Kernels {
		for j := range d.Kernels[i].Args {
			d.Kernels[i].Args[j].Spec = d.spec(i, j)
		}
	}
}

// RunLine is a command line to start from for kernel i.
func (d *ModuleInfo) RunLine(i int) string {
	return "lockstep run " + d.Module + d.part(i, nil)
}

// part is what a command line has for kernel i. Pipe parameters whose names are
// shared are pipes of these names.
func (d *ModuleInfo) part(i int, shared map[string]bool) string {
	k := &d.Kernels[i]
	var b strings.Builder
	if len(d.Kernels) > 1 {
		fmt.Fprintf(&b, " -kernel %s", k.Name)
	}
	b.WriteString(" -global N")
	if k.LocalSize != nil {
		fmt.Fprintf(&b, " -local %s", cmdline.Dims(k.LocalSize))
	}
	for j, a := range d.args[i] {
		form := d.spec(i, j)
		switch {
		case a.Kind == spirv.ArgPipe && shared[a.Name]:
			form = "pipe:" + a.Name
		case form == "":
			form = strings.ToUpper(k.Args[j].Kind)
		}
		fmt.Fprintf(&b, " -arg %s", form)
	}
	for j, a := range d.args[i] {
		switch {
		case a.Kind == spirv.ArgBuffer && !a.Const && a.AddressSpace != spirv.StorageClassUniformConstant,
			a.Kind == spirv.ArgPipe && !shared[a.Name] && a.Access == spirv.AccessQualifierWriteOnly:
			fmt.Fprintf(&b, " -out %d=-", j)
		case a.Kind == spirv.ArgImage && a.Access != spirv.AccessQualifierReadOnly:
			ext := "png"
			if !strings.HasPrefix(cmdline.ArgumentForm(a), "image:") {
				ext = "npy"
			}
			fmt.Fprintf(&b, " -out %d=FILE.%s", j, ext)
		}
	}
	return b.String()
}
