package main

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// A form is a way to write a conversion.
type form struct {
	call  string // "" of a cast, "convert", or the name of a function of halves in memory
	round string // as functions have it at the ends of their names
	sat   bool   // _sat, or the decoration of saturated conversions
}

// roundings has the modes by the ends of names.
var roundings = map[string]clmath.Rounding{"rte": clmath.RTE, "rtz": clmath.RTZ, "rtp": clmath.RTP, "rtn": clmath.RTN}

// end is the rounding at the end of a function's name.
func (f form) end() string {
	if f.round == "" {
		return ""
	}
	return "_" + f.round
}

// A conversion is a pair of types with a kernel that writes it in several forms.
type conversion struct {
	from, to *format
	width    int // of vectors, 1 for scalars
	forms    []form
}

// conversions are all pairs that a language has: OpenCL C, or SPIR-V where a type has no name in OpenCL C. Each pair
// stands there for scalars and for vectors of one width, or of each with all.
func conversions(all bool) (list []*conversion) {
	for i, from := range formats {
		for k, to := range formats {
			if (from.truth || to.truth) && from.encoding+to.encoding != "" {
				continue // SPIR-V has no instruction for it
			}
			widths := []int{1, 2, 3, 4, 8, 16}
			switch {
			case from.truth || to.truth:
				widths = widths[:1] // there are no vectors of bool
			case !all:
				widths = []int{1, widths[1+(i+k)%5]}
			}
			for _, w := range widths {
				c := &conversion{from: from, to: to, width: w}
				if c.forms = formsOf(from, to, w > 1); len(c.forms) > 0 {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// formsOf returns the forms of a conversion.
func formsOf(from, to *format, vector bool) (list []form) {
	ends := []string{"", "rte", "rtz", "rtp", "rtn"}
	add := func(call string, sat bool, ends ...string) {
		for _, round := range ends {
			list = append(list, form{call, round, sat})
		}
	}
	if from.encoding+to.encoding != "" {
		if from == to {
			return nil // SPIR-V wants two types
		}
		add("convert", false, ends...)
		if to.bits == 8 && to.float() || from.float() && !to.float() {
			add("convert", true, ends...)
		}
		return list
	}
	if !vector {
		add("", false, "")
	}
	if from.truth || to.truth {
		return list
	}
	add("convert", false, ends...)
	if !to.float() {
		add("convert", true, ends...)
	}
	if to == halfFormat && from.float() && from != to {
		add("vstore_half", false, ends...)
		if vector {
			add("vstorea_half", false, ends...)
		}
	}
	if from == halfFormat && to.name == "float" {
		add("vload_half", false, "")
		if vector {
			add("vloada_half", false, "")
		}
	}
	return list
}

// A want is how results are made: all that forms differ by.
type want struct {
	mode  clmath.Rounding
	limit bool
}

// want returns what a form demands.
func (c *conversion) want(f form) want {
	mode, ok := roundings[f.round]
	if !c.to.float() && (!ok || !c.from.float()) {
		mode = clmath.RTZ // integers of integers are exact
	}
	// What OpenCL leaves undefined, floats beyond an integer type, is always the nearest limit here.
	return want{mode, f.sat || c.from.float() && !c.to.float()}
}

// text says whether the kernel is SPIR-V, because OpenCL C has no name for a type.
func (c *conversion) text() bool { return c.from.encoding+c.to.encoding != "" }

// read is the place of the input that result j of a form is made of, and written is where the result lies. Vectors of 3
// lie where those of 4 do, but for those of vload3 and vstore3.
func (c *conversion) read(f form, j int) int    { return c.place(j, f.call == "vloada_half") }
func (c *conversion) written(f form, j int) int { return c.place(j, f.call == "vstorea_half") }

func (c *conversion) place(j int, aligned bool) int {
	if c.width == 3 && (aligned || c.text()) {
		return j/3*4 + j%3
	}
	return j
}

func (c *conversion) kernel() string {
	return fmt.Sprintf("k%d_%s_%s", c.width, c.from.name, c.to.name)
}

// room is how many numbers in memory belong to the n inputs or results of a form.
func room(n int) int { return n / 3 * 4 }

// value is the conversion of x to vectors of n, "" for a scalar, in OpenCL C.
func (c *conversion) value(f form, n, x string) string {
	if f.call == "" {
		return "(" + c.to.name + ")" + x
	}
	sat := ""
	if f.sat {
		sat = "_sat"
	}
	return "convert_" + c.to.name + n + sat + f.end() + "(" + x + ")"
}

// source is the kernel in OpenCL C. Results of form k start at place k·room.
func (c *conversion) source() string {
	n := ""
	if c.width > 1 {
		n = fmt.Sprint(c.width)
	}
	memory := func(f *format) string {
		if f.truth {
			return "uchar"
		}
		return f.name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel void %s(global const %s *in, global %s *out, ulong room)\n{\n\tsize_t i = get_global_id(0);\n\t%s%s x = ",
		c.kernel(), memory(c.from), memory(c.to), c.from.name, n)
	if c.width > 1 {
		fmt.Fprintf(&b, "vload%s(i, in);\n", n)
	} else {
		b.WriteString("in[i];\n")
	}
	for k, f := range c.forms {
		if strings.HasPrefix(f.call, "vstore") {
			fmt.Fprintf(&b, "\t%s%s%s(x, i, out + %d * room);\n", f.call, n, f.end(), k)
			continue
		}
		value := c.value(f, n, "x")
		if strings.HasPrefix(f.call, "vload") {
			value = f.call + n + "(i, in)"
		}
		if c.width > 1 {
			fmt.Fprintf(&b, "\tvstore%s(%s, i, out + %d * room);\n", n, value, k)
		} else {
			fmt.Fprintf(&b, "\tout[i + %d * room] = %s;\n", k, value)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// instruction is that of the conversion in SPIR-V.
func (c *conversion) instruction() string {
	sign := func(f *format) string {
		if f.signed {
			return "S"
		}
		return "U"
	}
	switch {
	case c.from.float() && c.to.float():
		return "OpFConvert"
	case c.from.float():
		return "OpConvertFTo" + sign(c.to)
	}
	return "OpConvert" + sign(c.from) + "ToF"
}

// assembly is a module with the kernel in SPIR-V.
func (c *conversion) assembly() string {
	stride := c.width
	if stride == 3 {
		stride = 4
	}
	scalar := func(f *format) string {
		if f.float() {
			return strings.TrimSpace(fmt.Sprintf("OpTypeFloat %d %s", f.bits, f.encoding))
		}
		return fmt.Sprintf("OpTypeInt %d 0", f.bits)
	}
	var b strings.Builder
	for _, s := range []string{"Addresses", "Kernel", "Vector16", "Int8", "Int16", "Int64", "Float16", "Float64", "BFloat16TypeKHR", "Float8EXT"} {
		b.WriteString("OpCapability " + s + "\n")
	}
	fmt.Fprintf(&b, `OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "%s" %%gid
OpDecorate %%gid BuiltIn GlobalInvocationId
`, c.kernel())
	for k, f := range c.forms {
		if f.round != "" {
			fmt.Fprintf(&b, "OpDecorate %%y%d FPRoundingMode %s\n", k, strings.ToUpper(f.round))
		}
		switch {
		case f.sat && c.to.float():
			fmt.Fprintf(&b, "OpDecorate %%y%d SaturatedToLargestFloat8NormalConversionEXT\n", k)
		case f.sat:
			fmt.Fprintf(&b, "OpDecorate %%y%d SaturatedConversion\n", k)
		}
	}
	b.WriteString("%void = OpTypeVoid\n%size = OpTypeInt 64 0\n%size3 = OpTypeVector %size 3\n%pgid = OpTypePointer Input %size3\n")
	from, to := "%size", "%size"
	if scalar(c.from) != "OpTypeInt 64 0" {
		from = "%s"
		fmt.Fprintf(&b, "%%s = %s\n", scalar(c.from))
	}
	if scalar(c.to) != "OpTypeInt 64 0" {
		to = "%t"
		fmt.Fprintf(&b, "%%t = %s\n", scalar(c.to))
	}
	if c.width > 1 {
		fmt.Fprintf(&b, "%%sv = OpTypeVector %s %d\n%%tv = OpTypeVector %s %d\n", from, c.width, to, c.width)
		from, to = "%sv", "%tv"
	}
	fmt.Fprintf(&b, `%%ps = OpTypePointer CrossWorkgroup %[1]s
%%pt = OpTypePointer CrossWorkgroup %[2]s
%%fn = OpTypeFunction %%void %%ps %%pt %%size
%%width = OpConstant %%size %[3]d
%%gid = OpVariable %%pgid Input
%%k = OpFunction %%void None %%fn
%%in = OpFunctionParameter %%ps
%%out = OpFunctionParameter %%pt
%%room = OpFunctionParameter %%size
%%entry = OpLabel
%%g3 = OpLoad %%size3 %%gid
%%i = OpCompositeExtract %%size %%g3 0
%%step = OpUDiv %%size %%room %%width
%%px = OpInBoundsPtrAccessChain %%ps %%in %%i
%%x = OpLoad %[1]s %%px Aligned %[4]d
`, from, to, stride, c.from.bits/8*stride)
	at := "%i"
	for k := range c.forms {
		fmt.Fprintf(&b, "%%y%d = %s %s %%x\n%%p%d = OpInBoundsPtrAccessChain %%pt %%out %s\nOpStore %%p%d %%y%d Aligned %d\n",
			k, c.instruction(), to, k, at, k, k, c.to.bits/8*stride)
		fmt.Fprintf(&b, "%%i%d = OpIAdd %%size %s %%step\n", k, at)
		at = fmt.Sprintf("%%i%d", k)
	}
	b.WriteString("OpReturn\nOpFunctionEnd\n")
	return b.String()
}
