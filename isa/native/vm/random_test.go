package vm

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/portable"
)

// target4 has few registers.
func target4(vectors, masks int) Target {
	return Target{Registers: [2]uint32{1<<vectors - 1, (1<<masks - 1) << 1}, Width: amd64.Z, Base: amd64.RBP}
}

// program makes random functions.
type program struct {
	*rand.Rand
	f      *Func
	vecs   []amd64.Vec
	masks  []amd64.Mask
	loops  int
	stores int32
}

const (
	input  = amd64.RSI
	output = amd64.RDI
)

func (p *program) vec() amd64.Vec   { return p.vecs[p.IntN(len(p.vecs))] }
func (p *program) mask() amd64.Mask { return p.masks[p.IntN(len(p.masks))] }

// begin makes registers with something in them.
func (p *program) begin(vecs, masks int) {
	for i := range vecs {
		x := p.f.NewVec()
		p.f.V(amd64.VMOVDQU32, amd64.Z, x, amd64.Mem{Base: input, Disp: int32(64 * i)})
		if p.IntN(3) == 0 {
			p.f.Rematerialise(x)
		}
		p.vecs = append(p.vecs, x)
	}
	for range masks {
		k := p.f.NewMask()
		p.f.V(amd64.VPCMPUD, amd64.Z, k, p.vec(), p.vec(), amd64.Imm(1))
		p.masks = append(p.masks, k)
	}
}

// statements appends some.
func (p *program) statements(n, depth int) {
	for range n {
		switch k := p.IntN(20); {
		case k < 6:
			op := []amd64.Op{amd64.VPADDD, amd64.VPSUBD, amd64.VPXORD, amd64.VPMULLD}[p.IntN(4)]
			operands := []amd64.Operand{p.vec(), p.vec(), p.vec()}
			if p.IntN(3) == 0 {
				operands = append(operands, amd64.Merge(p.mask()))
			}
			p.f.V(op, amd64.Z, operands...)
		case k < 7:
			p.f.V(amd64.VPTERNLOGD, amd64.Z, p.vec(), p.vec(), p.vec(), amd64.Imm(p.IntN(256)))
		case k < 9:
			p.f.V(amd64.VMOVDQA32, amd64.Z, p.vec(), p.vec())
		case k < 10:
			// A constant, and something in between, which is dead soon.
			x, y := p.f.NewVec(), p.f.NewVec()
			p.f.V(amd64.VPBROADCASTD, amd64.Z, x, p.f.Const32(p.Uint32()))
			p.f.V(amd64.VPADDD, amd64.Z, y, x, p.vec())
			p.f.V(amd64.VMOVDQA32, amd64.Z, p.vec(), y)
			if p.IntN(2) == 0 {
				p.vecs[p.IntN(len(p.vecs))] = x
			}
		case k < 12:
			p.f.V(amd64.VPCMPUD, amd64.Z, p.mask(), p.vec(), p.vec(), amd64.Imm(1))
		case k < 14:
			op := []amd64.Op{amd64.KANDW, amd64.KORW, amd64.KXORW}[p.IntN(3)]
			p.f.V(op, amd64.X, p.mask(), p.mask(), p.mask())
		case k < 15:
			p.f.V(amd64.VMOVDQU32, amd64.Z, amd64.Mem{Base: output, Disp: 64 * p.stores}, p.vec())
			p.stores++
		case depth == 0:
		case k < 18:
			p.choice(n, depth)
		case p.loops < 4:
			p.loop(n, depth)
		}
	}
}

// choice appends code that does one thing or another, at times far away.
func (p *program) choice(n, depth int) {
	other, done := p.f.NewLabel(), p.f.NewLabel()
	k := p.mask()
	p.f.V(amd64.KORTESTW, amd64.X, k, k)
	p.f.Jcc(amd64.IsZero, other)
	vecs, near := slices.Clone(p.vecs), p.IntN(3) == 0
	there := func() {
		hot := p.vecs
		p.vecs = slices.Clone(vecs)
		p.f.Bind(other)
		p.statements(p.IntN(n)/2, depth-1)
		p.vecs = hot
	}
	if !near {
		p.f.Later(func() {
			there()
			p.f.Jmp(done)
		})
	}
	p.statements(p.IntN(n)/2, depth-1)
	if near {
		p.f.Jmp(done)
		there()
	}
	p.f.Bind(done)
	p.vecs = slices.Clone(vecs) // others are not written on all ways
}

// loop appends code that runs up to three times.
func (p *program) loop(n, depth int) {
	r := []amd64.Reg{amd64.R8, amd64.R9, amd64.R10, amd64.R11}[p.loops]
	p.loops++
	top := p.f.NewLabel()
	p.f.G(amd64.MOV, amd64.B64, r, amd64.Imm(1+p.IntN(3)))
	p.f.Bind(top)
	p.statements(p.IntN(n), depth-1)
	p.f.G(amd64.DEC, amd64.B64, r)
	p.f.Jcc(amd64.NotZero, top)
}

// newProgram returns a random function.
func newProgram(seed uint64, t Target) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 7)), f: New(amd64.New(amd64.AVX2|amd64.AVX512), t, 0)}
	p.begin(3+p.IntN(12), 1+p.IntN(6))
	p.statements(10+p.IntN(30), 3)
	for i, x := range p.vecs {
		p.f.V(amd64.VMOVDQU32, amd64.Z, amd64.Mem{Base: output, Disp: int32(64 * (1000 + i))}, x)
	}
	p.f.G(amd64.RET, amd64.B64)
	p.f.RunLater()
	return p
}

// surroundings are what functions read, store to and spill to, in vectors of 64 bytes.
type surroundings struct {
	in     [20][16]uint32
	out    [1100][16]uint32
	spills [200][16]uint32
}

// run runs a function, and returns what it has stored.
func run(c *portable.Code, seed uint64) *[1100][16]uint32 {
	r, m := rand.New(rand.NewPCG(seed, 1)), &surroundings{}
	for i := range m.in {
		for k := range m.in[i] {
			m.in[i][k] = r.Uint32N(1 << (1 + i))
		}
	}
	s := c.NewState()
	s.SetGeneral(input, uint64(uintptr(unsafe.Pointer(&m.in))))
	s.SetGeneral(amd64.RBP, uint64(uintptr(unsafe.Pointer(&m.spills))))
	c.Run(s, unsafe.Pointer(&m.out))
	runtime.KeepAlive(m)
	return &m.out
}

// TestRandom executes random functions with virtual registers and with few ones, and compares what they
// store.
func TestRandom(t *testing.T) {
	if !portable.Supported() {
		t.Skip(portable.ErrUnsupported)
	}
	count := uint64(3000)
	if testing.Short() {
		count = 500
	}
	spills := 0
	for seed := range count {
		vectors, masks := 4+int(seed%5), 3+int(seed%4)
		p := newProgram(seed, target4(vectors, masks))
		p.f.chunks[len(p.f.chunks)-1].end = len(p.f.insts)
		want, got := portable.New(p.f.Assembler), portable.New(p.f.Assembler)
		for i := range p.f.insts {
			p.f.instruct(want, &p.f.insts[i])
		}
		text := p.f.Dump(nil)
		a := newAllocator(p.f, p.f.analyse())
		a.run()
		if err := a.verify(); err != nil {
			t.Fatalf("function %d: %v\n%s", seed, err, text)
		}
		a.emit(got)
		spills += p.f.Slots()
		if p.stores >= 1000 || p.f.Slots() > 200 {
			t.Fatalf("function %d has %d stores and %d spill slots", seed, p.stores, p.f.Slots())
		}
		for _, c := range []*portable.Code{want, got} {
			if err := c.Finish(); err != nil {
				t.Fatalf("function %d: %v\n%s", seed, err, text)
			}
		}
		if *run(want, seed) != *run(got, seed) {
			t.Fatalf("function %d, %d vector and %d mask registers: stores differ\n%s\nallocated\n%s", seed, vectors, masks, text, p.f.Dump(nil))
		}
	}
	if spills == 0 {
		t.Error("nothing was spilled")
	}
}
