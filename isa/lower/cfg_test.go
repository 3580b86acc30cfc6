package lower_test

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// TestManyExits lowers a loop that is left from many places to one: each edge to there gets a block, also where
// the list of predecessors is too long to be looked through for each.
func TestManyExits(t *testing.T) {
	for _, n := range []int{4, 15, 16, 17, 40} {
		text := kernelText("", "", "OpBranch %b0\n"+lines(n, func(i int) string {
			head := ""
			if i == 0 {
				head = fmt.Sprintf("%%i = OpPhi %%uint %%c0 %%entry %%y%d %%latch\n", n-1)
			}
			before := "i"
			if i > 0 {
				before = fmt.Sprint("y", i-1)
			}
			return fmt.Sprintf("%%b%[1]d = OpLabel\n%[2]s%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4\n%%y%[1]d = OpIAdd %%uint %%x%[1]d %%%[3]s\n"+
				"%%t%[1]d = OpUGreaterThan %%bool %%y%[1]d %%c7\nOpBranchConditional %%t%[1]d %%exit %%b%[4]d\n", i, head, before, i+1)
		})+fmt.Sprintf("%%b%d = OpLabel\nOpBranch %%latch\n%%latch = OpLabel\nOpBranch %%b0\n%%exit = OpLabel\n%%r = OpPhi %%uint%s\nOpStore %%out %%r\n",
			n, lines(n, func(i int) string { return fmt.Sprintf(" %%y%d %%b%[1]d", i) })))
		p, err := lowered(t, text, lower.Options{VerifyEach: true})
		if err != nil {
			t.Fatalf("%d exits: %v", n, err)
		}
		loads := 0
		for _, in := range p.Kernels[0].Code {
			if in.Op == isa.OpLoad {
				loads++
			}
		}
		if loads != n {
			t.Errorf("%d exits: %d loads are left", n, loads)
		}
	}
}
