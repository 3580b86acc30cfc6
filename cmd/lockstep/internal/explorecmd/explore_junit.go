package explorecmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// family is the runs whose configurations differ in the seed only: one test, so that millions of runs make a
// document that can be read.
type family struct {
	config explore.Config // without a seed
	runs   int
	// differ and found count the runs with another outcome than the first run's, and those with findings;
	// wrong is the first of either, or nil.
	differ, found int
	wrong         *explore.Run
}

// families returns the runs by configuration, in the order of the plan.
func (d *Document) families() []*family {
	var list []*family
	by := map[explore.Config]*family{}
	found := map[string]bool{}
	for i := range d.Outcomes {
		found[d.Outcomes[i].ID] = len(d.Outcomes[i].Findings) > 0
	}
	for i := range d.runs {
		run := &d.runs[i]
		config := run.Config
		config.Seed = 0
		f := by[config]
		if f == nil {
			f = &family{config: config}
			by[config] = f
			list = append(list, f)
		}
		f.runs++
		differs := run.Outcome != d.Outcomes[0].ID
		if differs {
			f.differ++
		}
		if found[run.Outcome] {
			f.found++
		}
		if (differs || found[run.Outcome]) && f.wrong == nil {
			f.wrong = run
		}
	}
	return list
}

// name is what reports call a family.
func (f *family) name() string {
	wave := "waves as they suit"
	if f.config.WaveLanes != 0 {
		wave = fmt.Sprintf("waves of %d", f.config.WaveLanes)
	}
	return fmt.Sprintf("sub-groups of %d, %s, %s", f.config.SubgroupSize, wave, f.config.Schedule)
}

// outcomeNumber is the number of a run's outcome in texts, from 1.
func (d *Document) outcomeNumber(run *explore.Run) int {
	for i := range d.Outcomes {
		if d.Outcomes[i].ID == run.Outcome {
			return i + 1
		}
	}
	return 0
}

// WriteJUnit writes the report as JUnit XML: a test for each configuration without its seed, which fails when
// a run of it has another outcome than the first run of all, or findings.
func (d *Document) WriteJUnit(w io.Writer) error {
	name := d.Kernel
	if len(d.Kernels) > 0 {
		name = strings.Join(d.Kernels, " ")
	}
	suite := batch.JUnitSuite{Name: "lockstep explore " + name}
	for _, f := range d.families() {
		c := batch.JUnitCase{Class: name, Name: f.name()}
		if f.wrong != nil {
			number := d.outcomeNumber(f.wrong)
			m := &batch.JUnitMessage{Message: fmt.Sprintf("of %s, %d with another outcome than the first run of all, %d with findings", cmdline.Counted(f.runs, "run"), f.differ, f.found)}
			var text strings.Builder
			fmt.Fprintf(&text, "outcome %d: %s\n", number, d.commandOf(f.wrong.Config))
			text.WriteString(findingsText(d.Outcomes[number-1].Findings, batch.Style{}))
			m.Text = text.String()
			c.Failure = m
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.Write(w)
}
