package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/bench"
)

// Targets over all kernels. Times of processors are less disturbed by other work than those of calls.
const (
	allTarget     = 4     // geometric mean against PoCL
	watchedTarget = 3.5   // the same over watched kernels
	levelTarget   = 0.95  // of each kernel, against PoCL: less than this is no noise
	shareTarget   = 0.999 // of the operations of lanes that machine code does, of each kernel
	narrowTarget  = 0.5   // geometric mean of AVX2 against AVX-512
)

// share has machine code counted; it is that of a native engine.
func (c *comparison) share(s *subject, cell *Cell) error {
	a, err := s.proc.ask(request{Op: opShare, Session: s.session})
	if err != nil {
		return err
	}
	cell.MachineCode, cell.Portable = a.Share.Native(), a.Share.Most
	return nil
}

// shareOf counts what machine code does of a session's launch.
func shareOf(s session) (response, error) {
	l, ok := s.(*lockstepSession)
	if !ok {
		return response{}, errors.New("machine code is counted on lockstep only")
	}
	if err := s.reset(); err != nil {
		return response{}, err
	}
	share, err := l.Share(context.Background())
	if err != nil {
		return response{}, err
	}
	return response{Share: *share}, nil
}

// mark marks the name of a watched kernel.
func (row *Row) mark() string {
	if row.Watched {
		return row.Kernel + " *"
	}
	return row.Kernel
}

// againstPoCL is how many times as fast implementation i is as PoCL in CPU time; 0 where that is not known.
func (r *Report) againstPoCL(row *Row, i int) float64 {
	p := r.index(pocl)
	if p < 0 || i < 0 || !row.Cells[p].measured() || !row.Cells[i].measured() {
		return 0
	}
	speed := row.Cells[p].FasterCPU
	if i > 0 {
		if row.Cells[i].FasterCPU == 0 {
			return 0
		}
		speed /= row.Cells[i].FasterCPU
	}
	return speed
}

// processorTable has the kernels in CPU time: the native engine's sets of instructions, PoCL, and how much
// machine code does.
func (r *Report) processorTable() [][]string {
	p, narrow := r.index(pocl), r.index(nativeAVX2)
	counted := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Cells[0].MachineCode > 0 })
	if !r.Implementations[0].native() || p < 0 || !counted {
		return nil // or a record from before machine code was counted
	}
	first := r.Implementations[0].Name
	title := []string{"CPU time", "field", first, pocl, first + " × PoCL"}
	if narrow > 0 {
		title = append(title, nativeAVX2, nativeAVX2+" × PoCL", "AVX2 of AVX-512")
	}
	title = append(title, "machine code", "most of the rest")
	table := [][]string{title}
	speed := func(v float64) string {
		if v == 0 {
			return "-"
		}
		return number(v)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		line := []string{row.mark(), dash(row.Field), number(1e3 * row.Cells[0].CPU),
			number(1e3 * row.Cells[p].CPU), speed(r.againstPoCL(row, 0))}
		if narrow > 0 {
			cell := &row.Cells[narrow]
			of := 0.0
			if cell.FasterCPU > 0 {
				of = 1 / cell.FasterCPU
			}
			line = append(line, number(1e3*cell.CPU), speed(r.againstPoCL(row, narrow)), speed(of))
		}
		rest := ""
		if list := row.Cells[0].Portable; len(list) > 0 && row.Cells[0].MachineCode < shareTarget {
			rest = list[0]
		}
		table = append(table, append(line, percent(row.Cells[0].MachineCode), dash(rest)))
	}
	return table
}

// percent is a share in percent, with enough digits to tell 99.9 from 100.
func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }

// processorNote explains the table.
const processorNote = "Milliseconds that all CPUs together need for a launch; × PoCL is by these times. A kernel with * is watched: its name's hash chose it " +
	"(bench.Watched), and nothing is made for it in particular. \"machine code\" is the part of the operations of lanes that the first engine " +
	"does not leave to the reference engine, and behind it the instruction that is left most often where that is below 99.9 %."

// processorFigures are the targets over all kernels, in CPU time.
func (r *Report) processorFigures() []Figure {
	if !r.Implementations[0].native() || r.index(pocl) < 0 {
		return nil
	}
	var figures []Figure
	for _, i := range []int{0, r.index(nativeAVX2)} {
		if i >= 0 {
			figures = append(figures, r.processorMeans(i)...)
		}
	}
	if i := r.index(nativeAVX2); i > 0 {
		var narrow []float64
		for _, row := range r.Rows {
			if f := row.Cells[i].FasterCPU; f > 0 {
				narrow = append(narrow, 1/f)
			}
		}
		if v := geometricMean(narrow); v > 0 {
			figures = append(figures, Figure{Table: processorTitle, Name: nativeAVX2 + " against " + nativeAVX512,
				Value: v, Unit: "times the speed",
				Target: fmt.Sprintf("at least %g", narrowTarget), Verdict: verdict(v >= narrowTarget),
				Detail: fmt.Sprintf("geometric mean of %d kernels, from %s to %s", len(narrow),
					number(slices.Min(narrow)), number(slices.Max(narrow)))})
		}
	}
	return append(figures, r.shares())
}

// processorTitle is the title above these figures.
const processorTitle = "CPU time, all kernels"

// processorSpeeds are the speeds of an implementation against PoCL, of all kernels and of the watched ones.
func (r *Report) processorSpeeds(i int) (all, watched []float64) {
	for k := range r.Rows {
		if v := r.againstPoCL(&r.Rows[k], i); v > 0 {
			all = append(all, v)
			if r.Rows[k].Watched {
				watched = append(watched, v)
			}
		}
	}
	return all, watched
}

// processorMeans are the geometric means of an implementation against PoCL, and the kernels that are behind
// it.
func (r *Report) processorMeans(i int) []Figure {
	all, watched := r.processorSpeeds(i)
	behind, n := "", 0
	for k := range r.Rows {
		if v := r.againstPoCL(&r.Rows[k], i); v > 0 && v < levelTarget {
			behind = join(behind, fmt.Sprintf("%s %s", r.Rows[k].Kernel, number(v)))
			n++
		}
	}
	name := r.Implementations[i].Name
	var figures []Figure
	for _, m := range []struct {
		what   string
		values []float64
		least  float64
	}{{"all kernels", all, allTarget}, {"watched kernels", watched, watchedTarget}} {
		if len(m.values) == 0 {
			continue
		}
		f := Figure{Table: processorTitle, Name: fmt.Sprintf("%s against PoCL, %s", name, m.what),
			Value: geometricMean(m.values), Unit: "times the speed",
			Detail: fmt.Sprintf("geometric mean of %d kernels, from %s to %s", len(m.values),
				number(slices.Min(m.values)), number(slices.Max(m.values)))}
		if i > 0 {
			m.least = ahead
		}
		f.Target, f.Verdict = fmt.Sprintf("at least %g", m.least), verdict(f.Value >= m.least)
		figures = append(figures, f)
	}
	return append(figures, Figure{Table: processorTitle, Name: name + ", kernels that are not behind PoCL",
		Value: float64(len(all) - n), Unit: "kernels", Target: fmt.Sprintf("all of %d", len(all)),
		Verdict: verdict(behind == ""), Detail: behind})
}

// join puts a word behind others.
func join(list, word string) string {
	if list == "" {
		return word
	}
	return list + ", " + word
}

// shares is how many kernels machine code does nearly alone.
func (r *Report) shares() Figure {
	f := Figure{Table: processorTitle, Name: "kernels with machine code for nearly all", Unit: "kernels"}
	for _, row := range r.Rows {
		if cell := &row.Cells[0]; cell.MachineCode >= shareTarget {
			f.Value++
		} else {
			f.Detail = join(f.Detail, fmt.Sprintf("%s %s", row.Kernel, percent(cell.MachineCode)))
		}
	}
	f.Target, f.Verdict = fmt.Sprintf("all of %d, %s", len(r.Rows), percent(shareTarget)),
		verdict(f.Detail == "")
	return f
}

// firstOnes are the workloads without those of many fields, for the parts of a report that need no more.
func firstOnes(workloads []*bench.Workload) []*bench.Workload {
	list := slices.DeleteFunc(slices.Clone(workloads),
		func(w *bench.Workload) bool { return w.Set == bench.Fields })
	if len(list) == 0 {
		return workloads // others were asked for by name
	}
	return list
}
