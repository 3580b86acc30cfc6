package portable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// The registers that the tests of instructions use. regBlock has the block, regPlace the address of operands in
// memory.
const (
	regBlock   = amd64.RDI
	regPlace   = amd64.R14
	numVectors = 4
	numMasks   = 3 // from k1 on
)

var numbers = [...]amd64.Reg{amd64.RAX, amd64.RCX, amd64.RDX, amd64.RBX}

// block is what an instruction works on and what it leaves.
type block struct {
	Place   [128]byte
	Vectors [numVectors][64]byte
	Masks   [numMasks]uint64
	Numbers [len(numbers)]uint64
	Flags   [16]byte // by amd64.Cond
}

func at(off uintptr, n, size int) amd64.Mem {
	return amd64.Mem{Base: regBlock, Disp: int32(off) + int32(n*size)}
}

// emitter takes instructions: an assembler, or a [Code].
type emitter interface {
	V(op amd64.Op, w amd64.Width, operands ...amd64.Operand)
	G(op amd64.Gen, s amd64.Size, operands ...amd64.Operand)
	CMov(c amd64.Cond, s amd64.Size, r amd64.Reg, from amd64.Operand)
	Set(c amd64.Cond, to amd64.Operand)
	Jcc(c amd64.Cond, l amd64.Label)
	Bind(l amd64.Label)
}

// trial is an instruction in a form: what appends it, and what cannot be compared behind it.
type trial struct {
	name      string
	emit      func(e emitter, label amd64.Label)
	undefined string // conditions of flags that are not defined, by letter: c z s o p
	near      bool   // results may be off a little
}

// program appends what loads registers from the block, the instruction, and what stores registers.
func (x *trial) program(e emitter, f amd64.Features, label amd64.Label) {
	w := amd64.Y
	if f&amd64.AVX512 != 0 {
		w = amd64.Z
	}
	var b block
	for n := range numVectors {
		e.V(amd64.VMOVUPS, w, amd64.Vec(n), at(unsafe.Offsetof(b.Vectors), n, 64))
	}
	if w == amd64.Z {
		for n := range numMasks {
			e.V(amd64.KMOVQ, amd64.X, amd64.Mask(n+1), at(unsafe.Offsetof(b.Masks), n, 8))
		}
	}
	for n, r := range numbers {
		e.G(amd64.MOV, amd64.B64, r, at(unsafe.Offsetof(b.Numbers), n, 8))
	}
	e.G(amd64.LEA, amd64.B64, regPlace, at(unsafe.Offsetof(b.Place), 0, 0))
	e.G(amd64.CMP, amd64.B64, amd64.RBX, amd64.RDX) // flags
	x.emit(e, label)
	for c := range amd64.Greater + 1 {
		e.Set(c, at(unsafe.Offsetof(b.Flags), int(c), 1))
	}
	for n, r := range numbers {
		e.G(amd64.MOV, amd64.B64, at(unsafe.Offsetof(b.Numbers), n, 8), r)
	}
	for n := range numVectors {
		e.V(amd64.VMOVUPS, w, at(unsafe.Offsetof(b.Vectors), n, 64), amd64.Vec(n))
	}
	if w == amd64.Z {
		for n := range numMasks {
			e.V(amd64.KMOVQ, amd64.X, at(unsafe.Offsetof(b.Masks), n, 8), amd64.Mask(n+1))
		}
	}
	e.G(amd64.RET, amd64.B64)
}

// compare drops what cannot be compared.
func (x *trial) compare(b *block) {
	for _, u := range x.undefined {
		for c := range amd64.Greater + 1 {
			flags := [...]string{"o", "o", "c", "c", "z", "z", "cz", "cz", "s", "s", "p", "p", "so", "so", "zso", "zso"}[c]
			if strings.ContainsRune(flags, u) {
				b.Flags[c] = 0
			}
		}
	}
}

// element is a number that an instruction may do something special for.
func element(r *rand.Rand, size int) uint64 {
	singles := []float64{0, 1, 0.5, 1.5, 2.5, 3, 0.75, 1e-40, 1e-45, 1e-30, 1e30, 3.4e38, 65504, 65520, 65519.9, 6e-8, 3e-8, 6e-5, 2147483648, 4294967296, 4294967040,
		9223372036854775808, 18446744073709551616, math.Inf(1), 1e-310, 5e-324, 1e300, 0x1p-1022, 2147483647.5, 127, 1023, -1074, -149}
	x := r.Uint64()
	switch r.IntN(6) {
	case 0:
		x = uint64(r.IntN(40))
	case 1:
		x = uint64(-r.IntN(40))
	case 2:
		v := singles[r.IntN(len(singles))]
		if r.IntN(2) == 0 {
			v = -v
		}
		if size == 4 {
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	case 3:
		e := r.IntN(200) - 100
		v := math.Ldexp(r.Float64()*2-1, e)
		if size == 4 {
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	case 4:
		nan := []uint64{0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000100, 0xfff0000020000000, 1 << 63, 1<<63 - 1}[r.IntN(6)]
		if size == 4 {
			nan = []uint64{0x7fc00000, 0xffc00001, 0x7f800100, 0xff812345, 1 << 31, 1<<31 - 1}[r.IntN(6)]
		}
		return nan
	}
	return x
}

func (b *block) fill(r *rand.Rand) {
	fill := func(to []byte) {
		size := 4 + 4*r.IntN(2)
		same := r.IntN(8) == 0
		x := element(r, size)
		for n := 0; n < len(to); n += size {
			if !same {
				x = element(r, size)
			}
			if size == 4 {
				binary.LittleEndian.PutUint32(to[n:], uint32(x))
			} else {
				binary.LittleEndian.PutUint64(to[n:], x)
			}
		}
	}
	fill(b.Place[:])
	for n := range b.Vectors {
		fill(b.Vectors[n][:])
	}
	if r.IntN(3) == 0 {
		b.Vectors[2] = b.Vectors[1] // equal operands
	}
	for n := range b.Masks {
		b.Masks[n] = []uint64{r.Uint64(), r.Uint64() & r.Uint64(), 0, ^uint64(0), 0xffff, 0xff}[r.IntN(6)]
	}
	for n := range b.Numbers {
		b.Numbers[n] = element(r, 8)
	}
}

// near64 says whether doubles differ by 2^-13 of themselves at most, those that are not normal not counted.
func near64(a, b []byte) bool {
	for n := 0; n < len(a); n += 8 {
		x, y := math.Float64frombits(binary.LittleEndian.Uint64(a[n:])), math.Float64frombits(binary.LittleEndian.Uint64(b[n:]))
		if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && !(math.Abs(x-y) <= math.Abs(x)*0x1p-13) && !(math.Abs(x) < 0x1p-1022 && math.Abs(y) < 0x1p-1022) {
			return false
		}
	}
	return true
}

// runTrials runs instructions on the processor and in this package, on random registers and memory.
func runTrials(t *testing.T, f amd64.Features, trials []trial, rounds int) {
	t.Helper()
	var texts [][]byte
	var codes []*Code
	for i := range trials {
		x := &trials[i]
		a := amd64.New(f)
		l := a.NewLabel()
		x.program(a, f, l)
		text, err := a.Finish()
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		c := New(a)
		x.program(c, f, l)
		if err := c.Finish(); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		texts, codes = append(texts, text), append(codes, c)
	}
	loaded, err := codemem.Load(texts...)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	type aligned struct {
		room [unsafe.Sizeof(block{}) + 64]byte
	}
	place := func() *block {
		p := unsafe.Pointer(new(aligned))
		return (*block)(unsafe.Add(p, -uintptr(p)&63))
	}
	wrong := 0
	want, got := place(), place()
	for i := range trials {
		x := &trials[i]
		r := rand.New(rand.NewPCG(uint64(i), 5))
		for range rounds {
			var before block
			before.fill(r)
			*want, *got = before, before
			if err := loaded.Func(i).Call(unsafe.Pointer(want)); err != nil {
				t.Fatal(err)
			}
			codes[i].Run(codes[i].NewState(), unsafe.Pointer(got))
			x.compare(want)
			x.compare(got)
			if x.near && near64(want.Vectors[0][:], got.Vectors[0][:]) {
				got.Vectors[0] = want.Vectors[0]
			}
			if *want != *got {
				t.Errorf("%s: %s\nbefore %s", x.name, want.difference(got), before.text())
				wrong++
				break
			}
		}
		if wrong > 20 {
			t.Fatal("and so on")
		}
	}
	runtime.KeepAlive(loaded)
}

func (b *block) text() string {
	s := ""
	for n := range b.Vectors {
		s += fmt.Sprintf("v%d %x\n", n, b.Vectors[n])
	}
	return s + fmt.Sprintf("masks %x numbers %x place %x", b.Masks, b.Numbers, b.Place[:64])
}

func (b *block) difference(c *block) string {
	var list []string
	for n := range b.Vectors {
		if b.Vectors[n] != c.Vectors[n] {
			list = append(list, fmt.Sprintf("v%d is\n%x, want\n%x", n, c.Vectors[n], b.Vectors[n]))
		}
	}
	if b.Masks != c.Masks {
		list = append(list, fmt.Sprintf("masks are %x, want %x", c.Masks, b.Masks))
	}
	if b.Numbers != c.Numbers {
		list = append(list, fmt.Sprintf("numbers are %x, want %x", c.Numbers, b.Numbers))
	}
	if b.Flags != c.Flags {
		list = append(list, fmt.Sprintf("flags are %v, want %v", c.Flags, b.Flags))
	}
	if !bytes.Equal(b.Place[:], c.Place[:]) {
		list = append(list, fmt.Sprintf("memory is\n%x, want\n%x", c.Place, b.Place))
	}
	return strings.Join(list, "\n")
}

// hosts returns the features of this processor, AVX2 alone and all; none where there is no machine code.
func hosts(t *testing.T) []amd64.Features {
	t.Helper()
	f, err := codemem.Host()
	if err != nil {
		t.Skip(err)
	}
	if f == amd64.AVX2 {
		return []amd64.Features{f}
	}
	return []amd64.Features{amd64.AVX2, f}
}

// operandsOf are the operands that forms are tried with, by place.
func operandsOf(place int, imm int64) []amd64.Operand {
	m := amd64.Mem{Base: regPlace}
	return []amd64.Operand{amd64.Vec(place), amd64.Mask(min(place, numMasks-1) + 1), numbers[place], m, amd64.Imm(imm)}
}

// forms calls f with each form of an instruction that the assembler has, without modifiers.
func forms(features amd64.Features, op amd64.Op, imm int64, f func(w amd64.Width, operands []amd64.Operand)) {
	for w := amd64.X; w <= amd64.Z; w++ {
		var extend func(list []amd64.Operand)
		extend = func(list []amd64.Operand) {
			if len(list) > 0 && encodes(features, op, w, list) {
				f(w, slices.Clone(list))
			}
			if len(list) < 4 {
				for _, o := range operandsOf(len(list), imm) {
					extend(append(list, o))
				}
			}
		}
		extend(nil)
	}
}

func encodes(f amd64.Features, op amd64.Op, w amd64.Width, operands []amd64.Operand) bool {
	a := amd64.New(f)
	a.V(op, w, operands...)
	return a.Err() == nil
}

// modified returns the forms with modifiers that a form may have.
func modified(f amd64.Features, op amd64.Op, w amd64.Width, operands []amd64.Operand) (list [][]amd64.Operand) {
	list = append(list, operands)
	for n, o := range operands {
		if m, ok := o.(amd64.Mem); ok && n > 0 {
			b := slices.Clone(operands)
			b[n] = m.Bcast()
			list = append(list, b)
		}
	}
	for _, o := range slices.Clone(list) {
		for _, p := range []amd64.Operand{amd64.Merge(amd64.K2), amd64.Zero(amd64.K2)} {
			list = append(list, append(slices.Clone(o), p))
		}
	}
	for _, r := range []amd64.Rounding{amd64.RoundNearest, amd64.RoundDown, amd64.RoundUp, amd64.RoundZero, amd64.SAE} {
		list = append(list, append(slices.Clone(operands), r))
	}
	return slices.DeleteFunc(list, func(o []amd64.Operand) bool { return !encodes(f, op, w, o) })
}

// vectorTrials returns all forms of the instructions in the table, but gathers and scatters.
func vectorTrials(t *testing.T, f amd64.Features) (list []trial) {
	t.Helper()
	refused := map[amd64.Op]int{}
	known := map[amd64.Op]int{}
	for n, op := range slices.Sorted(maps.Keys(entries)) {
		if testing.Short() && n%5 != 0 {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(op), 1))
		forms(f, op, 1, func(w amd64.Width, operands []amd64.Operand) {
			for _, o := range modified(f, op, w, operands) {
				hasImm := slices.Contains(o, amd64.Operand(amd64.Imm(1)))
				for range 4 {
					o := slices.Clone(o)
					for n := range o {
						if o[n] == amd64.Operand(amd64.Imm(1)) {
							o[n] = amd64.Imm(r.IntN(256))
							if m := entries[op].imm; m != 0 {
								o[n] = amd64.Imm(uint64(r.IntN(256)) & m)
							} else if r.IntN(2) == 0 {
								o[n] = amd64.Imm(r.IntN(64))
							}
						}
					}
					c := New(amd64.New(f))
					if c.V(op, w, o...); c.err != nil {
						refused[op]++
						continue
					}
					known[op]++
					list = append(list, trial{name: fmt.Sprintf("%s %s %v", op, []string{"x", "y", "z"}[w], o), undefined: undefinedBy(op),
						near: op == amd64.VRCP14PD || op == amd64.VRSQRT14PD,
						emit: func(e emitter, _ amd64.Label) { e.V(op, w, o...) }})
					if !hasImm {
						break
					}
				}
			}
		})
		if known[op] == 0 && refused[op] > 0 {
			t.Errorf("%s is in the table, and refused in all of its %d forms", op, refused[op])
		}
	}
	t.Logf("%d forms; of %d instructions, forms are refused", len(list), len(refused))
	return list
}

// undefinedBy says which flags an instruction leaves undefined.
func undefinedBy(op amd64.Op) string {
	switch op {
	case amd64.ANDN, amd64.ANDNQ, amd64.BLSR, amd64.BLSRQ, amd64.BLSI, amd64.BLSIQ, amd64.BLSMSK, amd64.BLSMSKQ, amd64.BZHI, amd64.BZHIQ:
		return "p"
	}
	return ""
}

// TestVectors compares all forms of the instructions on vectors and masks with the processor.
func TestVectors(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for _, f := range hosts(t) {
		runTrials(t, f, vectorTrials(t, f), rounds)
	}
}

// TestGathers compares gathers and scatters.
func TestGathers(t *testing.T) {
	for _, f := range hosts(t) {
		var list []trial
		for _, op := range slices.Sorted(maps.Keys(entries)) {
			for w := amd64.X; w <= amd64.Z; w++ {
				m := amd64.VMem(regPlace, 1, 4, 8)
				for _, o := range [][]amd64.Operand{{amd64.Vec(0), m, amd64.Vec(2)}, {amd64.Vec(0), m, amd64.Merge(amd64.K2)}, {m, amd64.Vec(2), amd64.Merge(amd64.K2)}} {
					if !encodes(f, op, w, o) {
						continue
					}
					list = append(list, trial{name: fmt.Sprintf("%s %d %v", op, w, o), emit: func(e emitter, _ amd64.Label) {
						bits := uint64(0xf<<32 | 0xf)
						if entries[op].from == 8 {
							bits = 15
						}
						e.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Imm(bits))
						e.V(amd64.VMOVQ, amd64.X, amd64.Vec(3), amd64.RAX)
						e.V(amd64.VPBROADCASTQ, w, amd64.Vec(3), amd64.Vec(3))
						e.V(amd64.VPANDD, w, amd64.Vec(1), amd64.Vec(1), amd64.Vec(3))
						e.G(amd64.CMP, amd64.B64, amd64.RBX, amd64.RDX)
						e.V(op, w, o...)
					}})
				}
			}
		}
		if len(list) < 8 {
			t.Errorf("%d forms", len(list))
		}
		runTrials(t, f, list, 50)
	}
}

// generalTrials returns all forms of the instructions on general registers.
func generalTrials(f amd64.Features) (list []trial) {
	undefined := map[amd64.Gen]string{amd64.IMUL: "zsp", amd64.MUL: "zsp", amd64.DIV: "czsop", amd64.IDIV: "czsop", amd64.LZCNT: "sop", amd64.TZCNT: "sop",
		amd64.BT: "sop", amd64.BTS: "sop", amd64.BTR: "sop", amd64.BTC: "sop", amd64.ROL: "o", amd64.ROR: "o", amd64.SHL: "o", amd64.SHR: "o", amd64.SAR: "o"}
	for _, op := range slices.Sorted(maps.Keys(generals)) {
		if op == amd64.INT3 {
			continue
		}
		for _, s := range []amd64.Size{amd64.B8, amd64.B16, amd64.B32, amd64.B64} {
			for _, imm := range []amd64.Imm{1, 2, 7, 15, 31, 63, 100, -3, 0x12345678, 0x123456789abcdef} {
				m := amd64.Mem{Base: regPlace}
				of := []amd64.Operand{amd64.RAX, amd64.RCX, m, imm, amd64.Mem{Base: regPlace, Disp: 24}}
				try := func(o ...amd64.Operand) {
					hasImm := slices.Contains(o, amd64.Operand(imm))
					if !hasImm && imm != 1 {
						return
					}
					a := amd64.New(f)
					if a.G(op, s, o...); a.Err() != nil {
						return
					}
					u := undefined[op]
					if hasImm && imm == 1 {
						u = strings.ReplaceAll(u, "o", "")
						if op >= amd64.BT {
							u = undefined[op]
						}
					}
					if s < amd64.B32 && (op == amd64.SHL || op == amd64.SHR || op == amd64.SAR) {
						u += "c"
					}
					if op == amd64.IMUL {
						u = undefined[op]
					}
					list = append(list, trial{name: fmt.Sprintf("%s %d %v", op, s, o), undefined: u, emit: func(e emitter, _ amd64.Label) {
						switch op {
						case amd64.DIV, amd64.IDIV:
							e.G(amd64.AND, amd64.B64, amd64.RAX, amd64.Imm(0x7fff))
							e.G(amd64.OR, amd64.B64, amd64.RAX, amd64.Imm(1))
							e.G(amd64.MOV, amd64.B64, m, amd64.RAX)
							e.G(amd64.MOV, amd64.B64, m.Plus(24), amd64.RAX)
							e.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.RCX)
							e.G(amd64.MOV, amd64.B64, amd64.RCX, m)
							if op == amd64.DIV {
								e.G(amd64.MOV, amd64.B64, amd64.RDX, amd64.Imm(0))
							} else {
								e.G(amd64.CDQ, s)
							}
							if o[0] == amd64.Operand(amd64.RAX) {
								e.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Imm(9))
								e.G(amd64.MOV, amd64.B64, amd64.RDX, amd64.Imm(0))
							}
						case amd64.LEA: // of the block, addresses differ
							e.G(amd64.LEA, s, amd64.RAX, amd64.Mem{Base: amd64.RBX, Index: amd64.RCX, Scale: 4, Disp: -9})
							return
						case amd64.CMPXCHG:
							e.G(amd64.BT, amd64.B64, amd64.RBX, amd64.Imm(3))
							e.CMov(amd64.Carry, amd64.B64, amd64.RAX, o[0])
						}
						e.G(op, s, o...)
					}})
				}
				if imm == 1 {
					try()
				}
				if s < amd64.B32 && (op == amd64.MUL || op == amd64.DIV || op == amd64.IDIV) {
					continue // of 8 bits they have other registers, and nobody emits them
				}
				for _, x := range of {
					try(x)
					for _, y := range of {
						try(x, y)
						for _, z := range of {
							try(x, y, z)
						}
					}
				}
			}
		}
	}
	return list
}

// TestGeneral compares all forms of the instructions on general registers, conditional ones and jumps.
func TestGeneral(t *testing.T) {
	for _, f := range hosts(t)[:1] { // the other set has no more of them
		list := generalTrials(f)
		for c := range amd64.Greater + 1 {
			for _, s := range []amd64.Size{amd64.B32, amd64.B64} {
				for _, o := range []amd64.Operand{amd64.RCX, amd64.Mem{Base: regPlace, Index: amd64.NoReg}} {
					list = append(list, trial{name: fmt.Sprintf("cmov%s %d %v", c, s, o), emit: func(e emitter, _ amd64.Label) { e.CMov(c, s, amd64.RAX, o) }})
				}
			}
			list = append(list, trial{name: "set" + c.String(), emit: func(e emitter, _ amd64.Label) { e.Set(c, amd64.RCX) }})
			list = append(list, trial{name: "j" + c.String(), emit: func(e emitter, l amd64.Label) {
				e.Jcc(c, l)
				e.G(amd64.MOV, amd64.B64, amd64.RCX, amd64.Imm(5))
				e.Bind(l)
			}})
		}
		t.Logf("%d forms", len(list))
		runTrials(t, f, list, 12)
	}
}
