package native

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/portable"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// portableTarget is package portable as a target, in the place of a processor that has some instructions.
type portableTarget struct {
	has     amd64.Features
	virtual bool // it runs machine form before registers are assigned
}

func (p portableTarget) features() (amd64.Features, error) { return p.has, nil }

func (p portableTarget) finish(f *vm.Func) (object, error) {
	c := portable.New(f.Assembler)
	if p.virtual {
		f.EmitVirtual(c)
	} else if err := f.Assign(c); err != nil {
		return nil, err
	}
	if err := c.Finish(); err != nil {
		return nil, err
	}
	return portableObject{c}, nil
}

type portableObject struct{ code *portable.Code }

func (o portableObject) load() (callable, error) {
	return &portableFunction{code: o.code, left: map[*wave.Frame]*portable.State{}}, nil
}

// portableCalls counts how often functions that package portable runs have called out.
var portableCalls atomic.Int64

// portableFunction is a function that package portable runs.
type portableFunction struct {
	code *portable.Code
	mu   sync.Mutex
	left map[*wave.Frame]*portable.State // registers of those that have called out
}

func (p *portableFunction) call(f *wave.Frame) {
	p.mu.Lock()
	s := p.left[f]
	delete(p.left, f)
	p.mu.Unlock()
	if s == nil {
		s = p.code.NewState()
	}
	p.code.Run(s, unsafe.Pointer(f))
	if f.Call != 0 {
		portableCalls.Add(1)
		p.mu.Lock()
		p.left[f] = s
		p.mu.Unlock()
	}
}

// portableEngine returns an engine whose functions package portable runs.
func portableEngine(has amd64.Features, virtual bool) Engine {
	return Engine{features: has, on: portableTarget{has, virtual}}
}
