package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
)

// evaluate answers with the value of an expression. In the client's console, what is no expression is a
// command of lockstep debug.
func (s *server) evaluate(a *dap.EvaluateArguments) (any, error) {
	text := strings.TrimSpace(a.Expression)
	f, err := s.frameOf(a.FrameId)
	if err != nil && (a.Context != "repl" || !errors.Is(err, emudebug.ErrEnded)) {
		return nil, err
	}
	if expr, ok := strings.CutPrefix(text, "all "); ok && err == nil && a.Context != "repl" {
		return s.result(s.grid(f, text, strings.TrimSpace(expr))), nil
	}
	if err == nil {
		var v emudebug.Value
		if v, err = s.session.Evaluate(text); err == nil {
			return s.result(s.variable(f, text, text, v, nil)), nil
		}
	}
	if a.Context != "repl" {
		return nil, err
	}
	if !s.console.Knows(text) && text != "stepping" && !strings.HasPrefix(text, "stepping ") {
		return nil, err
	}
	return s.command(text)
}

// result tells a client of a value.
func (s *server) result(v variable) dap.EvaluateResponseBody {
	b := s.body(v)
	return dap.EvaluateResponseBody{Result: b.Value, Type: b.Type, VariablesReference: b.VariablesReference, NamedVariables: b.NamedVariables,
		IndexedVariables: b.IndexedVariables, MemoryReference: b.MemoryReference}
}

// command carries out a line of the client's console. What lets the launch run is answered at once, and what
// it shows follows as output.
func (s *server) command(text string) (any, error) {
	if fields := strings.Fields(text); fields[0] == "stepping" {
		return s.stepping(fields[1:])
	}
	if s.console.Moves(text) {
		o := &operation{reason: "step", console: true, resumed: s.session.Resume, run: func(ctx context.Context) (emudebug.Stop, error) {
			_, err := s.console.Do(ctx, text)
			return s.session.Stopped(), err
		}}
		if err := s.launchOperation(o); err != nil {
			return nil, err
		}
		return dap.EvaluateResponseBody{}, nil
	}
	before, _ := s.session.Current()
	s.words.Reset()
	defer s.words.Reset()
	quit, err := s.console.Do(s.request, text)
	if quit {
		s.later(func() { s.exit(0) })
		return dap.EvaluateResponseBody{}, nil
	}
	if err != nil {
		return nil, err
	}
	if after, ok := s.session.Current(); ok && after.Number != before.Number {
		s.choose(after)
	} else if s.console.Sets(text) {
		s.changed()
	}
	return dap.EvaluateResponseBody{Result: strings.TrimRight(s.words.String(), "\n")}, nil
}

// stepping says, or changes, who steps.
func (s *server) stepping(args []string) (any, error) {
	if len(args) > 0 {
		if _, ok := scopes[args[0]]; !ok || len(args) > 1 {
			return nil, errors.New("stepping takes lane, wave or group: who makes the client's steps")
		}
		s.attributes.Step = args[0]
	}
	return dap.EvaluateResponseBody{Result: fmt.Sprintf("steps are those of the %s", s.attributes.Step)}, nil
}

// completion is the protocol's item, with a start that is told when it is 0, too.
type completion struct {
	dap.CompletionItem
	Start int `json:"start"`
}

type completionsBody struct {
	Targets []completion `json:"targets"`
}

func (s *server) completions(a *dap.CompletionsArguments) (any, error) {
	if _, err := s.frameOf(a.FrameId); err != nil && !errors.Is(err, emudebug.ErrEnded) {
		return nil, err
	}
	lines := strings.Split(a.Text, "\n")
	n := min(max(a.Line-1, 0), len(lines)-1)
	if !s.client.LinesStartAt1 {
		n = min(max(a.Line, 0), len(lines)-1)
	}
	column := a.Column
	if s.client.ColumnsStartAt1 {
		column--
	}
	units := utf16.Encode([]rune(lines[n]))
	units = units[:min(max(column, 0), len(units))]
	line := string(utf16.Decode(units))
	start := strings.LastIndexAny(line, " (*&+-") + 1
	at := len(utf16.Encode([]rune(line[:start])))
	first := at
	if s.client.ColumnsStartAt1 {
		first++
	}
	body := completionsBody{Targets: []completion{}}
	add := func(word string, kind dap.CompletionItemType) {
		body.Targets = append(body.Targets, completion{dap.CompletionItem{Label: word, Type: kind, Length: len(units) - at}, first})
	}
	for _, full := range s.console.Complete(line) {
		if strings.HasPrefix(full, line[:start]) {
			add(strings.TrimSpace(full[start:]), "")
		}
	}
	if !strings.Contains(line, " ") {
		if strings.HasPrefix("stepping", line) {
			add("stepping", "")
		}
		it, _ := s.session.Current()
		for _, v := range s.session.Variables(it.Number, s.session.Frame()) {
			if strings.HasPrefix(v.Name, line) {
				add(v.Name, "variable")
			}
		}
	}
	return body, nil
}
