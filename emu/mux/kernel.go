package mux

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Kernel is a kernel of a finalized module whose compilation can wait until more is known
// about its launch (compiler::Kernel). Types that implement it embed a [*BaseKernel]; a
// compiler without deferred compilation needs none.
//
// A local size has three dimensions; those that are not used are 1.
type Kernel interface {
	// Name returns the name of the kernel.
	Name() string
	// PreferredLocalSizes returns the local size that the kernel runs best with.
	PreferredLocalSizes() [3]uint64
	// LocalMemorySize returns how many bytes of local memory the kernel uses, without
	// those that its arguments bring.
	LocalMemorySize() uint64

	// PrecacheLocalSize tells the compiler of a local size that CreateSpecializedKernel may be
	// asked for (BaseKernel::precacheLocalSize).
	//
	// Errors: [ErrOutOfMemory]; [ErrLocalSizeX], [ErrLocalSizeY], [ErrLocalSizeZ].
	PrecacheLocalSize(x, y, z uint64) error
	// GetDynamicWorkWidth returns how many work-items of a work-group of this size
	// run together (BaseKernel::getDynamicWorkWidth): 1 or more, and never more
	// than the work-group has.
	//
	// Errors: [ErrOutOfMemory]; [ErrLocalSizeX], [ErrLocalSizeY], [ErrLocalSizeZ].
	GetDynamicWorkWidth(x, y, z uint64) (uint32, error)
	// CreateSpecializedKernel returns a binary with the kernel for launches like
	// options says (BaseKernel::createSpecializedKernel). Those that differ in what was built
	// in are refused: all but the descriptors without a value, or the local size only where
	// that was precached.
	//
	// Errors, in this order: [ErrDescriptorsEmpty]; [ErrDescriptorsMissing]; [ErrLocalSizeX] and
	// so on; [ErrGlobalOffset]; [ErrGlobalSize]; [ErrDimensions]; [ErrCustomBuffer]; [ErrInvalidValue] for
	// what does not fit the kernel; [ErrOutOfMemory]; [ErrCodeGeneration].
	CreateSpecializedKernel(ctx context.Context, options *NDRangeOptions) ([]byte, error)

	// GetSubGroupSize returns the sub-group size of the kernel
	// (BaseKernel::getSubGroupSize). Errors: [ErrOutOfMemory]; [ErrNoSubGroups].
	GetSubGroupSize() (uint32, error)
	// QuerySubGroupSizeForLocalSize returns the size of the largest sub-group in a
	// work-group of this size (BaseKernel::querySubGroupSizeForLocalSize). One sub-group at
	// most is smaller.
	//
	// Errors: [ErrOutOfMemory]; [ErrLocalSizeX], [ErrLocalSizeY], [ErrLocalSizeZ]; [ErrNoSubGroups].
	QuerySubGroupSizeForLocalSize(x, y, z uint64) (uint32, error)
	// QueryLocalSizeForSubGroupCount returns a local size that gives so many
	// sub-groups (BaseKernel::queryLocalSizeForSubGroupCount). It has one dimension and
	// is a multiple of the sub-group size; zeros when there is none.
	//
	// Errors: [ErrOutOfMemory]; [ErrNoSubGroups].
	QueryLocalSizeForSubGroupCount(count uint64) ([3]uint64, error)
	// QueryMaxSubGroupCount returns the most sub-groups that a work-group of the
	// kernel can have (BaseKernel::queryMaxSubGroupCount), 1 or more.
	//
	// Errors: [ErrOutOfMemory]; [ErrNoSubGroups].
	QueryMaxSubGroupCount() (uint64, error)

	baseKernel() *BaseKernel
}

// BaseKernel is what every [Kernel] embeds: all of a kernel. It stays usable when its
// module is cleared.
type BaseKernel struct {
	ctx       *Context
	device    *DeviceInfo
	source    *source
	code      *isa.Kernel
	lowering  lower.Options
	preferred [3]uint64
	local     uint64

	held     holding
	scratch  holding
	precache []precached // the oldest first
}

// precached is a program for one local size.
type precached struct {
	local   [3]uint32
	program *isa.Program
	bytes   uint64
}

// maxPrecached is the number of local sizes that a kernel keeps programs for.
const maxPrecached = 8

// NewBaseKernel returns the base of a kernel of the module (BaseKernel Constructor). It is
// for Module.CreateKernel, and like that called with the context's lock held.
// preferred are the preferred local sizes and localMemory the bytes of local memory.
//
// Errors: [ErrNotConstructed]; [ErrNotFinalized]; [ErrNoKernel]; [ErrOutOfMemory].
func NewBaseKernel(module Module, name string, preferred [3]uint64, localMemory uint64) (*BaseKernel, error) {
	const call = "NewBaseKernel"
	if module == nil || module.baseModule() == nil {
		return nil, failed(call, ErrNotConstructed, "")
	}
	m := module.baseModule()
	if m.final == nil {
		return nil, failed(call, ErrNotFinalized, "")
	}
	if err := m.loadFinal(); err != nil {
		return nil, failed(call, err, "")
	}
	code := m.final.entry(name)
	if code == nil {
		return nil, failed(call, ErrNoKernel, "%q", name)
	}
	if m.final.lowering == nil {
		// The program was deserialized, and has not needed passes yet.
		opt, err := m.lowerOptions()
		if err != nil {
			return nil, failed(call, within(ErrFinalizeProgramFailure, err), "")
		}
		m.final.lowering = opt
	}
	k := &BaseKernel{ctx: m.ctx, device: m.target.device(), source: m.final.source, code: code, lowering: *m.final.lowering,
		preferred: preferred, local: localMemory, held: holding{from: m.target.alloc}, scratch: holding{from: m.target.alloc}}
	if err := k.held.take(objectBytes); err != nil {
		return nil, failed(call, err, "")
	}
	return k, nil
}

// PreferredLocalSize returns the local size to construct a kernel of the module with: the
// one that the program requires or hints at, else a line of whole sub-groups. Like
// [NewBaseKernel] it is for Module.CreateKernel.
func (m *BaseModule) PreferredLocalSize(name string) [3]uint64 {
	if m.baseModule() == nil {
		return [3]uint64{1, 1, 1}
	}
	d := m.target.device()
	limit := d.MaxWorkGroupSize
	if m.final != nil && m.loadFinal() == nil {
		if k := m.final.program.Kernel(name); k != nil {
			if k.Meta.DegenerateSubgroups {
				limit = min(limit, uint64(d.lanes()))
			}
			for _, want := range [][3]uint32{k.ReqdLocalSize, k.LocalSizeHint} {
				size := [3]uint64{uint64(want[0]), uint64(want[1]), uint64(want[2])}
				most := d.MaxWorkItemSizes
				inside := size[0] <= most[0] && size[1] <= most[1] && size[2] <= most[2]
				if n := items(size); n != 0 && n <= limit && inside {
					return size
				}
			}
		}
	}
	most := min(limit, d.MaxWorkItemSizes[0], 256)
	return [3]uint64{max(most-most%uint64(d.lanes()), 1), 1, 1}
}

// LocalMemorySize returns the bytes of local memory that a kernel of the module declares.
// Like [NewBaseKernel] it is for Module.CreateKernel.
func (m *BaseModule) LocalMemorySize(name string) uint64 {
	if m.baseModule() == nil || m.final == nil || m.loadFinal() != nil {
		return 0
	}
	if k := m.final.program.Kernel(name); k != nil {
		return allocated(k.Local)
	}
	return 0
}

func (k *BaseKernel) baseKernel() *BaseKernel { return k }

// Name implements [Kernel].
func (k *BaseKernel) Name() string {
	if k == nil || k.code == nil {
		return ""
	}
	return k.code.Name
}

// PreferredLocalSizes implements [Kernel].
func (k *BaseKernel) PreferredLocalSizes() [3]uint64 {
	if k == nil {
		return [3]uint64{}
	}
	return k.preferred
}

// LocalMemorySize implements [Kernel].
func (k *BaseKernel) LocalMemorySize() uint64 {
	if k == nil {
		return 0
	}
	return k.local
}

// Close gives back what the kernel holds from its allocator. It is not used any more.
func (k *BaseKernel) Close() {
	if k.enter("Close") != nil {
		return
	}
	defer k.ctx.Unlock()
	k.precache = nil
	k.held.drop()
}

func (k *BaseKernel) failed(method string, err error, format string, args ...any) error {
	return &Error{Call: "Kernel." + method, Object: k.code.Name, Err: err, Reason: fmt.Sprintf(format, args...)}
}

// enter takes the context's lock, unless the kernel was not constructed.
func (k *BaseKernel) enter(method string) error {
	if k == nil || k.ctx == nil {
		return failed("Kernel."+method, ErrNotConstructed, "")
	}
	k.ctx.Lock()
	return nil
}

// items is the number of work-items of a work-group; 2^64-1 when it is more.
func items(local [3]uint64) uint64 {
	n := uint64(1)
	for _, l := range local {
		hi, lo := bits.Mul64(n, l)
		if hi != 0 {
			// The product with what follows is 0 or no less.
			for _, l := range local {
				if l == 0 {
					return 0
				}
			}
			return 1<<64 - 1
		}
		n = lo
	}
	return n
}

// checkLocal says which dimension of a local size is 0.
func checkLocal(local [3]uint64) error {
	for i, err := range [3]error{ErrLocalSizeX, ErrLocalSizeY, ErrLocalSizeZ} {
		if local[i] == 0 {
			return err
		}
	}
	return nil
}

// query is the start of the methods that answer with a little: an answer is an object,
// if a small one, and so can fail for want of memory.
func (k *BaseKernel) query(method string) error {
	if err := k.scratch.take(objectBytes); err != nil {
		return k.failed(method, err, "")
	}
	k.scratch.drop()
	return nil
}

// GetDynamicWorkWidth implements [Kernel].
func (k *BaseKernel) GetDynamicWorkWidth(x, y, z uint64) (uint32, error) {
	const method = "GetDynamicWorkWidth"
	if err := k.enter(method); err != nil {
		return 0, err
	}
	defer k.ctx.Unlock()
	if err := checkLocal([3]uint64{x, y, z}); err != nil {
		return 0, k.failed(method, err, "")
	}
	if err := k.query(method); err != nil {
		return 0, err
	}
	limit := 0
	if uint64(k.device.MaxWorkWidth) < k.device.MaxWorkGroupSize {
		limit = int(k.device.MaxWorkWidth)
	}
	n := min(items([3]uint64{x, y, z}), k.device.MaxWorkGroupSize)
	return uint32(scheduler.Width(k.code, k.device.lanes(), limit, int(n))), nil
}

// GetSubGroupSize implements [Kernel].
func (k *BaseKernel) GetSubGroupSize() (uint32, error) {
	const method = "GetSubGroupSize"
	if err := k.enter(method); err != nil {
		return 0, err
	}
	defer k.ctx.Unlock()
	if k.device.SubGroupSize == 0 {
		return 0, k.failed(method, ErrNoSubGroups, "")
	}
	if err := k.query(method); err != nil {
		return 0, err
	}
	return k.device.SubGroupSize, nil
}

// QuerySubGroupSizeForLocalSize implements [Kernel].
func (k *BaseKernel) QuerySubGroupSizeForLocalSize(x, y, z uint64) (uint32, error) {
	const method = "QuerySubGroupSizeForLocalSize"
	if err := k.enter(method); err != nil {
		return 0, err
	}
	defer k.ctx.Unlock()
	if err := checkLocal([3]uint64{x, y, z}); err != nil {
		return 0, k.failed(method, err, "")
	}
	if k.device.SubGroupSize == 0 {
		return 0, k.failed(method, ErrNoSubGroups, "")
	}
	if err := k.query(method); err != nil {
		return 0, err
	}
	return uint32(min(items([3]uint64{x, y, z}), uint64(k.device.SubGroupSize))), nil
}

// QueryLocalSizeForSubGroupCount implements [Kernel].
func (k *BaseKernel) QueryLocalSizeForSubGroupCount(count uint64) ([3]uint64, error) {
	const method = "QueryLocalSizeForSubGroupCount"
	if err := k.enter(method); err != nil {
		return [3]uint64{}, err
	}
	defer k.ctx.Unlock()
	if k.device.SubGroupSize == 0 {
		return [3]uint64{}, k.failed(method, ErrNoSubGroups, "")
	}
	if err := k.query(method); err != nil {
		return [3]uint64{}, err
	}
	hi, n := bits.Mul64(count, uint64(k.device.SubGroupSize))
	if hi != 0 || n == 0 || n > k.device.MaxWorkGroupSize {
		return [3]uint64{}, nil
	}
	sizes := k.sizes()
	for d := range sizes {
		local := [3]uint64{1, 1, 1}
		local[d] = n
		if n <= sizes[d] && k.allows(local) {
			return local, nil
		}
	}
	return [3]uint64{}, nil
}

// QueryMaxSubGroupCount implements [Kernel].
func (k *BaseKernel) QueryMaxSubGroupCount() (uint64, error) {
	const method = "QueryMaxSubGroupCount"
	if err := k.enter(method); err != nil {
		return 0, err
	}
	defer k.ctx.Unlock()
	if k.device.SubGroupSize == 0 {
		return 0, k.failed(method, ErrNoSubGroups, "")
	}
	if err := k.query(method); err != nil {
		return 0, err
	}
	n := mostItems(k.sizes(), k.device.MaxWorkGroupSize)
	if reqd := k.required(); reqd != [3]uint64{} {
		n = items(reqd)
	}
	if k.code.Meta.DegenerateSubgroups {
		return 1, nil
	}
	size := uint64(k.device.SubGroupSize)
	return (n + size - 1) / size, nil
}

// sizes are the sizes that a work-group of the kernel may have in each dimension.
func (k *BaseKernel) sizes() [3]uint64 {
	s := k.device.MaxWorkItemSizes
	if dim := k.code.Meta.MaxWorkDim; dim != 0 {
		for d := dim; d < 3; d++ {
			s[d] = 1
		}
	}
	return s
}

// required is the only local size that the kernel can have; zeros for any.
func (k *BaseKernel) required() [3]uint64 {
	var out [3]uint64
	for i, n := range k.code.ReqdLocalSize {
		out[i] = uint64(n)
	}
	return out
}

// allows says whether the kernel may be launched with a local size, as far as the program
// says something about it.
func (k *BaseKernel) allows(local [3]uint64) bool {
	if reqd := k.required(); reqd != [3]uint64{} && reqd != local {
		return false
	}
	return !k.code.Meta.DegenerateSubgroups || items(local) <= uint64(k.device.lanes())
}

// mostItems is the size of the largest work-group with these sizes at most in its
// dimensions and most work-items.
func mostItems(sizes [3]uint64, most uint64) uint64 {
	best := uint64(1)
	for x := uint64(1); x <= min(sizes[0], most); x++ {
		for y := uint64(1); y <= min(sizes[1], most/x); y++ {
			best = max(best, x*y*min(sizes[2], most/x/y))
			if best == most {
				return best
			}
		}
	}
	return best
}
