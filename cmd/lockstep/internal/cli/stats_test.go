package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestLineStats holds that the counts by line are the same on each engine, with any number of workers, any width of
// waves and any order, and that they depend on the size of sub-groups.
func TestLineStats(t *testing.T) {
	counts := func(line string) string {
		t.Helper()
		args, err := parse(line + " -stats=lines -json")
		if err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := (&world{written: map[string][]byte{}}).run(context.Background(), args, nil)
		var doc struct{ Stats json.RawMessage }
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || status != 0 || len(doc.Stats) == 0 {
			t.Fatalf("%s: status %d, %v\n%s", line, status, err, stderr)
		}
		return string(doc.Stats)
	}
	engines := []string{"interp", "auto"}
	if _, stderr, status := (&world{}).run(context.Background(), []string{"run", "race.cl", "-global", "1", "-arg", "zero:i32:2", "-engine", "native"}, nil); status == 0 {
		engines = append(engines, "native")
	} else {
		t.Logf("no engine native: %s", stderr)
	}
	for _, kernel := range []string{
		"examples/tutorial/06-divergence.cl -kernel neighbours -global 100 -local 50 -arg zero:i32:100",
		"examples/tutorial/08-bank-conflicts.cl -kernel conflicts -global 32,16 -local 32,4 -arg iota:f32:1k -arg zero:f32:1k",
		"examples/tutorial/09-atomics.cl -kernel one -global 256 -local 64 -arg iota:i32:256 -arg zero:i32:1",
		"stats.cl -global 256 -local 64 -arg iota:i32:256 -arg zero:i32:256",
	} {
		bySize := map[string]bool{}
		for _, size := range []int{8, 32} {
			want := counts(fmt.Sprintf("run %s -subgroup %d", kernel, size))
			bySize[want] = true
			for _, engine := range engines {
				for _, flags := range []string{"-workers 1", "-workers 4", "-schedule reverse", fmt.Sprintf("-wave %d", size)} {
					line := fmt.Sprintf("run %s -subgroup %d -engine %s %s", kernel, size, engine, flags)
					if got := counts(line); got != want {
						t.Errorf("%s: %s", line, difference(want, got))
					}
				}
			}
		}
		if len(bySize) != 2 {
			t.Errorf("%s: the counts do not depend on the size of sub-groups", kernel)
		}
	}
	// Copies move on the schedule's clock.
	matmul := "run examples/pipelined-matmul/matmul.cl -kernel matmul_events -global 16,16 -arg rand:f32:512:1 -arg rand:f32:512:2 -arg zero:f32:256 " +
		"-arg u32:16 -arg u32:16 -arg u32:32 -schedule paced -dma-step 16"
	want := counts(matmul)
	if !strings.Contains(want, `"copy_wait_ticks": 31`) {
		t.Errorf("no wait of 31 ticks in %s", want)
	}
	for _, engine := range engines {
		for _, workers := range []int{1, 4} {
			if got := counts(fmt.Sprintf("%s -engine %s -workers %d", matmul, engine, workers)); got != want {
				t.Errorf("engine %s, %d workers: %s", engine, workers, difference(want, got))
			}
		}
	}
}
