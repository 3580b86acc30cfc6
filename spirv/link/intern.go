package link

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// intern finds the types and constants of all modules that are the same, and
// gives them their ids. What they are is written down as a string over ids of the result: what
// an instruction consists of has been interned before the instruction.
func (l *linker) intern() {
	announced := 0
	for _, p := range l.parts {
		for _, in := range p.global {
			if in.Op() == spirv.OpTypeForwardPointer {
				announced++
			}
		}
	}
	l.graph = graphWords / max(announced, 1)
	for _, p := range l.parts {
		for _, in := range p.global {
			switch op := in.Op(); {
			case op == spirv.OpTypeForwardPointer:
				l.internForward(p, spirv.ID(in.Operand(0)))
			case isType(op) || isConstant(op):
				l.internInst(p, in)
			case op == spirv.OpVariable || op == spirv.OpUntypedVariableKHR:
				l.internVariable(p, in)
			}
		}
	}
}

// key appends 32-bit words to a key.
func key(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// decorationKey tells the decorations of an id apart, but not their order; ok is
// false for decorations that refer to other ids.
func (p *part) decorationKey(id spirv.ID) (s string, ok bool) {
	var list []string
	for _, d := range p.decorations[id] {
		if d.op == spirv.OpDecorateId {
			return "", false
		}
		list = append(list, string(key(nil, append([]uint32{uint32(d.member), uint32(d.kind)}, d.words...)...)))
	}
	slices.Sort(list)
	list = slices.Compact(list)
	var b strings.Builder
	for _, s := range list {
		b.Write(key(nil, uint32(len(s))))
		b.WriteString(s)
	}
	return b.String(), true
}

// internInst gives a type or a constant its id.
func (l *linker) internInst(p *part, in spirv.Inst) {
	old := in.ResultID()
	decorations, ok := p.decorationKey(old)
	words := l.mapped(p, in, false)
	at := 1
	if in.Op().HasResultType() {
		at = 2
	}
	words[at] = 0
	k := string(key(nil, words...)) + decorations
	id, known := l.types[k]
	given, has := p.ids[old]
	switch {
	case !ok:
		l.id(p, old)
	case known && !has:
		p.ids[old] = id
		p.dropped[old] = true
	case known && given == id:
		// A pointer that was announced, and is the one of another module.
		p.dropped[old] = true
	default:
		// When the id was needed before, the type cannot become another one.
		l.types[k] = l.id(p, old)
	}
}

// internForward gives a pointer that is announced its id: that of a pointer which
// leads to types built alike.
func (l *linker) internForward(p *part, pointer spirv.ID) {
	if _, has := p.ids[pointer]; has {
		return
	}
	k, ok := l.graphKey(p, pointer)
	if ok {
		if id, known := l.types[k]; known {
			p.ids[pointer] = id
			return
		}
		l.types[k] = l.id(p, pointer)
		return
	}
	l.id(p, pointer)
}

// graphWords is what all types that pointers are announced to lead to may take
// together, in words: each of them is followed from each pointer.
const graphWords = 1 << 23

// graphKey writes down the types that a pointer leads to, in the order in which
// they are met. It does not matter what has been interned so far: when a
// pointer becomes one of another module, all that it leads to must do so, too. For the
// same reason it depends on the size of what a pointer leads to, and on nothing else,
// whether that is too large to be compared.
func (l *linker) graphKey(p *part, root spirv.ID) (string, bool) {
	b := []byte("graph")
	number := map[spirv.ID]uint32{root: 0}
	queue := []spirv.ID{root}
	var ops []spirv.ParsedOperand
	words := 0
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		in, ok := p.index.Def(id)
		if !ok || !isType(in.Op()) && !isConstant(in.Op()) {
			return "", false
		}
		if words += len(in.Words) + 4*len(p.decorations[id]); words > l.graph {
			return "", false
		}
		decorations, ok := p.decorationKey(id)
		if !ok {
			return "", false
		}
		b = key(b, uint32(in.Op()), uint32(len(in.Words)), uint32(len(decorations)))
		b = append(b, decorations...)
		var err error
		if ops, err = p.parser.Parse(ops[:0], in); err != nil {
			return "", false
		}
		for _, o := range ops {
			switch {
			case o.Kind == spirv.KindIdResult:
			case o.Kind.Category() != spirv.CategoryID:
				b = key(append(b, 'w'), uint32(len(o.Words)))
				b = key(b, o.Words...)
			default:
				n, met := number[o.ID()]
				if !met {
					n = uint32(len(number))
					number[o.ID()] = n
					queue = append(queue, o.ID())
				}
				b = key(append(b, 'n'), n)
			}
		}
	}
	return string(b), true
}

// internVariable makes one of variables that stand for the same built-in.
func (l *linker) internVariable(p *part, in spirv.Inst) {
	old := in.ResultID()
	if _, linked := p.byID[old]; linked || len(in.Operands()) > 1 {
		return
	}
	if _, builtin := p.has(old, spirv.DecorationBuiltIn); !builtin {
		return
	}
	decorations, ok := p.decorationKey(old)
	if _, has := p.ids[old]; has || !ok {
		return
	}
	words := l.mapped(p, in, false)
	words[2] = 0
	k := string(key(nil, words...)) + decorations
	if id, known := l.types[k]; known {
		p.ids[old] = id
		p.dropped[old] = true
		return
	}
	l.types[k] = l.id(p, old)
}

// mapped returns the words of an instruction with the ids of the result. What is
// emitted has an id itself, and uses others; what is only looked at has not.
func (l *linker) mapped(p *part, in spirv.Inst, emitted bool) []uint32 {
	words := slices.Clone(in.Words)
	ops, err := p.parser.Parse(nil, in)
	if err != nil {
		return words // newPart has read it before
	}
	i := 1
	for _, o := range ops {
		if o.Kind.Category() == spirv.CategoryID && (emitted || o.Kind != spirv.KindIdResult) {
			old := spirv.ID(words[i])
			id := l.id(p, old)
			words[i] = uint32(id)
			if _, seen := l.used[id]; emitted && !seen {
				l.used[id] = use{id, p, old}
				l.queue = append(l.queue, l.used[id])
			}
		}
		i += len(o.Words)
	}
	return words
}
