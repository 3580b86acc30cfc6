package interp

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// ErrTooLarge means that a kernel needs more registers or private memory than
// the engine is willing to hold for a wave.
var ErrTooLarge = errors.New("kernel is too large")

// The limits for 64 lanes, in bytes of the host.
const (
	maxRegisterBytes = 256 << 20
	maxPrivateBytes  = 1 << 30
)

// Engine is the portable engine. The zero value is ready for use.
type Engine struct{}

var _ engine.Engine = Engine{}

// Name returns "interp".
func (Engine) Name() string { return "interp" }

// Compile prepares a kernel. The error wraps [isa.ErrMalformed] or [ErrTooLarge].
func (Engine) Compile(p *isa.Program, k *isa.Kernel) (engine.Code, error) {
	c, err := compile(p, k)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// compile prepares a kernel.
func compile(p *isa.Program, k *isa.Kernel) (*compiledKernel, error) {
	if err := k.Verify(); err != nil {
		return nil, err
	}
	if pc := slices.IndexFunc(k.Code, isAsync); pc >= 0 && !k.UsesAsync {
		return nil, fmt.Errorf("kernel %s: instruction %d: %s in a kernel without asynchronous copies: %w", k.Name, pc, k.Code[pc].Op, isa.ErrMalformed)
	}
	if pc := slices.IndexFunc(k.Code, func(in isa.Inst) bool {
		return in.Op == isa.OpPipe || in.Flags&isa.FlagWait != 0 && in.Op == isa.OpBrCond
	}); pc >= 0 && !k.UsesPipes {
		return nil, fmt.Errorf("kernel %s: instruction %d: %s in a kernel without pipes: %w", k.Name, pc, k.Code[pc].Op, isa.ErrMalformed)
	}
	if pc := slices.IndexFunc(k.Code, func(in isa.Inst) bool { return in.Op == isa.OpClock }); pc >= 0 && !k.UsesClock {
		return nil, fmt.Errorf("kernel %s: instruction %d: %s in a kernel that reads no clock: %w", k.Name, pc, k.Code[pc].Op, isa.ErrMalformed)
	}
	c := &compiledKernel{program: p, kernel: k}
	if err := c.place(); err != nil {
		return nil, err
	}
	rewritten := false
	c.zeroed, rewritten = c.readBeforeWrite()
	c.steady = len(c.zeroed) == 0 && !rewritten && len(k.Private) == 0
	c.opens = opensBarriers(k)
	var err error
	if c.plain, err = c.decode(decodeOptions{}); err != nil {
		return nil, err
	}
	return c, nil
}

// compiledKernel is a compiled kernel.
type compiledKernel struct {
	program *isa.Program
	kernel  *isa.Kernel
	native  *native // what another engine has made of the kernel, or nil

	plain    []block // by isa block
	observed [2 * 2 * 2 * 2 * 2 * 2 * 2]struct {
		once   sync.Once
		blocks []block
	} // the same for other options, by [decodeOptions.index]

	// layout is the register file of a chunk; temp has the temporary registers for scalar operands.
	layout waves.Layout
	temp   [4]uint32
	zeroed []span // registers that start as zero
	// steady says that a wave can be started again without anything being done about registers and private
	// memory.
	steady bool
	opens  bool // see opensBarriers

	scratch  uint32 // the first temporary one
	barriers []int  // blocks that end in a barrier
	barrier  []int  // by block: its number among them
	tables   []switchTable
	waits    []waitPlace

	// Private memory of a chunk: allocation n starts at privOffset[n-1].
	privOffset  []uintptr
	privSize    []uint64
	privRegions []memory.Region
	privStride  uintptr

	usesIDs bool // some built-in needs local ids
}

// span is a piece of a chunk's registers.
type span struct{ start, end uint32 }

// block is a decoded block.
type block struct {
	body     []inst
	parts    []int32 // by instruction of the kernel but the terminator, where what it has become ends in body; see decodeOptions
	end      terminator
	together together
	waves.BlockCounts
}

// place gives every register and private allocation its place.
func (c *compiledKernel) place() error {
	k := c.kernel
	pos := uint64(0)
	for b := range isa.NumBanks {
		c.layout.Vectors[b], c.layout.Bank[b] = k.NumVector[b], uint32(pos)
		size := uint64(8)
		if b != isa.BankMask {
			size = 64 << (b - isa.Bank8)
		}
		pos += uint64(k.NumVector[b]) * size
		if b == isa.BankMask {
			pos = (pos + 63) &^ 63
		}
		if pos > maxRegisterBytes {
			return fmt.Errorf("kernel %s: vector registers of 64 lanes take more than %d MiB: %w", k.Name, maxRegisterBytes>>20, ErrTooLarge)
		}
	}
	for i := range c.temp {
		c.temp[i] = uint32(pos)
		pos += 64 * 8
	}
	c.layout.Stride = uintptr(pos)
	c.scratch = uint32(k.NumScalar)
	c.layout.Scalars = k.NumScalar + 1

	room := uint64(0)
	for i := range k.Private {
		a := &k.Private[i]
		if a.Size > maxPrivateBytes {
			return fmt.Errorf("kernel %s: private variable %q of %d bytes: %w", k.Name, a.Name, a.Size, ErrTooLarge)
		}
		c.privOffset = append(c.privOffset, uintptr(room))
		c.privSize = append(c.privSize, a.Size)
		c.privRegions = append(c.privRegions, memory.Region{Name: a.Name, Size: a.Size})
		room += (a.Size + 3) / 4 * rowBytes
		if room > maxPrivateBytes {
			return fmt.Errorf("kernel %s: private memory of 64 lanes takes more than %d MiB: %w", k.Name, maxPrivateBytes>>20, ErrTooLarge)
		}
	}
	c.privStride = uintptr(room)
	c.layout.PrivateOffset, c.layout.PrivateSize, c.layout.PrivateStride = c.privOffset, c.privSize, c.privStride

	c.barrier = make([]int, len(k.Blocks))
	for i, b := range k.Blocks {
		if k.Code[b.End-1].Op == isa.OpBarrier {
			c.barrier[i] = len(c.barriers)
			c.barriers = append(c.barriers, i)
		}
	}
	c.waitPlaces()
	for i := range k.Switches {
		c.tables = append(c.tables, newSwitchTable(&k.Switches[i]))
	}
	return nil
}

// blocks returns the blocks decoded with the options.
func (c *compiledKernel) blocks(o decodeOptions) []block {
	o.watch = c.kernel.UsesAsync && (o.watch || o.check)
	if o == (decodeOptions{}) {
		return c.plain
	}
	v := &c.observed[o.index()]
	// The error was nil when plain was decoded, and does not depend on the options.
	v.once.Do(func() { v.blocks, _ = c.decode(o) })
	return v.blocks
}

// offset returns where vector register r of type t is in a chunk.
func (c *compiledKernel) offset(r isa.Reg, t isa.Type) uint32 { return c.layout.Offset(r, t) }
