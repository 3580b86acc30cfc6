package main

// #include "opencl.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// kernel is a cl_kernel: a kernel of a program, and the arguments for the next launch.
type kernel struct {
	object
	program *program
	emu     *emu.Kernel
	entry   *spirv.EntryPoint
	params  []emu.Param
	uniform bool // all work-groups must have the same size

	mu   sync.Mutex
	args []kernelArg
}

// kernelArg is an argument that was set. An object may be gone when the kernel is launched.
type kernelArg struct {
	set    bool
	memory *memory
	handle unsafe.Pointer // of the memory
	value  emu.Arg        // anything else
	local  uint64         // bytes of local memory
	bytes  []byte         // of an argument by value
	null   bool           // a null pointer

	address uint64 // in shared virtual memory
}

func findKernel(h C.cl_kernel) (*kernel, bool) { return lookup[*kernel](unsafe.Pointer(h)) }

func (k *kernel) id() C.cl_kernel { return C.cl_kernel(k.handle) }

// newKernel makes the kernel of a name. The program is locked. The error is for the host to read.
func (p *program) newKernel(name string) (*kernel, C.cl_int, error) {
	if p.built.program == nil {
		return nil, C.CL_INVALID_PROGRAM_EXECUTABLE, nil
	}
	var entry *spirv.EntryPoint
	for i := range p.built.info.EntryPoints {
		if p.built.info.EntryPoints[i].Name == name {
			entry = &p.built.info.EntryPoints[i]
		}
	}
	if entry == nil {
		return nil, C.CL_INVALID_KERNEL_NAME, nil
	}
	e, err := p.built.program.Kernel(name)
	if err != nil {
		return nil, C.CL_INVALID_KERNEL_DEFINITION, fmt.Errorf("kernel %s: %w", name, err)
	}
	k := &kernel{program: p, emu: e, entry: entry, params: e.Params(), uniform: p.built.uniform}
	k.args = make([]kernelArg, len(k.params))
	return k, p.enterKernel(k), nil
}

// enterKernel makes the handle. The program is locked.
func (p *program) enterKernel(k *kernel) C.cl_int {
	if !enter(k, func() {
		p.mu.Lock()
		p.kernels--
		p.mu.Unlock()
		p.drop()
	}) {
		return C.CL_OUT_OF_HOST_MEMORY
	}
	p.kernels++
	p.hold()
	return C.CL_SUCCESS
}

//export clCreateKernel
func clCreateKernel(h C.cl_program, name *C.const_char, errcode *C.cl_int) C.cl_kernel {
	p, ok := findProgram(h)
	switch {
	case !ok:
		set(errcode, C.CL_INVALID_PROGRAM)
		return nil
	case name == nil:
		set(errcode, C.CL_INVALID_VALUE)
		return nil
	}
	p.mu.Lock()
	k, code, err := p.newKernel(goString(name))
	p.mu.Unlock()
	if err != nil {
		p.ctx.report(err.Error())
	}
	set(errcode, code)
	if code != C.CL_SUCCESS {
		return nil
	}
	return k.id()
}

//export clCreateKernelsInProgram
func clCreateKernelsInProgram(h C.cl_program, n C.cl_uint, kernels *C.cl_kernel, count *C.cl_uint) C.cl_int {
	p, ok := findProgram(h)
	if !ok {
		return C.CL_INVALID_PROGRAM
	}
	p.mu.Lock()
	executable := p.built.program != nil
	names := p.built.kernelNames()
	p.mu.Unlock()
	switch {
	case !executable:
		return C.CL_INVALID_PROGRAM_EXECUTABLE
	case kernels != nil && int(n) < len(names):
		return C.CL_INVALID_VALUE
	}
	set(count, C.cl_uint(len(names)))
	if kernels == nil {
		return C.CL_SUCCESS
	}
	made := unsafe.Slice(kernels, len(names))
	for i, name := range names {
		p.mu.Lock()
		k, code, err := p.newKernel(name)
		p.mu.Unlock()
		if code != C.CL_SUCCESS {
			for _, k := range made[:i] {
				release[*kernel](unsafe.Pointer(k))
			}
			if err != nil {
				p.ctx.report(err.Error())
			}
			return code
		}
		made[i] = k.id()
	}
	return C.CL_SUCCESS
}

//export clCloneKernel
func clCloneKernel(h C.cl_kernel, errcode *C.cl_int) C.cl_kernel {
	k, ok := findKernel(h)
	if !ok {
		set(errcode, C.CL_INVALID_KERNEL)
		return nil
	}
	k.mu.Lock()
	clone := &kernel{program: k.program, emu: k.emu, entry: k.entry, params: k.params, uniform: k.uniform, args: append([]kernelArg(nil), k.args...)}
	k.mu.Unlock()
	k.program.mu.Lock()
	defer k.program.mu.Unlock()
	code := k.program.enterKernel(clone)
	set(errcode, code)
	if code != C.CL_SUCCESS {
		return nil
	}
	return clone.id()
}

//export clRetainKernel
func clRetainKernel(h C.cl_kernel) C.cl_int {
	if !retain[*kernel](unsafe.Pointer(h)) {
		return C.CL_INVALID_KERNEL
	}
	return C.CL_SUCCESS
}

//export clReleaseKernel
func clReleaseKernel(h C.cl_kernel) C.cl_int {
	if !release[*kernel](unsafe.Pointer(h)) {
		return C.CL_INVALID_KERNEL
	}
	return C.CL_SUCCESS
}

//export clSetKernelArg
func clSetKernelArg(h C.cl_kernel, index C.cl_uint, size C.size_t, value C.const_pointer) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	if uint64(index) >= uint64(len(k.params)) {
		return C.CL_INVALID_ARG_INDEX
	}
	a, code := k.argument(&k.params[index], uint64(size), unsafe.Pointer(value))
	if code != C.CL_SUCCESS {
		return code
	}
	a.set = true
	k.mu.Lock()
	defer k.mu.Unlock()
	k.args[index] = a
	return C.CL_SUCCESS
}

// argument reads the value of an argument.
func (k *kernel) argument(p *emu.Param, size uint64, value unsafe.Pointer) (kernelArg, C.cl_int) {
	const handleSize = uint64(unsafe.Sizeof(uintptr(0)))
	switch p.Kind {
	case isa.ParamValue:
		switch {
		case value == nil:
			return kernelArg{}, C.CL_INVALID_ARG_VALUE
		case size != p.Size:
			return kernelArg{}, C.CL_INVALID_ARG_SIZE
		}
		b := bytes.Clone(unsafe.Slice((*byte)(value), size))
		return kernelArg{value: emu.Bytes(b), bytes: b}, C.CL_SUCCESS
	case isa.ParamLocal:
		switch {
		case value != nil:
			return kernelArg{}, C.CL_INVALID_ARG_VALUE
		case size == 0:
			return kernelArg{}, C.CL_INVALID_ARG_SIZE
		}
		return kernelArg{value: emu.LocalBytes(size), local: size}, C.CL_SUCCESS
	case isa.ParamSampler:
		if value == nil {
			return kernelArg{}, C.CL_INVALID_SAMPLER
		}
		if size != handleSize {
			return kernelArg{}, C.CL_INVALID_ARG_SIZE
		}
		s, ok := findSampler(*(*C.cl_sampler)(value))
		if !ok {
			return kernelArg{}, C.CL_INVALID_SAMPLER
		}
		return kernelArg{value: s.emu}, C.CL_SUCCESS
	}
	if value == nil && p.Kind == isa.ParamGlobal {
		return kernelArg{value: emu.Null(), null: true}, C.CL_SUCCESS
	}
	switch {
	case size != handleSize:
		return kernelArg{}, C.CL_INVALID_ARG_SIZE
	case value == nil:
		return kernelArg{}, C.CL_INVALID_ARG_VALUE
	}
	hm := *(*C.cl_mem)(value)
	if hm == nil && p.Kind == isa.ParamGlobal {
		return kernelArg{value: emu.Null(), null: true}, C.CL_SUCCESS
	}
	m, ok := findMemory(hm)
	if !ok {
		return kernelArg{}, C.CL_INVALID_MEM_OBJECT
	}
	if m.ctx != k.program.ctx {
		return kernelArg{}, C.CL_INVALID_MEM_OBJECT
	}
	return kernelArg{memory: m, handle: unsafe.Pointer(hm)}, m.suits(p)
}

// suits says whether the object is of the kind that a parameter takes.
func (m *memory) suits(p *emu.Param) C.cl_int {
	switch {
	case p.Kind == isa.ParamGlobal && m.kind == C.CL_MEM_OBJECT_BUFFER && m.immutable() && !p.ReadOnly:
		return C.CL_INVALID_ARG_VALUE
	case p.Kind == isa.ParamGlobal && m.kind == C.CL_MEM_OBJECT_BUFFER, p.Kind == isa.ParamPipe && m.kind == C.CL_MEM_OBJECT_PIPE:
		return C.CL_SUCCESS
	case p.Kind != isa.ParamImage || m.image == nil:
		return C.CL_INVALID_MEM_OBJECT
	}
	if p.Image.Writes && m.flags&C.CL_MEM_READ_ONLY != 0 || p.Image.Reads && m.flags&C.CL_MEM_WRITE_ONLY != 0 {
		return C.CL_INVALID_ARG_VALUE
	}
	return C.CL_SUCCESS
}

// arguments gives a launch the arguments, and notes what must live until it is over.
func (k *kernel) arguments(l *launch) C.cl_int {
	k.mu.Lock()
	defer k.mu.Unlock()
	args, uses := l.args[:0], append(l.uses[:0], &k.object)
	for i := range k.args {
		a := &k.args[i]
		if !a.set {
			return C.CL_INVALID_KERNEL_ARGS
		}
		m := a.memory
		if m == nil {
			args = append(args, a.value)
			continue
		}
		if now, ok := lookup[*memory](a.handle); !ok || now != m {
			return C.CL_INVALID_MEM_OBJECT
		}
		switch {
		case m.image != nil:
			args = append(args, m.image.emu)
		case m.pipe != nil:
			args = append(args, m.pipe.emu)
		case m.parent != nil && m.svm && !m.shadow:
			// Shared virtual memory has one address space: a pointer may go from one sub-buffer to the next.
			a, offset := m.ctx.findSVM(m.data)
			if a == nil {
				return C.CL_INVALID_MEM_OBJECT // the host has freed it
			}
			args = append(args, a.emu.At(offset))
		default:
			args = append(args, m.buffer)
		}
		uses = append(uses, &m.object)
	}
	l.emu.Args, l.used = args, uses
	return C.CL_SUCCESS
}

// printer writes the output of printf to the host's stdout.
type printer struct{}

func (printer) Write(p []byte) (int, error) {
	if len(p) != 0 {
		C.lockstep_print(unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))
	}
	return len(p), nil
}

//export clEnqueueNDRangeKernel
func clEnqueueNDRangeKernel(calls *C.lockstep_calls, hq C.cl_command_queue, hk C.cl_kernel, dim C.cl_uint, offset, global, local *C.const_size_t, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return enqueueKernel(newCallSite("clEnqueueNDRangeKernel", calls), hq, hk, C.CL_COMMAND_NDRANGE_KERNEL, dim, offset, global, local, waitList{n, wait, ev})
}

//export clEnqueueTask
func clEnqueueTask(calls *C.lockstep_calls, hq C.cl_command_queue, hk C.cl_kernel, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	one := C.size_t(1)
	size := (*C.const_size_t)(unsafe.Pointer(&one))
	return enqueueKernel(newCallSite("clEnqueueTask", calls), hq, hk, C.CL_COMMAND_TASK, 1, nil, size, size, waitList{n, wait, ev})
}

// launched finds the queue and the kernel of a launch of dim dimensions.
func launched(hq C.cl_command_queue, hk C.cl_kernel, dim C.cl_uint) (q *queue, k *kernel, code C.cl_int) {
	q, ok := findQueue(hq)
	if !ok {
		return nil, nil, C.CL_INVALID_COMMAND_QUEUE
	}
	k, ok = findKernel(hk)
	switch {
	case !ok:
		code = C.CL_INVALID_KERNEL
	case k.program.ctx != q.ctx:
		code = C.CL_INVALID_CONTEXT
	case dim < 1 || dim > 3:
		code = C.CL_INVALID_WORK_DIMENSION
	}
	return q, k, code
}

func enqueueKernel(from callSite, hq C.cl_command_queue, hk C.cl_kernel, kind C.cl_command_type, dim C.cl_uint, offset, global, local *C.const_size_t, w waitList) C.cl_int {
	q, k, code := launched(hq, hk, dim)
	if code != C.CL_SUCCESS {
		return code
	}
	l := &launch{queue: q}
	r := &l.emu.Range
	r.Global, r.Local = sizes(l.sizes[0][:], dim, global), sizes(l.sizes[1][:], dim, local)
	r.Offset = sizes(l.sizes[2][:], dim, offset)
	if r.Global == nil {
		r.Global = l.sizes[0][:dim] // OpenCL 2.1 and later: as a size of 0
	}
	if code := k.arguments(l); code != C.CL_SUCCESS {
		return code
	}
	if code := k.checkRange(q.device, r); code != C.CL_SUCCESS {
		return code
	}
	c := command{kind: kind, uses: l.used}
	if !slices.Contains(r.Global, 0) {
		c.launch = l
		l.emu.Kernel, l.emu.Workers = k.emu, q.device.units
		l.emu.Output, l.emu.MaxOutput = printer{}, printfBuffer
		l.number, l.known.Call = session.Number(), from.call
		k.known(&l.known)
	}
	return q.put(w, c)
}

// launch is a kernel with its arguments and sizes, which do not change any more.
type launch struct {
	emu    emu.Launch
	queue  *queue
	number int // for the session
	known  hostrun.Case
	used   []*object // what must live until it is over

	// Room for what a usual launch refers to.
	sizes [3][3]uint64
	args  [6]emu.Arg
	uses  [7]*object
}

// run runs the launch, any number of times.
func (l *launch) run() C.cl_int {
	return l.code(session.Run(context.Background(), l.number, &l.emu, &l.known))
}

// code reports an error of the launch, if it has one, and returns its code.
func (l *launch) code(err error) C.cl_int {
	if err == nil {
		return C.CL_SUCCESS
	}
	if c := l.queue.ctx; c.notify != nil { // the session has told everyone else
		c.report(err.Error())
	}
	return launchCode(err)
}

// runTogether runs launches whose kernels have pipes. Those that share pipes run at the same time, by turns that
// depend on nothing but the order of the list and the options of the session.
func runTogether(list []graph.Work, over func(int, graph.Status)) {
	ctx := context.Background()
	launches, running := make([]*launch, len(list)), make([]*hostrun.Running, len(list))
	events, errs := make([]*emu.Event, len(list)), make([]error, len(list))
	for i, w := range list {
		launches[i] = w.(*submission).command.launch
	}
	var commands *emu.Queue
	for i, l := range launches {
		for j, other := range launches {
			if i != j && l.sharesPipe(other) {
				l.known.Beside = append(l.known.Beside, other.number)
			}
		}
		running[i] = session.Start(l.number, &l.emu, &l.known)
		if commands == nil {
			commands, errs[i] = l.queue.device.emu.NewQueue()
		}
		if errs[i] == nil {
			events[i], errs[i] = commands.Launch(ctx, running[i].Launch)
		}
	}
	for i, l := range launches {
		var res *emu.Result
		if errs[i] == nil {
			res, errs[i] = events[i].Wait()
		}
		over(i, graph.Status(l.code(running[i].End(res, errs[i]))))
	}
}

// sharesPipe says whether an argument of both launches is the same pipe.
func (l *launch) sharesPipe(o *launch) bool {
	return slices.ContainsFunc(l.emu.Args, func(a emu.Arg) bool {
		p, ok := a.(*emu.Pipe)
		return ok && slices.ContainsFunc(o.emu.Args, func(b emu.Arg) bool { q, ok := b.(*emu.Pipe); return ok && p == q })
	})
}

// sizes reads dim sizes of the host's into v; nil for a null pointer.
func sizes(v []uint64, dim C.cl_uint, p *C.const_size_t) []uint64 {
	if p == nil {
		return nil
	}
	for i, s := range list(dim, (*C.size_t)(unsafe.Pointer(p))) {
		v[i] = uint64(s)
	}
	return v[:dim]
}

// checkRange says what is wrong with the sizes of a launch.
func (k *kernel) checkRange(d *device, r *emu.NDRange) C.cl_int {
	l := d.emu.Limits()
	total := uint64(1)
	for i, n := range r.Local {
		if n == 0 {
			return C.CL_INVALID_WORK_GROUP_SIZE
		}
		if n > l.MaxWorkItemSizes[i] {
			return C.CL_INVALID_WORK_ITEM_SIZE
		}
		total *= n // of at most 2^16 each
	}
	if total > uint64(l.MaxWorkGroupSize) {
		return C.CL_INVALID_WORK_GROUP_SIZE
	}
	for _, n := range r.Global {
		if n == 0 {
			return C.CL_SUCCESS
		}
	}
	for i, n := range r.Local {
		if k.uniform && r.Global[i]%n != 0 {
			return C.CL_INVALID_WORK_GROUP_SIZE
		}
	}
	_, err := k.emu.LocalSize(*r)
	if err == nil {
		return C.CL_SUCCESS
	}
	if r.Local == nil && k.entry.LocalSize == [3]uint32{} {
		return C.CL_INVALID_GLOBAL_WORK_SIZE
	}
	var limit *emu.LimitError
	var wrong *emu.RangeError
	if errors.As(err, &limit) || errors.As(err, &wrong) {
		return C.CL_INVALID_WORK_GROUP_SIZE
	}
	return C.CL_INVALID_KERNEL
}

// launchCode is the code for what became of a launch.
func launchCode(err error) C.cl_int {
	var arg *emu.ArgError
	var limit *emu.LimitError
	switch {
	case errors.As(err, &arg):
		return C.CL_INVALID_KERNEL_ARGS
	case errors.As(err, &limit):
		return C.CL_MEM_OBJECT_ALLOCATION_FAILURE
	}
	return C.CL_OUT_OF_RESOURCES
}
