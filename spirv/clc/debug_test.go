package clc_test

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// narrowJudge are complaints of spirv-val that the specification does not share: pointers and typedefs lead to any type
// (OpenCL.DebugInfo.100, 2.5), not only to numbers, and vectors of OpenCL have up to 16 components. llvm-spirv writes
// them so, too.
var narrowJudge = regexp.MustCompile(`DebugType(Pointer|def|Qualifier): expected operand Base Type must be a result id of DebugTypeBasic|` +
	`DebugTypeVector: Component Count must be positive integer less than or equal to 4`)

// TestDebugInformation writes debug information of types of all kinds. What it names stands before it, except members of
// structures and functions; spirv-val agrees where it can.
func TestDebugInformation(t *testing.T) {
	tests := []struct {
		name, text string
		judged     bool // by spirv-val
	}{
		{"numbers", "kernel void k(float4 a, global half *b, char c) { bool d = c; ulong e = c; float f[2][3]; f[1][2] = a.x; }", true},
		{"structure", "struct s { int a; struct { float x, y; } b[2]; union { int i; float f; } u; }; kernel void k(struct s v) { struct s w = v; }", true},
		{"long vectors", "kernel void k(half8 a, global int16 *b) { b[1] = b[0]; }", false},
		{"enumeration", "enum color { RED, GREEN = 5, BLUE = -1 }; kernel void k(int n) { enum color c = n ? RED : BLUE; }", true},
		{"typedefs of numbers", "typedef float real; typedef real same; kernel void k(real a) { same b = a; }", false},
		{"built-in typedefs", "kernel void k(global int *p) { size_t i = 1; struct { ptrdiff_t d; } s; s.d = i; cl_mem_fence_flags f = 1; *p = s.d + f; }", false},
		{"loops", "kernel void k(global int *p) { for (int i = 0; i < 3; i++) for (int i = 0; i < 2; i++) p[i] = i; int i = 4; p[i] = i; }", true},
		{"typedefs", "typedef struct tag { int a; } name; typedef name row[3]; kernel void k(global name *p, name v) { row r; r[1] = v; name *q = &v; }", false},
		{"list", "typedef struct node node; struct node { int v; global node *next; global struct node *other; }; kernel void k(global node *p) { global node *q = p->next; }", false},
		{"nested", "struct a; struct b { global struct a *up; }; struct a { struct b inner; }; kernel void k(global struct a *p) { struct a x = *p; }", false},
		{"constants", "constant int table[2][2] = {{1, 2}, {3, 4}}; kernel void k(global int *p) { *p = table[1][0]; }", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: test.text}, clc.Options{Debug: true})
			if err != nil {
				t.Fatal(err)
			}
			if errs := validate.Validate(res.Module, validate.Options{Strict: true}); len(errs) > 0 {
				t.Error(errs.Err())
			}
			backwards(t, res.Module)
			if _, err := exec.LookPath("spirv-val"); err != nil {
				return
			}
			c := exec.Command("spirv-val")
			c.Stdin = bytes.NewReader(res.Module.Encode())
			if text, err := c.CombinedOutput(); err != nil && (test.judged || !narrowJudge.Match(text)) {
				t.Errorf("spirv-val: %s", text)
			}
		})
	}
}

// backwards checks that instructions of debug information name only what stands before them, but for what the
// specification lets them name: the members of a structure, and the OpFunction of a function.
func backwards(t *testing.T, m *spirv.Module) {
	t.Helper()
	set, ok := spirv.LookupExtInstSet("OpenCL.DebugInfo.100")
	if !ok {
		t.Fatal("there is no such set")
	}
	defined, all := map[spirv.ID]bool{}, map[spirv.ID]bool{}
	for _, in := range m.Insts {
		all[in.ResultID()] = true
	}
	for _, in := range m.Insts {
		if in.Op() == spirv.OpExtInst {
			n := in.Operand(1)
			x, ok := set.Inst(n)
			if !ok {
				continue
			}
			ops := in.Operands()[2:]
			for i, w := range ops {
				kind := x.Operands[min(i, len(x.Operands)-1)].Kind
				free := n == spirv.OpenCLDebugInfo100DebugTypeComposite && i >= 9 || n == spirv.OpenCLDebugInfo100DebugFunction && i == 9
				if kind.Category() == spirv.CategoryID && !defined[spirv.ID(w)] && (!free || !all[spirv.ID(w)]) {
					t.Errorf("%s names %%%d as operand %d before it is there", x.Name, w, i)
				}
			}
		}
		defined[in.ResultID()] = true
	}
}
