// Package words takes texts apart into words as a shell does, and quotes words. Files of arguments and the
// environment variable with the options of host programs are such texts. It is no shell: nothing is expanded.
package words

import (
	"errors"
	"fmt"
	"strings"
)

// Word is a word of a text, and the number of the line that it begins in, from 1.
type Word struct {
	Text string
	Line int
}

// Split takes a text apart: words between white space. Single quotes keep all that is between them, double quotes all but \" and \\, and
// a backslash elsewhere the character behind it; one at the end of a line joins
// it with the next. # at the beginning of a word begins a comment. An error is about the
// line that is returned with it.
func Split(text string) (words []Word, line int, err error) {
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
			words = append(words, Word{b.String(), start})
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

// Quote writes a word so that Split and a shell take it as one.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Join writes words as a text that Split takes apart again.
func Join(list []string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
