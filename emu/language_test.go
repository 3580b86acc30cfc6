package emu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// languageKernels has kernels and, behind "// CODE: " on a line, the finding at this line and a part of its text; without
// one, there is none. Each has parameters (global int *o, int i, float f), one work-item, and i is 9, f is 3e9.
const languageKernels = `
struct S { int a[4]; int b[12]; };
struct P { char c; short v[2]; int3 w; };
struct Tail { int n; int data[1]; };
kernel void member(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	o[0] = s->a[i]; // E-INDEX: the index is 9, and s.a has 4 elements of uint
}
kernel void member_negative(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	o[0] = s->b[i - 10]; // E-INDEX: the index is -1, and s.b has 12 elements of uint
}
kernel void member_unsigned(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	uint u = i - 10;
	o[0] = s->b[u]; // E-INDEX: the index is 4294967295, and s.b has 12 elements of uint
}
kernel void member_right(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	for (int k = 0; k < 12; k++) s->b[k] = s->b[11 - k] + s[i - 9].a[k & 3];
}
kernel void member_stored(global int *o, int i, float f) {
	struct P p = {1, {2, 3}, 4};
	p.v[i - 7] = 5; // E-INDEX: the index is 2, and p.v has 2 elements of ushort
	o[0] = p.v[0] + p.c + p.w.x;
}
kernel void member_atomic(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	atomic_inc(&s->a[i - 5]); // E-INDEX: the index is 4, and s.a has 4
}
kernel void row(global int *o, int i, float f) {
	int m[4][8];
	for (int k = 0; k < 32; k++) m[k / 8][k % 8] = k;
	o[0] = m[1][i]; // E-INDEX: the index is 9, and a row of m has 8 elements
}
kernel void row_of_local(global int *o, int i, float f) {
	local float m[4][8];
	m[1][i - 1] = f; // E-INDEX: the index is 8, and a row of m has 8 elements of float
	o[0] = m[2][0] > f;
}
kernel void past_the_end(global int *o, int i, float f) {
	int m[4][8], n = 0;
	for (int k = 0; k < 4; k++)
		for (int *p = &m[k][0]; p != &m[k][i - 1]; p++) *p = n++;
	o[0] = m[3][7];
}
kernel void whole_matrix(global int *o, int i, float f) {
	int m[4][8], *p = &m[0][0];
	for (int k = 0; k < 32; k++) p[k] = k;
	o[0] = p[i];
}
kernel void struct_hack(global int *o, int i, float f) {
	global struct Tail *t = (global struct Tail *)o;
	t->data[i] = 3;
}
kernel void component(global int *o, int i, float f) {
	int4 v = (int4)(o[0]);
	o[0] = v[i - 5]; // E-INDEX: the index is 4, and the vector has 4 components
}
kernel void component_right(global int *o, int i, float f) {
	int4 v = (int4)(o[0]);
	v[i - 6] = 3;
	o[0] = v[i - 7];
}
kernel void not_run(global int *o, int i, float f) {
	global struct S *s = (global struct S *)o;
	if (i < 4) o[0] = s->a[i];
	o[1] = i < 4 ? s->a[i] : 0;
	o[2] = i > 100 ? i * i * i * i * i * i * i * i * i * i * i : 0;
	o[3] = f < 1 ? (int)f : 0;
}
kernel void sum(global int *o, int i, float f) {
	o[0] = 0x7fffffff;
	o[0] += i; // E-OVERFLOW: 2147483647 + 9 does not fit into 32 bits
}
kernel void step(global int *o, int i, float f) {
	o[0] = 0x7fffffff;
	o[0]++; // E-OVERFLOW: 2147483647 + 1 does not fit
}
kernel void difference(global int *o, int i, float f) {
	long l = 0x7ffffffffffffffe + (i - 8);
	o[0] = -i - l; // E-OVERFLOW: -9 - 9223372036854775807 does not fit into 64 bits
}
kernel void product(global int *o, int i, float f) {
	ushort u = 65535 - (i - 9);
	o[0] = u * u; // E-OVERFLOW: 65535 * 65535 does not fit into 32 bits
}
kernel void long_product(global int *o, int i, float f) {
	long l = 1L << (i + 30);
	o[0] = l * 4 * (l / 128); // E-OVERFLOW: 2199023255552 * 4294967296 does not fit into 64 bits
}
kernel void negation(global int *o, int i, float f) {
	o[0] = (int)0x80000000 + (i - 9);
	o[1] = -o[0]; // E-OVERFLOW: -(-2147483648) does not fit into 32 bits
}
kernel void arithmetic_right(global int *o, int i, float f) {
	uint u = 0x7fffffff;
	u = u * u + i;
	size_t z = (size_t)-1;
	z = z * z + i - 4 * z;
	char c = 127;
	c++;
	int4 v = (int4)(0x7fffffff);
	v += i;
	int m = (int)0x80000000;
	o[i - 9] = abs(m) + c + (i << 30);
	o[1] = u + v.x + z;
	o[2] = mul24(i, i) + mad_sat(m, i, m);
	o[2] = add_sat(m, m) - sub_sat(m, i) + hadd(m, m) / 2;
	o[3] = 0x7ffffff0 + i;
	o[4] = m - -i - 9 + i;
	o[5] = 0x10000 * -(i - 9 + 0x8000);
	o[6] = -0x7fffffff - (i - 8);
	long l = 1L << 40;
	o[7] = l * (i - 10) * 0x3fffff > 0;
}
kernel void conversion(global int *o, int i, float f) {
	o[0] = (int)f; // E-CONVERT: 3e+09 does not fit into 32 bits
}
kernel void conversion_nan(global int *o, int i, float f) {
	o[0] = (uint)(f - f + NAN); // E-CONVERT: NaN does not fit into unsigned 32 bits
}
kernel void conversion_negative(global int *o, int i, float f) {
	o[0] = (uchar)(i - 10.0f); // E-CONVERT: -1 does not fit into unsigned 8 bits
}
kernel void conversion_rounded(global int *o, int i, float f) {
	o[0] = convert_char_rte(i + 118.4f);
	o[1] = convert_char_rte(i - 137.5f);
	o[2] = convert_char_rte(i + 119.0f); // E-CONVERT: 128 does not fit into 8 bits
}
kernel void conversion_right(global int *o, int i, float f) {
	o[0] = (uint)f;
	o[1] = convert_int_sat(f) + convert_uchar_sat(NAN);
	o[2] = (int)-2147483648.0f + (uint)(i - 9.9f) + (char)(i + 118.9f) + (char)(i - 137.9f);
	o[3] = (int)(f / 2);
	o[4] = (long)f * 3 > 0;
}
kernel void difference_of_pointers(global int *o, int i, float f) {
	local int a[4], b[4];
	a[i - 9] = b[0] = 1;
	local int *p = &a[i - 8], *q = b;
	o[0] = p - q; // E-PTRDIFF: different
}
kernel void difference_of_pointers_right(global int *o, int i, float f) {
	o[0] = &o[i] - o;
	o[1] = (global char *)&o[i] - (global char *)o;
	o[2] = ((size_t)&o[i] - (size_t)o) / 4;
}
`

// TestLanguage: what the language leaves undefined is found once, at its line, with sub-groups of several sizes, and
// nothing else is.
func TestLanguage(t *testing.T) {
	type expectation struct {
		code finding.Code
		line uint32
		text string
	}
	want := map[string]expectation{}
	var names []string
	for i, line := range strings.Split(languageKernels, "\n") {
		if rest, ok := strings.CutPrefix(line, "kernel void "); ok {
			name, _, _ := strings.Cut(rest, "(")
			names = append(names, name)
		}
		if _, text, ok := strings.Cut(line, "// E-"); ok {
			code, text, _ := strings.Cut(text, ": ")
			want[names[len(names)-1]] = expectation{finding.Code("E-" + code), uint32(i + 1), text}
		}
	}
	for _, opt := range []emu.DeviceOptions{{SubgroupSize: 1}, {SubgroupSize: 16}} {
		d := device(t, opt)
		p, _, err := d.BuildProgram(languageKernels, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			k := kernel(t, p, name)
			for _, items := range []uint64{1, 100} { // those behind the first are beside the point, and race
				l := emu.Launch{Kernel: k, Range: sized(items, items), Check: true, Benign: true,
					Args: []emu.Arg{buffer(t, d, make([]int32, 64)...), emu.Value(int32(9)), emu.Value(float32(3e9))}}
				res, err := l.Run(context.Background())
				var fe *emu.FindingsError
				if err != nil && !errors.As(err, &fe) {
					t.Fatal(err)
				}
				var found []finding.Finding
				for _, f := range res.Findings.Findings {
					if f.Code != finding.Race {
						found = append(found, f)
					}
				}
				switch w, bad := want[name]; {
				case !bad && len(found) > 0:
					t.Errorf("%s: %s", name, found[0].Text())
				case bad && len(found) == 0:
					t.Errorf("%s: nothing is found", name)
				case bad && (len(found) > 1 || found[0].Code != w.code || found[0].Place.Line != w.line || !strings.Contains(found[0].Text(), w.text)):
					t.Errorf("%s: want %s at line %d with %q:\n%s", name, w.code, w.line, w.text, found[0].Text())
				case bad && found[0].Count != items && items == 1:
					t.Errorf("%s: %d work-items of %d", name, found[0].Count, items)
				}
			}
		}
	}
}

// TestRestrict: a parameter that is restrict, and another one for the same buffer.
func TestRestrict(t *testing.T) {
	const source = `
kernel void both(global const int *restrict in, global int *restrict out) {
	out[get_global_id(0)] = in[get_global_id(0)] + 1;
}
kernel void first(global int *restrict in, global int *out) {
	in[get_global_id(0)] = 3;
	if (get_global_id(0) == 7) out[0] = out[7] + 1;
}
kernel void neither(global const int *in, global int *out) {
	out[get_global_id(0)] = in[get_global_id(0)] + 1;
}
kernel void apart(global const int *restrict in, global int *restrict out) {
	out[get_global_id(0) + 16] = in[get_global_id(0)] + 1;
}
kernel void reads(global const int *restrict in, global const int *restrict out) {
	if (in[get_global_id(0)] != out[get_global_id(0)]) printf("differ");
}
`
	d := device(t, emu.DeviceOptions{SubgroupSize: 4})
	p, _, err := d.BuildProgram(source, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel string
		shared bool
		line   uint32
		text   string
	}{
		{"both", true, 3, "written through out, which is restrict, and was read through in, which is restrict,"},
		{"both", false, 0, ""},
		{"first", true, 7, "read through out and was written through in, which is restrict, before"},
		{"neither", true, 0, ""},
		{"apart", true, 0, ""},
		{"reads", true, 0, ""},
	} {
		b := buffer(t, d, make([]int32, 32)...)
		l := emu.Launch{Kernel: kernel(t, p, c.kernel), Range: sized(16, 8), Check: true, Args: []emu.Arg{b, b}}
		if !c.shared {
			l.Args[1] = buffer(t, d, make([]int32, 32)...)
		}
		res, err := l.Run(context.Background())
		var fe *emu.FindingsError
		if err != nil && !errors.As(err, &fe) {
			t.Fatal(err)
		}
		switch f := res.Findings.Findings; {
		case c.line == 0 && len(f) > 0:
			t.Errorf("%s: %s", c.kernel, f[0].Text())
		case c.line != 0 && len(f) == 0:
			t.Errorf("%s: nothing is found", c.kernel)
		case c.line != 0 && (len(f) > 1 || f[0].Code != finding.Restrict || f[0].Place.Line != c.line || !strings.Contains(f[0].Text(), c.text)):
			t.Errorf("%s: want E-RESTRICT at line %d with %q:\n%s", c.kernel, c.line, c.text, f[0].Text())
		}
	}
}
