package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
)

// pipeState is the part of a memory object that is a pipe.
type pipeState struct {
	emu             *emu.Pipe
	packet, packets C.cl_uint
}

//export clCreatePipe
func clCreatePipe(h C.cl_context, flags C.cl_mem_flags, packet, packets C.cl_uint, properties *C.const_cl_pipe_properties, errcode *C.cl_int) C.cl_mem {
	fail := func(code C.cl_int) C.cl_mem { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if flags&^(C.CL_MEM_READ_WRITE|C.CL_MEM_HOST_NO_ACCESS) != 0 || properties != nil {
		return fail(C.CL_INVALID_VALUE)
	}
	if packet == 0 || packets == 0 || packet > maxPipePacket {
		return fail(C.CL_INVALID_PIPE_SIZE)
	}
	p, err := c.devices[0].emu.NewPipe(emu.PipeOptions{PacketBytes: uint32(packet), Capacity: uint32(packets)})
	if err != nil {
		return fail(allocationCode(err))
	}
	if flags == 0 {
		flags = C.CL_MEM_READ_WRITE | C.CL_MEM_HOST_NO_ACCESS
	}
	m := &memory{ctx: c, kind: C.CL_MEM_OBJECT_PIPE, flags: flags, size: uint64(packet) * uint64(packets), pipe: &pipeState{emu: p, packet: packet, packets: packets}}
	if code := m.enter(); code != C.CL_SUCCESS {
		return fail(code)
	}
	set(errcode, C.CL_SUCCESS)
	return m.id()
}

//export clGetPipeInfo
func clGetPipeInfo(h C.cl_mem, name C.cl_pipe_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	m, ok := findMemory(h)
	if !ok || m.pipe == nil {
		return C.CL_INVALID_MEM_OBJECT
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_PIPE_PACKET_SIZE:
		return put(a, m.pipe.packet)
	case C.CL_PIPE_MAX_PACKETS:
		return put(a, m.pipe.packets)
	case C.CL_PIPE_PROPERTIES:
		return puts(a, []C.cl_pipe_properties{})
	}
	return C.CL_INVALID_VALUE
}
