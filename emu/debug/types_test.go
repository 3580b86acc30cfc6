package debug

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

const typesSource = `typedef struct tag { int a; float b; } name;
struct node { int v; global struct node *next; union { int i; float f; } u; };
typedef enum color { RED, GREEN = 5, BLUE = -1 } color;
typedef float real;
typedef global name *names;
typedef int row[3];
typedef struct { real x, y; } point;
constant int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
int sum(name x, int k) { return x.a + k; }
kernel void types(global name *in, local float *tmp, global int *out, name q, global struct node *list)
{
	local row tile[2];
	int i = get_global_id(0);
	bool flag = i == 0;
	color c = i ? RED : BLUE;
	name n = in[i];
	name *pn = &n;
	const real r = n.b * 2.5f;
	row m[2] = {{1, 2, 3}, {4, 5, i}};
	names all = in;
	global half *h = (global half *)list;
	point p = {1, r};
	tile[1][i % 3] = 6;
	tmp[i] = p.y;
	out[i] = sum(n, 3) + m[1][2] + flag + c + table[1][2] + pn->a + q.a + tile[0][0] + (int)vload_half(0, h) + all->a;
}
`

// TestTypes shows variables of all types of the source with the names that it has for them, in modules of
// this compiler and of clang's.
func TestTypes(t *testing.T) {
	dir := t.TempDir()
	source, bitcode, module := filepath.Join(dir, "types.cl"), filepath.Join(dir, "types.bc"), filepath.Join(dir, "types.spv")
	if err := os.WriteFile(source, []byte(typesSource), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Run("lockstep", func(t *testing.T) {
		var o clc.Options
		if err := o.Add([]string{"-g", "-cl-std=CL2.0"}); err != nil {
			t.Fatal(err)
		}
		res, err := clc.Compile(context.Background(), clc.Source{Name: source, Text: typesSource}, o)
		if err != nil {
			t.Fatal(err)
		}
		showTypes(t, res.Module.Encode(), false)
	})
	t.Run("clang", func(t *testing.T) {
		for _, c := range [][]string{
			{"clang-15", "-c", "-x", "cl", "-cl-std=CL2.0", "-target", "spir64", "-emit-llvm", "-Xclang", "-finclude-default-header", "-g", "-O0", source, "-o", bitcode},
			{"llvm-spirv-15", bitcode, "-o", module},
		} {
			if _, err := exec.LookPath(c[0]); err != nil {
				t.Skip(err)
			}
			if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", c, err, out)
			}
		}
		data, err := os.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		showTypes(t, data, true)
	})
}

func showTypes(t *testing.T, module []byte, clang bool) {
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("types")
	if err != nil {
		t.Fatal(err)
	}
	in, list := buffer(t, d, []uint32{7, 0x40200000}), buffer(t, d, []uint32{42, 0, 0, 0, 0x3f800000, 0})
	l := &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{1}}, Args: []emu.Arg{in, emu.LocalBytes(4), buffer(t, d, []int32{0}),
		emu.Bytes([]byte{9, 0, 0, 0, 0, 0, 0, 0x40}), list}}
	s, err := New(context.Background(), l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := s.BreakLine("types.cl", 25); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v %v", stop, err)
	}
	for _, test := range []struct{ expr, value, typ string }{
		{"i", "0", "int"},
		{"flag", "true", "bool"},
		{"c", "BLUE", "color"},
		{"(color)5", "GREEN", "color"},
		{"(color)6", "6", "color"},
		{"c == BLUE", "1", "int"},
		{"GREEN + 1", "6", "int"},
		{"n", "{a = 7, b = 2.5}", "name"},
		{"n.b", "2.5", "float"},
		{"*pn", "{a = 7, b = 2.5}", "name"},
		{"pn->a", "7", "int"},
		{"r", "6.25", "const real"},
		{"m", "{{1, 2, 3}, {4, 5, 0}}", "row[2]"},
		{"m[1][1]", "5", "int"},
		{"tile", "{{0, 0, 0}, {6, 0, 0}}", "row[2]"},
		{"table", "{{1, 2, 3}, {4, 5, 6}}", "int[2][3]"},
		{"table[1]", "{4, 5, 6}", "int[3]"},
		{"*all", "{a = 7, b = 2.5}", "name"},
		{"all", "", "names"},
		{"p", "{x = 1, y = 6.25}", "point"},
		{"*tmp", "6.25", "float"},
		{"q", "{a = 9, b = 2}", "name"},
		{"list->v", "42", "int"},
		{"list->u", "{i = 1065353216, f = 1}", "union {…}"},
		{"list->next", "null", "global struct node*"},
		{"*h", "2.5034e-06", "half"},
		{"(name *)list", "", "name*"},
		{"(struct tag *)list", "", "struct tag*"},
	} {
		v, err := s.Evaluate(test.expr)
		if err != nil {
			t.Errorf("%s: %v", test.expr, err)
			continue
		}
		typ := v.Type.String()
		if clang {
			typ = strings.TrimPrefix(typ, "generic ") // which clang writes for private memory, too
		}
		if got := s.Text(v, 16); test.value != "" && got != test.value || typ != test.typ {
			t.Errorf("%s is %s of type %s, not %s of type %s", test.expr, got, typ, test.value, test.typ)
		}
	}
	for text, want := range map[string]string{
		"color":      "color is enum color\nenum color has the names:\n  RED = 0\n  GREEN = 5\n  BLUE = -1",
		"struct tag": "struct tag has 8 bytes:\n  int a at byte 0\n  float b at byte 4",
		"point":      "point is struct {…}\nstruct {…} has 8 bytes:\n  real x at byte 0\n  real y at byte 4",
		"float4":     "",
	} {
		typ := s.TypeOf(text)
		if typ == nil {
			t.Errorf("there is no type %s", text)
			continue
		}
		if got := strings.Join(typ.Describe(), "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
	for _, text := range []string{"", "struct", "struct none", "enum name", "color x", strings.Repeat("x", 1<<20)} {
		if typ := s.TypeOf(text); typ != nil {
			t.Errorf("%.20q is type %s", text, typ)
		}
	}
}
