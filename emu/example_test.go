package emu_test

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
)

// The examples use modules that clang made from testdata/launch.cl,
// testdata/fault.cl and testdata/pipes.cl.
var (
	//go:embed testdata/launch.spv
	launchModule []byte
	//go:embed testdata/fault.spv
	faultModule []byte
	//go:embed testdata/pipes.spv
	pipesModule []byte
)

// A kernel from its source to the result.
func Example() {
	const source = `kernel void saxpy(float a, global const float *x, global float *y)
{
	size_t i = get_global_id(0);
	y[i] = a * x[i] + y[i];
}
`
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	prog, _, err := dev.BuildProgram(source, "")
	if err != nil {
		log.Fatal(err)
	}
	saxpy, err := prog.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}
	x, err := emu.NewBufferOf(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	y, err := emu.NewBufferOf(dev, []float32{10, 10, 10, 10})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := saxpy.Run(context.Background(), emu.Range(4), emu.Value(float32(2)), x, y); err != nil {
		log.Fatal(err)
	}
	result, err := emu.Read[float32](y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: [12 14 16 18]
}

// What the compiler says of a source is in the log, also when it does not compile.
func ExampleDevice_BuildProgram() {
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	_, buildLog, err := dev.BuildProgram("kernel void fill(global int *to)\n{\n  to[get_global_id(0)] = VALEU;\n}\n", "-D VALUE=7 -cl-std=CL2.0")
	fmt.Println(err)
	for _, d := range buildLog.Diagnostics {
		fmt.Printf("line %d: %s\n", d.Line, d.Severity)
	}
	prog, _, err := dev.BuildProgram("kernel void fill(global int *to)\n{\n  to[get_global_id(0)] = VALUE;\n}\n", "-D VALUE=7 -cl-std=CL2.0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prog.Kernels())
	// Output:
	// program.cl:3:26: error: the name 'VALEU' is not declared
	// line 3: error
	// [fill]
}

// example returns a kernel of a module on a device with given options.
func example(module []byte, name string, opt emu.DeviceOptions) (*emu.Device, *emu.Kernel) {
	dev, err := emu.NewDevice(opt)
	if err != nil {
		log.Fatal(err)
	}
	prog, err := dev.NewProgram(module, emu.ProgramOptions{
		// The module names fault.cl; its text is in testdata.
		Sources: func(name string) ([]byte, error) { return emu.FileSources(filepath.Join("testdata", name)) },
	})
	if err != nil {
		log.Fatal(err)
	}
	k, err := prog.Kernel(name)
	if err != nil {
		log.Fatal(err)
	}
	return dev, k
}

// What a kernel does wrong is an error with everything there is to say about
// it. The buffers keep their contents, and the device goes on.
func ExampleFindingsError() {
	dev, vecadd := example(faultModule, "vecadd", emu.DeviceOptions{})
	a, _ := emu.NewBufferOf(dev, make([]int32, 20))
	b, _ := emu.NewBufferOf(dev, make([]int32, 20))
	c, _ := emu.NewBufferOf(dev, make([]int32, 16))
	l := emu.Launch{Kernel: vecadd, Args: []emu.Arg{a, b, c}, Range: emu.NDRange{Global: []uint64{17}, Local: []uint64{1}}}
	_, err := l.Run(context.Background())
	var fe *emu.FindingsError
	if errors.As(err, &fe) {
		fmt.Print(fe.Findings.Text())
	}
	// Output:
	// error[E-OOB]: out-of-bounds write of 4 bytes
	//  --> fault.cl:5:7 in kernel vecadd
	//   |
	// 5 |     c[i] = a[i] + b[i];
	//   |          ^ c[16] is past the end: c has 16 elements of uint (64 bytes)
	//   = note: c is argument 2 of kernel vecadd: global uint*, 64 bytes
	//   = note: work-item (16,0,0): local (0,0,0) in group (16,0,0), sub-group 0, lane 0
	//   = help: 17 work-items run for 16 elements: run 16, or test the index before the access, as in `if (i < n)`
}

// Everything that a launch can say: sizes, offset, schedule, limits.
func ExampleLaunch() {
	dev, ids := example(launchModule, "ids", emu.DeviceOptions{SubgroupSize: 8})
	out, _ := emu.NewBufferOf(dev, make([]uint32, 4*6))
	l := emu.Launch{
		Kernel:   ids,
		Args:     []emu.Arg{out},
		Range:    emu.NDRange{Global: []uint64{3, 2}, Local: []uint64{2, 2}, Offset: []uint64{100, 0}},
		Schedule: emu.Schedule{Order: emu.Seeded, Seed: 7},
		Check:    true,
		Timeout:  time.Minute,
	}
	res, err := l.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	v, _ := emu.Read[uint32](out)
	for i := 0; i < len(v); i += 4 {
		fmt.Println(v[i : i+4])
	}
	fmt.Println("groups", res.Groups, "waves", res.Counters.Waves)
	// Output:
	// [100 0 0 0]
	// [101 0 0 1]
	// [102 0 0 0]
	// [100 1 0 2]
	// [101 1 0 3]
	// [102 1 0 1]
	// groups [2 1 1] waves 2
}

// Arguments of every kind: a struct, vectors, scalars, buffers.
func ExampleArg() {
	dev, values := example(launchModule, "values", emu.DeviceOptions{})
	out, _ := emu.NewBufferOf(dev, make([]float64, 6))
	// struct { char tag; int x; double w; }, with its padding.
	point := []byte{65, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}
	_, err := values.Run(context.Background(), emu.Range(1),
		emu.Bytes(point),
		emu.Vector[float32](0.5, 0.25, 0.125),
		emu.Vector[int16](1, 2, 3, 4, 5, 6, 7, 8),
		emu.Value(uint8(255)),
		out)
	if err != nil {
		log.Fatal(err)
	}
	v, _ := emu.Read[float64](out)
	fmt.Println(v)

	_, err = values.Run(context.Background(), emu.Range(1), emu.Bytes(point), emu.Null(), emu.Null(), emu.Null(), out)
	fmt.Println(err)
	// Output:
	// [65 258 1.5 0.875 9 255]
	// kernel values, argument 1 "v" (float3): a null pointer given, the parameter takes 16 bytes by value (Value, Vector or Bytes)
}

// What a kernel prints comes in the order of the schedule, however many
// workers run it.
func ExampleResult() {
	_, hello := example(launchModule, "hello", emu.DeviceOptions{Workers: 4})
	l := emu.Launch{Kernel: hello, Args: []emu.Arg{emu.Value(uint32(1))}, Range: emu.NDRange{Global: []uint64{4}, Local: []uint64{2}}}
	res, err := l.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(res.Output)
	// Output:
	// group 0 item 0: 0
	// group 0 item 1: 0
	// group 1 item 0: 0
	// group 1 item 1: 0
}

// A queue runs commands in order while the program does something else.
func ExampleQueue() {
	dev, saxpy := example(launchModule, "saxpy", emu.DeviceOptions{})
	x, _ := emu.NewBufferOf(dev, []float32{1, 2})
	y, _ := emu.NewBufferOf(dev, []float32{0, 0})
	q, err := dev.NewQueue()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	var last *emu.Event
	for range 10 {
		last, err = q.Launch(ctx, emu.Launch{Kernel: saxpy, Args: []emu.Arg{emu.Value(float32(1)), x, y}, Range: emu.Range(2)})
		if err != nil {
			log.Fatal(err)
		}
	}
	if _, err := last.Wait(); err != nil {
		log.Fatal(err)
	}
	v, _ := emu.Read[float32](y)
	fmt.Println(v)
	// Output: [10 20]
}

// A kernel that never ends is ended by a time limit, or by its context.
func ExampleLaunch_timeout() {
	dev, forever := example(faultModule, "forever", emu.DeviceOptions{})
	b, _ := emu.NewBufferOf(dev, []int32{0})
	l := emu.Launch{Kernel: forever, Args: []emu.Arg{b}, Range: emu.NDRange{Global: []uint64{16}, Local: []uint64{16}}, Timeout: time.Millisecond}
	res, err := l.Run(context.Background())
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(res.Findings.Findings[0].Code)
	// Output:
	// true
	// E-TIMEOUT
}

// The host may work on a buffer's own bytes between launches.
func ExampleBuffer_Map() {
	dev, saxpy := example(launchModule, "saxpy", emu.DeviceOptions{})
	x, _ := emu.NewBufferOf(dev, []float32{1})
	y, _ := emu.NewBufferOf(dev, []float32{0})
	bytes, err := y.Map()
	if err != nil {
		log.Fatal(err)
	}
	copy(bytes, []byte{0, 0, 0x80, 0x3f}) // 1.0, little-endian
	_, err = saxpy.Run(context.Background(), emu.Range(1), emu.Value(float32(1)), x, y)
	fmt.Println(errors.Is(err, emu.ErrMapped))
	if err := y.Unmap(); err != nil {
		log.Fatal(err)
	}
	if _, err := saxpy.Run(context.Background(), emu.Range(1), emu.Value(float32(1)), x, y); err != nil {
		log.Fatal(err)
	}
	v, _ := emu.Read[float32](y)
	fmt.Println(v)
	// Output:
	// true
	// [2]
}

// A module says what its kernels take.
func ExampleKernel_Params() {
	_, values := example(launchModule, "values", emu.DeviceOptions{})
	for _, p := range values.Params() {
		fmt.Println(p.Index, p.Type, p.Name, p.Size)
	}
	// Output:
	// 0 struct.point p 16
	// 1 float3 v 16
	// 2 ushort8 s 16
	// 3 uchar b 1
	// 4 double* out 8
}

// A producer and a consumer that run together, through a pipe with room for one
// packet.
func ExampleSet() {
	dev, talk := example(pipesModule, "talk", emu.DeviceOptions{})
	prog, err := dev.NewProgram(pipesModule, emu.ProgramOptions{})
	if err != nil {
		log.Fatal(err)
	}
	hear, err := prog.Kernel("hear")
	if err != nil {
		log.Fatal(err)
	}
	pipe, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 1})
	if err != nil {
		log.Fatal(err)
	}
	n := emu.Value(uint32(2))
	set := emu.Set{Launches: []emu.Launch{
		{Kernel: talk, Args: []emu.Arg{pipe, n}, Range: emu.Range(1)},
		{Kernel: hear, Args: []emu.Arg{pipe, n}, Range: emu.Range(1)},
	}}
	res, err := set.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(res.Output)
	fmt.Println("through the pipe:", res.Pipes[0].Read)
	// Output:
	// wrote 0
	// read 0
	// wrote 1
	// read 1
	// through the pipe: 2
}

// The host's ends of pipes: bytes from a reader stream through a kernel to a
// writer.
func ExamplePipe() {
	dev, relay := example(pipesModule, "relay", emu.DeviceOptions{}) // adds 1 to each packet
	in, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 2})
	if err != nil {
		log.Fatal(err)
	}
	out, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 2})
	if err != nil {
		log.Fatal(err)
	}
	var result bytes.Buffer
	if err := errors.Join(in.Feed(strings.NewReader("Gelln pioes!")), out.Drain(&result)); err != nil {
		log.Fatal(err)
	}
	if _, err := relay.Run(context.Background(), emu.Range(1), in, out, emu.Value(uint32(3))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.String())
	// Output: Hello pipes!
}
