package validate

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// Options choose how much is checked.
type Options struct {
	// Strict adds the rules of level Strict. They are looked at only when no rule of level Load is broken.
	Strict bool
	// MaxErrors bounds the list of errors; 0 means 100.
	MaxErrors int
}

// Error is one broken rule.
type Error struct {
	Rule    string   // name of the rule, see Rules
	Offset  int      // word of the module where the instruction starts, 0 for the module as a whole
	Op      spirv.Op // the instruction, OpNop for the module as a whole
	ID      spirv.ID // id that the instruction defines, 0 when none
	Name    string   // OpName of ID, empty when it has none
	Message string   // what is wrong, with ids as %N
}

// Error gives "word N: OpName %ID "name": message [rule]".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Offset > 0 {
		fmt.Fprintf(&b, "word %d: %s", e.Offset, e.Op)
		if e.ID != 0 {
			fmt.Fprintf(&b, " %%%d", e.ID)
		}
		if e.Name != "" {
			fmt.Fprintf(&b, " %q", e.Name)
		}
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s [%s]", e.Message, e.Rule)
	return b.String()
}

// Errors is a list of broken rules, in the order in which they were found.
type Errors []*Error

// Error gives one line for each broken rule.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Err gives the list as an error, nil when it is empty.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	return es
}

// stop is what a full list of errors unwinds with; it never leaves Validate.
type stop struct{}

// Validate checks m and gives the rules that it breaks. Later rules build on earlier ones, so checking
// ends after the first group of rules that finds something; mending it may bring others to light.
func Validate(m *spirv.Module, opts Options) Errors {
	errs, _ := ValidateContext(context.Background(), m, opts)
	return errs
}

// ValidateContext is [Validate] until the context ends, whose error it returns then. It looks at the context between
// groups of rules, each of which takes time in proportion to the module.
func ValidateContext(ctx context.Context, m *spirv.Module, opts Options) (errs Errors, err error) {
	c := newChecker(m, opts)
	defer func() {
		if r := recover(); r != nil {
			if _, full := r.(stop); !full {
				panic(r)
			}
			errs, err = c.errs, nil
		}
	}()
	for _, pass := range passes {
		if pass.strict && !opts.Strict {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pass.run(c)
		// Strict rules do not build on each other.
		if len(c.errs) > 0 && !pass.strict {
			return c.errs, nil
		}
	}
	return c.errs, nil
}

// passes are the groups of rules, in order. A pass may rely on what those before it have checked.
var passes = []struct {
	name   string
	strict bool
	run    func(*checker)
}{
	{"header", false, (*checker).checkHeader},
	{"grammar", false, (*checker).checkGrammar},
	{"ids", false, (*checker).checkIDs},
	{"placement", false, (*checker).checkPlacement},
	{"environment", false, (*checker).checkEnvironment},
	{"types", false, (*checker).checkTypes},
	{"operands", false, (*checker).checkOperandKinds},
	{"globals", false, (*checker).checkGlobals},
	{"functions", false, (*checker).checkFunctions},
	{"blocks", false, (*checker).checkBlocks},
	{"instructions", false, (*checker).checkInstructions},
	{"dominance", false, (*checker).checkDominance},
	{"calls", false, (*checker).checkCalls},
	{"entry points", false, (*checker).checkEntryPoints},
	{"sections", true, (*checker).checkSections},
	{"declarations", true, (*checker).checkDeclarations},
	{"order", true, (*checker).checkOrder},
	{"strict types", true, (*checker).checkStrictTypes},
	{"strict operands", true, (*checker).checkStrictOperands},
	{"strict blocks", true, (*checker).checkStrictBlocks},
	{"interfaces", true, (*checker).checkInterfaces},
}

// checker is the state of one Validate.
type checker struct {
	m           *spirv.Module
	insts       []spirv.Inst
	index       *spirv.Index
	parser      *spirv.Parser
	decorations *spirv.Decorations
	names       map[spirv.ID]string
	errs        Errors
	max         int

	capabilities map[spirv.Capability]bool // declared and implied
	encoded      bool                      // a floating-point type has an encoding of its own
	addressBits  int                       // 32 or 64
	types        []*typ                    // by place in insts, nil for what is no type; shorter than insts
	functions    []*function
	functionOf   map[spirv.ID]*function
	operands     []spirv.ParsedOperand // of the instruction at hand
	ids          []spirv.ID            // of the instruction at hand
	loose        []looseOperand
	trimmed      bool // insts is a copy of the module's
}

// looseOperand is what the load rules let pass because producers emit it and
// drivers take it; the strict rule operand-loose reports it.
type looseOperand struct {
	in  spirv.Inst
	msg string
}

// pass notes a looseOperand.
func (c *checker) pass(in spirv.Inst, format string, args ...any) {
	c.loose = append(c.loose, looseOperand{in, fmt.Sprintf(format, args...)})
}

// count is a number of things in a message.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func newChecker(m *spirv.Module, opts Options) *checker {
	m = m.Joined()
	c := &checker{m: m, insts: m.Insts, max: opts.MaxErrors}
	if c.max <= 0 {
		c.max = 100
	}
	c.index = m.Index()
	c.parser = spirv.NewParserIndex(c.index)
	c.decorations = m.Decorations()
	c.names = m.Names()
	c.capabilities = map[spirv.Capability]bool{}
	c.functionOf = map[spirv.ID]*function{}
	return c
}

// typeOf gives the type that an id names, nil when it names none.
func (c *checker) typeOf(id spirv.ID) *typ {
	if at := c.index.At(id); at >= 0 && at < len(c.types) {
		return c.types[at]
	}
	return nil
}

// fail notes that in breaks a rule.
func (c *checker) fail(rule string, in spirv.Inst, format string, args ...any) {
	c.add(&Error{Rule: rule, Offset: in.Offset, Op: in.Op(), ID: in.ResultID(), Name: clip(c.names[in.ResultID()]), Message: fmt.Sprintf(format, args...)})
}

// failModule notes that the module as a whole breaks a rule.
func (c *checker) failModule(rule, format string, args ...any) {
	c.add(&Error{Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) add(e *Error) {
	c.errs = append(c.errs, e)
	if len(c.errs) >= c.max {
		panic(stop{})
	}
}

// clip keeps names from the module at a length that is fit for a message.
func clip(s string) string {
	const limit = 128
	if len(s) > limit {
		return s[:limit] + "..."
	}
	return s
}

// parse splits an instruction that checkGrammar has accepted. The slice is good until the next call.
func (c *checker) parse(in spirv.Inst) []spirv.ParsedOperand {
	c.operands, _ = c.parser.Parse(c.operands[:0], in)
	return c.operands
}
