package pp

import (
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// drain preprocesses a text to its end and renders what is said about it. It returns the number of tokens.
func drain(t testing.TB, text string, cfg Config) (*run, int) {
	r := start(text, cfg)
	n := 0
	for {
		tok := r.Next()
		if tok.Kind == token.EOF {
			break
		}
		if n++; tok.Kind == token.Newline || tok.Kind == token.Invalid || tok.Kind == token.Header {
			t.Fatalf("a token of kind %v came out", tok.Kind)
		}
		if tok.Kind == token.Ident && tok.Name == nil || tok.Pos == 0 {
			t.Fatalf("an incomplete token: %+v", tok)
		}
		r.files.Position(tok.Pos)
	}
	if tok := r.Next(); tok.Kind != token.EOF {
		t.Fatal("there is something behind the end")
	}
	if !r.dead && (len(r.frames) != 0 || len(r.argToks) != 0 || len(r.args) != 0 || r.live != 0) {
		t.Fatalf("something is left: %d frames, %d tokens, %d arguments, %d live", len(r.frames), len(r.argToks), len(r.args), r.live)
	}
	if s := r.bag.Render(diag.Style{}); strings.Contains(s, "\x00") {
		t.Fatal("a zero byte is printed")
	}
	r.bag.Items()
	return r, n
}

// allocated returns how many bytes a function allocates: what grows too fast allocates too much.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzPreprocess reads anything at all: it ends, without panics and within the limits.
func FuzzPreprocess(f *testing.F) {
	f.Add(saxpy)
	for seed := range int64(5) {
		f.Add(random(seed, 3))
	}
	f.Add("#if 1 + (2 ? 3 : 4)\n#include \"a\"\n#elif 'a'\n#pragma OPENCL EXTENSION all : disable\n#endif\n_Pragma(\"unroll\")")
	f.Add("#define F(x, y...) #x x##y , ##y\nF(F(1), 2, F)(3)\n\"\\\n\" L'\\x' /* ")
	f.Add("#line 3 \"x\"\n# 3 \"y\" 1\n__LINE__ __FILE__\n#push_macro\n#pragma push_macro(\"A\")\n#ifdef\n#else\n#else")
	f.Add("\xff\xfe\x00 \\u00e4 \\\n %:%:")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		cfg := Config{Open: func(name string) (string, bool) { return text, name == "a" }}
		drain(t, text, cfg)
	})
}

// TestLimits has sources that would never end, or fill the memory.
func TestLimits(t *testing.T) {
	double := func(body string, n int) string {
		var b strings.Builder
		b.WriteString("#define A0 x y\n#define F0(x) x x\n")
		for i := 1; i <= n; i++ {
			b.WriteString(strings.NewReplacer("NEW", number(i), "OLD", number(i-1)).Replace("#define " + body + "\n"))
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"objects", double("ANEW AOLD AOLD", 60) + "A60", "the expansion of macros makes too many tokens"},
		{"functions", double("FNEW(x) FOLD(x x)", 60) + "F60(1)", "a use of a macro expands to too many tokens"},
		{"nested calls", "#define F(x) x x\n" + strings.Repeat("F(", 200) + "1" + strings.Repeat(")", 200), "a use of a macro expands to too many tokens"},
		{"deep calls", "#define F(x) x\n" + strings.Repeat("F(", 600) + "1" + strings.Repeat(")", 600), "nest more than 512 deep"},
		{"strings", "#define S(x) #x\n#define X(x) S(x)\n" + strings.Repeat("X(", 40) + `"\\"` + strings.Repeat(")", 40), "the operator # makes a string of more than"},
		{"pastes", "#define P(x) x##x\n#define X(x) P(x)\n" + strings.Repeat("X(", 40) + "a" + strings.Repeat(")", 40), "the operator ## makes a token of more than"},
		{"includes itself", "#include \"self\"", "#include nested too deeply"},
		{"includes itself twice", "#include \"twice\"", "are included"},
		{"parentheses in #if", "#if " + strings.Repeat("(", 100000) + "1\n#endif", "nesting level"},
		{"operators in #if", "#if " + strings.Repeat("!", 100000) + "1\n#endif", "nesting level"},
		{"?: in #if", "#if " + strings.Repeat("1 ? 1 : ", 100000) + "1\n#endif", "nesting level"},
		{"open #if", strings.Repeat("#if 1\n", 100000), "too many errors"},
		{"errors", strings.Repeat("@", 100000), "too many errors"},
		{"parameters", "#define F(" + strings.Repeat("a,", 3) + "b) " + "\n#define G(" + manyNames(2000) + ") 1", "a macro can have at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Open: func(name string) (string, bool) {
				switch name {
				case "self":
					return "#include \"self\"\n", true
				case "twice":
					return "#if __INCLUDE_LEVEL__ < 150\n#include \"twice\"\n#include \"twice\"\n#endif\n", true
				}
				return "", false
			}}
			var r *run
			if n := allocated(func() { r, _ = drain(t, c.text, cfg) }); n > 1<<30 {
				t.Errorf("%d bytes are allocated for a source of %d", n, len(c.text))
			}
			if len(r.bag.List) == 0 {
				t.Fatal("there is no error")
			}
			found := false
			for _, d := range r.bag.List {
				found = found || strings.Contains(d.Message, c.want)
			}
			if !found {
				t.Errorf("%d errors, and none says %q; the last is %s", len(r.bag.List), c.want, r.bag.List[len(r.bag.List)-1].Message)
			}
		})
	}
}

// manyNames returns names with commas between.
func manyNames(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "p" + number(i)
	}
	return strings.Join(list, ",")
}

// TestLargeInputs takes sizes that are allowed.
func TestLargeInputs(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"definitions", strings.Repeat("#define A B\n#undef A\n", 100000)},
		{"chain of names", func() string {
			var b strings.Builder
			for i := range 50000 {
				b.WriteString("#define N" + number(i) + " N" + number(i+1) + "\n")
			}
			return b.String() + "N0"
		}()},
		{"a long line", strings.Repeat("a+", 500000)},
		{"a long comment", "/*" + strings.Repeat("/ * ", 500000) + "*/"},
		{"a long definition", "#define A " + strings.Repeat("x;\\\n", 100000) + "\nA"},
		{"function names without calls", "#define F(x) x\n" + strings.Repeat("F /* */ ", 100000)},
		{"markers", strings.Repeat("# 1 \"x\"\na\n", 50000)},
		{"groups", strings.Repeat("#if 0\n", 50000) + strings.Repeat("#endif\n", 50000)},
		{"splices", strings.Repeat("a\\\n", 100000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r *run
			n := allocated(func() { r, _ = drain(t, c.text, Config{}) })
			if len(r.bag.List) > 0 {
				t.Error(r.bag.List[0].Message)
			}
			if limit := uint64(64*len(c.text) + 64<<20); n > limit {
				t.Errorf("%d bytes are allocated for a source of %d, more than %d", n, len(c.text), limit)
			}
		})
	}
}
