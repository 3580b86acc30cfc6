package cmdline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// Printable makes text that comes from a module harmless for terminals: control
// characters and bytes that are no UTF-8 are written as escapes.
func Printable(s string) string {
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

// Harmless is the text of an error, which may quote a module, for a terminal.
func Harmless(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}

// Counted is "1 work-group" or "2 work-groups".
func Counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Parameter describes a kernel parameter as its source would: "global const float* x".
func Parameter(a *spirv.Arg) string {
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
	return Printable(strings.Join(words, " "))
}

// ArgumentForm is the -arg SPEC that fits a parameter, with placeholders, and
// "" for a parameter that no SPEC fits.
func ArgumentForm(a *spirv.Arg) string {
	t, n := ElementType(strings.TrimSuffix(a.TypeName, "*"))
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
		return ImageForm(a.TypeName)
	case spirv.ArgSampler:
		return SamplerForm
	case spirv.ArgValue:
		if t == "" {
			return "bytes:HEX"
		}
		return t + ":V" + strings.Repeat(",V", n-1)
	}
	return ""
}

// SamplerForm is the -arg SPEC of a sampler, to start from.
const SamplerForm = "sampler:nearest,clamp_to_edge,unnormalized"

// imageForms has the size that an image of each type has in an -arg SPEC.
var imageForms = map[string]string{
	"image1d_t": "image1d:WIDTH", "image1d_buffer_t": "image1d_buffer:WIDTH", "image1d_array_t": "image1d_array:WIDTHxLAYERS",
	"image2d_t": "image:WIDTHxHEIGHT", "image2d_depth_t": "image:WIDTHxHEIGHT", "image3d_t": "image3d:WIDTHxHEIGHTxDEPTH",
	"image2d_array_t": "image2d_array:WIDTHxHEIGHTxLAYERS", "image2d_array_depth_t": "image2d_array:WIDTHxHEIGHTxLAYERS",
}

// ImageForm is the -arg SPEC that fits a parameter of an image type, "" for one that there is no argument
// for.
func ImageForm(typ string) string {
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

// ElementTypes maps the names of OpenCL C's scalar types to those of a SPEC.
var ElementTypes = map[string]string{
	"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32",
	"long": "i64", "ulong": "u64", "half": "f16", "float": "f32", "double": "f64",
}

// ElementType returns the SPEC's name for the elements of an OpenCL C scalar or
// vector type, and their number; "" for other types.
func ElementType(name string) (string, int) {
	scalar := strings.TrimRight(name, "0123456789")
	t := ElementTypes[scalar]
	if t == "" || scalar == name {
		return t, 1
	}
	n, err := strconv.Atoi(name[len(scalar):])
	if err != nil || n < 2 || n > 16 {
		return "", 1
	}
	return t, n
}

// PrintableLines is printable for a text of several lines.
func PrintableLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(Printable(strings.ReplaceAll(body, "\t", "        ")))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Wrap breaks text into lines of at most width bytes.
func Wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// Enumerated writes words as "a, b and c".
func Enumerated(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Dims is "64,4,1".
func Dims[N uint32 | uint64](d []N) string {
	parts := make([]string, len(d))
	for i, n := range d {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ",")
}

// Indent puts prefix before every line of s that is not empty.
func Indent(prefix, s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Nearest returns the one of names that name is the beginning of, or that a slip
// of the fingers may have made it of, or "".
func Nearest(name string, names []string) string {
	best, distance := "", 1+len(name)/3
	for _, n := range slices.Sorted(slices.Values(names)) {
		if len(name) > 1 && strings.HasPrefix(n, name) {
			return n
		}
		if d := editDistance(name, n); d <= distance && (best == "" || d < distance) {
			best, distance = n, d
		}
	}
	return best
}

// editDistance is Levenshtein's distance of two short strings, up to 40 bytes.
func editDistance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
