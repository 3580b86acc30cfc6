package dap

import (
	"fmt"
	"strconv"
	"strings"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
)

// pipes has the pipes of the launches that run: what is in them, and what the console says besides.
func (s *server) pipes(f frame) *container {
	var list []variable
	for _, p := range s.session.Pipes() {
		list = append(list, s.pipe(f, p))
	}
	return fixed(f, list)
}

// pipe makes a variable of a pipe.
func (s *server) pipe(f frame, p emudebug.Pipe) variable {
	packets := &container{at: f, indexed: int(p.Len), list: func(first, n int) []variable {
		var list []variable
		for i, v := range s.session.Packets(p, uint64(max(first, 0)), uint64(max(n, 0))) {
			list = append(list, s.variable(f, "["+strconv.Itoa(first+i)+"]", "", v, nil))
		}
		return list
	}}
	count := func(name string, n uint64) variable { return variable{name: name, text: strconv.FormatUint(n, 10)} }
	parts := []variable{
		{name: "packets", text: fmt.Sprintf("%d, the oldest first", p.Len), kids: packets},
		count("capacity", p.Capacity), count("written", p.Written), count("read", p.Read),
		count("in reservations to read", p.Reading), count("in reservations to write", p.Writing),
	}
	for i, line := range s.console.PipeLines(p) {
		parts = append(parts, variable{name: strconv.Itoa(i), text: strings.TrimSpace(line)})
	}
	return variable{name: cmpOr(p.Name, "(no name)"), text: s.session.PipeText(p, mostElements), typ: "pipe " + p.Type.String(), expr: p.Name, kids: fixed(f, parts)}
}
