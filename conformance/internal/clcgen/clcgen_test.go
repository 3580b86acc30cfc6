package clcgen

import (
	"strings"
	"testing"
)

// TestSame checks that a seed always gives the same program and that seeds give different ones.
func TestSame(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(20) {
		opt := Options{Kernels: 4, Half: seed%2 == 0, Version: []int{120, 200, 300}[seed%3], ContractOff: true}
		text := Generate(seed, opt).Text()
		if again := Generate(seed, opt).Text(); again != text {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if other, ok := seen[text]; ok {
			t.Errorf("seeds %d and %d give one program", other, seed)
		}
		seen[text] = seed
	}
}

// TestParts checks that what a program is cut into has the kernels that it says, and leaves the program alone.
func TestParts(t *testing.T) {
	p := Generate(3, Options{Kernels: 5})
	text := p.Text()
	check := func(p *Program, want ...string) {
		t.Helper()
		if strings.Join(p.Kernels, " ") != strings.Join(want, " ") {
			t.Errorf("kernels %v, not %v", p.Kernels, want)
		}
		for _, k := range []string{"k0", "k1", "k2", "k3", "k4"} {
			has := strings.Contains(p.Text(), "kernel void "+k+"(")
			if has != strings.Contains(strings.Join(want, " "), k) {
				t.Errorf("%v: kernel %s: %t", want, k, has)
			}
		}
	}
	check(p.Only("k3"), "k3")
	h := p.Halves()
	check(h[0], "k0", "k1")
	check(h[1], "k2", "k3", "k4")
	if p.Only("k3").Halves() != nil {
		t.Error("one kernel has halves")
	}
	if p.Text() != text {
		t.Error("the program has changed")
	}
}

// TestReduce reduces programs to what one property needs.
func TestReduce(t *testing.T) {
	p := Generate(7, Options{Kernels: 2, ContractOff: true})
	word := "atomic_"
	for seed := uint64(8); !strings.Contains(p.Text(), word); seed++ {
		p = Generate(seed, Options{Kernels: 2, ContractOff: true})
	}
	before := p.Text()
	calls := 0
	small := Reduce(p, 5000, func(text string) bool {
		calls++
		return strings.Contains(text, word)
	}).Text()
	if calls > 5000 {
		t.Errorf("%d calls", calls)
	}
	if !strings.Contains(small, word) || !strings.Contains(small, "#pragma OPENCL FP_CONTRACT OFF") {
		t.Errorf("the property or a pragma is lost:\n%s", small)
	}
	if n := strings.Count(small, "\n"); n > 25 {
		t.Errorf("%d lines remain:\n%s", n, small)
	}
	if p.Text() != before {
		t.Error("the program has changed")
	}
}

// TestDepth checks that programs are no deeper than the bounds of their statements and expressions allow. The named
// seeds once made calls in the arguments of calls without an end.
func TestDepth(t *testing.T) {
	check := func(seed uint64, version int, half bool) {
		p := Generate(seed, Options{Kernels: 1, Version: version, Half: half, ContractOff: true})
		if n := depth(p.Root); n > 60 {
			t.Errorf("seed %d: %d levels", seed, n)
		}
	}
	check(2002426, 200, true)
	check(2263149, 200, false)
	check(2300412, 120, true)
	for seed := range uint64(150) {
		check(seed, []int{120, 200, 300}[seed%3], seed%2 == 0)
	}
}

// depth is how many levels a tree has.
func depth(n *Node) int {
	deepest := 0
	for _, k := range n.kids {
		deepest = max(deepest, depth(k))
	}
	return 1 + deepest
}
