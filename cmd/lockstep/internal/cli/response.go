package cli

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of files of arguments: how deep they may name each other, and how many
// words they come to.
const (
	maxNesting = 8
	maxWords   = 1 << 20
)

// word is an argument of the command line.
type word struct {
	text string
	from string // "FILE:LINE" where it stands in a file, "" on the command line itself
	deep int    // files around it
}

// file puts the words of a file in the place of @FILE.
func (p *parsing) file(at word, path string) error {
	p.words = p.words[1:]
	if at.deep == maxNesting {
		return p.fail(at, "@%s: files of arguments that name each other, more than %d deep", path, maxNesting)
	}
	if path == "" {
		return p.fail(at, "@ needs the name of a file: @FILE")
	}
	if path == "-" && p.f.stdin {
		return p.fail(at, "@-: standard input is read already")
	}
	p.f.stdin = p.f.stdin || path == "-"
	data, err := p.f.read(path)
	if err != nil {
		return p.fail(at, "@%s: %v", path, err)
	}
	words, line, err := split(string(data))
	if err != nil {
		return p.fail(word{from: fmt.Sprintf("%s:%d", display(path), line)}, "%v", err)
	}
	if p.count += len(words); p.count > maxWords {
		return p.fail(at, "@%s: more than %d arguments in files", path, maxWords)
	}
	for i := range words {
		words[i].from = display(path) + ":" + words[i].from
		words[i].deep = at.deep + 1
	}
	if p.f.inFiles == nil {
		p.f.inFiles = make(map[string]bool)
	}
	if at.from == "" {
		p.f.top = append(p.f.top, at.text)
	}
	p.words = append(words, p.words...)
	return nil
}

// split takes the text of a file of arguments apart: words between white space.
// Single quotes keep all that is between them, double quotes all but \" and \\, and
// a backslash elsewhere the character behind it; one at the end of a line joins
// it with the next. # at the beginning of a word begins a comment. The words' from is
// their line. An error is about the line that is returned with it.
func split(text string) (words []word, line int, err error) {
	var b strings.Builder
	line = 1
	in, start := false, 0 // a word, and its line
	begin := func() {
		if !in {
			in, start = true, line
		}
	}
	end := func() {
		if in {
			words = append(words, word{text: b.String(), from: fmt.Sprint(start)})
		}
		in = false
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			end()
			line++
		case ' ', '\t', '\r':
			end()
		case '#':
			if in {
				b.WriteByte(c)
				break
			}
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '\'', '"':
			begin()
			opened := line
			for i++; ; i++ {
				if i >= len(text) {
					return nil, opened, fmt.Errorf("a quote %c is not closed", c)
				}
				if text[i] == c {
					break
				}
				if c == '"' && text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\') {
					i++
				}
				if text[i] == '\n' {
					line++
				}
				b.WriteByte(text[i])
			}
		case '\\':
			if strings.HasPrefix(text[i+1:], "\r\n") {
				i++
			}
			switch {
			case i+1 >= len(text):
				return nil, line, errors.New("a backslash with nothing behind it")
			case text[i+1] == '\n':
				line++
			default:
				begin()
				b.WriteByte(text[i+1])
			}
			i++
		default:
			begin()
			b.WriteByte(c)
		}
	}
	end()
	return words, line, nil
}
