package lower_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

const debugged = `typedef struct node { int value; global struct node *next; } node;
int twice(int v) { int w = v; return w + v; }
kernel void walk(global node *list, global int *out)
{
	local int tile[4];
	int i = get_global_id(0);
	for (global node *p = list; p; p = p->next) {
		int i = twice(p->value);
		tile[i & 3] = i;
	}
	out[i] = tile[i & 3];
}
`

func debugModule(t *testing.T) *spirv.Module {
	t.Helper()
	res, err := clc.Compile(context.Background(), clc.Source{Name: "walk.cl", Text: debugged}, clc.Options{Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	return res.Module
}

// TestDebugKernel lowers a kernel for debuggers, and shows the variables with their types and scopes.
func TestDebugKernel(t *testing.T) {
	c, err := lower.NewCompiler(debugModule(t), lower.Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.DebugKernel(context.Background(), "walk", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	k := p.Kernels[0]
	d := k.Debug
	var list []string
	for _, v := range d.Vars {
		s := d.Scopes[v.Scope]
		list = append(list, fmt.Sprintf("%s:%d kind %d where %d arg %d scope %s:%d call %d", v.Name, v.Line, d.Types[v.Type].Kind, v.Where, v.Arg, s.Name, s.Line, k.Locs[v.At].Line))
	}
	want := `list:3 kind 6 where 0 arg 1 scope walk:3 call 0
out:3 kind 6 where 0 arg 2 scope walk:3 call 0
i:6 kind 3 where 0 arg 0 scope walk:3 call 0
p:7 kind 6 where 0 arg 0 scope :7 call 0
i:8 kind 3 where 0 arg 0 scope :7 call 0
v:2 kind 3 where 0 arg 1 scope twice:2 call 8
w:2 kind 3 where 0 arg 0 scope twice:2 call 8
tile:5 kind 8 where 1 arg 0 scope :0 call 0`
	if got := strings.Join(list, "\n"); got != want {
		t.Errorf("variables\n%s\nwant\n%s", got, want)
	}
	// A list of nodes leads to itself.
	name := d.Types[d.Types[d.Vars[0].Type].Elem]
	node := d.Types[name.Elem]
	if name.Kind != isa.DebugAlias || name.Name != "node" || node.Kind != isa.DebugStruct || len(node.Members) != 2 ||
		d.Types[d.Types[node.Members[1].Type].Elem].Name != "node" {
		t.Errorf("%+v: %+v", name, node)
	}
	// The kernel for everybody else has none of it.
	plain, err := c.Kernel(context.Background(), "walk")
	if err != nil {
		t.Fatal(err)
	}
	if plain.Kernels[0].Debug != nil || len(plain.Kernels[0].Private) != 0 {
		t.Error("the plain kernel has debug information or variables in memory")
	}
	// Binaries carry it.
	data, err := binary.Encode(&binary.File{Program: p})
	if err != nil {
		t.Fatal(err)
	}
	f, err := binary.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Program.Kernels[0].Debug; got == nil || fmt.Sprint(*got) != fmt.Sprint(*d) {
		t.Error("a binary has other debug information")
	}
}

// TestDebugInformationMayLie changes words of debug information: what comes of it is a kernel that passes the
// verifier, or an error.
func TestDebugInformationMayLie(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 300
	if testing.Short() {
		n = 60
	}
	kernels := 0
	for range n {
		m := debugModule(t)
		var at []int
		for i, in := range m.Insts {
			if in.Op() == spirv.OpExtInst {
				at = append(at, i)
			}
		}
		for range 1 + r.IntN(4) {
			ops := m.Insts[at[r.IntN(len(at))]].Operands()
			if len(ops) > 2 {
				ops[2+r.IntN(len(ops)-2)] = []uint32{r.Uint32(), uint32(r.IntN(200)), uint32(r.IntN(4))}[r.IntN(3)]
			}
		}
		c, err := lower.NewCompiler(m, lower.Options{SubgroupSize: 32})
		if err != nil {
			continue
		}
		p, err := c.DebugKernel(context.Background(), "walk", false)
		if err != nil {
			continue
		}
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		kernels++
	}
	if kernels < n/2 {
		t.Errorf("%d kernels of %d modules", kernels, n)
	}
}
