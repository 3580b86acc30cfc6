package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

const full = ^uint64(0)

// Thresholds in lanes of a chunk, measured: from here on a loop over 64 lanes
// is faster than one over the lanes that run.
const (
	minDense = 16
	cmpDense = 24
)

// The forms of the execution mask, as indices into wave.masks.
const (
	maskEffective = iota // all ones if no live lane is kept out
	maskDense            // all ones if enough lanes run
	maskExact
	numMasks
)

// wave is the state of a wave. It is made for a number of lanes and used for
// one wave after the other.
type wave struct {
	// What machine code works on as well; only machine code uses its pointers.
	waves.Frame

	code   *compiledKernel
	blocks []block
	group  *engine.Group
	mem    *memory.Global
	lds    *memory.Local

	base   unsafe.Pointer // registers; chunk k is at base + k*stride
	stride uintptr
	s      []uint64 // scalar registers

	// Lanes. The slices have a word for each chunk in use.
	first int // local linear id of lane 0
	lanes int
	live  []uint64 // not ended
	exec  []uint64 // running
	masks [numMasks][]uint64

	// Control, see Frame.
	words   int
	running bool
	wait    []uint64
	waiting []uint64
	tmp     []uint64

	// Barriers: the lanes parked at each, in the order of code.barriers.
	parked    []uint64
	nparked   []int
	allParked int
	subParked int // at barriers of a sub-group
	// gathered is one more than the number of the barrier at which all live lanes wait. They are not in
	// parked but still in exec; 0 means that it is not so.
	gathered int

	arena   []uint64 // backs the registers
	masksMu []uint64 // backs the masks

	// Private memory, allocated when the first wave starts that needs it.
	privArena []uint64
	touched   []bool // by allocation: written since it was initialised
	privFresh int    // chunks that are initialised, apart from touched allocations
	privVals  *engine.Launch

	ids   [waves.NumIDs][]uint32 // local ids of the lanes, and more for machine code
	idKey idKey
	offs  [64]int64 // index part of addresses, see offsets

	texels *imageLanes // nil until an image is accessed

	// For the detection of data races: the store that is told of, and what a compare-and-exchange has worked on.
	telling    *inst
	same       func(item, other int) bool // sameValue
	addresses  []memory.Pointer
	comparands []uint64

	maxLan int
	async  *asyncState
	pipes  *pipeState

	intact   bool     // all lanes have ended at once, so that live and exec are as at the start
	machine  *machine // what machine code of the kernel needs of the wave, or nil
	native   *machine // the same if this wave runs in machine code
	swept    uint64   // groups that have ended since Sweep was called
	valueKey valueKey // of Frame.Values

	later  *later // code that is to become machine code, or nil
	waits  bool   // this wave goes on in machine code when that is there
	enough uint64 // Counts.Instructions at which to look whether it is

	shadow *shadow // nil where nobody asks for undefined bits

	back back // lanes that are kept back at a barrier

	faulted bool
	fault   engine.Fault
	debug   debugging
}

// idKey says for which lanes wave.ids is filled in.
type idKey struct {
	first, lanes int
	size         [3]uint32
	sub          int
	native       bool // machine code needs more of them
}

// NewWave returns a wave of at most lanes lanes.
func (c *compiledKernel) NewWave(lanes int) engine.Wave { return c.newWave(lanes) }

func (c *compiledKernel) newWave(lanes int) *wave {
	lanes = max(lanes, 1)
	chunks := words(lanes)
	w := &new(apart).wave
	w.code, w.maxLan, w.words, w.enough = c, lanes, chunks, noWork
	w.newRegisters()
	w.newScalars()
	w.masksMu = wordsApart(chunks * (3 + numMasks))
	nb := len(c.kernel.Blocks)
	w.wait = wordsApart(nb * chunks)
	w.waiting = wordsApart(words(nb))
	w.MinWait = nb
	w.parked = make([]uint64, len(c.barriers)*chunks)
	w.nparked = make([]int, len(c.barriers))
	w.touched = make([]bool, len(c.privSize))
	w.async = c.newAsync(chunks)
	w.pipes = c.newPipes(chunks)
	w.newIDs()
	if c.native != nil {
		w.newMachine()
	}
	return w
}

// lineWords is how many words two cache lines have: processors fetch lines in pairs.
const lineWords = 16

// apart is a wave that shares no cache line with other memory. Each worker writes to its waves all the time. A
// line that two workers share travels from one processor to the other (false sharing: Torrellas, Lam and
// Hennessy, 1994).
type apart struct {
	_    [lineWords]uint64
	wave wave
	_    [lineWords]uint64
}

// wordsApart allocates n words that share no cache line with other memory.
func wordsApart(n int) []uint64 {
	return make([]uint64, n+2*lineWords)[lineWords : lineWords+n : lineWords+n]
}

// newRegisters allocates the vector registers.
func (w *wave) newRegisters() {
	// Loops over chunks compute the address of the chunk behind the last; the
	// extra words keep it inside the allocation.
	w.stride = w.code.layout.Stride
	w.arena = make([]uint64, w.words*int(w.stride/8)+8)
	w.base = unsafe.Pointer(unsafe.SliceData(w.arena))
}

// newScalars allocates the scalar registers. Machine code has room for as many behind them, twice.
func (w *wave) newScalars() {
	n := w.code.layout.Scalars
	w.s = wordsApart(3 * n)[:n]
}

// newIDs allocates what initIDs fills in.
func (w *wave) newIDs() {
	if !w.code.usesIDs {
		return
	}
	n := 3
	if w.code.native != nil {
		n = waves.NumIDs
	}
	for i := range n {
		w.ids[i] = make([]uint32, w.words*64)
	}
	w.idKey = idKey{}
}

// chunk returns the address of chunk k's registers.
func (w *wave) chunk(k int) unsafe.Pointer { return unsafe.Add(w.base, uintptr(k)*w.stride) }

// Start puts n lanes at the entry of the kernel.
func (w *wave) Start(g *engine.Group, first, n int) {
	l := g.Launch
	plain := !l.Check && l.Origins == nil && !(g.Watch && w.code.kernel.UsesAsync) && g.Subgroups == nil && g.Accesses == nil && g.Weak == nil && g.Debug == nil
	if plain && w.later != nil {
		if to := w.later.ready(); to != nil {
			w.become(to)
		}
	}
	c := w.code
	w.waits = plain && w.later != nil
	w.group, w.mem, w.lds = g, l.Memory, g.LDS
	if g.Races != nil && w.same == nil {
		w.same = w.sameValue
	}
	if w.blocks = c.plain; !plain {
		w.blocks = c.blocks(decodeOptions{check: l.Check, watch: g.Watch, trace: g.Subgroups != nil, tell: g.Accesses != nil, shade: l.Origins != nil, model: g.Weak != nil})
	}
	before := w.lanes
	w.first, w.lanes = first, min(n, w.maxLan)
	w.faulted, w.Choosy, w.debug = false, false, debugging{}
	w.Counts = engine.Counters{Waves: 1}

	chunks := words(w.lanes)
	if chunks != len(w.exec) {
		w.cut(chunks)
	}
	w.native = nil
	if plain && c.native != nil {
		w.native = w.machine
		w.native.start(w, chunks)
	}
	if w.MinWait != len(w.blocks) {
		clear(w.wait)
		clear(w.waiting)
		w.MinWait = len(w.blocks)
	}
	w.back.reset()
	if w.allParked != 0 {
		clear(w.parked)
		clear(w.nparked)
		w.allParked, w.subParked, w.gathered = 0, 0, 0
	}
	if w.pipes != nil {
		w.pipes.start()
	}
	if g.Debug != nil {
		clear(w.file()) // who looks at registers sees the same whichever way the wave has come
		if w.pipes != nil {
			clear(w.pipes.handles)
			w.pipes.level = 0
		}
	}
	w.renew()
	if c.usesIDs {
		w.initIDs()
	}
	w.Cur, w.running = 0, w.lanes > 0
	w.enliven(before)
}

// Rest forgets what belongs to the launch: its memory, and what has been found out about it.
func (w *wave) Rest() {
	w.group, w.mem, w.lds = nil, nil, nil
	w.privVals, w.valueKey = nil, valueKey{}
	if w.machine != nil {
		w.machine.slotKey = slotKey{}
		w.machine.clearSlots()
		w.LDS, w.Lines, w.Event = nil, 0, nil
	}
	if p := w.pipes; p != nil {
		p.base, p.pipe, p.launch, p.pipes = 0, nil, nil, nil
	}
	if w.shadow != nil {
		w.shadow.of = nil
	}
}

// cut makes the masks those of a number of chunks.
func (w *wave) cut(chunks int) {
	cut := func(i int) []uint64 { return w.masksMu[i*w.words:][:chunks] }
	w.live, w.exec, w.tmp = cut(0), cut(1), cut(2)
	for i := range w.masks {
		w.masks[i] = cut(3 + i)
	}
	// The exact mask is the list of running lanes itself.
	w.masks[maskExact] = w.exec
}

// setExec derives from the running lanes what the instructions need.
func (w *wave) setExec() {
	w.Active, w.Changed = 0, false
	for k, m := range w.exec {
		n := bits.OnesCount64(m)
		w.Active += n
		eff, dense := m, m
		if n >= minDense {
			dense = full
			if w.live[k] == m {
				eff = full
			}
		}
		w.masks[maskEffective][k] = eff
		w.masks[maskDense][k] = dense
	}
}

// reg returns the bits of an operand for lane i of chunk k.
func (w *wave) reg(r isa.Reg, t isa.Type, k, i int) uint64 {
	if r.IsScalar() {
		return w.s[r.Index()]
	}
	p := unsafe.Add(w.chunk(k), w.code.offset(r, t))
	switch t.Bank() {
	case isa.BankMask:
		return *(*uint64)(p) >> (i & 63) & 1
	case isa.Bank8:
		return uint64((*[64]uint8)(p)[i&63])
	case isa.Bank16:
		return uint64((*[64]uint16)(p)[i&63])
	case isa.Bank32:
		return uint64((*[64]uint32)(p)[i&63])
	}
	return (*[64]uint64)(p)[i&63]
}

// setReg stores v into lane i of chunk k of a vector register, or into a scalar one.
func (w *wave) setReg(r isa.Reg, t isa.Type, k, i int, v uint64) {
	if r.IsScalar() {
		w.s[r.Index()] = v
		return
	}
	p := unsafe.Add(w.chunk(k), w.code.offset(r, t))
	switch t.Bank() {
	case isa.BankMask:
		b := uint64(1) << (i & 63)
		*(*uint64)(p) = *(*uint64)(p)&^b | -(v&1)&b
	case isa.Bank8:
		(*[64]uint8)(p)[i&63] = uint8(v)
	case isa.Bank16:
		(*[64]uint16)(p)[i&63] = uint16(v)
	case isa.Bank32:
		(*[64]uint32)(p)[i&63] = uint32(v)
	case isa.Bank64:
		(*[64]uint64)(p)[i&63] = v
	}
}

// Parked returns how many lanes wait at a barrier.
func (w *wave) Parked() int { return w.allParked }

// Live returns how many lanes have not ended.
func (w *wave) Live() int { return w.Alive }

// Fault returns what stopped the wave.
func (w *wave) Fault() *engine.Fault {
	if !w.faulted {
		return nil
	}
	return &w.fault
}

// Counters returns what the wave has done since Start.
func (w *wave) Counters() *engine.Counters { return &w.Counts }
