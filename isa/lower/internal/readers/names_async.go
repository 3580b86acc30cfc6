package readers

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// asyncNames has the imported functions that copy asynchronously, or wait, by
// the name without parameter types.
var asyncNames map[string]func(*build.Builder, *clCall) []*ssa.Value

// The table's functions lead back to it: they follow types, types have
// constants, and a constant may be computed by a call.
func init() { asyncNames = newAsyncNames() }

func newAsyncNames() map[string]func(*build.Builder, *clCall) []*ssa.Value {
	t := map[string]func(*build.Builder, *clCall) []*ssa.Value{
		// OpenCL C 6.15.11, and cl_khr_extended_async_copies, which has no
		// instructions in SPIR-V, so that compilers leave its functions as calls.
		"async_work_group_copy":         func(b *build.Builder, c *clCall) []*ssa.Value { return asyncNamed(b, c, false) },
		"async_work_group_strided_copy": func(b *build.Builder, c *clCall) []*ssa.Value { return asyncNamed(b, c, true) },
		"async_work_group_copy_2D2D":    copyNamed(2, copy2D, ""),
		"async_work_group_copy_3D3D":    copyNamed(3, copy3D, ""),
		"wait_group_events":             func(b *build.Builder, c *clCall) []*ssa.Value { return waitNamed(b, c, 0) },
		"__mux_dma_wait":                muxWait,
		"prefetch":                      func(*build.Builder, *clCall) []*ssa.Value { return nil }, // only makes what follows faster
		// As producers call the instructions of SPIR-V.
		"__spirv_GroupAsyncCopy": func(b *build.Builder, c *clCall) []*ssa.Value {
			scopeNamed(b, c)
			return asyncNamed(b, c.behind(1), true)
		},
		"__spirv_GroupWaitEvents": func(b *build.Builder, c *clCall) []*ssa.Value {
			scopeNamed(b, c)
			return waitNamed(b, c, 1)
		},
		"llvm.amdgcn.asyncmark":      amdgcnMark,
		"llvm.amdgcn.wait.asyncmark": amdgcnWait,
	}
	// ComputeMux: sizes in bytes, destination strides ahead of source strides.
	mux := [][]isa.CopyArg{
		{isa.CopyDst, isa.CopySrc, isa.CopyElems, isa.CopyEvent},
		{isa.CopyDst, isa.CopySrc, isa.CopyElems, isa.CopyDstLine, isa.CopySrcLine, isa.CopyLines, isa.CopyEvent},
		{isa.CopyDst, isa.CopySrc, isa.CopyElems, isa.CopyDstLine, isa.CopySrcLine, isa.CopyLines,
			isa.CopyDstPlane, isa.CopySrcPlane, isa.CopyPlanes, isa.CopyEvent},
	}
	for i, order := range mux {
		for _, dir := range []string{"read", "write"} {
			t[fmt.Sprintf("__mux_dma_%s_%dD", dir, i+1)] = copyNamed(i+1, order, dir)
		}
	}
	addLaneCopies(t)
	return t
}

// clAsync reads a call of one of asyncNames.
func clAsync(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	g := asyncNames[c.name]
	if g == nil {
		return nil, false
	}
	return g(b, c), true
}

// behind is the call without its first n arguments.
func (c *clCall) behind(n int) *clCall {
	d := *c
	d.args, d.types = c.args[n:], c.types[n:]
	return &d
}

// want refuses a call of another number of arguments than one of counts.
func want(b *build.Builder, c *clCall, counts ...int) {
	for _, n := range counts {
		if len(c.args) == n {
			return
		}
	}
	b.Fail("a call of %s has %d arguments, it takes %s", c.name, len(c.args), orList(counts))
}

// orList is "4", "4 or 5", "1, 2 or 4".
func orList(n []int) string {
	s := fmt.Sprint(n[0])
	for i, x := range n[1:] {
		if i+2 == len(n) {
			s += " or"
		} else {
			s += ","
		}
		s += fmt.Sprintf(" %d", x)
	}
	return s
}

// pointerArg returns argument i, which must be a pointer.
func pointerArg(b *build.Builder, c *clCall, i int) (*ssa.Value, *build.Type) {
	if c.types[i].Kind != build.KindPointer {
		b.Fail("argument %d of %s is no pointer", i+1, c.name)
	}
	return c.args[i][0], c.types[i]
}

// intArg returns argument i, which must be an integer.
func intArg(b *build.Builder, c *clCall, i int) (*ssa.Value, *build.Type) {
	if c.types[i].Kind != build.KindInt {
		b.Fail("argument %d of %s is no integer", i+1, c.name)
	}
	return c.args[i][0], c.types[i]
}

// immArg returns argument i, which must be an integer constant, sign-extended.
func immArg(b *build.Builder, c *clCall, i int, what string) int64 {
	v, t := intArg(b, c, i)
	if !v.IsConst() {
		b.Fail("argument %d of %s, %s, is not a constant of the module", i+1, c.name, what)
	}
	return b.Signed(t, v).Signed()
}

// eventArg returns argument i, an event of any type that can be one, in 64 bits.
func eventArg(b *build.Builder, c *clCall, i int) *ssa.Value {
	if !isEvent(c.types[i]) || len(c.args[i]) != 1 {
		b.Fail("argument %d of %s is no event", i+1, c.name)
	}
	return wideEvent(b, c.args[i][0], c.types[i])
}

// copyNamed is a function with the given operands in this order. Its direction
// is "read", to LDS, "write", or "" for either.
func copyNamed(dim int, order []isa.CopyArg, direction string) func(*build.Builder, *clCall) []*ssa.Value {
	return func(b *build.Builder, c *clCall) []*ssa.Value {
		want(b, c, len(order))
		var a copyArgs
		var dt, st *build.Type
		for i, w := range order {
			switch w {
			case isa.CopyDst:
				a[w], dt = pointerArg(b, c, i)
			case isa.CopySrc:
				a[w], st = pointerArg(b, c, i)
			case isa.CopyEvent:
				a[w] = eventArg(b, c, i)
			default:
				v, t := intArg(b, c, i)
				a[w] = wideInt(b, v, t)
			}
		}
		if toLocal := toLocal(b, c.name, dt, st); direction != "" && toLocal != (direction == "read") {
			b.Fail("%s copies in the other direction: it takes a destination in %s memory", c.name, dirSpace[direction])
		}
		return []*ssa.Value{groupCopy(b, c.name, dim, a, c.rt)}
	}
}

// dirSpace is where a copy of a direction goes.
var dirSpace = map[string]isa.Space{"read": isa.SpaceLocal, "write": isa.SpaceGlobal}

// asyncNamed reads async_work_group_copy and async_work_group_strided_copy.
func asyncNamed(b *build.Builder, c *clCall, strided bool) []*ssa.Value {
	n := 4
	if strided {
		n = 5
	}
	want(b, c, n)
	dst, dt := pointerArg(b, c, 0)
	src, st := pointerArg(b, c, 1)
	size := c.element
	for _, t := range []*build.Type{dt, st} {
		if e := b.Module.Pointee(t); size == 0 && e != nil {
			size = e.Size
		}
	}
	if size == 0 {
		b.Fail("a call of %s does not tell the size of an element", c.name)
	}
	x, xt := intArg(b, c, 2)
	var stride *ssa.Value
	if strided {
		s, t := intArg(b, c, 3)
		stride = wideInt(b, s, t)
	}
	return []*ssa.Value{stridedCopy(b, c.name, toLocal(b, c.name, dt, st), dst, src, b.Imm(isa.I64, size), wideInt(b, x, xt), stride, eventArg(b, c, n-1), c.rt)}
}

// waitNamed reads a wait for a list of events; its length is argument i.
func waitNamed(b *build.Builder, c *clCall, i int) []*ssa.Value {
	want(b, c, i+2)
	n, nt := intArg(b, c, i)
	p, pt := pointerArg(b, c, i+1)
	et := b.Module.Pointee(pt)
	switch c.element {
	case 4, 8: // the name knows better than a pointer that a back end had to guess
		et = &build.Type{Kind: build.KindInt, Bits: int(8 * c.element), Size: c.element, Align: c.element, Flat: 1}
	}
	waitList(b, n, nt, p, pt, et)
	return nil
}

// muxWait reads __mux_dma_wait. All events of a module have one type there, the
// one that the functions which make them return.
func muxWait(b *build.Builder, c *clCall) []*ssa.Value {
	if et := muxEvent(b.Module); et != nil {
		want(b, c, 2)
		n, nt := intArg(b, c, 0)
		p, pt := pointerArg(b, c, 1)
		waitList(b, n, nt, p, pt, et)
		return nil
	}
	return waitNamed(b, c, 0)
}

// muxEvent returns what the module uses as __mux_dma_event_t; nil when it makes
// no events.
func muxEvent(m *build.Module) *build.Type {
	if m.MuxEventDone {
		return m.MuxEventType
	}
	m.MuxEventDone = true
	for _, in := range m.Source.Insts {
		if in.Op() != spirv.OpFunction || m.Funcs[in.ResultID()].Entry != nil {
			continue
		}
		if n := plainName(importName(m, in.ResultID())); strings.HasPrefix(n, "__mux_dma_read_") || strings.HasPrefix(n, "__mux_dma_write_") {
			if t := m.TypeOf(in.ResultType()); isEvent(t) {
				m.MuxEventType = t
				break
			}
		}
	}
	return m.MuxEventType
}

// scopeNamed checks the first argument, an execution scope.
func scopeNamed(b *build.Builder, c *clCall) {
	if len(c.args) == 0 {
		b.Fail("a call of %s has no arguments", c.name)
	}
	checkGroupScope(b, uint64(immArg(b, c, 0, "the execution scope")))
}

// elementSize returns the size in bytes of what the first pointer among
// Itanium-mangled parameters leads to, 0 when the text does not tell. Template
// arguments stand ahead of them in names that C++ left: the first one is the
// element's type then.
func elementSize(s string) uint64 {
	if rest, ok := strings.CutPrefix(s, "I"); ok {
		return mangledSize(rest)
	}
	i := strings.IndexByte(s, 'P')
	if i < 0 {
		return 0
	}
	s = s[i+1:]
	for len(s) > 0 {
		switch {
		case s[0] == 'U':
			n, w := number(s[1:])
			s = s[min(1+w+n, len(s)):]
		case strings.IndexByte("KVr", s[0]) >= 0:
			s = s[1:]
		default:
			return mangledSize(s)
		}
	}
	return 0
}

// mangledSize returns the size of the scalar or vector type that s begins with.
func mangledSize(s string) uint64 {
	count := 1
	if rest, ok := strings.CutPrefix(s, "Dv"); ok {
		n, w := number(rest)
		if s, ok = strings.CutPrefix(rest[w:], "_"); !ok || n < 2 || n > 16 {
			return 0
		}
		count = build.Stride(n)
	}
	size := uint64(0)
	switch {
	case strings.HasPrefix(s, "Dh"), strings.HasPrefix(s, "DF16_"):
		size = 2
	case s != "":
		size = scalarSizes[s[0]]
	}
	return uint64(count) * size
}

// scalarSizes has the bytes of the scalar types of OpenCL C by their letter in
// mangled names.
var scalarSizes = map[byte]uint64{'b': 1, 'c': 1, 'a': 1, 'h': 1, 's': 2, 't': 2, 'i': 4, 'j': 4, 'f': 4, 'l': 8, 'm': 8, 'x': 8, 'y': 8, 'd': 8}
