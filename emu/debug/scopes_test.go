package debug

import (
	"context"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestScopes lists the variables that are in scope, and no others, with the names of their types.
func TestScopes(t *testing.T) {
	s := start(t, `kernel void scopes(global int *out)
{
	size_t i = get_global_id(0);
	int table[2][3], sum = 0;
	for (int k = 0; k < 2; k++) {
		ptrdiff_t twice = k * 2;
		for (int j = 0; j < 3; j++)
			table[k][j] = twice + j;
	}
	switch (sum) {
	case 0: {
		float inner = 2.5f;
		sum += inner;
	}
	}
	for (; sum < 3; sum++)
		out[i] = sum;
	size_t k = 16;
	out[i] = sum + table[1][2] + k;
}
`, "scopes", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{1}}, Options{}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, []int32{0})}
	})
	for _, c := range []struct {
		line   int
		locals string
		k      string
	}{
		{8, "size_t i = 0, int table[2][3] = {{0, 0, 0}, {0, 0, 0}}, int sum = 0, int k = 0, ptrdiff_t twice = 0, int j = 0", "0"},
		{13, "size_t i = 0, int table[2][3] = {{0, 1, 2}, {2, 3, 4}}, int sum = 0, float inner = 2.5, size_t k = 0", "0"},
		{17, "size_t i = 0, int table[2][3] = {{0, 1, 2}, {2, 3, 4}}, int sum = 2, size_t k = 0", "0"},
		{19, "size_t i = 0, int table[2][3] = {{0, 1, 2}, {2, 3, 4}}, int sum = 3, size_t k = 16", "16"},
	} {
		b, err := s.BreakLine("", c.line)
		if err != nil {
			t.Fatal(err)
		}
		if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
			t.Fatalf("line %d: %+v, %v", c.line, stop, err)
		}
		if err := s.Delete(b.Number); err != nil {
			t.Fatal(err)
		}
		it, _ := s.Current()
		var got []string
		for _, v := range s.Variables(it.Number, 0) {
			if v.Scope == ScopeLocals {
				got = append(got, v.Value.Type.Declaration(v.Name)+" = "+s.Text(v.Value, 16))
			}
		}
		if got := strings.Join(got, ", "); got != c.locals {
			t.Errorf("line %d:\n%s\nwant\n%s", c.line, got, c.locals)
		}
		if v, err := s.Evaluate("k"); err != nil || s.Text(v, 1) != c.k {
			t.Errorf("line %d: k is %s, %v, want %s", c.line, s.Text(v, 1), err, c.k)
		}
	}
}
