package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The targets, in times the speed of others. Those against PoCL and the
// far one are of the native engine alone.
const (
	level      = 0.9     // of saxpy, which waits for memory
	ahead      = 1       // of the other kernels, against PoCL
	meanTarget = 4       // geometric mean over the eight, against PoCL
	farTarget  = 1000    // of inthash and mandelbrot, against Oclgrind
	handTarget = 1 / 1.5 // against kernels written by hand
)

// compileTarget is the time to compile a kernel.
const compileTarget = 2 * time.Millisecond

// grindTargets are how many times as fast as Oclgrind lockstep shall be where
// it is not grindTarget.
var grindTargets = map[string]float64{"inthash": farTarget, "mandelbrot": farTarget, "blackscholes": 20}

const grindTarget = 100

// targets are those of a row, with what became of them.
func (c *comparison) targets(row *Row) []Target {
	var list []Target
	for i, impl := range c.implementations {
		cell := &row.Cells[i]
		if i == 0 || !cell.measured() {
			continue
		}
		least, native := 0.0, c.implementations[0].native()
		switch {
		case impl.Name == pocl && native:
			switch least = ahead; {
			case row.Kernel == "saxpy":
				least = level
			case row.Field != "":
				least = levelTarget
			}
		case impl.Name == oclgrind && row.Field == "":
			least = grindTarget
			if t := grindTargets[row.Kernel]; t > 0 && (native || t < least) {
				least = t
			}
		case impl.Name == handwritten:
			least = handTarget
		default:
			continue
		}
		list = append(list, Target{Against: impl.Name, Least: least, Verdict: verdict(cell.Faster >= least)})
	}
	return list
}

// geometricMean is 0 when there are no values.
func geometricMean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// faster are the speeds of the first implementation against another, of all
// rows or of the eight alone.
func (r *Report) faster(name string, eight bool) []float64 {
	var values []float64
	for _, row := range r.Rows {
		for i, impl := range r.Implementations {
			if cell := &row.Cells[i]; impl.Name == name && cell.Faster > 0 && (row.Eight || !eight) {
				values = append(values, cell.Faster)
			}
		}
	}
	return values
}

// targetsTable is the title above the figures about the native engine.
const targetsTable = "native engine"

// summary are the targets of the native engine over all kernels.
func (r *Report) summary() []Figure {
	if !r.Implementations[0].native() {
		return nil
	}
	var figures []Figure
	if values := r.faster(pocl, false); len(values) > 0 {
		ok := 0
		for _, row := range r.Rows {
			for _, t := range row.Targets {
				if t.Against == pocl && t.Verdict == holds {
					ok++
				}
			}
		}
		figures = append(figures, Figure{Table: targetsTable, Name: "kernels ahead of PoCL", Value: float64(ok), Unit: "kernels",
			Target: fmt.Sprintf("all of %d", len(values)), Verdict: verdict(ok == len(values)),
			Detail: fmt.Sprintf("saxpy level within %.0f %%", 100*(1-level))})
	}
	for _, impl := range r.Implementations[1:] {
		values := r.faster(impl.Name, true)
		if impl.Name == handwritten || len(values) == 0 {
			continue
		}
		f := Figure{Table: targetsTable, Name: "speed against " + impl.Name, Value: geometricMean(values), Unit: "times the speed",
			Detail: fmt.Sprintf("geometric mean of %d kernels, from %s to %s", len(values), number(slices.Min(values)), number(slices.Max(values)))}
		if impl.Name == pocl {
			f.Target, f.Verdict = fmt.Sprintf("at least %d", meanTarget), verdict(f.Value >= meanTarget)
		}
		figures = append(figures, f)
	}
	figures = append(figures, r.singled()...)
	return append(append(figures, r.compiling()...), r.processorFigures()...)
}

// singled are the kernels that have a target of their own.
func (r *Report) singled() []Figure {
	var figures []Figure
	for _, row := range r.Rows {
		for _, t := range row.Targets {
			i := r.index(t.Against)
			first, cell := &row.Cells[0], &row.Cells[i]
			f := Figure{Table: targetsTable, Name: row.Kernel + " against " + t.Against, Verdict: t.Verdict,
				Detail: fmt.Sprintf("%s and %s", milliseconds(first.Time), milliseconds(cell.equal()))}
			switch {
			case t.Against == handwritten:
				f.Value, f.Unit, f.Target = 1/cell.Faster, "times the time", fmt.Sprintf("at most %g", 1/t.Least)
			case t.Least == farTarget:
				f.Value, f.Unit, f.Target = cell.Faster, "times the speed", fmt.Sprintf("at least %d", farTarget)
			default:
				continue
			}
			figures = append(figures, f)
		}
	}
	return figures
}

// compiling is the kernel that takes longest to compile.
func (r *Report) compiling() []Figure {
	var figures []Figure
	for i, impl := range r.Implementations {
		f := Figure{Table: targetsTable, Name: "longest compilation, " + impl.Name, Unit: "ms",
			Target: fmt.Sprintf("under %d", compileTarget.Milliseconds())}
		for _, row := range r.Rows {
			if t := 1e3 * row.Cells[i].Compile; t > f.Value {
				f.Value, f.Detail = t, "kernel "+row.Kernel
			}
		}
		if f.Value > 0 {
			f.Verdict = verdict(f.Value < 1e3*compileTarget.Seconds())
			figures = append(figures, f)
		}
	}
	return figures
}

// index is the number of an implementation, which must be there.
func (r *Report) index(name string) int {
	for i, impl := range r.Implementations {
		if impl.Name == name {
			return i
		}
	}
	return -1
}
