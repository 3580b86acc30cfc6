package clc

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// This file says what the compiler knows, for help texts: built-in functions, warnings and options.

// Function is a row of the table of built-in functions: one function, or several that differ in a part of
// their names.
type Function struct {
	Name  string // names with blanks between; {a,b} stands for each of its parts: "vload{2,3,4,8,16}"
	Group string // "math", or the extension that has the function: "cl_khr_subgroup_ballot"
	Title string // of the group: "mathematical functions"
	// Section is that of the OpenCL C specification 3.0; empty for extensions.
	Section string
	// Since and Until are the first version that has the function and the first that has it no more, 0 for
	// none.
	Since, Until Version
	Extension    string // the extension or feature that it belongs to; may be empty
	Refused      string // why programs cannot use it; empty for what works
	Help         string // one sentence
	// Pattern is how the function is declared, where Overloads has no list: its arguments may be of any type.
	Pattern string
}

// Names returns the names that the row stands for.
func (f *Function) Names() []string { return (&builtin.Def{Name: f.Name}).Names() }

// groups are the groups by section, with their titles.
var groups = map[string][2]string{
	"6.4.3":   {"conversion", "conversions of types"},
	"6.15.1":  {"work-item", "work-items"},
	"6.15.2":  {"math", "mathematical functions"},
	"6.15.3":  {"integer", "integer functions"},
	"6.15.4":  {"common", "common functions"},
	"6.15.5":  {"geometric", "geometric functions"},
	"6.15.6":  {"relational", "relational functions"},
	"6.15.7":  {"vector", "vector data loads and stores"},
	"6.15.8":  {"barrier", "barriers"},
	"6.15.9":  {"fence", "fences"},
	"6.15.10": {"address-space", "address spaces"},
	"6.15.11": {"async", "asynchronous copies and prefetch"},
	"6.15.12": {"atomic", "atomic functions"},
	"6.15.13": {"shuffle", "vectors from components of others"},
	"6.15.14": {"printf", "printf"},
	"6.15.15": {"image", "images"},
	"6.15.16": {"work-group", "functions of work-groups"},
	"6.15.17": {"pipe", "pipes"},
	"6.15.18": {"enqueue", "device-side enqueue"},
	"6.15.19": {"sub-group", "functions of sub-groups"},
}

// Functions returns the table of built-in functions in the order of the specification, extensions behind what
// they extend. The list is not to be changed.
var Functions = sync.OnceValue(func() []Function {
	var list []Function
	for _, d := range builtin.All() {
		f := Function{Name: d.Name, Section: d.Section, Since: Version(d.Since), Until: Version(d.Until),
			Extension: d.Ext, Refused: d.Refused, Help: d.Help}
		if g, ok := groups[d.Section]; ok {
			f.Group, f.Title = g[0], g[1]
		} else {
			f.Group, f.Title = d.Ext, "functions of "+d.Ext
		}
		if d.Special {
			f.Pattern = d.Sig
		}
		list = append(list, f)
	}
	return list
})

// FunctionsOf returns the rows that have a name.
func FunctionsOf(name string) []Function {
	if !builtin.Known(name) {
		return nil
	}
	var list []Function
	for _, f := range Functions() {
		if slices.Contains(f.Names(), name) {
			list = append(list, f)
		}
	}
	return list
}

// Overloads returns the declarations of a built-in function in a version of OpenCL C, on a device with
// addresses of 64 bits. There are none for functions whose arguments may be of any type, and for those that
// the version lacks.
func Overloads(name string, v Version) []string {
	t := types.NewTable(types.Config{AddressBits: 64})
	table := builtin.NewTable(t, &lang.Options{Version: lang.Version(v), AddressBits: 64})
	var list []string
	for _, s := range table.Overloads(name) {
		if text := s.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// NearestFunction returns the name of the built-in function that is most like a name, "" if none is.
func NearestFunction(name string) string {
	table := builtin.NewTable(types.NewTable(types.Config{AddressBits: 64}), &lang.Options{Version: lang.CL30, AddressBits: 64})
	return table.Suggest(name)
}

// Warning is a warning of the compiler.
type Warning struct {
	Name   string   // behind -W: "unused-variable"
	Groups []string // options that turn it on too: "all", "extra"
	On     bool     // without any option
	Help   string   // one line
}

// Warnings returns the warnings by name. The list is not to be changed.
var Warnings = sync.OnceValue(func() []Warning {
	var list []Warning
	for _, f := range diag.Flags {
		list = append(list, Warning{Name: f.Name, Groups: strings.Fields(f.Group), On: f.On, Help: f.Help})
	}
	slices.SortFunc(list, func(a, b Warning) int { return strings.Compare(a.Name, b.Name) })
	return list
})

// NearestWarning returns the option that a misspelt -WNAME or -Wno-NAME may mean, "" if there is none.
func NearestWarning(option string) string { return diag.NearestOption(option) }

// Option is an option of the compiler.
type Option struct {
	Name string // as it is written: "-cl-std=CL2.0", "-D NAME=TEXT"
	Help string // one line
}

// Word returns the option without the value that belongs to it: "-cl-std=", "-D".
func (o *Option) Word() string {
	word, _, _ := strings.Cut(o.Name, " ")
	if name, _, ok := strings.Cut(word, "="); ok {
		return name + "="
	}
	return word
}

// AllOptions returns the options that [Options.Add] takes, in the order of the specification of
// clBuildProgram.
func AllOptions() []Option { return slices.Clone(documented) }

var documented = []Option{
	{"-D NAME[=TEXT]", "define a macro, as 1 without =TEXT"},
	{"-U NAME", "undefine one that is predefined or was defined before"},
	{"-I FOLDER", "look for headers there, after the folder of the file"},
	{"-cl-std=CL3.0", "the version: CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0 (default)"},
	{"-cl-single-precision-constant", "constants without a suffix are of type float"},
	{"-cl-no-signed-zeros", "decorate arithmetic with NSZ, which changes no result here"},
	{"-cl-finite-math-only", "the same with NotNaN|NotInf; __FINITE_MATH_ONLY__ is 1"},
	{"-cl-unsafe-math-optimizations", "the same with NSZ|AllowRecip"},
	{"-cl-fast-relaxed-math", "all of these; define __FAST_RELAXED_MATH__"},
	{"-cl-opt-disable", "leave __OPTIMIZE__ undefined"},
	{"-cl-ext=-NAME,+NAME", "without an extension or optional feature, or with it; or all"},
	{"-cl-denorms-are-zero", "taken, and changes nothing: denormals stay"},
	{"-cl-fp32-correctly-rounded-divide-sqrt", "taken, and changes nothing: results are correctly rounded"},
	{"-cl-mad-enable", "taken, and changes nothing: FP_CONTRACT decides"},
	{"-cl-strict-aliasing", "taken, and changes nothing"},
	{"-cl-uniform-work-group-size", "taken, and changes nothing"},
	{"-cl-no-subgroup-ifp", "taken, and changes nothing"},
	{"-cl-kernel-arg-info", "taken, and changes nothing: the information is always there"},
	{"-g", "debug information: variables, types and scopes"},
	{"-spirv-version=1.4", "the version of the module: 1.0 to 1.6"},
	{"-w", "no warnings"},
	{"-WNAME -Wno-NAME", "a warning on or off: lockstep help warnings"},
	{"-Werror -Werror=NAME", "warnings are errors, or one of them"},
	{"-O0 -O1 -O2 -O3 -Os", "taken, and changes nothing: optimization comes later"},
}

// nearestOption returns the option that a misspelt one may mean, "" if there is none.
func nearestOption(word string) string {
	name, _, _ := strings.Cut(word, "=")
	var names []string
	for _, o := range documented {
		names = append(names, strings.TrimSuffix(o.Word(), "="))
	}
	return diag.Nearest(name, names)
}

// unknownOption is the error for a word that is no option.
func unknownOption(word string) error {
	reason := "unknown to the compiler of OpenCL C"
	near := nearestOption(word)
	if strings.HasPrefix(word, "-W") {
		near = diag.NearestOption(word)
	}
	if near != "" {
		reason += fmt.Sprintf("; did you mean %s?", near)
	}
	return &OptionError{word, reason}
}
