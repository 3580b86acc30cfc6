package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// imagesTable is the title above the figures about images.
const imagesTable = "images"

// imagesTarget is how many times as fast as PoCL kernels with images are to be.
const imagesTarget = 0.5

// imagesRequest asks for a kernel with images: its number in bench.ImageWorkloads(Size).
type imagesRequest struct{ Number, Size int }

// openImages makes a session of a kernel with images.
func openImages(on implementation, q *request) (session, error) {
	list := bench.ImageWorkloads(q.Images.Size)
	if n := q.Images.Number; n < 0 || n >= len(list) {
		return nil, fmt.Errorf("no kernel with images has number %d", n)
	}
	w := list[q.Images.Number]
	switch on := on.(type) {
	case lockstep:
		s, err := w.Open(emu.DeviceOptions{Workers: q.Workers, Engine: q.Engine, SubgroupSize: q.Subgroup})
		if err != nil {
			return nil, err
		}
		s.Check(q.Check)
		return &lockstepSession{Session: s}, nil
	case opencl:
		with := *q
		with.Launch = w.Launch
		return on.openSource(w.Kernel, bench.ImageSource, &with)
	}
	return nil, errors.New("it has no kernels with images")
}

// images measures kernels with images on lockstep's engines and on PoCL.
func (c *comparison) images() ([]Figure, error) {
	n := 1024
	if c.sizes == "small" {
		n = 128
	}
	var figures []Figure
	for i, w := range bench.ImageWorkloads(n) {
		progress("%s", w.Name)
		f, err := c.image(w, imagesRequest{i, n})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// image measures one kernel on each implementation, in rounds.
func (c *comparison) image(w *bench.ImageWorkload, q imagesRequest) (Figure, error) {
	f := Figure{Table: imagesTable, Name: w.Name, Unit: "times PoCL's speed", Target: fmt.Sprintf("at least %g", imagesTarget)}
	var names []string
	var procs []*process
	for i, impl := range c.implementations {
		if impl.lockstep() || impl.Name == pocl {
			names, procs = append(names, impl.Name), append(procs, c.processes[i])
		}
	}
	judge := slices.Index(names, pocl)
	if judge < 0 {
		f.Verdict, f.Detail = "-", "PoCL is not there"
		return f, nil
	}
	sessions, times, cpu := make([]int, len(procs)), make([][]time.Duration, len(procs)), make([][]time.Duration, len(procs))
	outputs := make([][]byte, len(procs))
	for i, p := range procs {
		var err error
		if sessions[i], _, err = p.open(request{Images: &q}); err != nil {
			return f, err
		}
		a, err := p.ask(request{Op: opFirst, Session: sessions[i]})
		if err != nil {
			return f, err
		}
		outputs[i] = a.Outputs[0]
	}
	result, err := imageAgreement(w, names, outputs, judge)
	if err != nil {
		return f, err
	}
	for range c.runs {
		for i, p := range procs {
			a, err := p.measure(sessions[i], c.budget)
			if err != nil {
				return f, err
			}
			times[i], cpu[i] = append(times[i], median(a.Times)), append(cpu[i], a.CPU/time.Duration(len(a.Times)))
		}
	}
	f.Value = median(ratios(times[judge], times[0]))
	var each []string
	for i, name := range names {
		text := name + " " + milliseconds(median(times[i]).Seconds())
		if i != judge {
			text += fmt.Sprintf(" (%s×, %s× in CPU time)", number(median(ratios(times[judge], times[i]))), number(median(ratios(cpu[judge], cpu[i]))))
		}
		each = append(each, text)
	}
	f.Detail = fmt.Sprintf("%s work-items; %s; %s", describe(w.Launch), strings.Join(each, ", "), result)
	f.Verdict = verdict(f.Value >= imagesTarget)
	for i, p := range procs {
		if err := closeSessions(p, sessions[i:i+1]); err != nil {
			return f, err
		}
	}
	return f, nil
}

// imageAgreement says how far the images that implementations wrote are apart. lockstep's engines give the
// same bits.
func imageAgreement(w *bench.ImageWorkload, names []string, outputs [][]byte, judge int) (string, error) {
	args, err := bench.ParseArgs(w.Launch)
	if err != nil {
		return "", err
	}
	t := args[w.Kernel.Outputs[0]].Type
	worst := 0.0
	for i, name := range names {
		d := imageDistance(t, outputs[0], outputs[i])
		switch {
		case i == judge && d <= w.Tolerance:
			worst = d
		case i == judge:
			return "", fmt.Errorf("%s differs by %g, more than %g", name, d, w.Tolerance)
		case d != 0:
			return "", fmt.Errorf("%s differs from %s by %g", name, names[0], d)
		}
	}
	if worst == 0 {
		return sameBits, nil
	}
	return fmt.Sprintf("elements differ by %.2g", worst), nil
}

// imageDistance returns the largest distance of two elements: that of integers, and of floats as a share of
// the largest.
func imageDistance(t argspec.Type, a, b []byte) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	value := func(p []byte) float64 {
		switch {
		case t == argspec.F32:
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
		case t == argspec.I16:
			return float64(int16(binary.LittleEndian.Uint16(p)))
		}
		return float64(p[0])
	}
	worst, most := 0.0, 1.0
	size := t.Size()
	for i := 0; i < len(a); i += size {
		x, y := value(a[i:]), value(b[i:])
		if d := math.Abs(x - y); d > worst || d != d {
			worst = d
		}
		most = max(most, math.Abs(x))
	}
	if t == argspec.F32 {
		worst /= most
	}
	return worst
}
