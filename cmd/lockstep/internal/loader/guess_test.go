package loader

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// guesses are the functions that tell what a text is, each with a regular expression that says the same.
var guesses = []struct {
	name string
	of   func(string) bool
	form *regexp.Regexp
}{
	{"isAssembly", isAssembly, regexp.MustCompile(`^(%\w+\s*=\s*)?(Op[A-Z]\w*|!\w+)`)},
	{"hasKernel", hasKernel, regexp.MustCompile(`\b(__)?kernel\s`)},
	{"isSource", isSource, regexp.MustCompile(`(?m)^\s*(#\s*(include|define|pragma|if|ifdef|ifndef)\b|` +
		`(constant|__constant|typedef|struct|static|void|float|int|uint)\s)`)},
	{"isLLVM", isLLVM, regexp.MustCompile(`(?m)^(; ModuleID|source_filename|target (datalayout|triple)|define |declare )`)},
}

// TestGuesses compares the functions with the regular expressions, for texts put together from what they look for.
func TestGuesses(t *testing.T) {
	parts := []string{
		" ", " ", "\n", "\t", "\r", "\f", "\v", "%", "=", "!", "#", ";", "(", "_", "__", "a", "7", "é", "\xff", "Op", "OpA", "O",
		"kernel", "__kernel", "kernel ", "include", "define", "define ", "pragma", "if", "ifdef", "ifndef", "constant", "typedef",
		"struct", "static", "void", "float", "int", "uint", "; ModuleID", "source_filename", "target ", "datalayout", "triple",
		"declare ", "%x = OpA", "%x=!7",
	}
	random := rand.New(rand.NewPCG(1, 2))
	told := map[string][2]int{}
	for range 60000 {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		text := b.String()
		for _, g := range guesses {
			got, want := g.of(text), g.form.MatchString(text)
			if got != want {
				t.Fatalf("%s(%q) is %v", g.name, text, got)
			}
			count := told[g.name]
			if got {
				count[1]++
			} else {
				count[0]++
			}
			told[g.name] = count
		}
	}
	for _, g := range guesses {
		if count := told[g.name]; count[0] < 100 || count[1] < 100 {
			t.Errorf("%s: %d texts are not, and %d are", g.name, count[0], count[1])
		}
	}
}
