package checks

import "strings"

// The forms of a case's source are read without package regexp, which is large: the playground's page grades by this
// package, and must be small.

// findCodes returns the codes of the comments "// find E-RACE" on a line.
func findCodes(line string) (codes []string) {
	for {
		_, rest, ok := strings.Cut(line, "// find E-")
		if !ok {
			return codes
		}
		n := 0
		for n < len(rest) && (rest[n] >= 'A' && rest[n] <= 'Z' || rest[n] >= '0' && rest[n] <= '9') {
			n++
		}
		if n > 0 && (n == len(rest) || !wordByte(rest[n])) {
			codes = append(codes, "E-"+rest[:n])
		}
		line = rest
	}
}

// kernelNames returns the names of the kernels in a source, each of which begins a line: "kernel", attributes, "void",
// attributes, the name and a parenthesis.
func kernelNames(source string) (names []string) {
	for line := range strings.Lines(source) {
		rest := source
		source = source[len(line):]
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " \t\f\r"), "__")
		rest, ok := keyword(rest, "kernel")
		if !ok {
			continue
		}
		if rest, ok = keyword(attributes(rest), "void"); !ok {
			continue
		}
		rest = attributes(rest)
		n := 0
		for n < len(rest) && wordByte(rest[n]) {
			n++
		}
		if n > 0 && strings.HasPrefix(strings.TrimLeft(rest[n:], space), "(") {
			names = append(names, rest[:n])
		}
	}
	return names
}

const space = " \t\n\f\r"

// keyword returns what is behind a word and blanks.
func keyword(text, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, word)
	trimmed := strings.TrimLeft(rest, space)
	return trimmed, ok && len(trimmed) < len(rest)
}

// attributes returns what is behind attributes, __attribute__((…)), each of which is on one line.
func attributes(text string) string {
	for strings.HasPrefix(text, "__attribute__((") {
		end, depth := len("__attribute__(("), 2
		for ; depth > 0; end++ {
			if end == len(text) || text[end] == '\n' {
				return text
			}
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		text = strings.TrimLeft(text[end:], space)
	}
	return text
}

// wordByte says whether a byte may be part of a name.
func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
