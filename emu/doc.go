// Package emu is what a Go program imports to run OpenCL kernels on lockstep's
// software GPU.
//
// A [Device] has memory and limits. A [Program] is OpenCL C, or a SPIR-V module,
// that was checked and compiled for it; a [Kernel] is one of its entry points. A
// [Buffer] is device memory, apart from the host's. A [Launch] says everything
// about one run of a kernel: arguments, sizes, schedule; it runs at once
// ([Launch.Run]) or in the order of a [Queue]. What went wrong while it ran is
// in [Result.Findings], and in a [*FindingsError].
//
//	dev, err := emu.NewDevice(emu.DeviceOptions{})
//	prog, buildLog, err := dev.BuildProgram(source, "-D N=64")
//	k, err := prog.Kernel("saxpy")
//	x, err := emu.NewBufferOf(dev, []float32{1, 2, 3, 4})
//	y, err := emu.NewBufferOf(dev, []float32{4, 3, 2, 1})
//	res, err := k.Run(ctx, emu.Range(4), emu.Value(float32(2)), x, y)
//	out, err := emu.Read[float32](y)
//
// [Device.BuildProgram] compiles OpenCL C with package spirv/clc, whose log says what is
// wrong with a source. [Device.NewProgram] takes a module that a compiler has made.
// A program may be made of several modules ([Device.LinkProgram]), and of a binary
// that another program was written to ([Program.Binary], [Device.LoadBinary]). What one device has
// compiled another can have, too ([Program.On]).
//
// # Memory of the host
//
// [Device.AdoptBuffer] and [Device.AdoptImage] make buffers and images of bytes that stay the caller's. Shared virtual memory
// ([Device.NewSVM], [Device.SVMFrom]) has the host's addresses besides: a kernel follows pointers that the host has
// stored, and the other way round.
//
//	list, err := dev.NewSVM(4096, emu.SVMOptions{Kind: emu.SVMFine})
//	binary.LittleEndian.PutUint64(list.Bytes(), list.Address()+64) // a pointer to byte 64
//	res, err := k.Run(ctx, emu.Range(1), list)
//
// # Determinism
//
// The same module, arguments, launch and options leave the same memory, the
// same printf output, the same counters and the same findings, whatever the
// machine, the number of workers or the engine. Four things are not covered:
//
//   - addresses in shared virtual memory differ from run to run, and so does what a kernel computes from them; findings
//     have none;
//   - the end by a time limit or a cancelled context comes when it comes;
//   - [Launch.Parallel] can force work-groups to run at the same time although
//     they can see each other;
//   - in the order InOrder, work-groups of a kernel whose analysis finds nothing
//     that depends on their order run at the same time. Plain (not atomic) accesses of
//     several groups to the same bytes are a data race, which OpenCL leaves undefined,
//     and the analysis does not look for races. Such a kernel gives the same result
//     every time with one worker, with ParallelNever, and in the other orders.
//
// # Asynchronous copies
//
// Kernels may copy between global and local memory behind their own back: as a
// work-group (async_work_group_copy and what extends it) or each work-item for
// itself (AMDGPU's load-to-LDS operations and async marks). When the bytes move is
// up to [Schedule].Completion. A kernel that waits for what it uses cannot tell;
// with [Launch.Check], one that does not is told which access ran ahead of which
// copy, under every schedule alike. [Launch.Trace] shows what happened when.
//
// # Pipes
//
// A [Pipe] is a queue of packets that one kernel writes and another reads; a
// program may have pipes of its own besides. Kernels that pipes connect run
// together, as a [Set]: each makes progress while the others do, and what
// happens depends on the schedule and its seed only. A [Queue] makes sets of the
// launches that share pipes by itself. The host writes to a pipe before and reads from
// it after a launch, or streams through it while launches run ([Pipe.Feed],
// [Pipe.Drain]).
//
//	p, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 16})
//	set := emu.Set{Launches: []emu.Launch{
//		{Kernel: produce, Args: []emu.Arg{p, n}, Range: emu.Range(1)},
//		{Kernel: consume, Args: []emu.Arg{p, out, n}, Range: emu.Range(1)},
//	}}
//	res, err := set.Run(ctx)
//
// When all that is left waits at pipes, the launches end with the finding
// E-PIPEDEADLOCK, which says who waits for what and who could have helped.
//
// # Concurrency
//
// Everything here may be used from several goroutines. A device runs one
// launch at a time; launches, and the host's access to buffers, wait for the
// one that is running. What a launch calls back ([Launch.Progress],
// [Launch.Output]) must therefore not touch the device.
//
// # Errors
//
// Nothing panics on misuse. A nil, closed or foreign handle is an error that
// wraps [ErrInvalid], [ErrClosed] or [ErrForeign]; an argument that does not
// fit is an [*ArgError], an ND-range that is not allowed a [*RangeError], a
// source that does not compile a [*clc.Error], a module that is refused a [*ModuleError], a binary a [*BinaryError], and too much of
// something a [*LimitError].
//
// The package neither compiles nor executes anything itself: isa/lower turns
// modules into bytecode, package scheduler and an engine run it.
package emu
