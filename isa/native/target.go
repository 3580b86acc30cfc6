package native

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// target is what runs machine form. The engine knows no more of it than this: which instructions it has, how a
// function in machine form becomes one that can be called, and how that is called.
type target interface {
	// features says which instructions there are. The error says why there are none.
	features() (amd64.Features, error)
	// finish ends a function in machine form.
	finish(f *vm.Func) (object, error)
}

// object is a finished function of a target.
type object interface {
	// load makes it one that can be called.
	load() (callable, error)
}

// callable is a function that can be called, by several at once.
type callable interface {
	// call runs the function on a frame until it returns: from Frame.Point, or from Frame.Resume if that is
	// not 0.
	call(f *wave.Frame)
}

// processor is this machine: package amd64 encodes the instructions, package codemem makes them executable.
type processor struct {
	load func(...[]byte) (*codemem.Code, error) // codemem.Load; tests have others
}

func (processor) features() (amd64.Features, error) { return codemem.Host() }

func (p processor) finish(f *vm.Func) (object, error) {
	code, err := f.Finish()
	if err != nil {
		return nil, err
	}
	return text{code, p.load}, nil
}

// text is the machine code of a function.
type text struct {
	bytes []byte
	loads func(...[]byte) (*codemem.Code, error)
}

func (t text) load() (callable, error) {
	code, err := t.loads(t.bytes)
	if err != nil {
		return nil, err
	}
	return loaded{code.Func(0)}, nil
}

// loaded is machine code in executable memory.
type loaded struct{ f codemem.Func }

func (l loaded) call(f *wave.Frame) {
	if err := l.f.Call(unsafe.Pointer(f)); err != nil {
		panic(err) // the code is closed only when there is no reference to it
	}
}

// target returns what runs the engine's functions: this machine, unless a test says otherwise.
func (e Engine) target() target {
	if e.on != nil {
		return e.on
	}
	return processor{codemem.Load}
}
