package native

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/memory"
)

// flatAuthor makes random loops through rows.
type flatAuthor struct {
	*program
	*rand.Rand
	at, end   isa.Reg
	base      uint32           // what the registers of the index and of the end have more than the number of an element
	shift     int              // from the number of a row's first element, without base, to the element that the first trip loads
	local     [buffers]isa.Reg // pointers to copies of buffers in LDS
	sums      []isa.Reg        // live from trip to trip, and behind the loop
	temporary []isa.Reg        // of use to lanes that are not in the loop
	known     []isa.Reg        // what depends on the element alone
}

// flatBases are values of flatAuthor.base: with some of them numbers wrap around, or are negative as numbers with sign.
var flatBases = []uint32{1<<31 - 100, 1<<31 - 2*flatRoom - 100, 1 << 31, 1<<32 - 100, 1<<32 - 2*flatRoom - 100}

// flatProgram returns the author of a kernel in which some lanes go through rows, and the others keep what they have meanwhile.
func flatProgram(r *rand.Rand) *flatAuthor {
	a := &flatAuthor{program: newProgram(), Rand: r}
	a.at, a.end = a.load(1, isa.I32), a.load(2, isa.I32)
	if a.IntN(3) == 0 {
		a.base = flatBases[min(a.IntN(len(flatBases)), a.IntN(len(flatBases)))]
	}
	for n, buffer := range [...]int{0, 3, 5} {
		a.k.Local = append(a.k.Local, isa.Alloc{Name: "l", Size: 8 * flatItems})
		if a.IntN(4) == 0 {
			a.local[buffer] = a.constant(uint64(memory.MakePointer(memory.SpaceLocal, uint32(n+1), 0)))
			a.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceLocal, A: a.local[buffer], B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: a.load(buffer, isa.I64)})
		}
	}
	sums := 2
	if a.IntN(6) == 0 { // few registers are left
		sums += a.IntN(15)
	}
	for i := range sums {
		a.sums = append(a.sums, a.load(3+i%2*2, isa.I32))
	}
	for i := range 3 {
		a.temporary = append(a.temporary, a.load(3+i%2*2, isa.I32))
	}
	a.branch(a.load(bufMask, isa.B1), 1, 3)
	a.trip()
	a.sum(a.sums)
	if a.IntN(2) == 0 {
		a.sum([]isa.Reg{a.sums[0], a.at})
	}
	if a.IntN(3) == 0 {
		a.sum([]isa.Reg{a.sums[0], a.temporary[a.IntN(3)]})
	}
	a.store(a.sums[0], isa.I32)
	a.emit(isa.Inst{Op: isa.OpRet})
	a.sum(a.temporary)
	a.store(a.temporary[0], isa.I32)
	a.emit(isa.Inst{Op: isa.OpRet})
	return a
}

// access emits a load from a buffer, or from the copy of it.
func (a *flatAuthor) access(buffer int, in isa.Inst) {
	in.Op, in.Space, in.A, in.Idx = isa.OpLoad, isa.SpaceGlobal, isa.S(buffer), []isa.IdxType{isa.IdxU32, isa.IdxS32}[a.IntN(2)]
	if x := a.local[buffer]; x != isa.None {
		in.Space, in.A = isa.SpaceLocal, x
	}
	a.define(in)
}

// sum has the first of some registers depend on all of them.
func (a *flatAuthor) sum(list []isa.Reg) {
	for _, x := range list[1:] {
		a.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: list[0], A: list[0], B: a.constant(0x9e3779b1), C: x})
	}
}

// some returns a value that depends on the element alone.
func (a *flatAuthor) some() isa.Reg { return a.known[a.IntN(len(a.known))] }

// define emits an instruction with a result that depends on the element alone.
func (a *flatAuthor) define(in isa.Inst) {
	switch n := a.IntN(16); {
	case n == 0:
		in.Dst = a.sums[a.IntN(len(a.sums))]
	case n < 4:
		in.Dst = a.temporary[a.IntN(3)]
	case n < 6 && len(a.known) > 0:
		in.Dst = a.some()
	default:
		in.Dst = a.vector(isa.I32)
		in.Flags = isa.Flags(a.IntN(2)) * isa.FlagDense
	}
	a.emit(in)
	a.known = append(a.known, in.Dst)
}

// trip emits the loop.
func (a *flatAuthor) trip() {
	at, disp, early := a.at, int32(4*a.IntN(2)), a.IntN(4) == 0
	a.shift = int(disp / 4)
	if early {
		a.shift++
		a.advance(a.at, a.constant(1))
	}
	if a.base != 0 || a.IntN(4) == 0 {
		at = a.vector(isa.I32)
		by := a.IntN(4)
		a.shift -= by
		a.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: at, A: a.at, B: a.constant(uint64(a.base + uint32(by)))})
	}
	for i := range 1 + a.IntN(3) {
		a.access([]int{0, 5, 3}[i], isa.Inst{Type: []isa.Type{isa.I32, isa.F32}[a.IntN(2)], B: at, Scale: 4, Disp: disp})
	}
	for range 1 + a.IntN(3) {
		x := a.known[0]
		if slices.Contains(a.sums, x) || a.IntN(3) == 0 {
			x = a.vector(isa.I32)
			a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: a.some(), B: a.constant([]uint64{127, 255, 255, 511}[a.IntN(4)])})
		}
		in := isa.Inst{Type: isa.I32, B: x, Scale: 4}
		switch a.IntN(6) {
		case 0:
			x = a.vector(isa.I32)
			a.emit(isa.Inst{Op: isa.OpOr, Type: isa.I32, Dst: x, A: in.B, B: a.constant(1)})
			in.B, in.Disp = x, -4
		case 1:
			in.Scale = 3
			in.Disp = 8
			x = a.vector(isa.I32)
			a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: in.B, B: a.constant(127)})
			in.B = x
		}
		a.access([]int{3, 5}[a.IntN(2)], in)
		for range a.IntN(4) {
			a.arithmetic()
		}
	}
	for range 1 + a.IntN(4) {
		a.use()
	}
	for _, x := range a.sums[2:] {
		a.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: a.some()})
	}
	if !early {
		a.advance(a.at, a.constant(1))
	}
	n := a.IntN(8)
	for n > 0 && !compares[n].flat {
		n--
	}
	again := a.vector(isa.B1)
	if compares[n].while(a.program, again, a.at, a.end) {
		a.branch(again, 1, 2)
	} else {
		a.branch(again, 2, 1)
	}
}

// arithmetic emits an instruction that may be done for elements.
func (a *flatAuthor) arithmetic() {
	in := isa.Inst{Op: []isa.Op{isa.OpMov, isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpXor, isa.OpFAdd, isa.OpFSub, isa.OpFMul, isa.OpFMulAdd, isa.OpFma,
		isa.OpFNeg, isa.OpFAbs}[a.IntN(13)], Type: isa.I32, A: a.some()}
	operands := []*isa.Reg{&in.B, &in.C}
	switch in.Op {
	case isa.OpMov, isa.OpFNeg, isa.OpFAbs:
		operands = nil
	case isa.OpMad, isa.OpFMulAdd, isa.OpFma:
	default:
		operands = operands[:1]
	}
	for _, r := range operands {
		if *r = a.some(); a.IntN(4) == 0 {
			*r = []isa.Reg{a.parameter(uint64(a.Uint32())), a.constant(3)}[a.IntN(2)]
		}
	}
	switch in.Op {
	case isa.OpFAdd, isa.OpFSub, isa.OpFMul, isa.OpFMulAdd, isa.OpFma, isa.OpFNeg, isa.OpFAbs:
		in.Type = isa.F32
	}
	a.define(in)
}

// use emits an instruction that depends on the lane.
func (a *flatAuthor) use() {
	sum := a.sums[a.IntN(len(a.sums))]
	in := isa.Inst{Type: isa.I32, Dst: sum, A: sum, B: a.some()}
	switch a.IntN(8) {
	case 0:
		in.Op = isa.OpXor
	case 1:
		in.Op, in.Type = isa.OpFSub, isa.F32
	case 2:
		in.Op, in.B, in.C = isa.OpMad, a.constant(5), in.B
	case 3, 4, 5:
		in.Op, in.Type, in.A, in.C = isa.OpFMulAdd, isa.F32, a.some(), sum
		if a.IntN(3) == 0 {
			in.C = a.sums[a.IntN(len(a.sums))]
		}
	case 6: // a load in each trip
		x, y := a.vector(isa.I32), a.vector(isa.I32)
		a.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: sum, B: in.B})
		a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: a.constant(255)})
		a.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: y, A: isa.S(5), B: x, Idx: isa.IdxU32, Scale: 4})
		in.Op, in.B = isa.OpAdd, y
	default: // what some lanes select
		m := a.vector(isa.B1)
		a.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: m, A: sum, B: in.B})
		in.Op, in.A, in.C = isa.OpSelect, m, sum
	}
	a.emit(in)
}

// flatItems is how many work-items at most go through rows.
const flatItems = 256

// flatLaunch is what loops through rows are run with.
type flatLaunch struct {
	items   int
	data    [buffers][]byte
	quantum int
}

// newFlatLaunch chooses one: with rows that lie side by side, in most chunks, and have all lengths.
func newFlatLaunch(a *flatAuthor) *flatLaunch {
	r := a.Rand
	l := &flatLaunch{items: []int{lanes, 64, 65, 100, 192, flatItems}[r.IntN(6)], quantum: []int{0, 11, 40, 1 + r.IntN(2*flatRoom)}[r.IntN(4)]}
	words := 2 * flatItems
	if a.local == [buffers]isa.Reg{} && r.IntN(2) == 0 {
		words += r.IntN(3 * flatRoom)
	}
	some := contents(r)
	for i := range l.data {
		l.data[i] = make([]byte, 8*flatItems)
		if i%3 != 0 && i != bufOut {
			continue
		}
		l.data[i] = make([]byte, 4*(words+words%2))
		for j := range words {
			v := some[i][(j+j/lanes)%lanes]
			if i == 0 {
				v = 1 + v>>8%uint64(words-1)
			}
			binary.LittleEndian.PutUint32(l.data[i][4*j:], uint32(v))
		}
	}
	if r.IntN(8) == 0 { // an element that selects what is not there
		binary.LittleEndian.PutUint32(l.data[0][4*r.IntN(words):], uint32(words+r.IntN(9)))
	}
	which := r.IntN(6) // lanes
	used := make([]bool, words)
	for first := 0; first < l.items; first += 64 {
		rows := flatLayout(r, words)
		alone := r.IntN(64)
		for i := first; i < min(first+64, l.items); i++ {
			row := rows[i-first]
			for j := row[0]; j < max(row[1], row[0]+1); j++ {
				if n := j + a.shift; n >= 0 && n < words {
					used[n] = true
				}
			}
			for n, v := range row {
				binary.LittleEndian.PutUint32(l.data[1+n][8*i:], uint32(v)+a.base)
			}
			runs := true
			switch which {
			case 0:
				runs = r.IntN(2) == 0
			case 1:
				runs = r.IntN(8) > 0
			case 2:
				runs = i/16%4 != alone/16
			case 3:
				runs = i-first == alone || i%64 == 63
			}
			mask := uint32(0)
			if runs {
				mask = 1
			}
			binary.LittleEndian.PutUint32(l.data[bufMask][8*i:], mask)
		}
	}
	if n := []int{0, 2, 20, 100}[r.IntN(4)]; n > 0 { // elements between rows select what is not there
		for j := range words {
			if !used[j] && r.IntN(n) == 0 {
				binary.LittleEndian.PutUint32(l.data[0][4*j:], uint32(words+r.IntN(9)))
			}
		}
	}
	return l
}

// flatLayout returns where the rows of a chunk's lanes begin and end, of so many elements.
func flatLayout(r *rand.Rand, words int) (rows [64][2]int) {
	at := 4 + r.IntN(20)
	most := []int{1, 2, 4, 9, 30}[r.IntN(5)]
	if r.IntN(4) == 0 {
		at += r.IntN(words)
	}
	gap, long, n := 0, r.IntN(64), most
	if r.IntN(3) == 0 {
		gap = r.IntN(7)
	}
	same := r.IntN(3) == 0
	for i := range rows {
		if !same {
			n = 1 + r.IntN(most)
		}
		rows[i] = [2]int{at, at + n}
		if at += n; gap > 0 {
			at += r.IntN(gap)
		}
		if i == long {
			switch r.IntN(5) {
			case 0: // one that makes the whole about as long as may be
				rows[i][1] = rows[i][0] + max(1, flatRoom-r.IntN(3*(64-i)*most))
				at = rows[i][1]
			case 1:
				rows[i][1] += r.IntN(40)
				at = rows[i][1]
			}
		}
	}
	beyond := r.IntN(20) == 0
	x := &rows[r.IntN(64)]
	switch r.IntN(12) {
	case 0: // a part of another one
		*x = rows[r.IntN(64)]
	case 1: // none
		x[1] = x[0]
	case 2: // backwards
		x[0], x[1] = x[1], x[0]
	case 3: // in front of the first one
		x[0] = max(4, x[0]-r.IntN(70))
	case 4: // behind the last one
		x[1] += r.IntN(200)
	case 5:
		slices.Reverse(rows[:])
	case 6: // to the end, and perhaps beyond it
		by := words - rows[63][1] - r.IntN(7) + 3
		beyond = r.IntN(2) == 0
		for i := range rows {
			rows[i][0] += by
			rows[i][1] += by
		}
	}
	for i := range rows {
		for n := range rows[i] {
			if rows[i][n] = max(rows[i][n], 4); !beyond {
				rows[i][n] = min(rows[i][n], words-2-1+n)
			}
		}
	}
	return rows
}

// run runs a kernel of rows, and returns what it leaves in the buffer of the results.
func (l *flatLaunch) run(t *testing.T, code engine.Code, k *isa.Kernel) outcome {
	t.Helper()
	mem := memory.NewGlobal(1 << 30)
	n := uint32(l.items)
	sizes := []uint64{8 * flatItems, 8 * flatItems, 8 * flatItems}
	launch := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{uint64(n), 1, 1}, Local: [3]uint32{n, 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: slices.Clone(k.ScalarInit), Memory: mem, SubgroupSize: 32, LocalSizes: sizes}
	var contents [buffers][]byte
	for i := range contents {
		contents[i] = memory.AlignedBytes(uint64(len(l.data[i])))
		copy(contents[i], l.data[i])
		b, err := mem.AllocBytes(fmt.Sprint("buffer ", i), contents[i], false)
		if err != nil {
			t.Fatal(err)
		}
		launch.Scalars[i] = uint64(b)
	}
	lds, err := memory.NewLocal(sizes, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	w := code.NewWave(l.items)
	w.Start(&engine.Group{Launch: launch, Size: launch.Local, LDS: lds}, 0, l.items)
	for w.Run(l.quantum) == engine.StopQuantum {
	}
	o := outcome{Counters: *w.Counters(), Fault: w.Fault()}
	for i := 0; i < len(contents[bufOut]); i += 8 {
		o.Out = append(o.Out, binary.LittleEndian.Uint64(contents[bufOut][i:]))
	}
	return o
}

// TestFlatPrograms compares random loops through rows.
func TestFlatPrograms(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 40
	}
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		flats := 0
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			a := flatProgram(rand.New(rand.NewPCG(uint64(seed), 5)))
			k := a.k
			if e.features&amd64.AVX512 != 0 {
				if q := regionOf(t, e, k).quads; q != nil && q.flat != nil {
					flats++
				}
			}
			portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
			for i := range 12 {
				l := newFlatLaunch(a)
				want, got := l.run(t, portable, k), l.run(t, code, k)
				if diff := want.diff(got); diff != "" {
					t.Fatalf("program %d, launch %d, %d items, quantum %d (-interp +native):\n%s\n%s", seed, i, l.items, l.quantum, diff,
						k.Text(&isa.Program{Kernels: []*isa.Kernel{k}}))
				}
			}
		}
		if e.features&amd64.AVX512 != 0 && flats < n/4 {
			t.Errorf("%d of %d programs have something to do for elements", flats, n)
		}
	})
}
