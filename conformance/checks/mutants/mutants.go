// Package mutants makes mutants of correct kernels: copies in which one barrier, fence, wait or initialization is missing
// or weaker.
package mutants

import (
	"regexp"
	"slices"
	"strings"
)

// Mutant is a source in which one thing is missing or weaker.
type Mutant struct {
	// Line is where, and What is the change, as "delete barrier(CLK_LOCAL_MEM_FENCE)".
	Line   int
	What   string
	Source string
}

// callForm finds calls of functions that order something.
var callForm = regexp.MustCompile(`\b(barrier|work_group_barrier|sub_group_barrier|mem_fence|read_mem_fence|write_mem_fence|atomic_work_item_fence|wait_group_events|atomic_init)\s*\(`)

// weakerForms are the names that a weaker one takes the place of.
var weakerForms = []struct {
	form   *regexp.Regexp
	weaker string
}{
	{regexp.MustCompile(`\bCLK_LOCAL_MEM_FENCE\s*\|\s*CLK_GLOBAL_MEM_FENCE\b|\bCLK_GLOBAL_MEM_FENCE\s*\|\s*CLK_LOCAL_MEM_FENCE\b`), "CLK_LOCAL_MEM_FENCE"},
	{regexp.MustCompile(`\bCLK_LOCAL_MEM_FENCE\s*\|\s*CLK_GLOBAL_MEM_FENCE\b|\bCLK_GLOBAL_MEM_FENCE\s*\|\s*CLK_LOCAL_MEM_FENCE\b`), "CLK_GLOBAL_MEM_FENCE"},
	{regexp.MustCompile(`\(\s*CLK_LOCAL_MEM_FENCE\s*([,)])`), "(CLK_GLOBAL_MEM_FENCE$1"},
	{regexp.MustCompile(`\(\s*CLK_GLOBAL_MEM_FENCE\s*([,)])`), "(CLK_LOCAL_MEM_FENCE$1"},
	{regexp.MustCompile(`\bmemory_order_(?:acquire|release|acq_rel|seq_cst)\b`), "memory_order_relaxed"},
	{regexp.MustCompile(`\bmemory_scope_(?:device|all_svm_devices)\b`), "memory_scope_work_group"},
}

// initForm finds the initialization of a variable with a literal, and clearForm an assignment of one,
// as a statement of its own.
var (
	initForm  = regexp.MustCompile(`\b(\w+)(\s*=\s*-?(?:0x[0-9a-fA-F]+|[0-9.]+(?:e[+-]?[0-9]+)?)[uUlLfF]*)(\s*[,;])`)
	clearForm = regexp.MustCompile(`(?m)(^\s*|[;{)]\s*|else\s+)([A-Za-z_][\w.]*(?:\[[^;=]*\])?(?:\.\w+)?\s*=\s*-?(?:0x[0-9a-fA-F]+|[0-9.]+)[uUlLfF]*)\s*;`)
	// typeForm says that a word may end a type, so that what follows is a declaration.
	typeForm = regexp.MustCompile(`(?:\b(?:char|uchar|short|ushort|int|uint|long|ulong|float|double|half|bool|size_t|ptrdiff_t|(?:char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(?:2|3|4|8|16))|,)\s*$`)
)

// loopForm says that what follows is the first part of a loop's head.
var loopForm = regexp.MustCompile(`\bfor\s*\([^;]*$`)

// Of returns the mutants of a source: each barrier, fence and wait deleted, each flag, order and
// scope replaced by a weaker one, and each variable without its initialization by a literal. Counters
// of loops keep theirs, because most loops would never end without it.
// Comments, text and directives of the preprocessor that define no macro stay as they are.
func Of(source string) []Mutant {
	code := blank(source)
	var list []Mutant
	add := func(from, to int, what, with string) {
		list = append(list, Mutant{
			Line:   1 + strings.Count(source[:from], "\n"),
			What:   what,
			Source: source[:from] + with + source[to:],
		})
	}
	for _, m := range callForm.FindAllStringIndex(code, -1) {
		end := closing(code, m[1]-1)
		if end < 0 || declares(code, m[0]) {
			continue
		}
		add(m[0], end, "delete "+oneLine(source[m[0]:end]), "((void)0)"+lines(source[m[0]:end]))
	}
	for _, w := range weakerForms {
		for _, m := range w.form.FindAllStringSubmatchIndex(code, -1) {
			old := source[m[0]:m[1]]
			with := string(w.form.ExpandString(nil, w.weaker, source, m))
			add(m[0], m[1], strings.Trim(oneLine(old), "(),")+" becomes "+strings.Trim(with, "(),"), with+lines(old))
		}
	}
	for _, m := range initForm.FindAllStringSubmatchIndex(code, -1) {
		before := code[lineStart(code, m[2]):m[2]]
		if typeForm.MatchString(before) && !strings.Contains(before, "const") && !loopForm.MatchString(before) {
			add(m[4], m[5], "no initialization of "+source[m[2]:m[3]], "")
		}
	}
	for _, m := range clearForm.FindAllStringSubmatchIndex(code, -1) {
		add(m[4], m[5], "delete "+oneLine(source[m[4]:m[5]]), "((void)0)")
	}
	slices.SortStableFunc(list, func(a, b Mutant) int { return a.Line - b.Line })
	return list
}

// blank returns a source of the same length in which comments, text in quotes and directives other
// than #define are blanks.
func blank(source string) string {
	out := []byte(source)
	clear := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		end := 0
		switch {
		case strings.HasPrefix(rest, "//"):
			end = len(rest)
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				end = n
			}
		case strings.HasPrefix(rest, "/*"):
			end = len(rest)
			if n := strings.Index(rest[2:], "*/"); n >= 0 {
				end = n + 4
			}
		case rest[0] == '"' || rest[0] == '\'':
			for end = 1; end < len(rest) && rest[end] != rest[0] && rest[end] != '\n'; end++ {
				if rest[end] == '\\' {
					end++
				}
			}
			end = min(end+1, len(rest))
		case rest[0] == '#' && strings.TrimSpace(source[lineStart(source, i):i]) == "" && !strings.HasPrefix(rest, "#define"):
			end = len(rest)
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				end = n
			}
		}
		if end == 0 {
			i++
			continue
		}
		clear(i, i+end)
		i += end
	}
	return string(out)
}

// lineStart returns where the line of an offset begins.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// closing returns the offset behind the parenthesis that closes the one at an offset, or -1.
func closing(code string, open int) int {
	depth := 0
	for i := open; i < len(code); i++ {
		switch code[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// declares says whether the name at an offset is declared there: a type stands before it.
func declares(code string, at int) bool {
	before := strings.TrimRight(code[lineStart(code, at):at], " \t")
	return strings.HasSuffix(before, "void") || strings.HasSuffix(before, "#define")
}

// oneLine is a text with single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// lines returns the line breaks of a text, which keep the lines behind it where they are.
func lines(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }
