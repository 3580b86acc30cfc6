// Run-length compresses a file, or standard input, with the three kernels
// beside it, which run at the same time and are connected by pipes:
//
//	go run ./examples/run-length -in picture.pbm
//
// It prints how long the runs are, and checks that they give the input again.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed runs.cl
var source string

// width is the size of the producer's work-group: what it hands on at once.
const width = 64

func main() {
	log.SetFlags(0)
	in := flag.String("in", "-", "compress `FILE`; - is standard input")
	flag.Parse()
	if err := compressFile(os.Stdout, *in); err != nil {
		log.Fatal(err)
	}
}

func compressFile(w io.Writer, name string) error {
	var input []byte
	var err error
	if name == "-" {
		input, err = io.ReadAll(os.Stdin)
	} else {
		input, err = os.ReadFile(name)
	}
	if err != nil {
		return err
	}
	if len(input) == 0 {
		return errors.New("there is nothing to compress")
	}
	if uint64(len(input)) > math.MaxUint32 {
		return errors.New("there is too much to compress: 4 GiB or more")
	}
	runs, err := compress(input, 4*width, 16, emu.Schedule{})
	if err != nil {
		return err
	}
	longest := run{}
	var back []byte
	for _, r := range runs {
		if r.length > longest.length {
			longest = r
		}
		back = append(back, bytes.Repeat([]byte{byte(r.value)}, int(r.length))...)
	}
	if !bytes.Equal(back, input) {
		return errors.New("the runs do not give the input again")
	}
	_, err = fmt.Fprintf(w, "%d bytes in %d runs; the longest is %d × %q\n", len(input), len(runs), longest.length, rune(longest.value))
	return err
}

// run is a byte and how often it stands there.
type run struct{ value, length uint16 }

// compress runs the three kernels; the first pipe holds that many bytes, at
// least width, the second that many runs.
func compress(input []byte, bytesRoom, runsRoom uint32, schedule emu.Schedule) (runs []run, err error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	program, _, err := dev.BuildProgram(source, "")
	if err != nil {
		return nil, err
	}
	in, err := emu.NewBufferOf(dev, input)
	if err != nil {
		return nil, err
	}
	// Two numbers for each run, of which there may be as many as bytes.
	out, err := dev.NewBuffer(4*uint64(len(input)), emu.BufferOptions{Name: "output"})
	if err != nil {
		return nil, err
	}
	count, err := dev.NewBuffer(4, emu.BufferOptions{Name: "count"})
	if err != nil {
		return nil, err
	}
	stretch, err := dev.NewPipe(emu.PipeOptions{Name: "bytes", PacketBytes: 1, Capacity: bytesRoom})
	if err != nil {
		return nil, err
	}
	found, err := dev.NewPipe(emu.PipeOptions{Name: "runs", PacketBytes: 4, Capacity: runsRoom})
	if err != nil {
		return nil, err
	}
	n := emu.Value(uint32(len(input)))
	set := emu.Set{Schedule: schedule}
	for _, l := range []struct {
		kernel string
		items  uint64
		args   []emu.Arg
	}{
		{"produce", width, []emu.Arg{in, n, stretch}},
		{"compress", 1, []emu.Arg{stretch, n, found}},
		{"store", 1, []emu.Arg{found, out, count}},
	} {
		k, err := program.Kernel(l.kernel)
		if err != nil {
			return nil, err
		}
		set.Launches = append(set.Launches, emu.Launch{Kernel: k, Args: l.args, Range: emu.Range(l.items)})
	}
	if _, err := set.Run(context.Background()); err != nil {
		return nil, err
	}
	many, err := emu.Read[uint32](count)
	if err != nil {
		return nil, err
	}
	numbers, err := emu.Read[uint16](out)
	if err != nil {
		return nil, err
	}
	for i := range many[0] {
		runs = append(runs, run{numbers[2*i], numbers[2*i+1]})
	}
	return runs, nil
}
