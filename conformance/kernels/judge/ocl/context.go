package ocl

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Context is a context of one device.
type Context struct {
	lib    *Library
	id     uintptr
	device Device
}

// NewContext makes a context of the device alone.
func (d Device) NewContext() (*Context, error) {
	var code int32
	id := d.lib.createContext(nil, 1, unsafe.Pointer(&d.id), 0, 0, &code)
	if err := check("clCreateContext", code); err != nil {
		return nil, err
	}
	return &Context{lib: d.lib, id: id, device: d}, nil
}

// Release gives the context back.
func (c *Context) Release() error {
	return check("clReleaseContext", c.lib.releaseContext(c.id))
}

// Program is a program object; Build makes it usable.
type Program struct {
	ctx *Context
	id  uintptr
}

// ProgramFromSource makes a program from OpenCL C text.
func (c *Context) ProgramFromSource(source string) (*Program, error) {
	text := append([]byte(source), 0)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&text[0])
	strings := [1]unsafe.Pointer{unsafe.Pointer(&text[0])}
	lengths := [1]uintptr{uintptr(len(source))}
	var code int32
	id := c.lib.createProgramWithSource(c.id, 1, unsafe.Pointer(&strings[0]), unsafe.Pointer(&lengths[0]), &code)
	if err := check("clCreateProgramWithSource", code); err != nil {
		return nil, err
	}
	return &Program{ctx: c, id: id}, nil
}

// ProgramFromIL makes a program from a SPIR-V module. It fails with
// InvalidOperation when the library or the device takes no intermediate
// language.
func (c *Context) ProgramFromIL(il []byte) (*Program, error) {
	if c.lib.createProgramWithIL == nil || c.device.ILVersion == "" {
		return nil, fmt.Errorf("clCreateProgramWithIL: the device takes no intermediate language: %w", InvalidOperation)
	}
	if len(il) == 0 {
		return nil, fmt.Errorf("clCreateProgramWithIL: empty module: %w", InvalidValue)
	}
	var code int32
	id := c.lib.createProgramWithIL(c.id, unsafe.Pointer(&il[0]), uintptr(len(il)), &code)
	if err := check("clCreateProgramWithIL", code); err != nil {
		return nil, err
	}
	return &Program{ctx: c, id: id}, nil
}

const programBuildLog = 0x1183

// Build compiles and links the program with the given options. A program that
// does not build gives a *BuildError.
func (p *Program) Build(options string) error {
	lib := p.ctx.lib
	code := lib.buildProgram(p.id, 1, unsafe.Pointer(&p.ctx.device.id), options, 0, 0)
	if code == 0 {
		return nil
	}
	log := infoString(func(size uintptr, value unsafe.Pointer, ret *uintptr) int32 {
		return lib.getProgramBuildInfo(p.id, p.ctx.device.id, programBuildLog, size, value, ret)
	})
	return &BuildError{Status: Status(code), Log: log}
}

// Release gives the program back.
func (p *Program) Release() error {
	return check("clReleaseProgram", p.ctx.lib.releaseProgram(p.id))
}

// Kernel is one entry point with its arguments.
type Kernel struct {
	ctx *Context
	id  uintptr
}

// Kernel makes the kernel called name.
func (p *Program) Kernel(name string) (*Kernel, error) {
	var code int32
	id := p.ctx.lib.createKernel(p.id, name, &code)
	if err := check("clCreateKernel "+name, code); err != nil {
		return nil, err
	}
	return &Kernel{ctx: p.ctx, id: id}, nil
}

// SetBuffer sets argument i, counted from 0, to a buffer; nil is the null
// pointer.
func (k *Kernel) SetBuffer(i int, b *Buffer) error {
	var id uintptr
	if b != nil {
		id = b.id
	}
	return k.set(i, unsafe.Sizeof(id), unsafe.Pointer(&id))
}

// SetBytes sets argument i to a value, in the layout of the device.
func (k *Kernel) SetBytes(i int, value []byte) error {
	if len(value) == 0 {
		return fmt.Errorf("clSetKernelArg %d: empty value: %w", i, InvalidValue)
	}
	return k.set(i, uintptr(len(value)), unsafe.Pointer(&value[0]))
}

// SetLocal sets argument i to size bytes of local memory.
func (k *Kernel) SetLocal(i, size int) error {
	return k.set(i, uintptr(size), nil)
}

func (k *Kernel) set(i int, size uintptr, value unsafe.Pointer) error {
	return check(fmt.Sprintf("clSetKernelArg %d", i), k.ctx.lib.setKernelArg(k.id, uint32(i), size, value))
}

// Release gives the kernel back.
func (k *Kernel) Release() error {
	return check("clReleaseKernel", k.ctx.lib.releaseKernel(k.id))
}

// Buffer is a buffer in the device's global memory.
type Buffer struct {
	ctx  *Context
	id   uintptr
	size int
}

const memReadWrite = 1

// NewBuffer makes a buffer of size bytes (at least one) that kernels read and
// write. Its contents are undefined until written.
func (c *Context) NewBuffer(size int) (*Buffer, error) {
	var code int32
	id := c.lib.createBuffer(c.id, memReadWrite, uintptr(size), nil, &code)
	if err := check("clCreateBuffer", code); err != nil {
		return nil, err
	}
	return &Buffer{ctx: c, id: id, size: size}, nil
}

// Size is the buffer's size in bytes.
func (b *Buffer) Size() int { return b.size }

// Release gives the buffer back.
func (b *Buffer) Release() error {
	return check("clReleaseMemObject", b.ctx.lib.releaseMemObject(b.id))
}
