package cli

import (
	"fmt"

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
	if path == "-" && p.f.stdin {
		return p.fail(at, "@-: standard input is read already")
	}
	p.f.stdin = p.f.stdin || path == "-"
	data, err := p.f.read(path)
	if err != nil {
		return p.fail(at, "@%s: %v", path, err)
	}
	list, line, err := words.Split(string(data))
	if err != nil {
		return p.fail(word{from: fmt.Sprintf("%s:%d", display(path), line)}, "%v", err)
	}
	if p.count += len(list); p.count > maxWords {
		return p.fail(at, "@%s: more than %d arguments in files", path, maxWords)
	}
	more := make([]word, len(list))
	for i, w := range list {
		more[i] = word{text: w.Text, from: fmt.Sprintf("%s:%d", display(path), w.Line), deep: at.deep + 1}
	}
	if p.f.inFiles == nil {
		p.f.inFiles = make(map[string]bool)
	}
	if at.from == "" {
		p.f.top = append(p.f.top, at.text)
	}
	p.words = append(more, p.words...)
	return nil
}
