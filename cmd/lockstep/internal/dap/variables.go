package dap

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa"
)

const (
	// mostElements is how many elements of an array a value shows in a line, and mostChildren how many are
	// listed when a client does not ask for a part of them.
	mostElements = 8
	mostChildren = 2000
	// mostCells is how many values of all work-items are made at once. Those of further variables are made
	// when a client asks for each.
	mostCells = 4096
)

// container is what has variables: a scope or a value.
type container struct {
	at             frame
	named, indexed int
	list           func(first, n int) []variable // all kinds of them, in one order
}

// variable is a value with a name.
type variable struct {
	name  string
	value *emudebug.Value // nil for texts
	text  string          // "" for that of the value
	typ   string
	expr  string // that names it; "" for none
	kids  *container
	lazy  bool // the value is made when it is asked for
	hint  string
}

// reference returns the number of a container; 0 for none.
func (s *server) reference(c *container) int {
	if c == nil || c.named+c.indexed == 0 || len(s.view.refs) >= maxReferences {
		return 0
	}
	s.view.refs = append(s.view.refs, c)
	return len(s.view.refs)
}

func (s *server) container(reference int) (*container, error) {
	if reference < 1 || reference > len(s.view.refs) {
		return nil, fmt.Errorf("there are no variables %d; references end when the launch goes on", reference)
	}
	return s.view.refs[reference-1], nil
}

func (s *server) scopes(a *dap.ScopesArguments) (any, error) {
	f, err := s.frameOf(a.FrameId)
	if err != nil {
		return nil, err
	}
	body := dap.ScopesResponseBody{Scopes: []dap.Scope{}}
	add := func(name, hint string, expensive bool, c *container) {
		if c.named+c.indexed > 0 {
			body.Scopes = append(body.Scopes, dap.Scope{Name: name, PresentationHint: hint, Expensive: expensive,
				VariablesReference: s.reference(c), NamedVariables: c.named, IndexedVariables: c.indexed})
		}
	}
	vars := s.session.Variables(f.item, f.number)
	add("Lane variables", "locals", false, s.scope(f, vars, emudebug.ScopeLocals))
	add("Arguments", "arguments", false, s.scope(f, vars, emudebug.ScopeArguments))
	add("LDS", "", false, s.scope(f, vars, emudebug.ScopeLDS))
	add("Globals", "globals", false, s.scope(f, vars, emudebug.ScopeGlobals))
	add("All lanes", "", true, s.allLanes(f, vars))
	add("Buffers", "", false, s.buffers(f))
	add("Pipes", "", false, s.pipes(f))
	add("Registers", "registers", true, s.registers(f))
	add("Machine", "", false, s.machine(f))
	return body, nil
}

// scope has the variables of one of the session's scopes.
func (s *server) scope(f frame, vars []emudebug.Variable, which emudebug.VariableScope) *container {
	own := func(vars []emudebug.Variable) (list []emudebug.Variable) {
		for _, v := range vars {
			if v.Scope == which {
				list = append(list, v)
			}
		}
		return list
	}
	return &container{at: f, named: len(own(vars)), list: func(first, n int) []variable {
		var list []variable
		for _, v := range part(own(s.session.Variables(f.item, f.number)), first, n) {
			list = append(list, s.variable(f, v.Name, v.Name, v.Value, v.Err))
		}
		return list
	}}
}

// fixed has variables that are there.
func fixed(f frame, all []variable) *container {
	return &container{at: f, named: len(all), list: func(first, n int) []variable { return part(all, first, n) }}
}

// part returns n of a list, from first on.
func part[T any](all []T, first, n int) []T {
	first = min(max(first, 0), len(all))
	return all[first : first+min(max(n, 0), len(all)-first)]
}

// variable makes a variable of a value.
func (s *server) variable(f frame, name, expr string, v emudebug.Value, err error) variable {
	if err != nil || v.Type == nil {
		text := "no value"
		if err != nil {
			text = err.Error()
		}
		return variable{name: name, text: text, expr: expr}
	}
	return variable{name: name, value: &v, typ: v.Type.String(), expr: expr, kids: s.parts(f, v, expr)}
}

// parts has the parts of a value: members, elements, or what a pointer leads to; nil for none.
func (s *server) parts(f frame, v emudebug.Value, expr string) *container {
	n, kids, indexed := s.session.NumChildren(v), s.session.Children, true
	switch v.Type.Underlying().Kind {
	case isa.DebugPointer:
		n, kids = s.session.NumElements(v), s.session.Elements
	case isa.DebugStruct, isa.DebugUnion:
		indexed = false
	}
	if n == 0 {
		return nil
	}
	c := &container{at: f, list: func(first, n int) []variable {
		var list []variable
		for _, k := range kids(s.session.Reload(v), first, n) {
			list = append(list, s.variable(f, k.Name, postfix(expr, k.Name), k.Value, k.Err))
		}
		return list
	}}
	if indexed {
		c.indexed = n
	} else {
		c.named = n
	}
	return c
}

// postfix returns the expression for a part of what an expression names.
func postfix(expr, name string) string {
	if expr == "" {
		return ""
	}
	if strings.ContainsFunc(expr, func(r rune) bool {
		return r != '_' && r != '$' && r != '[' && r != ']' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		expr = "(" + expr + ")"
	}
	if name[0] == '[' {
		return expr + name
	}
	return expr + "." + name
}

// body tells a client of a variable.
func (s *server) body(v variable) dap.Variable {
	b := dap.Variable{Name: v.name, Value: v.text, Type: v.typ, EvaluateName: v.expr, VariablesReference: s.reference(v.kids)}
	if v.value != nil {
		b.MemoryReference = s.memoryReference(*v.value)
	}
	if v.value != nil && v.text == "" {
		b.Value = s.session.Text(*v.value, mostElements)
	}
	if v.kids != nil && b.VariablesReference > 0 {
		b.NamedVariables, b.IndexedVariables = v.kids.named, v.kids.indexed
	}
	if v.lazy || v.hint != "" {
		b.PresentationHint = &dap.VariablePresentationHint{Lazy: v.lazy, Kind: v.hint}
	}
	return b
}

func (s *server) variables(a *dap.VariablesArguments) (any, error) {
	c, err := s.container(a.VariablesReference)
	if err != nil {
		return nil, err
	}
	if err := s.lookAt(c.at); err != nil {
		return nil, err
	}
	body := dap.VariablesResponseBody{Variables: []dap.Variable{}}
	first, n, all := max(a.Start, 0), a.Count, c.named+c.indexed
	switch {
	case a.Filter == "indexed" && c.indexed == 0 || a.Filter == "named" && c.named == 0:
		return body, nil
	case a.Filter != "" && a.Filter != "indexed" && a.Filter != "named":
		return nil, fmt.Errorf("there is no filter %.20q; filters are indexed and named", a.Filter)
	case n <= 0:
		n = mostChildren
	}
	n = min(n, mostChildren)
	for _, v := range c.list(first, n) {
		body.Variables = append(body.Variables, s.body(v))
	}
	if a.Count <= 0 && first < all && all-first > n {
		rest := fmt.Sprintf("%d more; ask for one by its index", all-first-n)
		body.Variables = append(body.Variables, dap.Variable{Name: "…", Value: rest})
	}
	return body, nil
}

// find returns the variable of a name in a container.
func (c *container) find(name string) (variable, error) {
	if digits, ok := strings.CutPrefix(name, "["); ok && c.indexed > 0 {
		i, err := strconv.Atoi(strings.TrimSuffix(digits, "]"))
		if list := c.list(i, 1); err == nil && i >= 0 && len(list) == 1 && list[0].name == name {
			return list[0], nil
		}
	}
	for _, v := range c.list(0, mostChildren) {
		if v.name == name {
			return v, nil
		}
	}
	return variable{}, fmt.Errorf("there is no variable %.60q there", name)
}

// named returns the value that a client names: in a container, or by an expression in a frame.
func (s *server) named(reference int, name string, frameID int) (string, emudebug.Value, error) {
	if reference == 0 {
		if _, err := s.frameOf(frameID); err != nil {
			return name, emudebug.Value{}, err
		}
		v, err := s.session.Evaluate(name)
		return name, v, err
	}
	c, err := s.container(reference)
	if err != nil {
		return name, emudebug.Value{}, err
	}
	if err := s.lookAt(c.at); err != nil {
		return name, emudebug.Value{}, err
	}
	v, err := c.find(name)
	switch {
	case err != nil:
		return name, emudebug.Value{}, err
	case v.value == nil && v.expr != "": // a pipe
		x, err := s.session.Evaluate(v.expr)
		return v.expr, x, err
	case v.value == nil:
		return name, emudebug.Value{}, fmt.Errorf("%s has no value of its own", name)
	}
	return cmpOr(v.expr, name), *v.value, nil
}

func (s *server) setVariable(a *dap.SetVariableArguments) (any, error) {
	_, v, err := s.named(a.VariablesReference, a.Name, 0)
	if err != nil {
		return nil, err
	}
	if a.VariablesReference == 0 {
		return nil, errors.New("variables are set by a reference; setExpression sets what an expression names")
	}
	x, err := s.session.Assign(v, a.Value)
	if err != nil {
		return nil, err
	}
	b := s.body(s.variable(s.view.refs[a.VariablesReference-1].at, a.Name, "", x, nil))
	s.changed()
	return dap.SetVariableResponseBody{Value: b.Value, Type: b.Type, VariablesReference: b.VariablesReference, NamedVariables: b.NamedVariables, IndexedVariables: b.IndexedVariables}, nil
}

func (s *server) setExpression(a *dap.SetExpressionArguments) (any, error) {
	f, err := s.frameOf(a.FrameId)
	if err != nil {
		return nil, err
	}
	x, err := s.session.Set(a.Expression, a.Value)
	if err != nil {
		return nil, err
	}
	b := s.body(s.variable(f, a.Expression, a.Expression, x, nil))
	s.changed()
	return dap.SetExpressionResponseBody{Value: b.Value, Type: b.Type, VariablesReference: b.VariablesReference, NamedVariables: b.NamedVariables, IndexedVariables: b.IndexedVariables}, nil
}

// changed tells the client that what it shows of variables may be old.
func (s *server) changed() {
	if s.client.SupportsInvalidatedEvent {
		s.later(func() {
			s.out.event("invalidated", dap.InvalidatedEventBody{Areas: []dap.InvalidatedAreas{"variables"}})
		})
	}
}

// allLanes has the variables of a frame, each with its values for all work-items of the work-group.
func (s *server) allLanes(f frame, vars []emudebug.Variable) *container {
	size := 0
	for _, w := range s.session.Waves() {
		size += w.Lanes
	}
	var own []emudebug.Variable
	for _, which := range []emudebug.VariableScope{emudebug.ScopeLocals, emudebug.ScopeArguments} {
		for _, v := range vars {
			if v.Scope == which {
				own = append(own, v)
			}
		}
	}
	return &container{at: f, named: len(own), list: func(first, n int) []variable {
		var list []variable
		for i, v := range part(own, first, n) {
			if (i+1)*size > mostCells {
				list = append(list, variable{name: v.Name, lazy: true, kids: &container{at: f, named: 1, list: func(int, int) []variable {
					return []variable{s.grid(f, v.Name, v.Name)}
				}}})
				continue
			}
			list = append(list, s.grid(f, v.Name, v.Name))
		}
		return list
	}}
}

// grid has the values of an expression for all work-items of the work-group that runs.
func (s *server) grid(f frame, name, expr string) variable {
	g, err := s.session.All(expr, 4)
	if err != nil {
		return variable{name: name, text: err.Error()}
	}
	shown, differ := 0, 0
	for i := range g.Cells {
		if g.Cells[i].Err == nil {
			shown++
		}
		if g.Cells[i].Differs {
			differ++
		}
	}
	v := variable{name: name, expr: "all " + expr, kids: &container{at: f, indexed: len(g.Cells), list: func(first, n int) []variable {
		var list []variable
		for _, c := range part(g.Cells, first, n) {
			x := variable{name: s.id(c.Item.Global), text: c.Text}
			switch {
			case c.Err != nil:
				x.text = "- " + c.Err.Error()
			case c.Differs:
				x.text += " *"
			}
			list = append(list, x)
		}
		return list
	}}}
	switch {
	case shown == 0:
		v.text = "no work-item has a value"
	case g.Count == 1 && shown > 1:
		v.text = fmt.Sprintf("the values of %d work-items are all different", shown)
	case differ == 0:
		v.text = fmt.Sprintf("all of %d have %s", shown, g.Most)
	default:
		v.text = fmt.Sprintf("%d of %d have %s, %d differ (*)", g.Count, shown, g.Most, differ)
	}
	return v
}

// buffers has the memory of the kernel's arguments.
func (s *server) buffers(f frame) *container {
	var list []variable
	for _, b := range s.session.Buffers() {
		v := variable{name: b.Name, text: fmt.Sprintf("%d bytes", b.Bytes), typ: b.TypeName}
		if b.Value.Type != nil {
			v.kids, v.typ = s.parts(f, b.Value, ""), b.Value.Type.String()
		}
		list = append(list, v)
	}
	return fixed(f, list)
}

// registers has the registers of a work-item.
func (s *server) registers(f frame) *container {
	all := s.session.Registers(f.item)
	return &container{at: f, named: len(all), list: func(first, n int) []variable {
		var list []variable
		for _, r := range part(all, first, n) {
			digits := 2 * r.Type.Bytes()
			if r.Type == isa.B1 {
				digits = 1
			}
			x := variable{name: "$" + r.Name, text: fmt.Sprintf("0x%0*x", digits, r.Bits), expr: "$" + r.Name}
			if v, err := s.session.EvaluateFor(x.expr, f.item, f.number); err == nil {
				x.value, x.typ = &v, v.Type.String()
			}
			list = append(list, x)
		}
		return list
	}}
}

// machine has what waves, barriers and copies do, in the words of the console.
func (s *server) machine(f frame) *container {
	var list []variable
	it := s.session.Item(f.item)
	list = append(list,
		variable{name: "work-item", text: fmt.Sprintf("%s, local %s, group %s, wave %d lane %d, sub-group %d: %s", s.id(it.Global), s.id(it.Local), s.id(it.Group), it.Wave, it.Lane, it.Subgroup, it.State)},
		variable{name: "tick", text: strconv.FormatUint(s.session.Tick(), 10)})
	for _, subject := range []string{"lanes", "waves", "barriers", "copies", "groups", "findings"} {
		var lines []variable
		for line := range strings.Lines(s.info(subject)) {
			line = strings.TrimRight(line, "\n")
			name, text, ok := strings.Cut(line, ": ")
			if !ok {
				name, text = strconv.Itoa(len(lines)), line
			}
			lines = append(lines, variable{name: strings.TrimSpace(name), text: strings.TrimSpace(text)})
		}
		v := variable{name: subject, text: fmt.Sprintf("%d lines", len(lines)), kids: fixed(f, lines)}
		if len(lines) == 1 {
			v.text, v.kids = strings.TrimSpace(s.info(subject)), nil
		}
		list = append(list, v)
	}
	return fixed(f, list)
}

// info returns what the console says of a subject.
func (s *server) info(subject string) string {
	s.words.Reset()
	defer s.words.Reset()
	if _, err := s.console.Do(s.ctx, "info "+subject); err != nil {
		return err.Error()
	}
	return s.words.String()
}

// memoryReference returns what names the memory where a value is, or of a pointer where it leads; "" for
// none.
func (s *server) memoryReference(v emudebug.Value) string {
	p, ok := s.session.Pointer(v)
	if !ok || p == 0 {
		return ""
	}
	it, _ := s.session.Current() // whose values are shown
	return memoryText(p, it.Number)
}

// clampInt returns a number that a client sent, within what memory can have.
func clampInt(n int) int { return min(max(n, -math.MaxInt32), math.MaxInt32) }
