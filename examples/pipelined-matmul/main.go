// Pipelined-matmul multiplies two matrices of random numbers with the kernels
// beside it: a plain one and two whose tiles asynchronous copies bring while the
// tiles before are multiplied. It says whether all results are the same, bit for
// bit; they are, whenever the copies complete.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed matmul.cl
var source string

// kernels are those of the program, the plain one first.
var kernels = []string{"matmul_plain", "matmul_events", "matmul_marks"}

// tile is the side of a work-group's tile.
const tile = 16

func main() {
	log.SetFlags(0)
	var p problem
	flag.IntVar(&p.m, "m", 100, "`rows` of A")
	flag.IntVar(&p.k, "k", 130, "columns of A and `rows` of B")
	flag.IntVar(&p.n, "n", 70, "`columns` of B")
	seed := flag.Uint64("seed", 1, "the numbers and the schedules are drawn from `N`")
	flag.Parse()
	if err := run(os.Stdout, p, *seed); err != nil {
		log.Fatal(err)
	}
}

// run multiplies with every kernel and under every schedule.
func run(w io.Writer, p problem, seed uint64) error {
	if p.m < 1 || p.n < 1 || p.k < 1 {
		return errors.New("a matrix needs a row and a column")
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range p.m * p.k {
		p.a = append(p.a, random.Float32())
	}
	for range p.k * p.n {
		p.b = append(p.b, random.Float32())
	}
	var want []float32
	for _, kernel := range kernels {
		for _, name := range []string{"early", "late", "paced", "seeded"} {
			schedule, err := emu.ParseSchedule(name, seed)
			if err != nil {
				return err
			}
			c, err := p.multiply("", kernel, emu.Launch{Schedule: schedule, Check: true})
			if err != nil {
				return fmt.Errorf("%s, %s: %w", kernel, name, err)
			}
			if want == nil {
				want = c
			}
			verdict := "same bits"
			if !slices.Equal(c, want) {
				verdict = "DIFFERENT"
			}
			fmt.Fprintf(w, "%-14s %-7s %s\n", kernel, name, verdict)
		}
	}
	return nil
}

// problem is a product: a has m rows of k elements, b has k rows of n.
type problem struct {
	m, n, k int
	a, b    []float32
}

// multiply runs a kernel, compiled with options. The launch says how; its kernel, arguments
// and range are filled in. There can be a result besides an error: what a
// kernel left that did something wrong.
func (p problem) multiply(options, name string, l emu.Launch) ([]float32, error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	program, _, err := dev.BuildProgram(source, options)
	if err != nil {
		return nil, err
	}
	if l.Kernel, err = program.Kernel(name); err != nil {
		return nil, err
	}
	a, err := emu.NewBufferOf(dev, p.a)
	if err != nil {
		return nil, err
	}
	b, err := emu.NewBufferOf(dev, p.b)
	if err != nil {
		return nil, err
	}
	c, err := emu.NewBufferOf(dev, make([]float32, p.m*p.n))
	if err != nil {
		return nil, err
	}
	l.Args = []emu.Arg{a, b, c, emu.Value(uint32(p.m)), emu.Value(uint32(p.n)), emu.Value(uint32(p.k))}
	l.Range = emu.NDRange{Global: []uint64{roundUp(p.n), roundUp(p.m)}, Local: []uint64{tile, tile}}
	_, failure := l.Run(context.Background())
	result, err := emu.Read[float32](c)
	return result, errors.Join(failure, err)
}

// roundUp gives the work-items that cover n elements with whole tiles.
func roundUp(n int) uint64 { return uint64((n + tile - 1) / tile * tile) }
