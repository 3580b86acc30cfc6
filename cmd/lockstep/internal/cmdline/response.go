package cmdline

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/internal/words"
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
	if path == "-" && p.f.Stdin {
		return p.fail(at, "@-: standard input is read already")
	}
	p.f.Stdin = p.f.Stdin || path == "-"
	data, err := p.f.Read(path)
	if err != nil {
		return p.fail(at, "@%s: %v", path, err)
	}
	list, line, err := words.Split(string(data))
	if err != nil {
		return p.fail(word{from: fmt.Sprintf("%s:%d", Display(path), line)}, "%v", err)
	}
	if p.count += len(list); p.count > maxWords {
		return p.fail(at, "@%s: more than %d arguments in files", path, maxWords)
	}
	more := make([]word, len(list))
	for i, w := range list {
		more[i] = word{text: beside(w.Text, path), from: fmt.Sprintf("%s:%d", Display(path), w.Line), deep: at.deep + 1}
	}
	if p.f.InFiles == nil {
		p.f.InFiles = make(map[string]bool)
	}
	if at.from == "" {
		p.f.Top = append(p.f.Top, at.text)
	}
	p.words = append(more, p.words...)
	return nil
}

// here stands in a file of arguments for the folder that the file is in.
const here = "{}/"

// beside puts the folder of a file in the place of {}/, at the beginning of a word of the file or behind a colon or an equals
// sign, so that a folder with such a file and what it names can be moved.
func beside(text, path string) string {
	dir := filepath.ToSlash(filepath.Dir(path)) + "/"
	var b strings.Builder
	for {
		i := strings.Index(text, here)
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		if i == 0 && b.Len() == 0 || i > 0 && (text[i-1] == ':' || text[i-1] == '=') {
			b.WriteString(dir)
		} else {
			b.WriteString(here)
		}
		text = text[i+len(here):]
	}
}
