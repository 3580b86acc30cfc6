package debug

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// operands are variables of the kernel in which expressions are compared, by type.
var operands = []struct{ declaration, name string }{
	{"char c = -7", "c"}, {"uchar uc = 200", "uc"}, {"short h = -300", "h"}, {"ushort uh = 65000", "uh"}, {"int i = -123456", "i"},
	{"uint u = 4000000000u", "u"}, {"long l = -5000000000", "l"}, {"ulong ul = 18000000000000000000ul", "ul"}, {"float f = 2.5f", "f"},
	{"float g = -1e10f", "g"}, {"bool b = true", "b"},
}

// random returns a random expression of integers and floats.
func random(r *rand.Rand, depth int, integers bool) string {
	if depth == 0 || r.IntN(6) == 0 {
		switch r.IntN(8) {
		case 0:
			return fmt.Sprint(r.IntN(100))
		case 1:
			return fmt.Sprintf("%du", r.Uint32())
		case 2:
			return fmt.Sprintf("%#xl", r.Uint32())
		case 3:
			if !integers {
				return fmt.Sprintf("%d.5f", r.IntN(50))
			}
			return "'a'"
		}
		for {
			o := operands[r.IntN(len(operands))].name
			if !integers || o != "f" && o != "g" {
				return o
			}
		}
	}
	x := func(integers bool) string { return random(r, depth-1, integers) }
	switch r.IntN(9) {
	case 0:
		return "(" + x(true) + " ? " + x(integers) + " : " + x(integers) + ")"
	case 1:
		return "-(" + x(integers) + ")"
	case 2:
		return "!(" + x(integers) + ")"
	case 3:
		op := []string{"&", "|", "^"}[r.IntN(3)]
		return "(" + x(true) + " " + op + " " + x(true) + ")"
	case 4:
		return "(" + x(true) + " " + []string{"<<", ">>"}[r.IntN(2)] + " " + x(true) + ")"
	case 5:
		return "((" + []string{"char", "ushort", "int", "uint", "long", "ulong"}[r.IntN(6)] + ")(" + x(true) + "))"
	case 6:
		op := []string{"==", "!=", "<", ">", "<=", ">=", "&&", "||"}[r.IntN(8)]
		return "(" + x(integers) + " " + op + " " + x(integers) + ")"
	case 7:
		return "(" + x(true) + []string{" / ", " % "}[r.IntN(2)] + fmt.Sprint(1+r.IntN(9)) + ")"
	}
	return "(" + x(integers) + " " + []string{"+", "-", "*"}[r.IntN(3)] + " " + x(integers) + ")"
}

// TestExpressionsAreThoseOfTheLanguage compares random expressions with what the compiled kernel makes of
// them, with their types.
func TestExpressionsAreThoseOfTheLanguage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 400
	var list []string
	var b strings.Builder
	b.WriteString("kernel void compare(global ulong *out) {\n#pragma OPENCL FP_CONTRACT OFF\n")
	for _, o := range operands {
		b.WriteString(o.declaration + ";\n")
	}
	for k := range n {
		e := random(r, 4, k%2 == 0)
		list = append(list, e)
		// The bits of the value, by its size, and whether it is a float.
		fmt.Fprintf(&b, "{ __typeof__(%s) v = %s; ulong w = 0; __builtin_memcpy(&w, &v, sizeof(v)); out[%d] = w; }\n", e, e, k)
	}
	b.WriteString("out[0] = out[0];\n}\n")
	source := strings.ReplaceAll(b.String(), "__builtin_memcpy(&w, &v, sizeof(v))", "for (int q = 0; q < sizeof(v); q++) ((private uchar*)&w)[q] = ((private uchar*)&v)[q]")
	var out *emu.Buffer
	s := start(t, source, "compare", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{1}}, Options{}, func(d *emu.Device) []emu.Arg {
		out = buffer(t, d, make([]uint64, n))
		return []emu.Arg{out}
	})
	lines := s.LinesWithCode("")
	if _, err := s.BreakLine("", lines[len(lines)-2]); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v %v", stop, err)
	}
	for k, e := range list {
		v, err := s.Evaluate(e)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		want, err := s.Evaluate(fmt.Sprintf("out[%d]", k))
		if err != nil {
			t.Fatal(err)
		}
		if v.word() != want.word() {
			t.Errorf("%s is %#x (%s), and %#x in the kernel", e, v.word(), v.Type, want.word())
		}
		// Conditions of integers take another way.
		it, _ := s.Current()
		if c, err := s.CompileAt(e, it.PC); err != nil {
			t.Errorf("%s: %v", e, err)
		} else if is, err := s.holds(c, s.waves[0], 0, it.PC); err != nil || is != (v.Type.strip().Kind != 5 && v.word() != 0 || v.Type.strip().Kind == 5 && v.float() != 0) {
			t.Errorf("%s as a condition: %v %v, and its value is %#x", e, is, err, v.word())
		}
	}
}

func TestWrongExpressions(t *testing.T) {
	s := startSums(t)
	for _, e := range []string{"", "1 +", "(1", "x[", "x[1", "y", "x.", "x.a", "n->a", "1 / 0", "i % (i - i)", "*n", "&1", "n[0]", "f(1)", "(float3)(1, 2)", "1 2", "\"a\"", "'", "0x", "1.5.2",
		"x[100]", "*(global int *)0", strings.Repeat("(", 5000), strings.Repeat("-", 200) + "1", strings.Repeat("x[0]+", 2000) + "1", "$zz", "$vw99", "sizeof(", "get_global_id()"} {
		if v, err := s.Evaluate(e); err == nil {
			t.Errorf("%.40q is %s", e, s.Text(v, 4))
		} else if !errors.Is(err, ErrExpression) && !errors.Is(err, ErrNoMemory) {
			t.Errorf("%.40q: %v", e, err)
		}
	}
}

// FuzzExpression reads and evaluates any text.
func FuzzExpression(f *testing.F) {
	for _, e := range []string{"x[i + 1] * 2.5f", "(float4)(1, 2, 3, 4).wzyx", "&n == 0 || *x > -1e3", "(global uchar *)x + 3", "sizeof(float3)", "$vw0 >> 3", "min(i, 3u)"} {
		f.Add(e)
	}
	s := startSums(f)
	f.Fuzz(func(t *testing.T, e string) {
		if v, err := s.Evaluate(e); err == nil {
			s.Text(v, 4)
			s.Children(v, 0, 4)
		}
	})
}

const shapes = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct shape { char tag; float4 at; int list[3]; struct { short a; ushort b; } bits; } shape;
typedef union both { float f; uint u; } both;
constant int table[4] = {1, 2, 3, 5};
kernel void shapes(global shape *in, global int *out, both by)
{
	shape s = in[get_global_id(0)];
	global shape *p = in;
	local int tile[2][3];
	tile[1][2] = 7;
	half h = 1.5h;
	bool yes = s.tag == 'q';
	out[0] = table[s.list[1]] + by.u;
}
`

func TestShapes(t *testing.T) {
	s := start(t, shapes, "shapes", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{1}}, Options{}, func(d *emu.Device) []emu.Arg {
		bytes := make([]byte, 48)
		bytes[0] = 'q'
		copy(bytes[16:], []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 5, 0, 0, 0, 3})
		copy(bytes[44:], []byte{255, 255, 8})
		b := buffer(t, d, bytes)
		return []emu.Arg{b, buffer(t, d, []int32{0}), emu.Bytes([]byte{0, 0, 32, 65})}
	})
	if _, err := s.BreakLine("", 13); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Continue(context.Background()); err != nil {
		t.Fatal(err)
	}
	for e, want := range map[string]string{
		"s":        "{tag = 113 'q', at = (1, 2, 3, 4), list = {5, 3, 0}, bits = {a = -1, b = 8}}",
		"s.at.zx":  "(3, 1)",
		"p->at.w":  "4",
		"*p":       "{tag = 113 'q', at = (1, 2, 3, 4), list = {5, 3, 0}, bits = {a = -1, b = 8}}",
		"by":       "{f = 10, u = 1092616192}",
		"tile":     "{{0, 0, 0}, {0, 0, 7}}",
		"tile[1]":  "{0, 0, 7}",
		"table":    "{1, 2, 3, 5}",
		"table[3]": "5",
		"h":        "1.5",
		"yes":      "true",
		"&s.list":  "&s+32",
		"s.bits.a": "-1",
	} {
		if got := text(s, e); got != want {
			t.Errorf("%s is %s, want %s", e, got, want)
		}
	}
	var names []string
	for _, v := range s.Variables(s.item, 0) {
		names = append(names, fmt.Sprintf("%s %s %s", v.Scope, v.Value.Type, v.Name))
	}
	want := "arguments global shape* in, arguments global int* out, arguments both by, locals shape s, locals global shape* p, locals half h, locals bool yes, local memory int[2][3] tile, globals int[4] table"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("variables\n%s, want\n%s", got, want)
	}
	for _, set := range [][2]string{{"s.at.y", "9"}, {"tile[1][2]", "8"}, {"s.list[2]", "s.list[1] * 2"}, {"p", "0"}, {"by.f", "0.5"}} {
		if _, err := s.Set(set[0], set[1]); err != nil {
			t.Errorf("set %s: %v", set[0], err)
		}
	}
	if got := text(s, "s.at") + text(s, "tile[1]") + text(s, "s.list[2]") + text(s, "p") + text(s, "by.u"); got != "(1, 9, 3, 4){0, 0, 8}6null1056964608" {
		t.Errorf("after changes: %s", got)
	}
	for _, wrong := range [][2]string{{"1", "2"}, {"s", "1"}, {"nothing", "1"}, {"h", "p->at"}} {
		if _, err := s.Set(wrong[0], wrong[1]); err == nil {
			t.Errorf("%s was set to %s", wrong[0], wrong[1])
		}
	}
}
