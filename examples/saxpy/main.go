// Saxpy runs the kernel beside it from a Go program: y = a*x + y.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed saxpy.cl
var source string

func main() {
	y, err := saxpy(2, []float32{0, 1, 2, 3, 4, 5, 6, 7}, []float32{1, 1, 1, 1, 1, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
}

func saxpy(a float32, x, y []float32) ([]float32, error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	prog, _, err := dev.BuildProgram(source, "")
	if err != nil {
		return nil, err
	}
	kernel, err := prog.Kernel("saxpy")
	if err != nil {
		return nil, err
	}
	xs, err := emu.NewBufferOf(dev, x)
	if err != nil {
		return nil, err
	}
	ys, err := emu.NewBufferOf(dev, y)
	if err != nil {
		return nil, err
	}
	// An error says what the kernel did wrong, if it did: where, and to which argument.
	if _, err := kernel.Run(context.Background(), emu.Range(uint64(len(x))), emu.Value(a), xs, ys); err != nil {
		return nil, err
	}
	return emu.Read[float32](ys)
}
