package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// part is a module that is linked.
type part struct {
	name   string
	m      *spirv.Module
	index  *spirv.Index
	parser *spirv.Parser
	ids    map[spirv.ID]spirv.ID // its ids → those of the result

	addressing spirv.AddressingModel
	memory     spirv.MemoryModel
	entries    []spirv.Inst

	// global has the instructions between the annotations and the first function,
	// funcs the functions.
	global []spirv.Inst
	funcs  []function

	decorations map[spirv.ID][]decoration
	decorated   []spirv.ID // the keys of decorations by appearance
	linkages    []linkage
	names       map[spirv.ID]string // made when a message needs them
	byID        map[spirv.ID]int    // the place in linkages

	used map[spirv.ID]bool // what instructions refer to; made when it is asked for

	// dropped are ids whose definitions do not come into the result, nor their
	// names and decorations.
	dropped map[spirv.ID]bool
}

// function is a function of a module: insts from OpFunction to OpFunctionEnd.
type function struct {
	id    spirv.ID
	insts []spirv.Inst
	body  bool // it has one
}

// decoration is one that an id has, groups resolved.
type decoration struct {
	op     spirv.Op // OpDecorate and its like
	member int64    // of a structure, or -1
	kind   spirv.Decoration
	words  []uint32 // the parameters
}

// linkage is a LinkageAttributes.
type linkage struct {
	id   spirv.ID
	name string
	kind spirv.LinkageType
}

// maxDecorations bounds what groups of decorations unfold to.
const maxDecorations = 1 << 20

// newPart cuts a module into its parts (section 2.4) and checks that each
// instruction can be read. The error is about the module alone.
func newPart(name string, m *spirv.Module) (*part, error) {
	p := &part{
		name: name, m: m, index: m.Index(), ids: map[spirv.ID]spirv.ID{}, decorations: map[spirv.ID][]decoration{},
		byID: map[spirv.ID]int{}, dropped: map[spirv.ID]bool{},
	}
	p.parser = spirv.NewParserIndex(p.index)
	if err := p.cut(); err != nil {
		return nil, err
	}
	if err := p.annotations(); err != nil {
		return nil, err
	}
	return p, nil
}

// at begins an error with the place of an instruction.
func at(in spirv.Inst, format string, args ...any) error {
	return fmt.Errorf("word %d: %s: %s", in.Offset, in.Op(), fmt.Sprintf(format, args...))
}

func (p *part) cut() error {
	var ops []spirv.ParsedOperand
	defined := map[spirv.ID]bool{}
	start := -1
	models := 0
	for i, in := range p.m.Insts {
		var err error
		if ops, err = p.parser.Parse(ops[:0], in); err != nil {
			return err
		}
		if id := in.ResultID(); in.Op().HasResult() {
			if id == 0 || defined[id] {
				return at(in, "id %d is zero or defined twice", id)
			}
			defined[id] = true
		}
		switch op := in.Op(); {
		case op == spirv.OpFunction:
			if start >= 0 {
				return at(in, "a function within a function")
			}
			start = i
		case op == spirv.OpFunctionEnd:
			if start < 0 {
				return at(in, "no function ends here")
			}
			f := function{id: p.m.Insts[start].ResultID(), insts: p.m.Insts[start : i+1]}
			f.body = slices.ContainsFunc(f.insts, func(in spirv.Inst) bool { return in.Op() == spirv.OpLabel })
			p.funcs = append(p.funcs, f)
			start = -1
		case start >= 0:
		case op == spirv.OpMemoryModel:
			models++
			p.addressing, p.memory = spirv.AddressingModel(in.Operand(0)), spirv.MemoryModel(in.Operand(1))
		case op == spirv.OpEntryPoint:
			p.entries = append(p.entries, in)
		case sectionOf(op) == inGlobals:
			p.global = append(p.global, in)
		}
	}
	switch {
	case start >= 0:
		return at(p.m.Insts[start], "the function does not end")
	case models != 1:
		return fmt.Errorf("it has %d OpMemoryModel, not one", models)
	}
	return nil
}

// annotations collects the decorations by what they decorate.
func (p *part) annotations() error {
	groups := map[spirv.ID][]decoration{}
	total := 0
	add := func(in spirv.Inst, id spirv.ID, d ...decoration) error {
		if total += len(d); total > maxDecorations {
			return at(in, "groups unfold to more than %d decorations", maxDecorations)
		}
		if _, seen := p.decorations[id]; !seen {
			p.decorated = append(p.decorated, id)
		}
		p.decorations[id] = append(p.decorations[id], d...)
		return nil
	}
	for _, in := range p.m.Insts {
		if in.Op() == spirv.OpDecorationGroup {
			groups[in.ResultID()] = nil
		}
	}
	for _, in := range p.m.Insts {
		ops := in.Operands()
		var err error
		switch op := in.Op(); op {
		case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString:
			d := decoration{op, -1, spirv.Decoration(ops[1]), ops[2:]}
			if _, group := groups[spirv.ID(ops[0])]; group {
				groups[spirv.ID(ops[0])] = append(groups[spirv.ID(ops[0])], d)
			} else {
				err = add(in, spirv.ID(ops[0]), d)
			}
		case spirv.OpMemberDecorate, spirv.OpMemberDecorateString:
			err = add(in, spirv.ID(ops[0]), decoration{op, int64(ops[1]), spirv.Decoration(ops[2]), ops[3:]})
		case spirv.OpGroupDecorate:
			for _, target := range ops[1:] {
				if err = add(in, spirv.ID(target), groups[spirv.ID(ops[0])]...); err != nil {
					break
				}
			}
		case spirv.OpGroupMemberDecorate:
			for pair := ops[1:]; len(pair) >= 2 && err == nil; pair = pair[2:] {
				for _, d := range groups[spirv.ID(ops[0])] {
					d.member = int64(pair[1])
					switch d.op {
					case spirv.OpDecorate:
						d.op = spirv.OpMemberDecorate
					case spirv.OpDecorateString:
						d.op = spirv.OpMemberDecorateString
					default:
						return at(in, "a member cannot have the decorations of group %d", ops[0])
					}
					if err = add(in, spirv.ID(pair[0]), d); err != nil {
						break
					}
				}
			}
		}
		if err != nil {
			return err
		}
	}
	for _, in := range p.m.Insts {
		switch in.Op() {
		case spirv.OpFunction, spirv.OpVariable, spirv.OpUntypedVariableKHR:
			for _, d := range p.decorations[in.ResultID()] {
				if d.kind != spirv.DecorationLinkageAttributes || d.member >= 0 {
					continue
				}
				name, n, ok := spirv.DecodeString(d.words)
				if !ok || n >= len(d.words) {
					return at(in, "the linkage of id %d is damaged", in.ResultID())
				}
				if _, twice := p.byID[in.ResultID()]; twice {
					return at(in, "id %d has two linkages", in.ResultID())
				}
				p.byID[in.ResultID()] = len(p.linkages)
				p.linkages = append(p.linkages, linkage{in.ResultID(), name, spirv.LinkageType(d.words[n])})
			}
		}
	}
	return nil
}

// has returns the parameters of a decoration of an id; ok is false when it has
// none of the kind.
func (p *part) has(id spirv.ID, kind spirv.Decoration) (words []uint32, ok bool) {
	for _, d := range p.decorations[id] {
		if d.kind == kind && d.member < 0 {
			return d.words, true
		}
	}
	return nil, false
}

// drop leaves out an id, or a function with everything in it.
func (p *part) drop(id spirv.ID, f *function) {
	p.dropped[id] = true
	if f == nil {
		return
	}
	for _, in := range f.insts {
		if id := in.ResultID(); id != 0 {
			p.dropped[id] = true
		}
	}
}

// uses says whether an instruction refers to an id, names and decorations apart.
func (p *part) uses(id spirv.ID) bool {
	if p.used == nil {
		p.used = map[spirv.ID]bool{}
		var ops []spirv.ParsedOperand
		for _, in := range p.m.Insts {
			info, _ := in.Op().Info()
			if info == nil || info.Class == "Annotation" || in.Op() == spirv.OpName {
				continue
			}
			// The instructions were read when the module was cut.
			ops, _ = p.parser.Parse(ops[:0], in)
			for _, o := range ops {
				if o.Kind.Category() == spirv.CategoryID && o.Kind != spirv.KindIdResult {
					p.used[o.ID()] = true
				}
			}
		}
	}
	return p.used[id]
}

// isType says whether an instruction defines a type.
func isType(op spirv.Op) bool {
	return op.HasResult() && !op.HasResultType() && strings.HasPrefix(op.String(), "OpType")
}

// isConstant says whether an instruction makes a value that depends on its
// operands only, so that two of them are one.
func isConstant(op spirv.Op) bool {
	switch op {
	case spirv.OpConstantPipeStorage:
		return false // each is a pipe of its own
	case spirv.OpUndef:
		return true
	}
	return strings.HasPrefix(op.String(), "OpConstant") || strings.HasPrefix(op.String(), "OpSpecConstant")
}
