package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// Most instructions of a module have ids for operands and little else. Their operands stand at known places, so that
// several groups of rules look at the words instead of taking each instruction apart by the grammar once more.

// plainForm says where an opcode has its ids.
type plainForm struct {
	known bool
	ids   []spirv.OperandKind // of the first words after the opcode
	rest  plainRest
}

// plainRest is what may follow the ids.
type plainRest uint8

const (
	plainNone    plainRest = iota
	plainIDs               // any number of ids of kind IdRef
	plainNumbers           // any number of literal numbers
	plainAccess            // memory operands
)

// plainForms has the form of each opcode; known is false for those that are not plain.
var plainForms = func() []plainForm {
	var forms []plainForm
	for info := range spirv.Ops() {
		if f, ok := formOf(info); ok {
			for int(info.Op) >= len(forms) {
				forms = append(forms, plainForm{})
			}
			forms[info.Op] = f
		}
	}
	return forms
}()

func formOf(info *spirv.OpInfo) (f plainForm, ok bool) {
	switch info.Op {
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR, spirv.OpSwitch, spirv.OpSpecConstantOp:
		return f, false
	}
	f.known = true
	for i, o := range info.Operands {
		last := i == len(info.Operands)-1
		switch {
		case o.Quantifier == spirv.One && o.Kind.Category() == spirv.CategoryID:
			f.ids = append(f.ids, o.Kind)
		case last && o.Quantifier == spirv.Any && o.Kind == spirv.KindIdRef:
			f.rest = plainIDs
		case last && o.Quantifier == spirv.Any && o.Kind == spirv.KindLiteralInteger:
			f.rest = plainNumbers
		case last && o.Quantifier == spirv.Optional && o.Kind == spirv.KindMemoryAccess:
			f.rest = plainAccess
		default:
			return f, false
		}
	}
	return f, true
}

// plain returns the words of an instruction that are ids, one after the other from the first word after the opcode,
// and the form that says their kinds. It returns false for an instruction that it takes the grammar to read, or that
// the grammar does not accept. What follows the ids needs no further look: it is a number, or an alignment.
func plain(in spirv.Inst) (ids []uint32, f *plainForm, ok bool) {
	op := in.Op()
	if int(op) >= len(plainForms) {
		return nil, nil, false
	}
	f = &plainForms[op]
	n := len(f.ids)
	if !f.known || len(in.Words) < 1+n {
		return nil, nil, false
	}
	ids, rest := in.Words[1:1+n], in.Words[1+n:]
	switch f.rest {
	case plainIDs:
		return in.Words[1:], f, true
	case plainNumbers:
		return ids, f, true
	case plainAccess:
		if len(rest) == 2 && spirv.MemoryAccess(rest[0]) == spirv.MemoryAccessAligned {
			return ids, f, true
		}
	}
	return ids, f, len(rest) == 0
}

// kind returns the kind of id i.
func (f *plainForm) kind(i int) spirv.OperandKind {
	if i < len(f.ids) {
		return f.ids[i]
	}
	return spirv.KindIdRef
}
