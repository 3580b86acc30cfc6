// Systolic-matmul multiplies two matrices by a grid of kernels that know their
// neighbours only:
//
//	go run ./examples/systolic-matmul -rows 4 -columns 4 -depth 6
//
// Each processing element is a launch of its own; all run at the same time and
// are connected by pipes.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed pe.cl
var source string

// maxElements bounds the grid: each element is a launch.
const maxElements = 4096

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 3, "rows of A and of the grid")
	columns := flag.Int("columns", 3, "columns of B and of the grid")
	depth := flag.Int("depth", 4, "columns of A and rows of B")
	capacity := flag.Uint("capacity", 1, "pipes between processing elements hold `PACKETS`")
	flag.Parse()
	if *rows < 1 || *columns < 1 || *depth < 1 || *capacity < 1 || *capacity > math.MaxUint32 {
		log.Fatalf("-rows, -columns and -depth are at least 1, -capacity is from 1 to %d", uint32(math.MaxUint32))
	}
	if *rows > maxElements / *columns {
		log.Fatalf("a grid of %d by %d: this example makes %d processing elements at most", *rows, *columns, maxElements)
	}
	a, b := matrix(*rows, *depth, 1), matrix(*depth, *columns, 2)
	c, stats, err := multiply(a, b, uint32(*capacity), emu.Schedule{})
	if err != nil {
		log.Fatal(err)
	}
	show("A", a)
	show("B", b)
	show("A * B", c)
	fmt.Printf("%d kernels, %d packets between them, %d instructions\n", *rows**columns, stats.packets, stats.instructions)
}

// matrix makes one of small whole numbers.
func matrix(rows, columns, seed int) [][]float32 {
	m := make([][]float32, rows)
	for i := range m {
		m[i] = make([]float32, columns)
		for j := range m[i] {
			m[i][j] = float32((i*7+j*3+seed*5)%9 - 4)
		}
	}
	return m
}

func show(name string, m [][]float32) {
	fmt.Println(name)
	for _, row := range m {
		for _, v := range row {
			fmt.Printf("%6g", v)
		}
		fmt.Println()
	}
}

type stats struct{ packets, instructions uint64 }

// multiply gives each element of the result a kernel, and each edge of the grid
// a pipe. There can be a result besides an error: what kernels left that did something wrong.
func multiply(a, b [][]float32, capacity uint32, schedule emu.Schedule) (c [][]float32, s stats, err error) {
	rows, columns, depth := len(a), len(b[0]), len(b)
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, s, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	program, _, err := dev.BuildProgram(source, "")
	if err != nil {
		return nil, s, err
	}
	pe, err := program.Kernel("pe")
	if err != nil {
		return nil, s, err
	}
	out, err := emu.NewBufferOf(dev, make([]float32, rows*columns))
	if err != nil {
		return nil, s, err
	}

	// Pipe j of a row leads into column j; the last one out of the grid. Those at
	// the edges hold a whole row or column, which the host puts into the first.
	line := func(name string, edges int, packets []float32) ([]*emu.Pipe, error) {
		pipes := make([]*emu.Pipe, edges+1)
		for j := range pipes {
			room := capacity
			if j == 0 || j == edges {
				room = uint32(depth)
			}
			var err error
			if pipes[j], err = dev.NewPipe(emu.PipeOptions{Name: fmt.Sprintf("%s %d", name, j), PacketBytes: 4, Capacity: room}); err != nil {
				return nil, err
			}
		}
		_, err := pipes[0].Write(encode(packets))
		return pipes, err
	}
	east, south := make([][]*emu.Pipe, rows), make([][]*emu.Pipe, columns)
	for i := range east {
		if east[i], err = line(fmt.Sprintf("row %d", i), columns, a[i]); err != nil {
			return nil, s, err
		}
	}
	for j := range south {
		column := make([]float32, depth)
		for k := range column {
			column[k] = b[k][j]
		}
		if south[j], err = line(fmt.Sprintf("column %d", j), rows, column); err != nil {
			return nil, s, err
		}
	}

	set := emu.Set{Schedule: schedule}
	for i := range rows {
		for j := range columns {
			set.Launches = append(set.Launches, emu.Launch{Kernel: pe, Range: emu.Range(1), Args: []emu.Arg{
				east[i][j], south[j][i], east[i][j+1], south[j][i+1], out, emu.Value(uint32(i*columns + j)), emu.Value(uint32(depth))}})
		}
	}
	result, failure := set.Run(context.Background())
	if result != nil {
		for _, p := range result.Pipes {
			s.packets += p.Written
		}
		s.instructions = result.Counters.Instructions
	}
	flat, err := emu.Read[float32](out)
	if err = errors.Join(failure, err); err != nil && flat == nil {
		return nil, s, err
	}
	for i := range rows {
		c = append(c, flat[i*columns:][:columns])
	}
	return c, s, err
}

// encode returns the bytes that kernels see.
func encode(v []float32) []byte {
	var b []byte
	for _, x := range v {
		u := math.Float32bits(x)
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return b
}
