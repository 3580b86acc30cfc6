package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
)

// editor returns what reads lines from a terminal, with editing, history and completion; ok is false where
// there is none.
func editor(complete func(line string) []string) (read func() (string, error), ok bool) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) || !isTerminal(os.Stdout) {
		return nil, false
	}
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, debugcmd.Prompt)
	t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		list := complete(line[:pos])
		if len(list) == 0 {
			return line, pos, true
		}
		common := list[0]
		for _, x := range list[1:] {
			for !strings.HasPrefix(x, common) {
				common = common[:len(common)-1]
			}
		}
		if len(list) > 1 && len(common) <= pos {
			_, _ = io.WriteString(t, strings.Join(list, "  ")+"\n")
		}
		return common + line[pos:], len(common), true
	}
	return func() (string, error) {
		// The terminal is as it was while a command runs, so that an interrupt is one.
		state, err := term.MakeRaw(in)
		if err != nil {
			return "", err
		}
		defer func() { _ = term.Restore(in, state) }()
		if width, height, err := term.GetSize(in); err == nil && width > 0 {
			_ = t.SetSize(width, height)
		}
		line, err := t.ReadLine()
		if err == term.ErrPasteIndicator {
			err = nil
		}
		return line, err
	}, true
}
