package portable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// ErrUnknown is wrapped by the errors of instructions that the package does not run.
var ErrUnknown = errors.New("portable: unknown instruction")

// Code is a function. Its methods up to [Code.Finish] collect the instructions; it does not change behind
// that, and may run several times at once.
type Code struct {
	pool   *amd64.Assembler // has the constants and tables
	steps  []step
	labels map[amd64.Label]int // by label: the step behind it
	err    error

	vectors, masks int // registers, virtual ones counted

	// memory is what addresses in the function lead to: a byte for each step, for places in the code, and the
	// constants behind them, which begin at the place that constants says. base is its first address.
	memory    []byte
	base      uintptr
	constants map[amd64.Mem]int
}

// step is an instruction.
type step struct {
	do    func(*machine, *inst) // nil where control goes elsewhere
	inst  inst
	jump  jump
	cond  amd64.Cond
	label amd64.Label
	to    int // the step of the label
}

// jump is how control goes on behind an instruction.
type jump uint8

const (
	jumpNone     jump = iota
	jumpAlways        // JMP
	jumpIf            // Jcc
	jumpIndirect      // to the address in an operand
	jumpOut           // RET
)

// New begins a function whose labels and constants are those of an assembler.
func New(pool *amd64.Assembler) *Code {
	return &Code{pool: pool, labels: map[amd64.Label]int{}, constants: map[amd64.Mem]int{}, vectors: 32, masks: 8}
}

// fail keeps the first error.
func (c *Code) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrUnknown, fmt.Sprintf(format, args...))
	}
}

// V appends a vector instruction, as [amd64.Assembler.V].
func (c *Code) V(op amd64.Op, w amd64.Width, operands ...amd64.Operand) {
	e, ok := entries[op]
	if !ok {
		c.fail("%s", op)
		return
	}
	i := inst{width: w}
	for _, o := range operands {
		if !c.operand(&i, o) {
			c.fail("%s with operand %v", op, o)
			return
		}
	}
	if err := e.check(&i); err != nil {
		c.fail("%s %v: %v", op, operands, err)
		return
	}
	c.steps = append(c.steps, step{do: e.run(), inst: i})
}

// G appends an instruction on general registers.
func (c *Code) G(op amd64.Gen, s amd64.Size, operands ...amd64.Operand) {
	i := inst{size: s}
	for _, o := range operands {
		if !c.operand(&i, o) {
			c.fail("%s with operand %v", op, o)
			return
		}
	}
	switch op {
	case amd64.RET:
		c.steps = append(c.steps, step{jump: jumpOut})
		return
	case amd64.JMPR:
		if len(i.args) == 1 {
			c.steps = append(c.steps, step{jump: jumpIndirect, inst: i})
			return
		}
	}
	g, ok := generals[op]
	if n := len(i.args); !ok || n < g.least || n > g.most {
		c.fail("%s with %d operands", op, len(i.args))
		return
	}
	c.steps = append(c.steps, step{do: g.do, inst: i})
}

// CMov appends a conditional move.
func (c *Code) CMov(cond amd64.Cond, s amd64.Size, r amd64.Reg, from amd64.Operand) {
	i := inst{size: s, cond: cond}
	if !c.operand(&i, r) || !c.operand(&i, from) {
		c.fail("cmov%s with operand %v", cond, from)
		return
	}
	c.steps = append(c.steps, step{do: cmov, inst: i})
}

// Set appends the byte to ← 1 if cond holds, 0 if not.
func (c *Code) Set(cond amd64.Cond, to amd64.Operand) {
	i := inst{size: amd64.B8, cond: cond}
	if !c.operand(&i, to) {
		c.fail("set%s with operand %v", cond, to)
		return
	}
	c.steps = append(c.steps, step{do: setcc, inst: i})
}

// Jmp goes to l.
func (c *Code) Jmp(l amd64.Label) { c.steps = append(c.steps, step{jump: jumpAlways, label: l}) }

// Jcc goes to l if cond holds.
func (c *Code) Jcc(cond amd64.Cond, l amd64.Label) {
	c.steps = append(c.steps, step{jump: jumpIf, cond: cond, label: l})
}

// Bind puts l here.
func (c *Code) Bind(l amd64.Label) { c.labels[l] = len(c.steps) }

// Align does nothing: places have no distance here.
func (c *Code) Align(int) {}

// Note does nothing.
func (c *Code) Note(string) {}

// Section does nothing.
func (c *Code) Section(string) {}

// operand adds an operand to an instruction, and says whether it is one.
func (c *Code) operand(i *inst, o amd64.Operand) bool {
	switch o := o.(type) {
	case amd64.Reg:
		if o == amd64.NoReg || o > amd64.R15 {
			return false
		}
		i.args = append(i.args, arg{kind: argReg, reg: int(o)})
	case amd64.Vec:
		c.vectors = max(c.vectors, int(o)+1)
		i.args = append(i.args, arg{kind: argVec, reg: int(o)})
	case amd64.Mask:
		c.masks = max(c.masks, int(o)+1)
		i.args = append(i.args, arg{kind: argMask, reg: int(o)})
	case amd64.Imm:
		i.imm = int64(o)
		i.args = append(i.args, arg{kind: argImm})
	case amd64.Pred:
		c.masks = max(c.masks, int(o.Mask())+1)
		i.pred, i.zeroes = int(o.Mask())+1, o.Zeroes()
	case amd64.Rounding:
		i.rounding = o
	case amd64.Mem:
		return c.place(i, o)
	default:
		return false
	}
	return true
}

// place adds an operand in memory.
func (c *Code) place(i *inst, m amd64.Mem) bool {
	a := arg{kind: argMem, reg: int(m.Base), index: int(m.Index), scale: uintptr(max(m.Scale, 1)), disp: uintptr(int64(m.Disp)), spread: m.Broadcasts()}
	if x, ok := m.VectorIndex(); ok {
		c.vectors = max(c.vectors, int(x)+1)
		a.kind, a.index = argScattered, int(x)
	}
	if l, ok := m.Label(); ok {
		a.kind, a.label = argLabel, l
	}
	if m.Constant() {
		a.kind = argConstant
		pool := m.Plain()
		at, ok := c.constants[pool]
		if !ok {
			data, _ := c.pool.Contents(pool)
			at = (len(c.memory) + 63) &^ 63
			c.memory = append(append(c.memory, make([]byte, at-len(c.memory))...), data...)
			c.constants[pool] = at
		}
		a.index = at
	}
	i.args = append(i.args, a)
	return true
}

// ErrUnsupported is the error of functions on machines whose addresses have no 64 bits, or that do not begin
// with the lowest byte: frames are of others.
var ErrUnsupported = errors.New("portable: machine form is for 64-bit little-endian processors")

// Supported says whether functions run here.
func Supported() bool {
	one := uint16(1)
	return unsafe.Sizeof(uintptr(0)) == 8 && *(*uint8)(unsafe.Pointer(&one)) == 1
}

// Finish ends the function. The error is that of the first instruction which is not known, or ErrUnsupported.
func (c *Code) Finish() error {
	if !Supported() {
		return ErrUnsupported
	}
	if c.err != nil {
		return c.err
	}
	constants := c.memory
	start := (len(c.steps) + 64) &^ 63
	c.memory = make([]byte, start+len(constants)+128)
	c.base = (uintptr(unsafe.Pointer(unsafe.SliceData(c.memory))) + 63) &^ 63
	at := c.memory[c.base-uintptr(unsafe.Pointer(unsafe.SliceData(c.memory))):]
	copy(at[start:], constants)
	for m, from := range c.constants { // into places of their own: their order shows nowhere
		_, labels := c.pool.Contents(m)
		for n, l := range labels {
			to, ok := c.labels[l]
			if !ok {
				return fmt.Errorf("portable: label %d of a table is never bound", l)
			}
			binary.LittleEndian.PutUint32(at[start+from+4*n:], uint32(to-start-from))
		}
	}
	for n := range c.steps {
		s := &c.steps[n]
		if s.jump == jumpAlways || s.jump == jumpIf {
			to, ok := c.labels[s.label]
			if !ok {
				return fmt.Errorf("portable: label %d is never bound", s.label)
			}
			s.to = to
		}
		for k := range s.inst.args {
			a := &s.inst.args[k]
			switch a.kind {
			case argLabel:
				to, ok := c.labels[a.label]
				if !ok {
					return fmt.Errorf("portable: label %d is never bound", a.label)
				}
				*a = arg{kind: argMem, disp: c.base + uintptr(to) + a.disp, scale: 1}
			case argConstant:
				*a = arg{kind: argMem, disp: c.base + uintptr(start+a.index) + a.disp, scale: 1, spread: a.spread}
			}
		}
	}
	c.steps = slices.Clip(c.steps)
	return nil
}
