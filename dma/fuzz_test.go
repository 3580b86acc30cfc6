package dma

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// FuzzUnit calls a unit with any arguments in any order: nothing may panic, run
// for long or leave something in flight behind the end.
func FuzzUnit(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30})
	for c := range byte(4) {
		var ops []byte
		for i := range byte(200) {
			ops = append(ops, i*7%11, i*13, i, c)
		}
		f.Add(append([]byte{c, 255, 64}, ops...))
	}
	f.Fuzz(hostile)
}

// TestHostile does what FuzzUnit does, with random bytes.
func TestHostile(t *testing.T) {
	rounds := uint64(2000)
	if testing.Short() {
		rounds = 200
	}
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(seed, 11))
		data := make([]byte, 4096)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		hostile(t, data)
	}
}

// hostile calls a unit as the bytes say.
func hostile(t *testing.T, data []byte) {
	if len(data) > 4096 {
		return
	}
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	flags, limits := next(), next()
	cfg := Config{Completion: Completion(flags & 3), Check: flags&4 != 0, Seed: uint64(flags), Engines: int(limits & 3), QueueDepth: int(limits >> 2 & 3), BytesPerStep: int(limits >> 4)}
	if flags&8 != 0 {
		cfg.Tracer = &testTracer{}
	}
	items := int(next() % 70)
	b := newBed(t, cfg, items, int(next()%5))
	pointers := []memory.Pointer{b.in, b.out, b.rom, b.tile, b.tile2, 0, ZeroFill, ^memory.Pointer(0), memory.MakePointer(memory.SpacePrivate, 1, 4), memory.MakePointer(memory.SpaceLocal, 3, 0)}
	pointer := func() memory.Pointer {
		p, off := pointers[next()%byte(len(pointers))], int64(next())
		if off >= 250 {
			return p.Add((off - 253) << 38)
		}
		return p.Add(off*4 - 8)
	}
	number := func() uint64 {
		switch v := uint64(next()); {
		case v < 200:
			return v % 20
		case v < 240:
			return 1 << (v % 64)
		default:
			return -(v % 4)
		}
	}
	set := func() Items {
		it := Items{Wave: int(int8(next())), First: int(int8(next()))}
		for range next() % 3 {
			it.Mask = append(it.Mask, uint64(next())*0x0101010101010101)
		}
		return it
	}
	now := uint64(0)
	for range 300 {
		if len(data) == 0 {
			break
		}
		now += number()
		switch pc := int(next() % 8); next() % 12 {
		case 0, 1:
			a := args{argDst: uint64(pointer()), argSrc: uint64(pointer())}
			for k := range NumArgs {
				if next()&1 != 0 && k != argDst && k != argSrc {
					a[k] = number()
				}
			}
			b.GroupCopy(now, a.copy(pc, int(next()%5)), number(), set())
		case 2:
			b.GroupWait(now, pc, number(), set())
		case 3, 4:
			dst, src := make([]memory.Pointer, next()%80), make([]memory.Pointer, next()%80)
			d, s, step := pointer(), pointer(), int64(int8(next()))
			for i := range dst {
				dst[i] = d.Add(int64(i) * step)
			}
			for i := range src {
				src[i] = s.Add(int64(i) * step)
			}
			b.LaneCopy(now, &LaneCopy{PC: pc, Async: next()&1 != 0, Size: int(int8(next())) / 4}, set(), dst, src)
		case 5:
			b.Scope(int(int8(next())), set())
		case 6:
			b.Mark(now, pc, int(int8(next())), set())
		case 7:
			b.WaitMark(now, pc, int(int8(next())), int(int8(next())), set())
		case 8:
			b.Access(now, pc, memory.Access(next()%4), int(int8(next())), pointer(), number())
		case 9:
			b.Barrier(now)
		case 10:
			b.Advance(now)
			b.NotUniform(pc, "", "", int(int8(next())), int(int8(next())), 0, 1, false)
		case 11:
			if next()&1 != 0 {
				b.Abort()
			}
			b.begin(now, int(next()%70), int(next()%5))
		}
	}
	b.End(now)
	if len(b.queue) != 0 || len(b.checker.records) != 0 {
		t.Errorf("%d transfers and %d records are left", len(b.queue), len(b.checker.records))
	}
}
