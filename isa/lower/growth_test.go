package lower_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// ifNest has n branches in each other, with one end for all.
func ifNest(n int) string {
	var s strings.Builder
	s.WriteString("OpBranch %b0\n")
	for i := range n {
		fmt.Fprintf(&s, "%%b%[1]d = OpLabel\n%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4\n%%y%[1]d = OpIAdd %%uint %%x%[1]d %%g\n%%t%[1]d = OpUGreaterThan %%bool %%y%[1]d %%c7\nOpBranchConditional %%t%[1]d %%b%[2]d %%e%[1]d\n", i, i+1)
	}
	fmt.Fprintf(&s, "%%b%d = OpLabel\nOpStore %%out %%g\nOpBranch %%e%d\n", n, n-1)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&s, "%%e%d = OpLabel\n", i)
		if i > 0 {
			fmt.Fprintf(&s, "OpBranch %%e%d\n", i-1)
		}
	}
	return kernelText("", "", s.String())
}

// tangle has n blocks, each of which branches to the next or to one further down, as a generator of numbers has it.
func tangle(n int) string {
	seed := uint32(1)
	var s strings.Builder
	s.WriteString("OpBranch %b0\n")
	for i := range n {
		seed = seed*1664525 + 1013904223
		to := i + 1 + int(seed>>8)%(n-i)
		if to == i+1 {
			fmt.Fprintf(&s, "%%b%d = OpLabel\nOpBranch %%b%d\n", i, i+1)
			continue
		}
		fmt.Fprintf(&s, "%%b%[1]d = OpLabel\n%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4\n%%y%[1]d = OpIAdd %%uint %%x%[1]d %%g\n%%t%[1]d = OpUGreaterThan %%bool %%y%[1]d %%c7\nOpBranchConditional %%t%[1]d %%b%[2]d %%b%[3]d\n", i, to, i+1)
	}
	fmt.Fprintf(&s, "%%b%d = OpLabel\nOpStore %%out %%g\n", n)
	return kernelText("", "", s.String())
}

// returns has n branches one after the other, each of which may end the kernel.
func returns(n int) string {
	return kernelText("", "", "OpBranch %b0\n"+lines(n, func(i int) string {
		return fmt.Sprintf("%%b%[1]d = OpLabel\n%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4\n%%y%[1]d = OpIAdd %%uint %%x%[1]d %%g\n%%t%[1]d = OpUGreaterThan %%bool %%y%[1]d %%c7\nOpBranchConditional %%t%[1]d %%r%[1]d %%b%[2]d\n%%r%[1]d = OpLabel\nOpStore %%out %%y%[1]d\nOpReturn\n", i, i+1)
	})+fmt.Sprintf("%%b%d = OpLabel\n", n))
}

// addressChain adds to a pointer again and again, and stores through each of the sums.
func addressChain(n int) string {
	return kernelText("", "", "%p0 = OpInBoundsPtrAccessChain %pg %out %g\n"+lines(n, func(i int) string {
		return fmt.Sprintf("OpStore %%p%[1]d %%c1\n%%p%[2]d = OpInBoundsPtrAccessChain %%pg %%p%[1]d %%g\n", i, i+1)
	}))
}

// variableChain has n private variables, each of which gets its value from the one before, and an address that is not
// known.
func variableChain(n int) string {
	return kernelText("", "%arr = OpTypeArray %uint %c7\n%pa = OpTypePointer Function %arr\n", "%va = OpVariable %pa Function\n"+
		lines(n+1, func(i int) string { return fmt.Sprintf("%%v%d = OpVariable %%pf Function\n", i) })+"OpStore %v0 %g\n"+
		lines(n, func(i int) string {
			return fmt.Sprintf("%%l%[1]d = OpLoad %%uint %%v%[1]d\n%%m%[1]d = OpIMul %%uint %%l%[1]d %%l%[1]d\nOpStore %%v%[2]d %%m%[1]d\n"+
				"%%q%[1]d = OpInBoundsAccessChain %%pf %%va %%l%[1]d\nOpStore %%q%[1]d %%m%[1]d\n", i, i+1)
		})+fmt.Sprintf("%%r = OpLoad %%uint %%v%d\nOpStore %%out %%r\n", n))
}

// TestGrowth lowers kernels whose control flow once took the square of their size, in two sizes, and compares what
// was allocated and how many steps the analyses took.
func TestGrowth(t *testing.T) {
	const factor = 4
	for _, c := range []struct {
		name string
		make func(int) string
		n    int
	}{
		{"nested branches", ifNest, 1500},
		{"tangled branches", tangle, 1500},
		{"early returns", returns, 1500},
		{"nested loops", loopNest, 500},
		{"a switch", switchFan, 1500},
		{"a chain of branches", ifChain, 700},
		{"a straight line", straightLine, 4000},
		{"values that cross blocks", crossing, 2000},
		{"chains of addresses", addressChain, 2000},
		{"private variables", variableChain, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.n /= 4
			}
			measure := func(n int) (bytes, steps uint64) {
				m := decode(t, c.make(n))
				end := lower.CountSteps(func(n int) { steps += uint64(n) })
				defer end()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := lower.Program(m, lower.Options{}); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc, steps
			}
			bytes, steps := measure(c.n)
			moreBytes, moreSteps := measure(factor * c.n)
			t.Logf("%d: %d KiB, %d steps; %d times that: %d KiB, %d steps", c.n, bytes>>10, steps, factor, moreBytes>>10, moreSteps)
			if moreBytes > bytes*factor*2 {
				t.Errorf("%d KiB are allocated for %d times what takes %d KiB", moreBytes>>10, factor, bytes>>10)
			}
			if c.name != "tangled branches" && moreSteps > steps*factor*3/2 {
				t.Errorf("the analyses take %d steps for %d times what takes %d", moreSteps, factor, steps)
			}
			if most := uint64(1<<21 + 2000*factor*c.n); moreSteps > most {
				t.Errorf("the analyses take %d steps; expected %d at most", moreSteps, most)
			}
		})
	}
}
