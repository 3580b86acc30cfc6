// Command host is a small OpenCL program: it builds a kernel from source, runs
// it once and writes one of its buffers to a file. It is what a process start
// of lockstep's command line is held against.
//
//	host LIBRARY PLATFORM SOURCE KERNEL GLOBAL LOCAL OUT=FILE SPEC...
//
// LIBRARY is the OpenCL library, "" the system's, and PLATFORM the number of
// one of its platforms. GLOBAL and LOCAL are numbers of work-items, SPECs those
// of package argspec, and OUT the number of the argument that is written.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) < 7 {
		return errors.New("usage: host LIBRARY PLATFORM SOURCE KERNEL GLOBAL LOCAL OUT=FILE and a SPEC for each argument")
	}
	var numbers [4]uint64
	out, file, _ := strings.Cut(words[6], "=")
	for i, word := range []string{words[1], words[4], words[5], out} {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			return err
		}
		numbers[i] = n
	}
	source, err := os.ReadFile(words[2])
	if err != nil {
		return err
	}
	context, err := open(words[0], int(numbers[0]))
	if err != nil {
		return err
	}
	queue, err := context.NewQueue()
	if err != nil {
		return err
	}
	program, err := context.ProgramFromSource(string(source))
	if err != nil {
		return err
	}
	if err := program.Build("-cl-std=CL1.2"); err != nil {
		return err
	}
	kernel, err := program.Kernel(words[3])
	if err != nil {
		return err
	}
	buffers := make([]*ocl.Buffer, len(words[7:]))
	for i, spec := range words[7:] {
		if buffers[i], err = argument(context, queue, kernel, i, spec); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	event, err := queue.Launch(kernel, numbers[1:2], numbers[2:3], nil)
	if err != nil {
		return err
	}
	if err := event.Wait(); err != nil {
		return err
	}
	if numbers[3] >= uint64(len(buffers)) || buffers[numbers[3]] == nil {
		return fmt.Errorf("argument %d is no buffer", numbers[3])
	}
	b := buffers[numbers[3]]
	data := make([]byte, b.Size())
	if err := queue.Read(b, data); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// open makes a context of the platform's first device.
func open(library string, platform int) (*ocl.Context, error) {
	lib, err := ocl.Load(library)
	if err != nil {
		return nil, err
	}
	platforms, err := lib.Platforms()
	if err != nil {
		return nil, err
	}
	if platform >= len(platforms) {
		return nil, fmt.Errorf("no platform %d: there are %d", platform, len(platforms))
	}
	devices, err := platforms[platform].Devices()
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("platform %s has no device", platforms[platform].Name)
	}
	return devices[0].NewContext()
}

// argument gives the kernel argument i, and returns the buffer if it is one.
func argument(context *ocl.Context, queue *ocl.Queue, kernel *ocl.Kernel, i int, spec string) (*ocl.Buffer, error) {
	a, err := argspec.Parse(spec, nil)
	if err != nil {
		return nil, err
	}
	switch a.Kind {
	case argspec.Local:
		return nil, kernel.SetLocal(i, a.Count)
	case argspec.Value:
		return nil, kernel.SetBytes(i, a.Data)
	case argspec.Buffer:
		b, err := context.NewBuffer(len(a.Data))
		if err != nil {
			return nil, err
		}
		if err := queue.Write(b, a.Data); err != nil {
			return nil, err
		}
		return b, kernel.SetBuffer(i, b)
	}
	return nil, fmt.Errorf("%q is neither a buffer nor a value", spec)
}
