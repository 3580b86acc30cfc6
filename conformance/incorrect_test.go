package conformance

import (
	"bytes"
	"context"
	"slices"
	"testing"
)

// TestHazardsShow: a kernel that runs ahead of its copies does not give the same bits
// under every completion. That is what its findings warn of, and what a schedule is for.
func TestHazardsShow(t *testing.T) {
	cases, err := Load(Builtin(), "cases/gac", "cases/mux", "cases/aao")
	if err != nil {
		t.Fatal(err)
	}
	m := Full()
	m.SubGroups, m.Waves, m.Workers = []int{1, 8}, []int{0}, []int{1}
	m.Marks, m.Shapes = nil, nil
	hazards := 0
	for _, c := range cases {
		if c.Check != ChecksOn || !slices.ContainsFunc(c.Findings, func(f ExpectFinding) bool {
			return f.Code == "E-ASYNCREAD" || f.Code == "E-ASYNCWRITE" || f.Code == "E-ASYNCOVERLAP"
		}) {
			continue
		}
		r, err := c.resolve()
		if err != nil {
			t.Fatal(err)
		}
		trial := &trial{resolved: r, loader: &loader{}, timeout: defaultTimeout}
		if err := trial.prepare(); err != nil {
			t.Fatal(err)
		}
		var first map[buffer][]byte
		differ := false
		for _, cfg := range m.Configs(c) {
			out, err := trial.launch(context.Background(), cfg)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if first == nil {
				first = map[buffer][]byte{}
				for i, b := range out.buffers {
					first[i] = bytes.Clone(b)
				}
			}
			for i, b := range out.buffers {
				differ = differ || !bytes.Equal(b, first[i])
			}
		}
		trial.loader.close()
		if !differ {
			t.Errorf("%s gives the same bits under every schedule", c.Name)
		}
		hazards++
	}
	if hazards < 30 {
		t.Errorf("only %d cases", hazards)
	}
}
