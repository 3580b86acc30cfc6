package loader

import "strings"

// What a text is, is told without package regexp, which is large: the playground's page must be small.

const space = " \t\n\f\r"

// isAssembly says whether a line is one of SPIR-V assembly: "%x = OpY", "OpY", or a number of words, "!7".
func isAssembly(line string) bool {
	if rest, ok := strings.CutPrefix(line, "%"); ok {
		behind := rest[wordLength(rest):]
		if line, ok = strings.CutPrefix(strings.TrimLeft(behind, space), "="); !ok || len(behind) == len(rest) {
			return false
		}
		line = strings.TrimLeft(line, space)
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		return wordLength(rest) > 0
	}
	rest, ok := strings.CutPrefix(line, "Op")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
}

// hasKernel says whether a text has the word kernel or __kernel, with a blank behind it.
func hasKernel(text string) bool {
	const word = "kernel"
	for at := 0; ; at += len(word) {
		n := strings.Index(text[at:], word)
		if n < 0 {
			return false
		}
		at += n
		behind := text[at+len(word):]
		if behind == "" || strings.IndexByte(space, behind[0]) < 0 {
			continue
		}
		before, long := strings.CutSuffix(text[:at], "__")
		if endsOutside(text[:at]) || long && endsOutside(before) {
			return true
		}
	}
}

// endsOutside says whether no name goes on behind a text.
func endsOutside(text string) bool { return text == "" || !wordByte(text[len(text)-1]) }

// isSource says whether a line of a text begins as lines of OpenCL C do.
func isSource(text string) bool {
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(text, space)
		text = text[len(line):]
		if directive, ok := strings.CutPrefix(rest, "#"); ok {
			directive = strings.TrimLeft(directive, space)
			switch directive[:wordLength(directive)] {
			case "include", "define", "pragma", "if", "ifdef", "ifndef":
				return true
			}
			continue
		}
		n := wordLength(rest)
		switch rest[:n] {
		case "constant", "__constant", "typedef", "struct", "static", "void", "float", "int", "uint":
			if n < len(rest) && strings.IndexByte(space, rest[n]) >= 0 {
				return true
			}
		}
	}
	return false
}

// isLLVM says whether a line of a text begins as lines of LLVM assembly do.
func isLLVM(text string) bool {
	for line := range strings.Lines(text) {
		for _, begin := range []string{
			"; ModuleID", "source_filename", "target datalayout", "target triple", "define ", "declare ",
		} {
			if strings.HasPrefix(line, begin) {
				return true
			}
		}
	}
	return false
}

// wordLength returns how many bytes of a name a text begins with.
func wordLength(text string) int {
	for i := range len(text) {
		if !wordByte(text[i]) {
			return i
		}
	}
	return len(text)
}

// wordByte says whether a byte may be part of a name.
func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
