package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// printable makes text that comes from a module harmless for terminals: control
// characters and bytes that are no UTF-8 are written as escapes.
func printable(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }

// harmless is the text of an error, which may quote a module, for a terminal.
func harmless(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

// counted is "1 work-group" or "2 work-groups".
func counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// parameter describes a kernel parameter as its source would: "global const float* x".
func parameter(a *spirv.Arg) string {
	var words []string
	switch {
	case a.Kind == spirv.ArgLocal:
		words = append(words, "local")
	case a.Kind == spirv.ArgBuffer && a.AddressSpace == spirv.StorageClassUniformConstant:
		words = append(words, "constant")
	case a.Kind == spirv.ArgBuffer:
		words = append(words, "global")
	case a.Kind == spirv.ArgImage, a.Kind == spirv.ArgPipe:
		words = append(words, map[spirv.AccessQualifier]string{
			spirv.AccessQualifierReadOnly:  "read_only",
			spirv.AccessQualifierWriteOnly: "write_only",
			spirv.AccessQualifierReadWrite: "read_write",
		}[a.Access])
	}
	if a.Const && a.AddressSpace != spirv.StorageClassUniformConstant {
		words = append(words, "const")
	}
	if a.Volatile {
		words = append(words, "volatile")
	}
	words = append(words, a.TypeName)
	if a.Restrict {
		words = append(words, "restrict")
	}
	if a.Name != "" {
		words = append(words, a.Name)
	}
	return printable(strings.Join(words, " "))
}

// argumentForm is the -arg SPEC that fits a parameter, with placeholders, and
// "" for a parameter that no SPEC fits.
func argumentForm(a *spirv.Arg) string {
	t, n := elementType(strings.TrimSuffix(a.TypeName, "*"))
	switch a.Kind {
	case spirv.ArgBuffer:
		if t == "" {
			t = "u8"
		}
		if a.Const || a.AddressSpace == spirv.StorageClassUniformConstant {
			return "iota:" + t + ":COUNT"
		}
		return "zero:" + t + ":COUNT"
	case spirv.ArgLocal:
		return "local:BYTES"
	case spirv.ArgImage:
		return imageForm(a.TypeName)
	case spirv.ArgSampler:
		return samplerForm
	case spirv.ArgValue:
		if t == "" {
			return "bytes:HEX"
		}
		return t + ":V" + strings.Repeat(",V", n-1)
	}
	return ""
}

// samplerForm is the -arg SPEC of a sampler, to start from.
const samplerForm = "sampler:nearest,clamp_to_edge,unnormalized"

// imageForms has the size that an image of each type has in an -arg SPEC.
var imageForms = map[string]string{
	"image1d_t": "image1d:WIDTH", "image1d_buffer_t": "image1d_buffer:WIDTH", "image1d_array_t": "image1d_array:WIDTHxLAYERS",
	"image2d_t": "image:WIDTHxHEIGHT", "image2d_depth_t": "image:WIDTHxHEIGHT", "image3d_t": "image3d:WIDTHxHEIGHTxDEPTH",
	"image2d_array_t": "image2d_array:WIDTHxHEIGHTxLAYERS", "image2d_array_depth_t": "image2d_array:WIDTHxHEIGHTxLAYERS",
}

// imageForm is the -arg SPEC that fits a parameter of an image type, "" for one that there is no argument
// for.
func imageForm(typ string) string {
	if i := strings.LastIndexByte(typ, ' '); i >= 0 {
		typ = typ[i+1:] // an access qualifier stands in front
	}
	size, ok := imageForms[typ]
	switch {
	case !ok:
		return ""
	case strings.Contains(typ, "depth"):
		return size + ":depth:f32"
	}
	return size + ":rgba:unorm8"
}

// elementTypes maps the names of OpenCL C's scalar types to those of a SPEC.
var elementTypes = map[string]string{
	"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32",
	"long": "i64", "ulong": "u64", "half": "f16", "float": "f32", "double": "f64",
}

// elementType returns the SPEC's name for the elements of an OpenCL C scalar or
// vector type, and their number; "" for other types.
func elementType(name string) (string, int) {
	scalar := strings.TrimRight(name, "0123456789")
	t := elementTypes[scalar]
	if t == "" || scalar == name {
		return t, 1
	}
	n, err := strconv.Atoi(name[len(scalar):])
	if err != nil || n < 2 || n > 16 {
		return "", 1
	}
	return t, n
}

// printableLines is printable for a text of several lines.
func printableLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(printable(strings.ReplaceAll(body, "\t", "        ")))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
