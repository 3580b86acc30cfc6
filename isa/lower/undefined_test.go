package lower_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestCheckedUndefined looks at what kernels for checks keep of undefined values, and others do not.
func TestCheckedUndefined(t *testing.T) {
	res, err := clc.Compile(context.Background(), clc.Source{Name: "a.cl", Text: `
struct s { char c; int i; short h; };
kernel void k(global int *out, int n) {
	int x, y;
	struct s a[2];
	a[n & 1].i = n;
	if (n > 3)
		x = n + 1;
	out[0] = x + a[n & 1].i;
	out[1] = y * 0 + (y ^ y);
}`}, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lowered := func(opt lower.Options, checked bool) *isa.Kernel {
		c, err := lower.NewCompiler(res.Module, opt)
		if err != nil {
			t.Fatal(err)
		}
		compile := c.Kernel
		if checked {
			compile = c.CheckedKernel
		}
		p, err := compile(context.Background(), "k")
		if err != nil {
			t.Fatal(err)
		}
		return p.Kernels[0]
	}
	k := lowered(lower.Options{}, true)
	if len(k.UndefinedRegs) != 1 || k.Undefined[k.UndefinedRegs[0].From].Name != "x" {
		t.Errorf("undefined are %+v of %+v; want x, and not y, which makes no difference", k.UndefinedRegs, k.Undefined)
	}
	if len(k.Blocks) < 3 {
		t.Error("the branch has become a selection")
	}
	if want := []isa.Padding{{From: 1, To: 4}, {From: 10, To: 12}}; len(k.Private) != 1 || len(k.Private[0].Padding) != 2 || k.Private[0].Padding[0] != want[0] || k.Private[0].Padding[1] != want[1] {
		t.Errorf("private memory is %+v, want padding %+v", k.Private, want)
	}
	plain, poisoned := lowered(lower.Options{}, false), lowered(lower.Options{Poison: 5}, false)
	for _, k := range []*isa.Kernel{plain, poisoned} {
		if len(k.Undefined)+len(k.UndefinedRegs)+len(k.Private[0].Padding) != 0 {
			t.Errorf("a kernel without checks has %+v", k.Undefined)
		}
	}
	if a, b := plain.Text(&isa.Program{}), poisoned.Text(&isa.Program{}); a == b || !strings.Contains(a, "select") {
		t.Errorf("poison makes no difference, or no branch is a selection:\n%s\n%s", a, b)
	}
}
