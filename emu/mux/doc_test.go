package mux_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux/muxtest"
)

// TestRules: each rule of the package documentation has a scenario, and each scenario about a
// return value has a row there that names an error of this package, or what is returned.
func TestRules(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "# Rule by rule")
	if !ok {
		t.Fatal("the documentation has no rules")
	}
	table, _, _ = strings.Cut(table, "// The sections of the text about")
	sources, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^//\t  (.+?)\s{2,}(must|shall|should|should not|may|-)\s+(.+)$`)
	errorName := regexp.MustCompile(`\bErr[A-Z]\w+`)
	section := ""
	var found []string
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		m := row.FindStringSubmatch(line)
		switch {
		case m != nil:
			found = append(found, section+", "+strings.TrimSpace(m[1]))
			for _, name := range errorName.FindAllString(m[3], -1) {
				if !strings.Contains(string(sources), "\t"+name+" ") {
					t.Errorf("%s, %s: there is no %s", section, m[1], name)
				}
			}
		case strings.HasPrefix(line, "//\t  "):
			t.Errorf("no rule, its strength and what it comes to: %q", line)
		case strings.HasPrefix(line, "//\t"):
			section = strings.TrimPrefix(line, "//\t")
		}
	}
	if len(found) < 80 {
		t.Errorf("the documentation has %d rules", len(found))
	}
	have := map[string]bool{}
	for _, s := range muxtest.Scenarios() {
		name := s.Section + ", " + s.Name
		if have[name] {
			t.Errorf("there are two scenarios called %q", name)
		}
		have[name] = true
		if slices.Contains(s.Clauses, "MUX-08") && !slices.Contains(found, name) {
			t.Errorf("the documentation lacks the rule %q", name)
		}
	}
	for _, name := range found {
		if !have[name] {
			t.Errorf("no scenario proves the rule %q", name)
		}
	}
}
