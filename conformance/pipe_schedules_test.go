package conformance

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestTenThousandSchedules runs chains of kernels and pipes of one packet under ten thousand seeds with -long, and
// else under some: under none is a packet lost, doubled or out of order.
func TestTenThousandSchedules(t *testing.T) {
	schedules, fewest := amount(500, 2000, 10000), amount(40, 40, 50)
	cases, err := Load(Builtin(), "cases/pip/chain-short", "cases/pip/chain-short-blocking")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r, err := c.resolve()
			if err != nil {
				t.Fatal(err)
			}
			trial := &trial{resolved: r, loader: &loader{}, timeout: defaultTimeout}
			defer trial.loader.close()
			if err := trial.prepare(); err != nil {
				t.Fatal(err)
			}
			different := map[emu.Counters]bool{}
			for seed := range schedules {
				cfg := Config{Engine: engines()[0], SubGroup: 8, Workers: 1, Schedule: emu.Schedule{Order: emu.Seeded, Seed: uint64(seed)}}
				out, err := trial.launch(context.Background(), cfg)
				if err != nil {
					t.Fatalf("%v: %v", cfg, err)
				}
				for _, f := range append(trial.compareFindings(out.findings), trial.compareStep(0, cfg, out)...) {
					t.Fatalf("%v: %s", cfg, f.text)
				}
				different[out.counters] = true
			}
			// Those who try again and again do so more or less often; a try costs the same whether it moves a packet or not, so
			// that only their number shows.
			if c.Name == "cases/pip/chain-short" && len(different) < fewest {
				t.Errorf("only %d schedules differ", len(different))
			}
		})
	}
}
