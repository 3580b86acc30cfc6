package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestOpTable checks that the rows of opcodes and of shapes fit together, so that a row that is left out, or is at
// odds with itself, is found.
func TestOpTable(t *testing.T) {
	names := map[string]Op{}
	for op := OpInvalid + 1; op < NumOps; op++ {
		inf := op.Info()
		if other, ok := names[inf.Name]; ok || inf.Name == "" {
			t.Errorf("opcode %d has the name %q, as opcode %d", op, inf.Name, other)
		}
		names[inf.Name] = op
		s := &shapes[inf.Shape]
		if !strings.HasPrefix(s.text, "{op}") {
			t.Errorf("%s: the text of its shape is %q", op, s.text)
		}
		inputs := 0
		for _, o := range s.operands {
			if o.role == roleT && inf.Types == 0 || o.role == roleT2 && inf.Src == 0 {
				t.Errorf("%s has an operand of a type that its row does not give", op)
			}
			if o.role == roleT {
				inputs++
			}
		}
		switch p := inf.Props; {
		case p&PropPure != 0 && p&(PropFaults|PropConvergent|PropTerminator|PropAsync) != 0:
			t.Errorf("%s is pure, and also %s", op, p)
		case p&PropCrosses != 0 && p&PropConvergent == 0:
			t.Errorf("%s crosses lanes, but is not convergent", op)
		case p&PropCommutes != 0 && inputs < 2:
			t.Errorf("%s commutes with %d operands", op, inputs)
		case p&(PropCommutes|PropBitwise|PropLow|PropSigned|PropRounds|PropDivides) != 0 && p&PropFunction == 0:
			t.Errorf("%s is %s, but not a function of its operands", op, p)
		case p&PropFunction != 0 && s.result == roleNone:
			t.Errorf("%s is a function without a result", op)
		}
	}
}

// TestProps has the opcodes of the properties that no other test shows.
func TestProps(t *testing.T) {
	list := func(p Props) (s []string) {
		for op := range NumOps {
			if op.Is(p) {
				s = append(s, op.String())
			}
		}
		return s
	}
	for _, c := range []struct {
		p    Props
		want string
	}{
		{PropDivides, "div.s div.u rem.s rem.u mod.s"},
		{PropBitwise, "mov select and or xor not"},
		{PropLow, "add sub mul mad neg"},
		{PropCrosses, "shuffle shuffle2 ballot vote elect broadcastfirst scan match blockload blockstore imageblockread imageblockwrite"},
		{PropAsync, "groupcopy groupwait lanecopy asyncscope asyncmark wait.asyncmark"},
		{PropTerminator, "br brcond switch barrier ret trap"},
	} {
		if got := strings.Join(list(c.p), " "); got != c.want {
			t.Errorf("%s: %s, expected %s", c.p, got, c.want)
		}
	}
	if got := (PropPure | PropAsync).String(); got != "pure,async" {
		t.Errorf("the properties print as %q", got)
	}
	if Op(NumOps+1).Is(^Props(0)) || slices.Contains(list(PropFunction), "readfirst") {
		t.Error("what is no opcode has properties, or readfirst is a function of its operands")
	}
}

// TestTemplates checks that every word in the templates of shapes is one that the printer knows.
func TestTemplates(t *testing.T) {
	for i, s := range shapes {
		for rest := s.text; ; {
			_, after, ok := strings.Cut(rest, "{")
			if !ok {
				break
			}
			var name string
			name, rest, _ = strings.Cut(after, "}")
			operand := len(name) == 1 || len(name) == 2 && name[0] == '+'
			if fields[name] == nil && name != "op" && !operand {
				t.Errorf("shape %d: %q is unknown", i, name)
			}
			if operand && !slices.ContainsFunc(s.operands, func(o operandRow) bool { return o.slot == slot(name[len(name)-1]-'a') }) {
				t.Errorf("shape %d: operand %s is none of the shape", i, name)
			}
		}
	}
}
