package mutants

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOf takes a source apart.
func TestOf(t *testing.T) {
	const source = `// barrier(CLK_LOCAL_MEM_FENCE) in a comment
void barrier(int flags);
constant int table = 3;
kernel void k(global atomic_int *a, local int *s)
{
	int sum = 0, other = 1;
	for (int i = 0; i < 3; i++)
		sum += i;
	s[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE |
	        CLK_GLOBAL_MEM_FENCE);
	printf("barrier(0)");
	atomic_fetch_add_explicit(a, 1, memory_order_release, memory_scope_device);
	wait_group_events(1, &e); /* mem_fence(1); */ mem_fence(CLK_GLOBAL_MEM_FENCE);
}
`
	var got []string
	for _, m := range Of(source) {
		if strings.Count(m.Source, "\n") != strings.Count(source, "\n") {
			t.Errorf("%s moves lines:\n%s", m.What, m.Source)
		}
		from, to := strings.Split(source, "\n"), strings.Split(m.Source, "\n")
		for i := range from {
			if from[i] != to[i] {
				got = append(got, m.What+" -> "+strings.TrimSpace(to[i]))
				break
			}
		}
	}
	want := []string{
		"no initialization of sum -> int sum, other = 1;",
		"no initialization of other -> int sum = 0, other;",
		"delete s[get_local_id(0)] = 0 -> ((void)0);",
		"delete barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE) -> ((void)0)",
		"CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE becomes CLK_LOCAL_MEM_FENCE -> barrier(CLK_LOCAL_MEM_FENCE",
		"CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE becomes CLK_GLOBAL_MEM_FENCE -> barrier(CLK_GLOBAL_MEM_FENCE",
		"memory_order_release becomes memory_order_relaxed -> atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);",
		"memory_scope_device becomes memory_scope_work_group -> atomic_fetch_add_explicit(a, 1, memory_order_release, memory_scope_work_group);",
		"delete wait_group_events(1, &e) -> ((void)0); /* mem_fence(1); */ mem_fence(CLK_GLOBAL_MEM_FENCE);",
		"delete mem_fence(CLK_GLOBAL_MEM_FENCE) -> wait_group_events(1, &e); /* mem_fence(1); */ ((void)0);",
		"CLK_GLOBAL_MEM_FENCE becomes CLK_LOCAL_MEM_FENCE -> wait_group_events(1, &e); /* mem_fence(1); */ mem_fence(CLK_LOCAL_MEM_FENCE);",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
