package pp

import (
	"flag"
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"
)

// program makes random programs of macros and their uses.
type program struct {
	*rand.Rand
	b      strings.Builder
	macros []shape
}

// shape is what a use needs to know of a macro.
type shape struct {
	name     string
	params   int // -1: no list of parameters
	variadic bool
	optional bool // the operand of a __VA_OPT__ is being written, which cannot hold another
}

var plainTokens = []string{"a", "b", "c", "1", "2.5", "+", "-", "*", "<", "=", "x1", "\"s\"", "'c'", ".", "0x1p", "->", "%", ":", "&", "e", "L"}

func (g *program) pick(list []string) string { return list[g.Intn(len(list))] }

// define writes the definition of a macro.
func (g *program) define(n int) {
	m := shape{name: fmt.Sprintf("M%d", n), params: g.Intn(5) - 1}
	var params []string
	for i := range m.params {
		params = append(params, fmt.Sprintf("p%d", i))
	}
	g.b.WriteString("#define " + m.name)
	gnu := ""
	if m.params >= 0 {
		list := append([]string{}, params...)
		switch g.Intn(4) {
		case 0:
			m.variadic = true
			list = append(list, "...")
			params = append(params, "__VA_ARGS__")
		case 1:
			if g.Intn(2) == 0 {
				m.variadic = true
				gnu = "rest"
				list = append(list, "rest...")
				params = append(params, gnu)
			}
		}
		g.b.WriteString("(" + strings.Join(list, g.pick([]string{",", ", ", " , "})) + ")")
	}
	g.b.WriteByte(' ')
	g.body(params, m, 1+g.Intn(8))
	g.b.WriteByte('\n')
	g.macros = append(g.macros, m)
}

// body writes tokens, parameters and operators, and no unbalanced parentheses.
func (g *program) body(params []string, m shape, length int) {
	operator := true // nothing that ## could follow
	depth := 0
	for i := range length {
		if i > 0 && g.Intn(2) == 0 {
			g.b.WriteByte(' ')
		}
		if !operator && i < length-1 && g.Intn(6) == 0 {
			g.b.WriteString(g.pick([]string{"##", " ## ", "## "}))
			operator = true
		} else {
			operator = false
		}
		switch k := g.Intn(13); {
		case k == 12 && m.variadic && !m.optional && !operator:
			// Not beside # and ##, where clang puts white space of its own into strings.
			g.b.WriteString(g.pick([]string{"__VA_OPT__(", "__VA_OPT__ ( ", " __VA_OPT__("}))
			in := m
			in.optional = true
			g.body(params, in, g.Intn(4))
			g.b.WriteString(")")
			operator = true
		case k < 5 && len(params) > 0:
			if g.Intn(5) == 0 {
				g.b.WriteString(g.pick([]string{"#", "# "}))
			}
			g.b.WriteString(g.pick(params))
		case k < 7 && len(g.macros) > 0:
			g.use(1)
		case k == 7 && m.variadic:
			g.b.WriteString(g.pick([]string{", ##", ",##", ", "}) + params[len(params)-1])
		case k == 8:
			g.b.WriteString("(")
			depth++
			operator = true
		case k == 9 && depth > 0 && !operator:
			g.b.WriteString(")")
			depth--
		case k == 10:
			g.b.WriteString(fmt.Sprintf("M%d", g.Intn(12))) // itself, or one that comes later
		default:
			g.b.WriteString(" " + g.pick(plainTokens))
		}
	}
	g.b.WriteString(strings.Repeat(" )", depth))
}

// use writes a use of a macro, mostly with as many arguments as it wants.
func (g *program) use(depth int) {
	m := g.macros[g.Intn(len(g.macros))]
	g.b.WriteString(m.name)
	if m.params < 0 || g.Intn(12) == 0 {
		return
	}
	g.b.WriteString(g.pick([]string{"(", " (", "( "}))
	n := m.params
	if m.variadic {
		n += g.Intn(3)
	}
	for i := range n {
		if i > 0 {
			g.b.WriteString(g.pick([]string{",", ", "}))
		}
		g.argument(depth)
	}
	g.b.WriteString(")")
}

// argument writes an argument, which may be empty.
func (g *program) argument(depth int) {
	for range g.Intn(4) {
		switch k := g.Intn(10); {
		case k < 3 && depth < 4 && len(g.macros) > 0:
			g.use(depth + 1)
		case k == 3:
			g.b.WriteString("(" + g.pick(plainTokens) + ", " + g.pick(plainTokens) + ")")
		case k == 4 && depth == 0:
			g.b.WriteString("\nb ") // no directive begins here
		default:
			g.b.WriteString(g.pick(plainTokens))
		}
		if g.Intn(2) == 0 {
			g.b.WriteByte(' ')
		}
	}
}

// random returns a program: macros, and uses between marks.
func random(seed int64, uses int) string {
	g := &program{Rand: rand.New(rand.NewSource(seed))}
	g.b.WriteString("#define STR(x) #x\n#define XSTR(x) STR(x)\n#define VSTR(...) #__VA_ARGS__\n")
	for i := range 12 {
		g.define(i)
	}
	for i := range uses {
		fmt.Fprintf(&g.b, "@%d ", i)
		switch g.Intn(4) {
		case 0:
			g.b.WriteString("XSTR(")
			g.argument(1)
			g.b.WriteString(")")
		case 1:
			g.b.WriteString("VSTR(")
			g.use(0)
			g.b.WriteString(", ")
			g.argument(0)
			g.b.WriteString(")")
		default:
			g.use(0)
			g.b.WriteString(" ")
			g.argument(0)
		}
		g.b.WriteString(" ;\n")
	}
	return g.b.String()
}

// split cuts tokens at the marks of random.
func split(tokens []string) []string {
	var parts []string
	var part []string
	for _, t := range tokens {
		if t == "@" {
			parts = append(parts, strings.Join(part, " "))
			part = nil
		}
		part = append(part, t)
	}
	return append(parts, strings.Join(part, " "))
}

// clangTokens returns what clang makes of a program.
func clangTokens(t *testing.T, text string) []string {
	t.Helper()
	c := exec.Command("clang-15", "-E", "-P", "-w", "-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc", "-target", "spir64-unknown-unknown", "-")
	c.Stdin = strings.NewReader(text)
	out, err := c.Output() // an error of a paste, for example, is no reason not to compare
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return raw(string(out))
}

var long = flag.Bool("long", false, "compare more random programs with clang")

// TestAgainstClang compares the tokens of random programs of macros with those that clang makes.
func TestAgainstClang(t *testing.T) {
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("clang-15 is not installed")
	}
	n := 40
	switch {
	case *long:
		n = 200
	case testing.Short():
		n = 20
	}
	bad := 0
	for seed := int64(1); seed <= int64(n) && bad < 5; seed++ {
		text := strings.ReplaceAll(random(seed, 60), "@", "@ ")
		want := split(clangTokens(t, text))
		r := start(text, Config{})
		var list []string
		for {
			tok := r.rawNext()
			if tok == "" {
				break
			}
			list = append(list, tok)
		}
		got := split(list)
		for i := range max(len(got), len(want)) {
			g, w := "", ""
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			if g != w {
				t.Errorf("seed %d, part %d:\n got %s\nwant %s\n%s", seed, i, g, w, relevant(text, i))
				bad++
				break
			}
		}
	}
}

// relevant returns the definitions of a program and one of its uses.
func relevant(text string, part int) string {
	defs, uses, _ := strings.Cut(text, "@")
	return defs + strings.Split("@"+uses, "@")[part]
}
