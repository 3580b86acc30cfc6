package amd64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Features is a set of what the processor has.
type Features uint32

// The features. AVX2 is the whole of x86-64-v3, with FMA, F16C, BMI1, BMI2, LZCNT and POPCNT; AVX512 is
// x86-64-v4: F, BW, CD, DQ and VL. The others are single extensions of AVX-512.
const (
	AVX2 Features = 1 << iota
	AVX512
	VBMI      // AVX512_VBMI: permutes of bytes
	VBMI2     // AVX512_VBMI2: compression of 8 and 16 bits, funnel shifts
	BITALG    // AVX512_BITALG: population counts of 8 and 16 bits
	VPOPCNTDQ // AVX512_VPOPCNTDQ: population counts of 32 and 64 bits
)

// maxCode bounds a program, so that every distance fits a displacement.
const maxCode = 1 << 28

// Label is a place in the code, made by [Assembler.NewLabel].
type Label int32

// Assembler collects the code of one function. Its methods do not return errors: the first is kept,
// [Assembler.Err] and [Assembler.Finish] tell it, and what comes after it has no effect. An Assembler is for
// one goroutine.
type Assembler struct {
	features Features
	buf      []byte
	sites    []site
	labels   []place
	consts   []constant
	index    map[string]int32 // contents → number in consts
	err      error
	list     *listing // nil where nobody asked for one
}

// place is where a label was bound: a position in buf and how many sites come before it.
type place struct {
	pos, sites int
	bound      bool
}

// constant is one entry of the pool behind the code.
type constant struct {
	data   string
	labels []Label // of a table, whose data is not known before the code is finished
	align  int
	off    int // in the finished code
}

type siteKind uint8

const (
	siteJmp   siteKind = iota // occupies size bytes that are not in buf
	siteJcc                   // likewise
	siteAlign                 // likewise
	siteRip                   // four bytes of buf at pos
)

// site is a place in the code that is only known when all of it is: a jump, an alignment or a reference to a
// label or constant.
type site struct {
	pos   int // in buf
	kind  siteKind
	cond  Cond
	size  int    // of what is inserted at pos
	align int    // siteAlign
	ref   target // siteRip
	label Label  // siteJmp, siteJcc
	tail  int    // siteRip: bytes of the instruction after the displacement
}

// target is the part of a Mem that a siteRip needs.
type target struct {
	kind memKind
	id   int32
	disp int32
}

// ErrEncoding is wrapped by each error of an instruction that does not exist in the form that was asked for.
var ErrEncoding = errors.New("amd64: cannot encode")

// New begins a function for a processor with the given features. Vector instructions then take the VEX form
// where there is one and it does, as the shorter one, and otherwise the EVEX form.
func New(f Features) *Assembler {
	if f&^AVX2 != 0 {
		f |= AVX2 | AVX512
	}
	return &Assembler{features: f}
}

// Features is what the code may use.
func (a *Assembler) Features() Features { return a.features }

// Err is the first error so far.
func (a *Assembler) Err() error { return a.err }

// Len is the number of bytes so far, jumps and alignments not counted: an estimate.
func (a *Assembler) Len() int { return len(a.buf) }

func (a *Assembler) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%w %s", ErrEncoding, fmt.Sprintf(format, args...))
	}
}

// NewLabel makes a label, to be bound with [Assembler.Bind] before or after its uses.
func (a *Assembler) NewLabel() Label {
	a.labels = append(a.labels, place{})
	return Label(len(a.labels) - 1)
}

func (a *Assembler) known(l Label) bool {
	if l < 0 || int(l) >= len(a.labels) {
		a.fail("label %d: no such label", l)
		return false
	}
	return true
}

// Bind puts l here.
func (a *Assembler) Bind(l Label) {
	switch {
	case a.err != nil || !a.known(l):
	case a.labels[l].bound:
		a.fail("label %d: bound twice", l)
	default:
		a.labels[l] = place{pos: len(a.buf), sites: len(a.sites), bound: true}
		if a.list != nil {
			a.noteBound(l)
		}
	}
}

// Jmp goes to l.
func (a *Assembler) Jmp(l Label) {
	if a.err == nil && a.known(l) {
		if a.list != nil {
			a.note(line{text: "jmp", label: l})
		}
		a.sites = append(a.sites, site{pos: len(a.buf), kind: siteJmp, size: 2, label: l})
	}
}

// Jcc goes to l if c holds.
func (a *Assembler) Jcc(c Cond, l Label) {
	if c > Greater {
		a.fail("jump on condition %d", c)
	}
	if a.err == nil && a.known(l) {
		if a.list != nil {
			a.note(line{text: "j" + c.String(), label: l})
		}
		a.sites = append(a.sites, site{pos: len(a.buf), kind: siteJcc, cond: c, size: 2, label: l})
	}
}

// Align puts no-operations here until the distance from the start of the function is a multiple of n, a power
// of two up to 64.
func (a *Assembler) Align(n int) {
	if n <= 0 || n > 64 || n&(n-1) != 0 {
		a.fail("alignment to %d: not a power of two up to 64", n)
	}
	if a.err == nil {
		if a.list != nil {
			a.note(line{text: fmt.Sprintf(".align %d", n), label: -1})
		}
		a.sites = append(a.sites, site{pos: len(a.buf), kind: siteAlign, align: n})
	}
}

// At is the memory at l: for LEA, and for data among the code.
func (a *Assembler) At(l Label) Mem {
	a.known(l)
	return Mem{kind: memLabel, id: int32(l)}
}

// Const is memory behind the code that holds data, aligned to its size rounded up to a power of two, at most
// 64. Equal constants share a place. Data longer than 4096 bytes is refused.
func (a *Assembler) Const(data []byte) Mem {
	if len(data) == 0 || len(data) > 4096 {
		a.fail("constant of %d bytes", len(data))
		return Mem{}
	}
	i, ok := a.index[string(data)]
	if !ok {
		align := 1
		for align < len(data) && align < 64 {
			align *= 2
		}
		i = int32(len(a.consts))
		a.consts = append(a.consts, constant{data: string(data), align: align})
		if a.index == nil {
			a.index = map[string]int32{}
		}
		a.index[string(data)] = i
	}
	return Mem{kind: memConst, id: i}
}

// Table is memory behind the code that holds, for each label, its distance from the start of the table in 32
// bits, with its sign: for jumps to one of several places.
func (a *Assembler) Table(labels []Label) Mem {
	for _, l := range labels {
		a.known(l)
	}
	a.consts = append(a.consts, constant{data: string(make([]byte, 4*len(labels))), labels: slices.Clone(labels), align: 4})
	return Mem{kind: memConst, id: int32(len(a.consts) - 1)}
}

// Const32 is memory that holds v, to be read as a scalar or, with Bcast, by all lanes.
func (a *Assembler) Const32(v uint32) Mem {
	return a.Const(binary.LittleEndian.AppendUint32(nil, v))
}

// Const64 is Const32 for 64 bits.
func (a *Assembler) Const64(v uint64) Mem {
	return a.Const(binary.LittleEndian.AppendUint64(nil, v))
}

// Splat32 is memory that holds v in each lane of a vector of width w: the broadcast constant where there is
// no embedded broadcast.
func (a *Assembler) Splat32(w Width, v uint32) Mem {
	var b []byte
	for len(b) < w.Bytes() {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return a.Const(b)
}

// Splat64 is Splat32 for 64 bits.
func (a *Assembler) Splat64(w Width, v uint64) Mem {
	var b []byte
	for len(b) < w.Bytes() {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return a.Const(b)
}

// rip notes that the four bytes that come next in buf are a distance to m.
func (a *Assembler) rip(m Mem, tail int) {
	a.sites = append(a.sites, site{
		pos: len(a.buf), kind: siteRip, tail: tail,
		ref: target{kind: m.kind, id: m.id, disp: m.Disp},
	})
	a.buf = append(a.buf, 0, 0, 0, 0)
}

// Finish places jumps and constants and returns the code. It works wherever it is put, if its start is
// aligned to 64 bytes. The assembler can be finished again after more code.
func (a *Assembler) Finish() ([]byte, error) {
	used := a.used()
	for i, l := range a.labels {
		if !l.bound && a.err == nil && used[i] {
			a.fail("label %d: never bound", i)
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	before := a.relax() // bytes inserted before each site
	inserted := before[len(a.sites)]
	size := len(a.buf) + inserted
	for i := range a.consts {
		c := &a.consts[i]
		c.off = (size + c.align - 1) &^ (c.align - 1)
		size = c.off + len(c.data)
		if size > maxCode {
			a.fail("function of more than %d bytes", maxCode)
			return nil, a.err
		}
	}
	if size > maxCode {
		a.fail("function of more than %d bytes", maxCode)
		return nil, a.err
	}
	labelAt := func(l Label) int { p := a.labels[l]; return p.pos + before[p.sites] }
	out := make([]byte, 0, size)
	pos := 0
	for i := range a.sites {
		s := &a.sites[i]
		out = append(out, a.buf[pos:s.pos]...)
		pos = s.pos
		switch s.kind {
		case siteAlign:
			out = appendNops(out, s.size)
		case siteJmp, siteJcc:
			d := labelAt(s.label) - (len(out) + s.size)
			switch {
			case s.size == 2 && s.kind == siteJmp:
				out = append(out, 0xEB, byte(d))
			case s.size == 2:
				out = append(out, 0x70|byte(s.cond), byte(d))
			case s.kind == siteJmp:
				out = binary.LittleEndian.AppendUint32(append(out, 0xE9), uint32(d))
			default:
				out = binary.LittleEndian.AppendUint32(append(out, 0x0F, 0x80|byte(s.cond)), uint32(d))
			}
		case siteRip:
			to := 0
			if s.ref.kind == memLabel {
				to = labelAt(Label(s.ref.id))
			} else {
				to = a.consts[s.ref.id].off
			}
			d := int64(to) + int64(s.ref.disp) - int64(len(out)+4+s.tail)
			if d != int64(int32(d)) {
				a.fail("distance of %d bytes", d)
				return nil, a.err
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(d))
			pos += 4
		}
	}
	out = append(out, a.buf[pos:]...)
	for _, c := range a.consts {
		for len(out) < c.off {
			out = append(out, 0xCC) // a trap, should control ever get here
		}
		for _, l := range c.labels {
			out = binary.LittleEndian.AppendUint32(out, uint32(labelAt(l)-c.off))
		}
		if c.labels == nil {
			out = append(out, c.data...)
		}
	}
	return out, nil
}

// used returns, by label, whether a jump or an address needs it.
func (a *Assembler) used() []bool {
	used := make([]bool, len(a.labels))
	for i := range a.consts {
		for _, l := range a.consts[i].labels {
			used[l] = true
		}
	}
	for i := range a.sites {
		s := &a.sites[i]
		switch s.kind {
		case siteJmp, siteJcc:
			used[s.label] = true
		case siteRip:
			if s.ref.kind == memLabel {
				used[s.ref.id] = true
			}
		}
	}
	return used
}

// relax gives jumps and alignments their sizes: each jump starts short and grows when its target turns out to
// be too far. Jumps never shrink, so this ends: each round but the last makes at least one grow. It returns
// how many bytes are inserted before each site, and before the end.
func (a *Assembler) relax() []int {
	before := make([]int, len(a.sites)+1)
	for {
		sum := 0
		for i := range a.sites {
			before[i] = sum
			s := &a.sites[i]
			if s.kind == siteAlign {
				s.size = -(s.pos + sum) & (s.align - 1)
			}
			sum += s.size
		}
		before[len(a.sites)] = sum
		grown := false
		for i := range a.sites {
			s := &a.sites[i]
			if s.size != 2 || s.kind != siteJmp && s.kind != siteJcc {
				continue
			}
			p := a.labels[s.label]
			d := p.pos + before[p.sites] - (s.pos + before[i] + s.size)
			if d < math.MinInt8 || d > math.MaxInt8 {
				s.size = 5
				if s.kind == siteJcc {
					s.size = 6
				}
				grown = true
			}
		}
		if !grown {
			return before
		}
	}
}

// appendNops appends n bytes that do nothing, in as few instructions as the processor decodes well (Intel SDM
// volume 2, NOP: recommended sequences).
func appendNops(b []byte, n int) []byte {
	for n > 0 {
		k := min(n, len(nops))
		b = append(b, nops[k-1]...)
		n -= k
	}
	return b
}

var nops = [...]string{
	"\x90",
	"\x66\x90",
	"\x0F\x1F\x00",
	"\x0F\x1F\x40\x00",
	"\x0F\x1F\x44\x00\x00",
	"\x66\x0F\x1F\x44\x00\x00",
	"\x0F\x1F\x80\x00\x00\x00\x00",
	"\x0F\x1F\x84\x00\x00\x00\x00\x00",
	"\x66\x0F\x1F\x84\x00\x00\x00\x00\x00",
}
