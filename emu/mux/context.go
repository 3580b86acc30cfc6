package mux

import (
	"fmt"
	"sync"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// ContextOptions say what a context brings along.
type ContextOptions struct {
	// FrontEnd compiles OpenCL C; nil is [OpenCLC], lockstep's own compiler. Package emu/mux/clang has
	// another one, and [NoFrontEnd] is none.
	FrontEnd FrontEnd
}

// Context is what targets, modules and kernels that may be linked with each other have
// in common (compiler::Context). It is a [sync.Locker].
//
// The lock is held while the compiler works: every method of a module or kernel takes the
// lock of its context, calls what it calls of an overriding type with the lock held, and
// gives it back. So all of them can be called from several goroutines, and compilers in
// different contexts work at the same time. Whoever holds the lock keeps them all out, and
// must not call them itself: they would wait for ever.
type Context struct {
	mu       sync.Mutex
	frontEnd FrontEnd
}

// NewContext makes a context.
func NewContext(opt ContextOptions) *Context {
	if opt.FrontEnd == nil {
		opt.FrontEnd = OpenCLC
	}
	return &Context{frontEnd: opt.FrontEnd}
}

// Lock waits until nobody else holds the lock, and takes it (Context::lock).
func (c *Context) Lock() { c.mu.Lock() }

// TryLock takes the lock if nobody holds it, and says whether it did (Context::try_lock).
func (c *Context) TryLock() bool { return c.mu.TryLock() }

// Unlock gives the lock back (Context::unlock). As with a [sync.Mutex] it is a run-time
// error if nobody holds it.
func (c *Context) Unlock() { c.mu.Unlock() }

// IsValidSPIRV says whether code, in the machine's byte order, is a module that the
// compiler can read (Context::isValidSPIRV): one that keeps the rules of level Load of
// package spirv/validate. It needs no lock.
func (c *Context) IsValidSPIRV(code []uint32) bool {
	m, err := decode(code)
	return err == nil && validate.Validate(m, validate.Options{MaxErrors: 1}).Err() == nil
}

// decode reads a module from words.
func decode(code []uint32) (*spirv.Module, error) { return spirv.Decode(Bytes(code)) }

// Bytes returns the words of a module as bytes, little endian.
func Bytes(code []uint32) []byte {
	out := make([]byte, 0, 4*len(code))
	for _, w := range code {
		out = append(out, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return out
}

// Words returns the words of a module from its bytes, which may have either byte order.
// The error wraps [ErrInvalidValue].
func Words(module []byte) ([]uint32, error) {
	if len(module)%4 != 0 || !spirv.IsBinary(module) {
		return nil, failed("Words", ErrInvalidValue, "%d bytes that are no SPIR-V module", len(module))
	}
	little := module[0] == spirv.Magic&0xff
	out := make([]uint32, len(module)/4)
	for i := range out {
		b := module[4*i:]
		if little {
			out[i] = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		} else {
			out[i] = uint32(b[3]) | uint32(b[2])<<8 | uint32(b[1])<<16 | uint32(b[0])<<24
		}
	}
	return out, nil
}

// SpecializationType is the type of a specialization constant.
type SpecializationType uint8

// The types.
const (
	SpecializationBool SpecializationType = iota
	SpecializationInteger
	SpecializationFloat
)

// String returns "bool", "integer" or "float".
func (t SpecializationType) String() string {
	switch t {
	case SpecializationBool:
		return "bool"
	case SpecializationInteger:
		return "integer"
	case SpecializationFloat:
		return "float"
	}
	return fmt.Sprintf("SpecializationType(%d)", uint8(t))
}

// SpecializableConstant is a constant that a value can be given to.
type SpecializableConstant struct {
	Name    string // "" when the module does not say
	Type    SpecializationType
	Bits    int    // width; 1 for a Boolean
	Default uint64 // its bits, zero-extended
}

// size is the number of bytes that a value has in SpecializationInfo.Data.
func (c SpecializableConstant) size() uint32 { return uint32(c.Bits+7) / 8 }

// GetSpecializableConstants returns the specialization constants of a module by SpecId
// (Context::getSpecializableConstants). The error wraps [ErrInvalidValue]: code that is not
// valid SPIR-V. It needs no lock.
func (c *Context) GetSpecializableConstants(code []uint32) (map[uint32]SpecializableConstant, error) {
	const call = "Context.GetSpecializableConstants"
	m, err := decode(code)
	if err != nil {
		return nil, failed(call, within(ErrInvalidValue, err), "")
	}
	if err := validate.Validate(m, validate.Options{MaxErrors: 1}).Err(); err != nil {
		return nil, failed(call, within(ErrInvalidValue, err), "")
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		return nil, failed(call, within(ErrInvalidValue, err), "")
	}
	return specializable(info), nil
}

func specializable(info *spirv.Info) map[uint32]SpecializableConstant {
	out := make(map[uint32]SpecializableConstant, len(info.SpecConstants))
	for i := range info.SpecConstants {
		s := &info.SpecConstants[i]
		c := SpecializableConstant{Name: s.Name, Type: SpecializationInteger, Bits: s.Number.Width}
		switch {
		case s.Bool:
			c.Type, c.Bits = SpecializationBool, 1
		case s.Number.Float:
			c.Type = SpecializationFloat
		}
		for n, w := range s.Default {
			if n < 2 {
				c.Default |= uint64(w) << (32 * n)
			}
		}
		if c.Bits < 64 {
			c.Default &= 1<<c.Bits - 1
		}
		out[s.SpecID] = c
	}
	return out
}
