package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// hostile is a device with the kernels of hostile.cl, two buffers for them, and
// buffers on both sides of these that nobody may touch.
type hostile struct {
	t      *testing.T
	dev    *emu.Device
	prog   *emu.Program
	p, out *emu.Buffer // of 8 and 16 integers
	guards []*emu.Buffer
}

func newHostile(t *testing.T, o emu.DeviceOptions) *hostile {
	t.Helper()
	h := &hostile{t: t, dev: device(t, o)}
	h.prog = program(t, h.dev, "hostile")
	h.guard()
	h.p = buffer(t, h.dev, int32(11), 12, 13, 14, 15, 16, 17, 18)
	h.guard()
	h.out = buffer(t, h.dev, make([]int32, 16)...)
	h.guard()
	return h
}

func (h *hostile) guard() {
	b := buffer(h.t, h.dev, bytes.Repeat([]byte{0xa5}, 64)...)
	h.guards = append(h.guards, b)
}

// run launches a kernel that must end in a finding of the given code, which it
// returns as text.
func (h *hostile) run(l emu.Launch, name string, code finding.Code) string {
	h.t.Helper()
	l.Kernel, l.Reproduce = kernel(h.t, h.prog, name), "run it again"
	if l.Range.Global == nil {
		l.Range = sized(1, 1)
	}
	res, err := l.Run(h.t.Context())
	var fe *emu.FindingsError
	if !errors.As(err, &fe) || res == nil {
		h.t.Errorf("%s: error %v, want %s", name, err, code)
		return ""
	}
	if got := res.Findings.Findings[0].Code; got != code {
		h.t.Errorf("%s: %v, want %s", name, err, code)
	}
	text := res.Findings.Text()
	if !wellFormed(text) {
		h.t.Errorf("%s: not in the form of a finding:\n%s", name, text)
	}
	for i, g := range h.guards {
		if v, err := g.Bytes(); err != nil || !bytes.Equal(v, bytes.Repeat([]byte{0xa5}, 64)) {
			h.t.Errorf("%s: buffer %d, which is not the kernel's, has %x, %v", name, i, v, err)
		}
	}
	return text
}

// unchanged checks that the kernel left its own buffers alone.
func (h *hostile) unchanged(name string) {
	h.t.Helper()
	if got := fmt.Sprint(contents[int32](h.t, h.p)); got != "[11 12 13 14 15 16 17 18]" {
		h.t.Errorf("%s: p has %v", name, got)
	}
	if got := contents[int32](h.t, h.out); !bytes.Equal(fmt.Append(nil, got), fmt.Append(nil, make([]int32, 16))) {
		h.t.Errorf("%s: out has %v", name, got)
	}
}

// The lines of a finding: what, whose, who, where in the source, which
// instruction, how often, and how to see it again.
var headline = regexp.MustCompile(`^error\[E-[A-Z0-9]+\]: \S.*[^ :]$`)

var detail = regexp.MustCompile(`^ *(--> hostile\.cl:\d+:\d+ in (kernel|function) \w+` +
	`|--> kernel \w+(, word \d+)?` +
	`|(\d+ )?\|( .*)?` +
	`|= (note|help|reproduce): \S.*)$`)

// wellFormed says whether text has the form of findings.
func wellFormed(text string) bool {
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !headline.MatchString(list[0]) || !strings.Contains(list[len(list)-1], " = reproduce: ") {
		return false
	}
	for _, line := range list[1:] {
		if !headline.MatchString(line) && !detail.MatchString(line) {
			return false
		}
	}
	return true
}

// outside lists indices that are no good for 8 integers.
var outside = []int64{8, -1, 9, 1 << 31, -1 << 31, 1 << 38, -1 << 38, 1 << 45, 1 << 60, 1 << 61, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}

// TestOutOfBounds goes past the ends of memory of every kind, in every way.
func TestOutOfBounds(t *testing.T) {
	lds := emu.LocalBytes(32)
	var got strings.Builder
	for _, name := range []string{
		"global_read", "global_write", "global_atomic", "global_lanes", "global_wide", "argument_read",
		"local_read", "local_write", "local_atomic", "local_lanes", "local_wide",
		"constant_read", "constant_write", "variable_read", "variable_write",
		"tile_read", "tile_write", "private_read", "private_write", "generic_read", "generic_write",
	} {
		h := newHostile(t, emu.DeviceOptions{Workers: 1})
		for n, i := range outside {
			var args []emu.Arg
			for _, p := range kernel(t, h.prog, name).Params() {
				switch {
				case p.Kind == isa.ParamValue:
					args = append(args, emu.Value(i))
				case p.Kind == isa.ParamLocal:
					args = append(args, lds)
				case p.Index == 0:
					args = append(args, h.p)
				default:
					args = append(args, h.out)
				}
			}
			if inside(i) {
				continue
			}
			text := h.run(emu.Launch{Args: args}, name, finding.OutOfBounds)
			h.unchanged(name)
			if n < 2 {
				got.WriteString(text)
			}
		}
	}
	golden(t, "hostile-bounds.txt", got.String())
}

// inside says whether index i is good after all: addresses have 64 bits, and four
// times 1<<62 of them are all there are.
func inside(i int64) bool { return uint64(i)*4 < 32 }

// TestAddresses uses numbers as pointers.
func TestAddresses(t *testing.T) {
	h := newHostile(t, emu.DeviceOptions{Workers: 1})
	slot := buffer(t, h.dev, uint64(0))
	leak := func(name string, args ...emu.Arg) uint64 {
		t.Helper()
		if _, err := kernel(t, h.prog, name).Run(t.Context(), sized(1, 1), args...); err != nil {
			t.Fatal(name, err)
		}
		return contents[uint64](t, slot)[0]
	}
	freed := buffer(t, h.dev, int32(1), 2)
	old := leak("leak_global", slot, freed)
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	h.guard() // may take the place of what was freed
	global := leak("leak_global", slot, h.p)
	local, private := leak("leak_local", slot, h.out), leak("leak_private", slot, h.out)
	var got strings.Builder
	for _, c := range []struct {
		what    string
		address uint64
		code    finding.Code
	}{
		{"null", 0, finding.NullPointer},
		{"near null", 4, finding.NullPointer},
		{"a small number", 0x1234, finding.BadPointer},
		{"a number", 0x123456789, finding.BadPointer},
		{"all ones", math.MaxUint64, finding.BadPointer},
		{"the top bit", 1 << 63, finding.BadPointer},
		{"an address of the host", 0xc000012345, finding.BadPointer},
		{"letters", 0x6867666564636261, finding.BadPointer},
		{"a freed buffer", old, finding.UseAfterFree},
		{"inside a freed buffer", old + 4, finding.UseAfterFree},
		{"the end of a buffer", global + 32, finding.OutOfBounds},
		{"before a buffer", global - 4, finding.OutOfBounds},
		{"across the end of a buffer", global + 30, finding.OutOfBounds},
		{"LDS that is gone", local, finding.BadPointer},
		{"private memory that is gone", private, finding.BadPointer},
	} {
		for _, name := range []string{"address_read", "address_write", "address_atomic", "address_local", "address_private"} {
			code := c.code
			if code != finding.NullPointer && (name == "address_local" || name == "address_private") {
				code = finding.BadPointer // whatever it points to, it is not there
			}
			text := h.run(emu.Launch{Args: []emu.Arg{emu.Value(c.address), h.out}}, name, code)
			h.unchanged(name)
			fmt.Fprintf(&got, "%s\n%s", c.what, text)
		}
	}
	golden(t, "hostile-addresses.txt", got.String())
	for _, name := range []string{"global_read", "global_write", "global_atomic", "global_lanes", "global_wide", "argument_read"} {
		h.run(emu.Launch{Args: []emu.Arg{emu.Null(), emu.Value(int64(1)), h.out}}, name, finding.NullPointer)
		h.unchanged(name)
	}
	h.run(emu.Launch{Args: []emu.Arg{emu.Value(int64(3)), h.out}}, "constant_write", finding.ReadOnly)
}

func TestDivisions(t *testing.T) {
	h := newHostile(t, emu.DeviceOptions{Workers: 1})
	var got strings.Builder
	four := func(v ...int32) emu.Arg { return emu.Vector(v...) }
	for _, c := range []struct {
		name string
		a, b emu.Arg
		code finding.Code
	}{
		{"div_int", emu.Value(int32(7)), emu.Value(int32(0)), finding.DivideByZero},
		{"rem_int", emu.Value(int32(7)), emu.Value(int32(0)), finding.DivideByZero},
		{"div_uint", emu.Value(int32(7)), emu.Value(int32(0)), finding.DivideByZero},
		{"rem_uint", emu.Value(int32(7)), emu.Value(int32(0)), finding.DivideByZero},
		{"div_long", emu.Value(int64(7)), emu.Value(int64(0)), finding.DivideByZero},
		{"rem_ulong", emu.Value(int64(7)), emu.Value(int64(0)), finding.DivideByZero},
		{"div_char", emu.Value(int8(7)), emu.Value(int8(0)), finding.DivideByZero},
		{"div_int4", four(1, 2, 3, 4), four(1, 2, 0, 4), finding.DivideByZero},
		{"div_lanes", emu.Value(int32(7)), emu.Value(int32(5)), finding.DivideByZero},
		{"div_int", emu.Value(int32(math.MinInt32)), emu.Value(int32(-1)), finding.DivideOverflow},
		{"rem_int", emu.Value(int32(math.MinInt32)), emu.Value(int32(-1)), finding.DivideOverflow},
		{"div_long", emu.Value(int64(math.MinInt64)), emu.Value(int64(-1)), finding.DivideOverflow},
	} {
		got.WriteString(h.run(emu.Launch{Args: []emu.Arg{c.a, c.b, h.out}, Check: true, Range: sized(8, 8)}, c.name, c.code))
		h.unchanged(c.name)
	}
	golden(t, "hostile-divisions.txt", got.String())
	// Without checks the most negative number divided by -1 is a number, and no
	// trap of the host. A division by zero has all bits set, and is counted.
	for _, c := range []struct {
		name string
		a, b emu.Arg
		want int32
	}{
		{"div_int", emu.Value(int32(7)), emu.Value(int32(0)), -1},
		{"rem_int", emu.Value(int32(7)), emu.Value(int32(0)), -1},
		{"div_uint", emu.Value(int32(7)), emu.Value(int32(0)), -1},
		{"rem_uint", emu.Value(int32(7)), emu.Value(int32(0)), -1},
		{"div_long", emu.Value(int64(7)), emu.Value(int64(0)), -1},
		{"rem_ulong", emu.Value(int64(7)), emu.Value(int64(0)), -1},
		{"div_char", emu.Value(int8(7)), emu.Value(int8(0)), -1},
		{"div_int", emu.Value(int32(math.MinInt32)), emu.Value(int32(-1)), math.MinInt32},
		{"rem_int", emu.Value(int32(math.MinInt32)), emu.Value(int32(-1)), 0},
		{"div_long", emu.Value(int64(math.MinInt64)), emu.Value(int64(-1)), 0},
	} {
		zeros := uint64(0)
		if c.want == -1 {
			zeros = 1
		}
		if res, err := kernel(t, h.prog, c.name).Run(t.Context(), sized(1, 1), c.a, c.b, h.out); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if n := res.Counters.ZeroDivisions; n != zeros {
			t.Errorf("%s: %d divisions by zero, want %d", c.name, n, zeros)
		} else if v := contents[int32](t, h.out)[0]; v != c.want {
			t.Errorf("%s: %d, want %d", c.name, v, c.want)
		}
	}
}

// TestEndless ends kernels that never end, by a time limit and by cancelling.
func TestEndless(t *testing.T) {
	for _, name := range []string{"endless", "endless_empty", "endless_some", "endless_barrier", "endless_group", "endless_printf", "lock", "barrier_waits"} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []emu.DeviceOptions{{Workers: 1}, {Workers: 2, SubgroupSize: 8, WaveLanes: 8}} {
				h := newHostile(t, o)
				l := emu.Launch{Args: []emu.Arg{h.out}, Range: sized(32, 16), MaxOutput: 1 << 10, Timeout: 30 * time.Millisecond}
				start := time.Now()
				if text := h.run(l, name, finding.TimeLimit); !strings.Contains(text, "time limit") {
					t.Errorf("text %q", text)
				}
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("it took %v to end", took)
				}
				l.Timeout = 0
				l.Kernel = kernel(t, h.prog, name)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(20*time.Millisecond, cancel)
				res, err := l.Run(ctx)
				if !errors.Is(err, context.Canceled) || res == nil || res.Findings.Findings[0].Code != finding.Cancelled {
					t.Errorf("cancelled: %v", err)
				}
				// The device is good for more.
				if _, err := kernel(t, h.prog, "div_int").Run(t.Context(), sized(1, 1), emu.Value(int32(6)), emu.Value(int32(2)), h.out); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestBarriers leaves work-items alone at barriers.
func TestBarriers(t *testing.T) {
	h := newHostile(t, emu.DeviceOptions{Workers: 1})
	var got strings.Builder
	for _, r := range []emu.NDRange{sized(8, 8), sized(64, 64), sized(12, 6)} {
		got.WriteString(h.run(emu.Launch{Args: []emu.Arg{h.out}, Range: r}, "barrier_left", finding.PartialBarrier))
	}
	golden(t, "hostile-barriers.txt", got.String())
}

// TestSizes launches with sizes and arguments that make no sense.
func TestSizes(t *testing.T) {
	h := newHostile(t, emu.DeviceOptions{Workers: 1})
	k := kernel(t, h.prog, "global_read")
	good := []emu.Arg{h.p, emu.Value(int64(1)), h.out}
	nd := func(global, local, offset []uint64) emu.NDRange {
		return emu.NDRange{Global: global, Local: local, Offset: offset}
	}
	one := func(n uint64) []uint64 { return []uint64{n} }
	for _, r := range []emu.NDRange{
		nd(nil, nil, nil), nd([]uint64{}, one(1), nil), nd(make([]uint64, 4), nil, nil),
		nd(one(1<<63), one(0), nil), nd(one(8), one(0), nil), nd(one(8), one(1<<32), nil), nd(one(8), one(1<<63), nil), nd(one(8), one(1025), nil),
		nd([]uint64{1 << 32, 1 << 32}, nil, nil), nd([]uint64{1 << 63, 1, 2}, nil, nil), nd([]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, nil, nil),
		nd([]uint64{8, 8, 8}, []uint64{1 << 22, 1 << 22, 1 << 22}, nil),
		nd(one(1), nil, one(math.MaxUint64)), nd(one(1<<63), nil, one(1<<63)),
	} {
		var re *emu.RangeError
		var le *emu.LimitError
		if _, err := k.Run(t.Context(), r, good...); !errors.As(err, &re) && !errors.As(err, &le) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, args := range [][]emu.Arg{
		nil, {h.p}, append(good[:3:3], h.out), {nil, nil, nil}, {(*emu.Buffer)(nil), good[1], h.out}, {h.p, emu.Value(int32(1)), h.out},
		{h.p, emu.Bytes(nil), h.out}, {h.p, emu.Bytes(make([]byte, 1<<20)), h.out}, {h.p, emu.Null(), h.out}, {emu.LocalBytes(4), good[1], h.out},
		{emu.Value(uint64(1)), good[1], h.out}, make([]emu.Arg, 10000),
	} {
		var ae *emu.ArgError
		if _, err := k.Run(t.Context(), sized(1, 1), args...); !errors.As(err, &ae) {
			t.Errorf("%d arguments: %v", len(args), err)
		}
	}
	for _, n := range []uint64{64<<10 + 1, 1 << 32, 1 << 63, math.MaxUint64} {
		var le *emu.LimitError
		if _, err := kernel(t, h.prog, "local_read").Run(t.Context(), sized(1, 1), emu.LocalBytes(n), good[1], h.out); !errors.As(err, &le) {
			t.Errorf("%d bytes of LDS: %v", n, err)
		}
	}
	h.unchanged("a launch that was refused")
	// A size of 0 is a launch of nothing.
	if res, err := k.Run(t.Context(), emu.Range(0), good...); err != nil || res.GroupsRun != 0 {
		t.Errorf("no work-items: %v", err)
	}
	h.unchanged("a launch of nothing")
	// 2^63 work-items are a legal launch; it is only too long.
	l := emu.Launch{Kernel: k, Args: good, Range: emu.Range(1 << 63), Timeout: 20 * time.Millisecond}
	if res, err := l.Run(t.Context()); !errors.Is(err, context.DeadlineExceeded) || res == nil {
		t.Errorf("2^63 work-items: %v", err)
	}
	l.Range = emu.NDRange{Global: []uint64{math.MaxUint64}, Local: []uint64{1}}
	if res, err := l.Run(t.Context()); !errors.Is(err, context.DeadlineExceeded) || res == nil {
		t.Errorf("2^64-1 work-groups: %v", err)
	}
	// A group that is smaller than the others.
	if res, err := k.Run(t.Context(), sized(5, 3), good...); err != nil || res.GroupsRun != 2 {
		t.Errorf("5 work-items in groups of 3: %v", err)
	}
}

// measured runs f and fails when that allocated much memory.
func measured(t *testing.T, what string, most uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > most {
		t.Errorf("%s took %d bytes of memory", what, n)
	}
}
