//go:build !browser

package explorecmd

import (
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// outcomePage is an outcome on the page of explore.
type outcomePage struct {
	Number            int
	Runs, Percent     string
	Command, Findings string
	Color             int // of nine
}

// configurationPage is a row of the table of configurations: how many runs of it came to each outcome.
type configurationPage struct {
	Name string
	Runs int
	Good bool
	Bars []barPage
}

// barPage is a part of a bar.
type barPage struct {
	Color, Outcome int
	Runs, Width    string
}

// WriteHTML writes the report as a page.
func (d *Document) WriteHTML(w io.Writer) error {
	var difference strings.Builder
	d.writeDifference(&difference)
	page := struct {
		Title, Headline, Difference string
		Good                        bool
		Outcomes                    []outcomePage
		Configurations              []configurationPage
	}{
		Title: "lockstep explore: " + d.kernels(), Headline: strings.TrimSpace(d.headline()),
		Difference: strings.TrimSpace(difference.String()), Good: d.OK(),
	}
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		page.Outcomes = append(page.Outcomes, outcomePage{
			Number: i + 1, Runs: cmdline.Counted(o.Runs, "run"), Percent: percent(o.Runs, d.Made), Command: o.Command, Findings: findingsText(o.Findings, batch.Style{}), Color: min(i, 8),
		})
	}
	counts := map[string][]int{} // of runs by outcome, of each configuration
	for i := range d.runs {
		config := d.runs[i].Config
		config.Seed = 0
		name := (&family{config: config}).name()
		if counts[name] == nil {
			counts[name] = make([]int, len(d.Outcomes))
		}
		counts[name][d.outcomeNumber(&d.runs[i])-1]++
	}
	for _, f := range d.families() {
		row := configurationPage{Name: f.name(), Runs: f.runs, Good: f.wrong == nil}
		for i, n := range counts[f.name()] {
			if n > 0 {
				row.Bars = append(row.Bars, barPage{min(i, 8), i + 1, cmdline.Counted(n, "run"), percent(n, f.runs)})
			}
		}
		page.Configurations = append(page.Configurations, row)
	}
	return batch.WritePage(w, "explore", page)
}
