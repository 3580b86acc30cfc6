// Streaming-fir filters a signal with the three kernels beside it, which run at
// the same time and hand samples on through pipes:
//
//	go run ./examples/streaming-fir -n 1000 -capacity 4
//
// The signal is a slow wave with a fast one on top; the filter, an average of
// eight samples, leaves the slow one.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed fir.cl
var source string

// taps is the number of weights that the kernel has.
const taps = 8

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 48, "filter `N` samples")
	capacity := flag.Uint("capacity", 16, "pipes hold `PACKETS`")
	flag.Parse()
	if *n < 1 || *capacity < 1 || *capacity > math.MaxUint32 {
		log.Fatalf("-n is at least 1, -capacity is from 1 to %d", uint32(math.MaxUint32))
	}
	signal := make([]float32, *n)
	for i := range signal {
		signal[i] = float32(math.Sin(float64(i)/8) + 0.5*math.Cos(float64(i)*math.Pi/2))
	}
	result, err := filter(signal, [taps]float32{0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}, uint32(*capacity), emu.Schedule{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range min(*n, 48) {
		fmt.Fprintf(os.Stdout, "%8.4f |%-40s| %8.4f |%s\n", signal[i], plot(signal[i]), result[i], plot(result[i]))
	}
}

// plot marks a value between -1.5 and 1.5 on a line.
func plot(v float32) string {
	return strings.Repeat(" ", int(min(max((v+1.5)*13, 0), 39))) + "*"
}

// filter runs the three kernels together. There can be a result besides an
// error: what kernels left that did something wrong.
func filter(signal []float32, weights [taps]float32, capacity uint32, schedule emu.Schedule) (result []float32, err error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	program, _, err := dev.BuildProgram(source, "")
	if err != nil {
		return nil, err
	}
	in, err := emu.NewBufferOf(dev, signal)
	if err != nil {
		return nil, err
	}
	out, err := emu.NewBufferOf(dev, make([]float32, len(signal)))
	if err != nil {
		return nil, err
	}
	w, err := emu.NewBufferOf(dev, weights[:])
	if err != nil {
		return nil, err
	}
	x, err := dev.NewPipe(emu.PipeOptions{Name: "x", PacketBytes: 4, Capacity: capacity})
	if err != nil {
		return nil, err
	}
	y, err := dev.NewPipe(emu.PipeOptions{Name: "y", PacketBytes: 4, Capacity: capacity})
	if err != nil {
		return nil, err
	}
	n := emu.Value(uint32(len(signal)))
	set := emu.Set{Schedule: schedule}
	for _, l := range []struct {
		kernel string
		args   []emu.Arg
	}{
		{"source", []emu.Arg{in, n, x}},
		{"fir", []emu.Arg{x, y, w, n}},
		{"sink", []emu.Arg{y, out, n}},
	} {
		k, err := program.Kernel(l.kernel)
		if err != nil {
			return nil, err
		}
		set.Launches = append(set.Launches, emu.Launch{Kernel: k, Args: l.args, Range: emu.Range(1)})
	}
	_, failure := set.Run(context.Background())
	result, err = emu.Read[float32](out)
	return result, errors.Join(failure, err)
}
