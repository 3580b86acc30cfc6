package main

// #include "opencl.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// program is a cl_program. What is built is built once for all devices, which are parts of one.
type program struct {
	object
	ctx     *clContext
	devices []*device
	source  string // of clCreateProgramWithSource
	il      []byte // of clCreateProgramWithIL

	mu       sync.Mutex
	built    build
	constant map[uint32]uint64 // clSetProgramSpecializationConstant
	kernels  int               // cl_kernels that live
}

// build is what the last build, compilation or link has left.
type build struct {
	status  C.cl_build_status
	options string
	log     string
	kind    C.cl_program_binary_type
	module  []byte       // SPIR-V
	info    *spirv.Info  // of the module
	program *emu.Program // of an executable
	uniform bool         // -cl-uniform-work-group-size
}

func findProgram(h C.cl_program) (*program, bool) { return lookup[*program](unsafe.Pointer(h)) }

func (p *program) id() C.cl_program { return C.cl_program(p.handle) }

// newProgram makes the handle.
func newProgram(p *program, errcode *C.cl_int) C.cl_program {
	p.built.status = C.CL_BUILD_NONE
	if !enter(p, p.end) {
		set(errcode, C.CL_OUT_OF_HOST_MEMORY)
		return nil
	}
	p.ctx.hold()
	set(errcode, C.CL_SUCCESS)
	return p.id()
}

func (p *program) end() {
	p.built.close()
	p.ctx.drop()
}

func (b *build) close() {
	if b.program != nil {
		if err := b.program.Close(); err != nil {
			complain("a program cannot be freed: " + err.Error())
		}
	}
}

//export clCreateProgramWithSource
func clCreateProgramWithSource(h C.cl_context, n C.cl_uint, texts *C.string, lengths *C.const_size_t, errcode *C.cl_int) C.cl_program {
	fail := func(code C.cl_int) C.cl_program { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if n == 0 || texts == nil {
		return fail(C.CL_INVALID_VALUE)
	}
	sizes := list(n, (*C.size_t)(unsafe.Pointer(lengths)))
	var text strings.Builder
	for i, s := range list(n, texts) {
		switch {
		case s == nil, sizes != nil && sizes[i] > mostText:
			return fail(C.CL_INVALID_VALUE)
		case sizes == nil || sizes[i] == 0:
			text.WriteString(C.GoString(s))
		default:
			text.Write(unsafe.Slice((*byte)(unsafe.Pointer(s)), int(sizes[i])))
		}
	}
	return newProgram(&program{ctx: c, devices: c.devices, source: text.String()}, errcode)
}

//export clCreateProgramWithIL
func clCreateProgramWithIL(h C.cl_context, il C.const_pointer, size C.size_t, errcode *C.cl_int) C.cl_program {
	fail := func(code C.cl_int) C.cl_program { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if il == nil || size == 0 || size > mostText {
		return fail(C.CL_INVALID_VALUE)
	}
	p := &program{ctx: c, devices: c.devices, il: bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(il)), int(size)))}
	info, err := reflect(p.il)
	if err != nil {
		return fail(C.CL_INVALID_VALUE)
	}
	p.built.info = info
	return newProgram(p, errcode)
}

// reflect returns what a module says about itself.
func reflect(module []byte) (*spirv.Info, error) {
	m, err := spirv.Decode(module)
	if err != nil {
		return nil, err
	}
	return spirv.Reflect(m)
}

//export clCreateProgramWithILKHR
func clCreateProgramWithILKHR(h C.cl_context, il C.const_pointer, size C.size_t, errcode *C.cl_int) C.cl_program {
	return clCreateProgramWithIL(h, il, size, errcode)
}

//export clCreateProgramWithBinary
func clCreateProgramWithBinary(h C.cl_context, n C.cl_uint, devices *C.const_cl_device_id, lengths *C.const_size_t, binaries *C.const_bytes, statuses *C.cl_int, errcode *C.cl_int) C.cl_program {
	fail := func(code C.cl_int) C.cl_program { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if n == 0 || devices == nil || lengths == nil || binaries == nil {
		return fail(C.CL_INVALID_VALUE)
	}
	p := &program{ctx: c}
	code := C.cl_int(C.CL_SUCCESS)
	sizes, texts, states := list(n, (*C.size_t)(unsafe.Pointer(lengths))), list(n, binaries), list(n, statuses)
	for i, hd := range list(n, (*C.cl_device_id)(unsafe.Pointer(devices))) {
		d, ok := findDevice(hd)
		if !ok || !c.has(d) {
			return fail(C.CL_INVALID_DEVICE)
		}
		status := C.cl_int(C.CL_SUCCESS)
		if sizes[i] == 0 || sizes[i] > mostText || texts[i] == nil {
			status = C.CL_INVALID_VALUE
		} else if b, err := readBinary(bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(texts[i])), int(sizes[i])))); err != nil {
			status = C.CL_INVALID_BINARY
		} else {
			p.built = b
		}
		if states != nil {
			states[i] = status
		}
		if status != C.CL_SUCCESS {
			code = status
		}
		p.devices = append(p.devices, d)
	}
	if code != C.CL_SUCCESS {
		return fail(code)
	}
	return newProgram(p, errcode)
}

// A binary is this word, a letter for what is in it, and the SPIR-V module.
const binaryWord = "lockstep"

var binaryKinds = map[byte]C.cl_program_binary_type{
	'o': C.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, 'l': C.CL_PROGRAM_BINARY_TYPE_LIBRARY, 'x': C.CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
}

// binary returns the bytes of CL_PROGRAM_BINARIES.
func (b *build) binary() []byte {
	if b.module == nil {
		return nil
	}
	for letter, kind := range binaryKinds {
		if kind == b.kind {
			return append(append([]byte(binaryWord), letter, 0, 0, 0), b.module...)
		}
	}
	return nil
}

// readBinary reads what binary has returned, or a SPIR-V module.
func readBinary(data []byte) (build, error) {
	b := build{kind: C.CL_PROGRAM_BINARY_TYPE_EXECUTABLE, status: C.CL_BUILD_NONE}
	if head := len(binaryWord) + 4; len(data) > head && string(data[:len(binaryWord)]) == binaryWord {
		kind, ok := binaryKinds[data[len(binaryWord)]]
		if !ok {
			return b, errors.New("a binary of an unknown kind")
		}
		b.kind, data = kind, data[head:]
	}
	info, err := reflect(data)
	b.module, b.info = data, info
	return b, err
}

//export clCreateProgramWithBuiltInKernels
func clCreateProgramWithBuiltInKernels(h C.cl_context, n C.cl_uint, devices *C.const_cl_device_id, names *C.const_char, errcode *C.cl_int) C.cl_program {
	if _, ok := findContext(h); !ok {
		set(errcode, C.CL_INVALID_CONTEXT)
		return nil
	}
	set(errcode, C.CL_INVALID_VALUE) // there are no built-in kernels
	return nil
}

//export clRetainProgram
func clRetainProgram(h C.cl_program) C.cl_int {
	if !retain[*program](unsafe.Pointer(h)) {
		return C.CL_INVALID_PROGRAM
	}
	return C.CL_SUCCESS
}

//export clReleaseProgram
func clReleaseProgram(h C.cl_program) C.cl_int {
	if !release[*program](unsafe.Pointer(h)) {
		return C.CL_INVALID_PROGRAM
	}
	return C.CL_SUCCESS
}

//export clSetProgramReleaseCallback
func clSetProgramReleaseCallback(h C.cl_program, f C.program_notify, data unsafe.Pointer) C.cl_int {
	if _, ok := findProgram(h); !ok {
		return C.CL_INVALID_PROGRAM
	}
	if f == nil {
		return C.CL_INVALID_VALUE
	}
	return C.CL_INVALID_OPERATION // for languages with destructors of global objects
}

//export clSetProgramSpecializationConstant
func clSetProgramSpecializationConstant(h C.cl_program, id C.cl_uint, size C.size_t, value C.const_pointer) C.cl_int {
	p, ok := findProgram(h)
	if !ok || p.il == nil {
		return C.CL_INVALID_PROGRAM
	}
	if value == nil {
		return C.CL_INVALID_VALUE
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.built.info.SpecConstants {
		if c.SpecID != uint32(id) {
			continue
		}
		want := (int(c.Number.Width) + 7) / 8
		if c.Bool {
			want = 1
		}
		if int(size) != want {
			return C.CL_INVALID_VALUE
		}
		var v uint64
		for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(value)), want) {
			v |= uint64(b) << (8 * i)
		}
		if c.Bool && v != 0 {
			v = 1
		}
		if p.constant == nil {
			p.constant = map[uint32]uint64{}
		}
		p.constant[uint32(id)] = v
		return C.CL_SUCCESS
	}
	return C.CL_INVALID_SPEC_ID
}

// devicesOf checks the devices of a build; none stands for all of the program's.
func (p *program) devicesOf(n C.cl_uint, devices *C.const_cl_device_id) C.cl_int {
	if (n == 0) != (devices == nil) {
		return C.CL_INVALID_VALUE
	}
	for _, h := range list(n, (*C.cl_device_id)(unsafe.Pointer(devices))) {
		if d, ok := findDevice(h); !ok || !slices.Contains(p.devices, d) {
			return C.CL_INVALID_DEVICE
		}
	}
	return C.CL_SUCCESS
}

func goString(s *C.const_char) string { return C.GoString((*C.char)(s)) }

// options reads the options of a compilation. A program without -cl-std is OpenCL C 1.2, which is what 3.0 asks for.
func options(text string) (clc.Options, error) {
	o := clc.Options{Version: clc.CL12}
	words, err := clc.SplitOptions(text)
	if err == nil {
		err = o.Add(words)
	}
	o.Debug = o.Debug || sessionOptions.Stop != ""
	return o, err
}

// compile makes a module of the program's source or IL, for an executable or an object. The program is locked.
func (p *program) compile(text string, headers map[string]string, object bool) (b build, code C.cl_int) {
	b = build{status: C.CL_BUILD_ERROR, options: text, info: p.built.info}
	switch {
	case p.il != nil:
		b.module = p.il
		return b, C.CL_SUCCESS
	case p.source == "" && p.built.module != nil: // a binary
		b.module, b.kind = p.built.module, p.built.kind
		return b, C.CL_SUCCESS
	}
	o, err := options(text)
	if err != nil {
		b.log = err.Error() + "\n"
		return b, C.CL_INVALID_BUILD_OPTIONS
	}
	o.Headers, o.ExportKernels = headers, object
	b.uniform = o.UniformWorkGroupSize
	if headers == nil {
		o.Open = openHeader
	}
	res, err := clc.CompileCode(context.Background(), clc.Source{Name: "program.cl", Text: p.source}, o)
	if wrong := (*clc.Error)(nil); errors.As(err, &wrong) {
		b.log = wrong.Log.Text(false)
		return b, C.CL_BUILD_PROGRAM_FAILURE
	}
	if err != nil {
		b.log = err.Error() + "\n"
		if option := (*clc.OptionError)(nil); errors.As(err, &option) {
			return b, C.CL_INVALID_BUILD_OPTIONS
		}
		return b, C.CL_BUILD_PROGRAM_FAILURE
	}
	b.log = res.Log.Text(false)
	var module bytes.Buffer
	if _, err := res.WriteTo(&module); err != nil {
		return b, C.CL_OUT_OF_HOST_MEMORY
	}
	b.module = module.Bytes()
	if b.info, err = reflect(b.module); err != nil {
		b.log += err.Error() + "\n"
		return b, C.CL_BUILD_PROGRAM_FAILURE
	}
	return b, C.CL_SUCCESS
}

// load gives an executable to the device.
func (b *build) load(d *emu.Device, source string, constants map[uint32]uint64) error {
	prog, err := d.NewProgram(b.module, emu.ProgramOptions{SpecConstants: constants, Sources: func(name string) ([]byte, error) {
		if name == "program.cl" && source != "" {
			return []byte(source), nil
		}
		return nil, errors.New(name + " is not part of the program")
	}})
	if err != nil {
		b.log += err.Error() + "\n"
		return err
	}
	b.program, b.kind, b.status = prog, C.CL_PROGRAM_BINARY_TYPE_EXECUTABLE, C.CL_BUILD_SUCCESS
	b.info = prog.Info()
	return nil
}

// called makes the call that the host wants when a build is over.
func (p *program) called(f C.program_notify, data unsafe.Pointer) {
	if f != nil {
		C.call_program_notify(f, p.id(), data)
	}
}

//export clBuildProgram
func clBuildProgram(h C.cl_program, n C.cl_uint, devices *C.const_cl_device_id, text *C.const_char, notify C.program_notify, data unsafe.Pointer) C.cl_int {
	p, ok := findProgram(h)
	if !ok {
		return C.CL_INVALID_PROGRAM
	}
	if notify == nil && data != nil {
		return C.CL_INVALID_VALUE
	}
	if code := p.devicesOf(n, devices); code != C.CL_SUCCESS {
		return code
	}
	code := p.build(goString(text))
	if code == C.CL_SUCCESS || code == C.CL_BUILD_PROGRAM_FAILURE {
		p.called(notify, data)
	}
	return code
}

func (p *program) build(text string) C.cl_int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels > 0 {
		return C.CL_INVALID_OPERATION
	}
	if p.source == "" && p.built.kind != C.CL_PROGRAM_BINARY_TYPE_EXECUTABLE && p.il == nil && p.built.module != nil {
		return C.CL_INVALID_OPERATION // a binary of an object or a library
	}
	b, code := p.compile(text, nil, false)
	if code == C.CL_INVALID_BUILD_OPTIONS {
		p.built.log, p.built.options = b.log, text
		return code
	}
	if code == C.CL_SUCCESS {
		if err := b.load(p.devices[0].emu, p.source, p.constant); err != nil {
			code = C.CL_BUILD_PROGRAM_FAILURE
		}
	}
	if code != C.CL_SUCCESS && p.source != "" {
		b.module = nil
	}
	p.built.close()
	p.built = b
	return code
}

//export clCompileProgram
func clCompileProgram(h C.cl_program, n C.cl_uint, devices *C.const_cl_device_id, text *C.const_char, count C.cl_uint, headers *C.const_cl_program, names *C.string, notify C.program_notify, data unsafe.Pointer) C.cl_int {
	p, ok := findProgram(h)
	if !ok {
		return C.CL_INVALID_PROGRAM
	}
	if notify == nil && data != nil || (count == 0) != (headers == nil) || (count == 0) != (names == nil) {
		return C.CL_INVALID_VALUE
	}
	if code := p.devicesOf(n, devices); code != C.CL_SUCCESS {
		return code
	}
	texts := map[string]string{}
	called := list(count, names)
	for i, hp := range list(count, (*C.cl_program)(unsafe.Pointer(headers))) {
		header, ok := findProgram(hp)
		if !ok || called[i] == nil {
			return C.CL_INVALID_VALUE
		}
		if header.source == "" && header.built.module != nil {
			return C.CL_INVALID_OPERATION
		}
		texts[C.GoString(called[i])] = header.source
	}
	if count == 0 {
		texts = nil
	}
	code := p.compileOnly(goString(text), texts)
	if code == C.CL_SUCCESS || code == C.CL_COMPILE_PROGRAM_FAILURE {
		p.called(notify, data)
	}
	return code
}

func (p *program) compileOnly(text string, headers map[string]string) C.cl_int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels > 0 || p.source == "" && p.il == nil && p.built.module != nil {
		return C.CL_INVALID_OPERATION
	}
	b, code := p.compile(text, headers, true)
	switch code {
	case C.CL_SUCCESS:
		b.status, b.kind = C.CL_BUILD_SUCCESS, C.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
	case C.CL_INVALID_BUILD_OPTIONS:
		return C.CL_INVALID_COMPILER_OPTIONS
	case C.CL_BUILD_PROGRAM_FAILURE:
		code = C.CL_COMPILE_PROGRAM_FAILURE
	}
	p.built.close()
	p.built = b
	return code
}

//export clLinkProgram
func clLinkProgram(h C.cl_context, n C.cl_uint, devices *C.const_cl_device_id, text *C.const_char, count C.cl_uint, inputs *C.const_cl_program, notify C.program_notify, data unsafe.Pointer, errcode *C.cl_int) C.cl_program {
	fail := func(code C.cl_int) C.cl_program { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if count == 0 || inputs == nil || notify == nil && data != nil {
		return fail(C.CL_INVALID_VALUE)
	}
	p := &program{ctx: c, devices: c.devices}
	if code := p.devicesOf(n, devices); code != C.CL_SUCCESS {
		return fail(code)
	}
	if n != 0 {
		p.devices = nil
		for _, hd := range list(n, (*C.cl_device_id)(unsafe.Pointer(devices))) {
			d, _ := findDevice(hd) // which devicesOf has found
			p.devices = append(p.devices, d)
		}
	}
	opt, ok := linkOptions(goString(text))
	if !ok {
		return fail(C.CL_INVALID_LINKER_OPTIONS)
	}
	var modules []emu.LinkInput
	var source string
	constants := map[uint32]uint64{}
	for _, hp := range list(count, (*C.cl_program)(unsafe.Pointer(inputs))) {
		in, ok := findProgram(hp)
		if !ok {
			return fail(C.CL_INVALID_PROGRAM)
		}
		in.mu.Lock()
		module, kind := in.built.module, in.built.kind
		for id, v := range in.constant {
			constants[id] = v
		}
		in.mu.Unlock()
		if module == nil && in.il != nil {
			module, kind = in.il, C.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
		}
		if module == nil || kind != C.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && kind != C.CL_PROGRAM_BINARY_TYPE_LIBRARY {
			return fail(C.CL_INVALID_OPERATION)
		}
		modules = append(modules, emu.LinkInput{Code: module})
		source = in.source
	}
	if len(modules) > 1 {
		source = "" // which of the sources a line is from is not known
	}
	b := build{status: C.CL_BUILD_ERROR, options: goString(text)}
	code := b.link(p.devices[0].emu, modules, opt, source, constants)
	hp := newProgram(p, errcode)
	if hp == nil {
		b.close()
		return nil
	}
	p.built = b
	set(errcode, code)
	p.called(notify, data)
	return hp
}

// linkOptions reads the options of clLinkProgram.
func linkOptions(text string) (link.Options, bool) {
	var o link.Options
	words, err := clc.SplitOptions(text)
	if err != nil {
		return o, false
	}
	for _, w := range words {
		switch w {
		case "-create-library":
			o.Library = true
		case "-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-no-signed-zeroes", "-cl-unsafe-math-optimizations",
			"-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp":
		default:
			return o, false
		}
	}
	return o, true
}

// link makes a library or an executable of modules.
func (b *build) link(d *emu.Device, modules []emu.LinkInput, opt link.Options, source string, constants map[uint32]uint64) C.cl_int {
	module, err := emu.LinkModules(modules, opt)
	if err == nil {
		b.module = module
		b.info, err = reflect(module)
	}
	if err != nil {
		b.log = err.Error() + "\n"
		return C.CL_LINK_PROGRAM_FAILURE
	}
	if opt.Library {
		b.kind, b.status = C.CL_PROGRAM_BINARY_TYPE_LIBRARY, C.CL_BUILD_SUCCESS
		return C.CL_SUCCESS
	}
	if b.load(d, source, constants) != nil {
		return C.CL_LINK_PROGRAM_FAILURE
	}
	return C.CL_SUCCESS
}
