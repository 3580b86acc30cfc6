package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// Ways of copying in a request to open a session: Go's copy in the place of a
// kernel of copies.
const (
	byLines  = "lines"
	byBlocks = "blocks"
)

// goCopy is a session that does with Go's copy what kernel tiles2d does.
type goCopy struct {
	tiles *bench.TileCopy
	do    func()
}

// openCopy makes the session for a launch of kernel tiles2d.
func openCopy(l kernels.Launch, by string) (session, error) {
	args, err := bench.ParseArgs(l)
	if err != nil {
		return nil, err
	}
	if len(args) != 3 || len(args[2].Data) != 4 {
		return nil, errors.New("the launch is not one of kernel tiles2d")
	}
	c := &bench.TileCopy{In: args[0].Data, Out: args[1].Data, Across: int(element(args[2].Data, 4))}
	switch by {
	case byLines:
		return goCopy{c, c.Lines}, nil
	case byBlocks:
		return goCopy{c, c.Blocks}, nil
	}
	return nil, fmt.Errorf("no way of copying is called %q", by)
}

func (s goCopy) build() time.Duration       { return 0 }
func (s goCopy) reset() error               { return nil }
func (s goCopy) outputs() ([][]byte, error) { return [][]byte{bytes.Clone(s.tiles.Out)}, nil }
func (s goCopy) close() error               { return nil }

func (s goCopy) run() (time.Duration, error) {
	begin := time.Now()
	s.do()
	return time.Since(begin), nil
}

// rival is one of several sessions that are measured by turns.
type rival struct {
	process *process
	request request
	session int
	times   []time.Duration // median of each round
	cpu     []time.Duration // mean of each round
}

// race opens a session for each rival, sees that all leave the same bits, and
// measures them in rounds.
func (c *comparison) race(rivals []*rival) error {
	var want [][]byte
	for i, r := range rivals {
		session, _, err := r.process.open(r.request)
		if err != nil {
			return err
		}
		r.session = session
		a, err := r.process.ask(request{Op: opFirst, Session: session})
		if err != nil {
			return err
		}
		if i == 0 {
			want = a.Outputs
			continue
		}
		for j, out := range a.Outputs {
			if !bytes.Equal(out, want[j]) {
				return fmt.Errorf("%s leaves other bits than %s", rivals[i].request.Kernel, rivals[0].request.Kernel)
			}
		}
	}
	for range c.runs {
		for _, r := range rivals {
			a, err := r.process.measure(r.session, c.budget)
			if err != nil {
				return err
			}
			r.times = append(r.times, median(a.Times))
			r.cpu = append(r.cpu, a.CPU/time.Duration(len(a.Times)))
		}
	}
	for _, r := range rivals {
		if _, err := r.process.ask(request{Op: opClose, Session: r.session}); err != nil {
			return err
		}
	}
	return nil
}

// The least speed of copies and of pipelined kernels, against what they are
// measured with.
const (
	copyTarget     = 0.8
	pipelineTarget = 0.9
)

// copiesTable is the title above the figures about asynchronous copies.
const copiesTable = "asynchronous copies"

// copies measures copies in two dimensions against Go's copy of the same lines.
func (c *comparison) copies() ([]Figure, error) {
	across, down := 16, 16
	if c.sizes == "small" {
		across, down = 4, 4
	}
	l := bench.Tiles(across, down)
	p := c.processes[0]
	kernel := &rival{process: p, request: request{Kernel: "tiles2d", Launch: l, Workers: 1}}
	lines := &rival{process: p, request: request{Kernel: "Go's copy", Launch: l, Copy: byLines}}
	blocks := &rival{process: p, request: request{Kernel: "Go's copy", Launch: l, Copy: byBlocks}}
	if err := c.race([]*rival{kernel, lines, blocks}); err != nil {
		return nil, err
	}
	moved := float64(2 * across * down * bench.TileBytes)
	rate := func(r *rival) string { return number(moved/median(r.times).Seconds()/1e6) + " MB/s" }
	speed := median(ratios(lines.times, kernel.times))
	return []Figure{{
		Table: copiesTable,
		Name:  "dma2d: copies of 64 KiB tiles against Go's copy", Value: speed, Unit: "times the speed",
		Target: fmt.Sprintf("at least %g", copyTarget), Verdict: verdict(speed >= copyTarget),
		Detail: fmt.Sprintf("tiles2d, %d x %d tiles in and out, one worker: %s; Go's copy of the same lines %s; of 64 KiB at once %s, against which it is %s times the speed",
			across, down, rate(kernel), rate(lines), rate(blocks), number(median(ratios(blocks.times, kernel.times)))),
	}}, nil
}

// pipelines measures the software-pipelined matrix products against the plain one.
func (c *comparison) pipelines() (figures []Figure, err error) {
	n := 512
	if c.sizes == "small" {
		n = 128
	}
	p := c.processes[0]
	plain := &rival{process: p, request: request{Kernel: "matmul", Launch: bench.Matmul(n)}}
	rivals := []*rival{plain}
	for _, name := range bench.Pipelined {
		rivals = append(rivals, &rival{process: p, request: request{Kernel: name, Launch: bench.Product(n)}})
	}
	if err := c.race(rivals); err != nil {
		return nil, err
	}
	for i, r := range rivals[1:] {
		speed := median(ratios(plain.times, r.times))
		f := Figure{
			Table: copiesTable,
			Name:  "matmul-pipelined: " + r.request.Kernel + " against matmul", Value: speed, Unit: "times the speed",
			Detail: fmt.Sprintf("%d x %d work-items, tiles of 16 by 16: %s and %s; in CPU time %s", n, n,
				milliseconds(median(r.times).Seconds()), milliseconds(median(plain.times).Seconds()), number(median(ratios(plain.cpu, r.cpu)))),
		}
		if i == 0 {
			// The target is for copies of work-groups; those of single work-items
			// are more to model.
			f.Target, f.Verdict = fmt.Sprintf("at least %g", pipelineTarget), verdict(speed >= pipelineTarget)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
