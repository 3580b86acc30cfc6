package lower_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// readEach is a size that no kernel has, so that bodies are read at each call.
const readEach = 1 << 30

func compileC(t *testing.T, source string) *spirv.Module {
	t.Helper()
	res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: source}, clc.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return res.Module
}

// TestPrepared tells which bodies are read once.
func TestPrepared(t *testing.T) {
	defer lower.SetLeastPrepared(0)()
	twice := "{ o[0] = f(o, 1) + f(o + 1, 2); }"
	for name, c := range map[string]struct {
		functions, kernel, want string
	}{
		"plain":            {"uint f(global uint *p, uint n) { return *p + n; }", twice, "f"},
		"called once":      {"uint f(global uint *p, uint n) { return *p + n; }", "{ o[0] = f(o, 1); }", ""},
		"nested":           {"uint g(uint n) { return n * n; }\nuint f(global uint *p, uint n) { return g(*p) + g(n); }", twice, "f g"},
		"nested once":      {"uint g(uint n) { return n * n; }\nuint f(global uint *p, uint n) { return g(*p) + n; }", twice, "f"},
		"returns early":    {"uint f(global uint *p, uint n) { if (*p > n) return 1; return n; }", twice, "f"},
		"own array":        {"uint f(global uint *p, uint n) { uint a[4] = {1, 2, 3, 4}; a[*p & 3] = n; return a[n & 3]; }", twice, "f"},
		"copies its own":   {"struct s { uint a[4]; };\nuint f(global uint *p, uint n) { struct s x = {{n}}, y = x; y.a[1] = *p; x = y; return x.a[n & 1]; }", twice, "f"},
		"copies arguments": {"struct s { uint a[4]; };\nvoid g(struct s *x, struct s *y) { *x = *y; }\nuint f(global uint *p, uint n) { struct s x = {{n}}, y; g(&y, &x); g(&x, &y); return y.a[0]; }", twice, "f g"},
		"barrier":          {"uint f(global uint *p, uint n) { barrier(CLK_GLOBAL_MEM_FENCE); return *p + n; }", twice, ""},
		"barrier within":   {"void g(void) { barrier(CLK_GLOBAL_MEM_FENCE); }\nuint f(global uint *p, uint n) { g(); return *p + n; }", twice, ""},
		"printf":           {"uint f(global uint *p, uint n) { printf(\"%u\", n); return *p; }", twice, ""},
		"never returns":    {"uint f(global uint *p, uint n) { for (;;) *p += n; return 0; }", twice, ""},
	} {
		compiler, err := lower.NewCompiler(compileC(t, c.functions+"\nkernel void k(global uint *o) "+c.kernel), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(lower.PreparedBodies(compiler, "k"), " "); got != c.want {
			t.Errorf("%s: %q is prepared, expected %q", name, got, c.want)
		}
	}
}

// TestPreparedCopies tells which functions are read at each call, as how they copy depends on what their arguments are.
func TestPreparedCopies(t *testing.T) {
	defer lower.SetLeastPrepared(0)()
	for name, c := range map[string]struct{ copies, want string }{
		"of an argument":   {"OpCopyMemorySized %v %a %size", ""},
		"to an argument":   {"OpCopyMemorySized %a %v %size", ""},
		"of own variables": {"OpCopyMemorySized %v %w %size", "copies"},
		"of n bytes":       {"OpCopyMemorySized %v %w %n", ""},
	} {
		text := head + "OpName %copies \"copies\"\n" + types + "%afn = OpTypeFunction %void %pf %uint\n%size = OpConstant %uint 4\n" +
			"%copies = OpFunction %void None %afn\n%a = OpFunctionParameter %pf\n%n = OpFunctionParameter %uint\n%cl = OpLabel\n" +
			"%v = OpVariable %pf Function\n%w = OpVariable %pf Function\n" + c.copies + "\nOpStore %a %n\n" + end +
			strings.Replace(begin, "%entry = OpLabel", "%entry = OpLabel\n%x = OpVariable %pf Function", 1) +
			"%r0 = OpFunctionCall %void %copies %x %c1\n%r1 = OpFunctionCall %void %copies %x %c7\n" + end
		compiler, err := lower.NewCompiler(decode(t, text), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(lower.PreparedBodies(compiler, "f"), " "); got != c.want {
			t.Errorf("%s: %q is prepared, expected %q", name, got, c.want)
		}
	}
}

// TestPreparedPlaces holds that copied instructions have the places and the chains of calls that read ones have.
func TestPreparedPlaces(t *testing.T) {
	m := compileC(t, "void g(global uint *p)\n{\n\tp[1] = 2;\n\tp[0] = 1;\n}\nvoid f(global uint *p)\n{\n\tg(p);\n\tg(p + 4);\n}\n"+
		"kernel void k(global uint *o)\n{\n\tf(o);\n\tf(o + 8);\n}\n")
	var want string
	for _, least := range []int{readEach, 0} {
		end := lower.SetLeastPrepared(least)
		p, err := lower.Program(m, lower.Options{})
		end()
		if err != nil {
			t.Fatal(err)
		}
		var s strings.Builder
		k := p.Kernels[0]
		for _, in := range k.Code {
			if in.Op != isa.OpStore {
				continue
			}
			for at := in.Loc; at != 0; at = k.Locs[at].At {
				fmt.Fprintf(&s, "%d:%d %s, ", k.Locs[at].Line, k.Locs[at].Column, p.Functions[k.Locs[at].Func])
			}
			s.WriteString("\n")
		}
		if want == "" {
			want = s.String()
		}
		if diff := cmp.Diff(want, s.String()); diff != "" {
			t.Errorf("read (-) and copied (+):\n%s", diff)
		}
	}
	if !strings.HasPrefix(want, "3:7 g, 8:2 f, 13:2 k") {
		t.Errorf("the first store is at %s", want)
	}
}

// callGen writes OpenCL C with functions that call others: each takes two numbers, an array of its caller, and global
// memory that no other work-item reads.
type callGen struct {
	*rand.Rand
	s       strings.Builder
	n       int // of the function at hand
	depth   int // of statements
	counter int
}

// expr writes a number; the array is indexed by numbers within it.
func (g *callGen) expr(depth int) string {
	if depth == 0 {
		return [...]string{"a", "b", "x", "p[1]", "q[2]", "7u", "100u", "v[b & 3]", "x"}[g.IntN(9)]
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s > %s ? %s : %s)", x, y, g.expr(depth-1), g.expr(0))
	case 1:
		return fmt.Sprintf("p[%s & 7]", x)
	case 2:
		return fmt.Sprintf("(%s << (%s & 7))", x, y)
	}
	return fmt.Sprintf("(%s %c %s)", x, "+-*^&|"[g.IntN(6)], y)
}

func (g *callGen) statement() {
	e := func() string { return g.expr(g.IntN(3)) }
	switch k := g.IntN(12); {
	case k < 3:
		fmt.Fprintf(&g.s, "x = %s;\n", e())
	case k == 3:
		fmt.Fprintf(&g.s, "v[%s & 3] = %s;\n", e(), e())
	case k == 4:
		fmt.Fprintf(&g.s, "p[%d] = %s;\n", g.IntN(8), e())
	case k == 5:
		fmt.Fprintf(&g.s, "q[%s & 7] += %s;\n", e(), e())
	case k == 6 && g.n > 0:
		pointer := [...]string{"p", "w", "p + 1", "w + 2"}[g.IntN(4)] // of which a chain of calls goes 8 further at most
		fmt.Fprintf(&g.s, "x ^= f%d(%s, %s, %s, q);\n", g.IntN(g.n), e(), [...]string{"3u", e()}[g.IntN(2)], pointer)
	case k == 7:
		fmt.Fprintf(&g.s, "{ struct pair s = {x, a}, t = s; t.b += %s; s = t; x += s.b; }\n", e())
	case k == 8:
		fmt.Fprintf(&g.s, "if (%s > 50u) return %s;\n", e(), e())
	case g.depth > 2:
		fmt.Fprintf(&g.s, "b += %s;\n", e())
	case k == 9:
		g.block(fmt.Sprintf("if (%s & 1)", e()))
		g.block("else")
	case k == 10:
		g.counter++
		g.block(fmt.Sprintf("for (uint i%d = 0; i%[1]d < (%s & 3); i%[1]d++)", g.counter, e()))
	default:
		g.block(fmt.Sprintf("switch (%s & 3) { case 0: x++; case 1:", e()))
		fmt.Fprintf(&g.s, "break; case 2: x = %s; break; default: v[1] = x; }\n", e())
	}
}

func (g *callGen) block(head string) {
	g.depth++
	g.s.WriteString(head + " {\n")
	for range 1 + g.IntN(3) {
		g.statement()
	}
	g.s.WriteString("}\n")
	g.depth--
}

func randomCalls(seed uint64) string {
	g := &callGen{Rand: rand.New(rand.NewPCG(seed, 11))}
	g.s.WriteString("struct pair { uint a; ulong b; };\nconstant uint table[4] = {3, 1, 4, 1};\n")
	for ; g.n < 4; g.n++ {
		fmt.Fprintf(&g.s, "uint f%d(uint a, uint b, uint *p, global uint *q) {\nuint x = table[a & 3], v[4] = {1, a, 3, b}, w[16] = {b};\n", g.n)
		for range 3 + g.IntN(5) {
			g.statement()
		}
		g.s.WriteString("return x + v[a & 3] + w[5];\n}\n")
	}
	g.s.WriteString("kernel void k(global uint *out, uint n) {\nsize_t id = get_global_id(0);\nglobal uint *q = out + 8 * id;\n" +
		"uint y[16] = {q[0], 5, n}, r = 0;\n")
	for i := range 6 {
		fmt.Fprintf(&g.s, "r = r * 31 + f%d(%s, r, y, q);\n", i%g.n, [...]string{"q[3]", "2u", "(uint)id", "n"}[g.IntN(4)])
	}
	g.s.WriteString("q[0] += r + y[1] + y[6];\n}\n")
	return g.s.String()
}

// runCalls runs kernel k over 40 work-items, and returns what is in memory then.
func runCalls(t *testing.T, dev *emu.Device, m *spirv.Module) []byte {
	t.Helper()
	prog, err := dev.NewProgram(m.Encode(), emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	k, err := prog.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	const items = 40
	data := make([]byte, items*8*4)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	buf, err := emu.NewBufferOf(dev, data)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	l := emu.Launch{Kernel: k, Args: []emu.Arg{buf, emu.Value(uint32(9))}, Range: emu.NDRange{Global: []uint64{items}}, Timeout: 20 * time.Second}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	out, err := emu.Read[byte](buf)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRandomCalls compares kernels whose bodies are copied with kernels whose bodies are read at each call.
func TestRandomCalls(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 16, Workers: 1, Engine: "interp"})
	if err != nil {
		t.Fatal(err)
	}
	prepared := 0
	for seed := range uint64(amount(8, 20, 300)) {
		source := randomCalls(seed)
		m := compileC(t, source)
		end := lower.SetLeastPrepared(readEach)
		want := runCalls(t, dev, m)
		end()
		end = lower.SetLeastPrepared(0)
		got := runCalls(t, dev, m)
		c, err := lower.NewCompiler(m, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		prepared += len(lower.PreparedBodies(c, "k"))
		end()
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: copied bodies give other results than bodies that are read at each call\n%s", seed, source)
		}
	}
	if prepared == 0 {
		t.Error("no body was prepared")
	}
}
