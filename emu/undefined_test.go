package emu_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// undefinedCases are kernels `k(global int *in, global int *out, int n)`, which run for 40 work-items in groups of 20.
// in holds 0, 1, 2 …; n is 5. want is "" for a kernel that is right, otherwise what its finding says. line is where the
// finding is, counted from 1 in the text of the kernel.
var undefinedCases = []struct {
	name, source string
	want         string
	line         int
}{
	{"accumulator", `
		int total;
		for (int i = 0; i < n; i++)
			total += in[i];
		out[g] = total;`, "out[0] is left with bits that depend on total, which was not set", 5},
	{"accumulator set", `
		int total = 0;
		for (int i = 0; i < n; i++)
			total += in[i];
		out[g] = total;`, "", 0},
	{"branch", `
		int x;
		if (g == 7) x = 1;
		if (x) out[g] = 2;`, "the condition depends on x, which was not set", 4},
	{"one way sets it", `
		int x;
		if (g > 7) x = 1;
		out[g] = g > 7 ? x : 3;`, "", 0},
	{"short circuit", `
		int x, set = 0;
		if (g & 1) { x = in[g]; set = 1; }
		if (set && x > 3) out[g] = x;`, "", 0},
	{"short circuit the wrong way round", `
		int x, set = 0;
		if (g & 1) { x = in[g]; set = 1; }
		if (x > 3 && set) out[g] = x;`, "", 0}, // both are compared, and the result is false whatever x is
	{"short circuit of something undefined", `
		int x, set = 1;
		if (g & 1) x = in[g];
		if (set && x > 3) out[g] = n;`, "the condition depends on x, which was not set", 4},
	{"switch", `
		int x;
		switch (x) { case 1: out[g] = 1; break; case 2: out[g] = 5; }`, "the condition depends on x, which was not set", 3},
	{"bits that do not matter", `
		int x;
		x = (x & ~15) | 3;
		if (x & 2) out[g] = (x & 7) + 1;`, "", 0},
	{"multiplied by zero", `
		int x;
		out[g] = x * (n - 5) + 1;`, "", 0},
	{"sign that is known", `
		uint x;
		if ((x | 0x80000000u) > 100) out[g] = 1;`, "", 0},
	{"address", `
		int x;
		if (g == 0) out[x & 3] = 1;`, "the address of the write depends on x, which was not set", 3},
	{"address of a read", `
		int x;
		if (g > 100) x = 1;
		out[g] = in[x & 3];`, "the address of the read depends on x, which was not set", 4},
	{"divisor", `
		int x;
		out[g] = n / x;`, "the divisor depends on x, which was not set", 3},
	{"divisor that is not zero", `
		uint x;
		if (n / (x | 1) > 7) out[g] = 2;`, "", 0},
	{"printf", `
		int x;
		if (g == 0) printf("%d", x);`, "an argument depends on x, which was not set", 3},
	{"local array", `
		local int t[20];
		if (l < 10) t[l] = l;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[g] = t[l];`, "out[10] is left with bits that depend on t in local memory", 5},
	{"local array that is set", `
		local int t[20];
		t[19 - l] = l;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[g] = t[l];`, "", 0},
	{"private array", `
		int t[8];
		for (int i = 0; i < n; i++) t[(i * 3) & 7] = i;
		if (t[in[g] & 7] > 2) out[g] = 1;`, "the condition depends on t, an array of which not all elements were set", 4},
	{"private array that is set", `
		int t[8];
		for (int i = 0; i < 8; i++) t[(i * 3) & 7] = i;
		if (t[in[g] & 7] > 2) out[g] = 1;`, "", 0},
	{"private array of bytes that is set in part", `
		uchar t[8];
		for (int i = 0; i < n; i++) t[i] = i;
		out[g] = t[in[g & 3]];`, "", 0},
	{"components of a vector", `
		int4 v;
		v.x = n; v.y = n; v.w = n;
		out[g] = v.x + v.y + v.w;`, "", 0},
	{"missing component of a vector", `
		int4 v;
		v.x = n; v.y = n; v.w = n;
		if (g < 10) vstore4(v, g, out);`, "out[2] is left with bits that depend on v, of which not all parts were set", 4},
	{"three components", `
		int3 v = (int3)(n), w;
		w = v;
		if (g < 13) vstore3(w, g, out);`, "", 0},
	{"padding of a structure", `
		struct s a;
		a.c = 1; a.i = 2; a.s = 3;
		if (g < 10) *(global struct s *)(out + 4 * g) = a;`, "", 0},
	{"packed flags", `
		uint flags;
		flags &= ~0xffu; flags |= 0x21;
		flags &= 0xff;
		out[g] = flags;`, "", 0},
	{"one flag that is missing", `
		uint flags;
		flags &= ~0xfu; flags |= 0x1;
		out[g] = flags & 0x1f;`, "out[0] is left with bits that depend on flags, which was not set", 4},
	{"overwritten in the end", `
		int x;
		out[g] = x;
		out[g] = 5;`, "", 0},
	{"copied and not used", `
		int a[4], b[4];
		a[n & 3] = 1;
		for (int i = 0; i < 4; i++) b[i] = a[i];
		out[g] = b[n & 3];`, "", 0},
	{"copied and used", `
		int a[4], b[4];
		a[n & 3] = 1;
		for (int i = 0; i < 4; i++) b[(i + in[0]) & 3] = a[i];
		out[g] = b[(n + 1) & 3];`, "bits that depend on a, an array of which not all elements were set", 5},
	{"atomic operations", `
		local int c;
		if (l == 0) c = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		atomic_add(&c, 2);
		barrier(CLK_LOCAL_MEM_FENCE);
		out[g] = c;`, "", 0},
	{"atomic operation on what is not set", `
		local int c;
		atomic_add(&c, 2);
		barrier(CLK_LOCAL_MEM_FENCE);
		out[g] = c;`, "bits that depend on c in local memory", 5},
	{"floating point", `
		float x;
		if (n > 9) x = 1;
		out[g] = convert_int(x + 1);`, "bits that depend on x, which was not set", 4},
	{"broadcast of what is set", `
		int x;
		if (get_sub_group_local_id() == 0) x = n;
		out[g] = sub_group_broadcast(x, 0);`, "", 0},
	{"reduction over what is not set", `
		int x;
		if (l != 3) x = n;
		out[g] = sub_group_reduce_add(x);`, "bits that depend on x, which was not set", 4},
	{"scan up to what is not set", `
		int x;
		if (g < 39) x = n;
		x = sub_group_scan_inclusive_add(x);
		if (g < 39) out[g] = x;`, "", 0},
	{"vote that another work-item decides", `
		int x;
		out[g] = sub_group_any(get_sub_group_local_id() == 0 || x != 0);`, "", 0},
	{"vote that nobody decides", `
		int x;
		if (sub_group_all(x == 1)) out[g] = 5;`, "the condition depends on x, which was not set", 3},
	{"reduction of the work-group", `
		int x = g;
		out[g] = work_group_reduce_add(x);`, "", 0},
	{"copy to local memory", `
		local int t[20];
		event_t e = async_work_group_copy(t, in, 20, 0);
		wait_group_events(1, &e);
		out[g] = t[l];`, "", 0},
	{"copy to a part of local memory", `
		local int t[20];
		event_t e = async_work_group_copy(t, in, 19, 0);
		wait_group_events(1, &e);
		out[g] = t[l];`, "out[19] is left with bits that depend on t in local memory", 5},
	{"size of a copy", `
		local int t[20];
		int size;
		event_t e = async_work_group_copy(t, in, (size & 1) + 1, 0);
		wait_group_events(1, &e);`, "an operand depends on size, which was not set", 4},
	{"loop that sets what it reads later", `
		int last;
		for (int i = 0; i < n; i++) {
			if (i > 0) out[g] = last;
			last = in[i];
		}`, "", 0},
	{"half and double", `
		float x, y = 2;
		half *p = 0;
		if (n == 5) x = 1;
		out[g] = convert_int((double)x + y);`, "", 0},
	{"selection by something undefined of the same", `
		int x;
		out[g] = x ? n : 5;`, "", 0},
	{"selection by something undefined", `
		int x;
		out[g] = select(n, n + 1, x);`, "bits that depend on x, which was not set", 3},
	{"structure that a function sets", `
		int4 v;
		vload4(0, in);
		v = vload4(0, in);
		out[g] = v.x + v.y + v.z + v.w;`, "", 0},
	{"minimum of a known lesser", `
		uint x;
		x |= 16;
		out[g] = min(x, 3u);`, "", 0},
}

// TestUninitialized runs the cases under several widths and schedules: each has its one finding, always the same.
func TestUninitialized(t *testing.T) {
	for _, c := range undefinedCases {
		t.Run(c.name, func(t *testing.T) {
			source := "struct s { char c; int i; short s; }; kernel void k(global int *in, global int *out, int n) { size_t g = get_global_id(0), l = get_local_id(0);" +
				c.source + "\n}\n"
			first := ""
			for i, o := range []emu.DeviceOptions{{}, {WaveLanes: 1, SubgroupSize: 1, Workers: 1}, {WaveLanes: 8, SubgroupSize: 8}, {SubgroupSize: 64}} {
				for _, order := range []string{"in-order", "reverse", "seeded"}[:max(1, 3-2*i)] {
					got := uninitialized(t, o, order, source)
					if first == "" {
						first = got
					}
					if order == "in-order" && got != first && !strings.Contains(source, "sub_group_") {
						t.Errorf("%+v: %s\nbefore: %s", o, got, first)
					}
					switch {
					case c.want == "" && got != "none":
						t.Fatalf("finding in a kernel that is right:\n%s", got)
					case c.want != "" && !strings.Contains(got, c.want) && (order == "in-order" || !strings.Contains(c.want, "[")):
						t.Fatalf("found %s\nwant %q", got, c.want)
					case strings.Contains(got, "was not set") && !strings.Contains(got, " is declared at program.cl:"):
						t.Fatalf("no declaration in %s", got)
					case c.want != "" && !strings.HasPrefix(got, lineText(c.line)):
						t.Fatalf("found %s\nwant it at line %d", got, c.line)
					}
				}
			}
		})
	}
}

func lineText(n int) string { return "line " + string(rune('0'+n)) + ":" }

// uninitialized runs a kernel, and returns its one finding as text, or "none".
func uninitialized(t *testing.T, o emu.DeviceOptions, order, source string) string {
	t.Helper()
	d := device(t, o)
	p, _, err := d.BuildProgram(source, "")
	if err != nil {
		t.Fatal(err)
	}
	in := make([]int32, 40)
	for i := range in {
		in[i] = int32(i)
	}
	a, err := emu.NewBufferOf(d, in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := emu.NewBufferOf(d, make([]int32, 40))
	if err != nil {
		t.Fatal(err)
	}
	s, err := emu.ParseSchedule(order, 3)
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: kernel(t, p, "k"), Args: []emu.Arg{a, b, emu.Value(int32(5))}, Range: sized(40, 20), Check: true, Schedule: s}
	res, err := l.Run(context.Background())
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	switch n := len(res.Findings.Findings); {
	case n == 0:
		return "none"
	case n > 1:
		return res.Findings.Findings[0].Text() + res.Findings.Findings[1].Text()
	}
	f := &res.Findings.Findings[0]
	if f.Code != finding.Uninitialized {
		return f.Text()
	}
	// The numbers in a sub-group depend on its size.
	return lineText(int(f.Place.Line)) + regexp.MustCompile(`, sub-group .*`).ReplaceAllString(f.Text(), "")
}

// TestUninitializedBuffers says which buffers count as written: by the host, in part or as a whole, and by launches.
func TestUninitializedBuffers(t *testing.T) {
	const source = `kernel void put(global int *to, int v) { to[get_global_id(0)] = v; }
		kernel void get(global const int *from, global int *to) { if (from[get_global_id(0)] == 7) to[0] = 1; }
		kernel void copy(global const int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }`
	const n = 16
	for name, c := range map[string]struct {
		write func(t *testing.T, p *emu.Program, b *emu.Buffer)
		want  string // "" or what the finding of get says
	}{
		"nobody":            {func(*testing.T, *emu.Program, *emu.Buffer) {}, "from, which the host never wrote"},
		"host":              {func(t *testing.T, _ *emu.Program, b *emu.Buffer) { check(t, emu.Write(b, 0, make([]int32, n))) }, ""},
		"host, all but one": {func(t *testing.T, _ *emu.Program, b *emu.Buffer) { check(t, emu.Write(b, 0, make([]int32, n-1))) }, "work-item (15,0,0)"},
		"fill":              {func(t *testing.T, _ *emu.Program, b *emu.Buffer) { check(t, b.Fill([]byte{1})) }, ""},
		"map": {func(t *testing.T, _ *emu.Program, b *emu.Buffer) {
			_, err := b.Map()
			check(t, err)
			check(t, b.Unmap())
		}, ""},
		"kernel":          {func(t *testing.T, p *emu.Program, b *emu.Buffer) { launchPut(t, p, b, n, true) }, ""},
		"kernel, in part": {func(t *testing.T, p *emu.Program, b *emu.Buffer) { launchPut(t, p, b, 3, true) }, "work-item (3,0,0)"},
		"without checks":  {func(t *testing.T, p *emu.Program, b *emu.Buffer) { launchPut(t, p, b, 1, false) }, ""},
		"through a part of the buffer": {func(t *testing.T, _ *emu.Program, b *emu.Buffer) {
			s, err := b.Sub(0, 4*n)
			check(t, err)
			check(t, emu.Write(s, 0, make([]int32, n)))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := device(t, emu.DeviceOptions{})
			p, _, err := d.BuildProgram(source, "")
			check(t, err)
			b, err := d.NewBuffer(4*n, emu.BufferOptions{})
			check(t, err)
			out, err := emu.NewBufferOf(d, make([]int32, n))
			check(t, err)
			c.write(t, p, b)
			l := emu.Launch{Kernel: kernel(t, p, "get"), Args: []emu.Arg{b, out}, Range: sized(n, n), Check: true}
			res, err := l.Run(context.Background())
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (len(res.Findings.Findings) != 1 || !strings.Contains(res.Findings.Findings[0].Text(), c.want)):
				t.Errorf("found %v, want %q", err, c.want)
			}
			// What is copied is told of where it is left, with the way that it went.
			l.Kernel = kernel(t, p, "copy")
			res, err = l.Run(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(res.Findings.Findings[0].Text(), "which the host never wrote")) {
				t.Errorf("copy: %v", err)
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func launchPut(t *testing.T, p *emu.Program, b *emu.Buffer, n uint64, checks bool) {
	t.Helper()
	l := emu.Launch{Kernel: kernel(t, p, "put"), Args: []emu.Arg{b, emu.Value(int32(1))}, Range: sized(n, n), Check: checks}
	_, err := l.Run(context.Background())
	check(t, err)
}

// TestPoison runs kernels that rely on zeros: with poison no engine gives them any, and all engines give them the same.
func TestPoison(t *testing.T) {
	const source = `kernel void k(global uint *out) {
		local uint t[32];
		uint g = get_global_id(0), l = get_local_id(0), x, a[40];
		if (g == 1000) { t[l] = 1; x = 2; }
		for (uint i = 0; i < (out[0] & 1); i++) a[(i * 7 + g) % 40] = 3;
		out[4 * g + 0] ^= 0;
		out[4 * g + 1] = t[l];
		out[4 * g + 2] = x;
		out[4 * g + 3] = a[(g + l) % 40];
		barrier(CLK_LOCAL_MEM_FENCE);
		t[l] = 0; // of which the next work-group sees nothing
	}`
	results := map[uint64][]uint32{}
	for _, engine := range emu.Engines() {
		for _, seed := range []uint64{0, 1, 77} {
			// One worker: work-groups read out[0] while the first one writes it.
			d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Poison: seed, Workers: 1})
			if err != nil {
				continue // the machine does not have this engine
			}
			p, _, err := d.BuildProgram(source, "")
			check(t, err)
			b, err := d.NewBuffer(16*256, emu.BufferOptions{})
			check(t, err)
			l := emu.Launch{Kernel: kernel(t, p, "k"), Args: []emu.Arg{b}, Range: sized(256, 32)}
			_, err = l.Run(context.Background())
			check(t, err)
			got, err := emu.Read[uint32](b)
			check(t, err)
			for i, x := range got {
				if (x == 0) != (seed == 0) {
					t.Fatalf("%s, seed %d: word %d is %#x", engine, seed, i, x)
				}
			}
			if want := results[seed]; want == nil {
				results[seed] = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s, seed %d: not the values of the engine before", engine, seed)
			}
			check(t, d.Close())
		}
	}
	if slices.Equal(results[1], results[77]) {
		t.Error("two seeds give the same")
	}
}
