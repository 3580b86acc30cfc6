package link

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// global is an instruction of the part with types, constants and variables on
// its way into the result.
type global struct {
	part *part
	in   spirv.Inst
	line *spirv.Inst // the OpLine in front of it
	deps []spirv.ID  // ids of the result that have to come first
	mark uint8       // see the constants
}

const (
	waiting = iota
	begun
	written
)

// globals takes over types, constants and variables. A variable that a module
// imports may be defined by a later one, so that an instruction is preceded by
// what it refers to; apart from that the order stays.
func (l *linker) globals() {
	var list []*global
	byID := map[spirv.ID]*global{}
	announced := map[spirv.ID]bool{}
	for _, p := range l.parts {
		var line *spirv.Inst
		for i := range p.global {
			in := p.global[i]
			switch op := in.Op(); op {
			case spirv.OpLine, spirv.OpNoLine:
				line = &p.global[i]
				continue
			case spirv.OpTypeForwardPointer:
				pointer := spirv.ID(in.Operand(0))
				if p.dropped[pointer] {
					continue
				}
				announced[l.id(p, pointer)] = true
			}
			if id := in.ResultID(); id != 0 && p.dropped[id] {
				line = nil
				continue
			}
			g := &global{part: p, in: in, line: line}
			line = nil
			list = append(list, g)
			if id := in.ResultID(); id != 0 {
				byID[l.id(p, id)] = g
			}
		}
	}
	for _, g := range list {
		g.deps = l.needs(g, byID, announced)
	}
	var stack []*global
	for _, g := range list {
		stack = append(stack[:0], g)
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if top.mark == waiting {
				top.mark = begun
			}
			next := l.nextNeed(top, byID)
			switch {
			case top.mark == written:
				stack = stack[:len(stack)-1]
			case next == nil:
				top.mark = written
				l.putGlobal(top)
				stack = stack[:len(stack)-1]
			case next.mark == begun:
				l.fail(&Error{Kind: ErrMalformed, Reason: fmt.Sprintf("%s: word %d: %s refers to itself through the other modules; a module cannot say that",
					next.part.name, next.in.Offset, next.in.Op())})
				return
			default:
				stack = append(stack, next)
			}
		}
	}
}

// needs returns the ids that have to be defined before an instruction: all that it
// names, without pointers that are announced, and without other debug information,
// which may refer to what follows.
func (l *linker) needs(g *global, byID map[spirv.ID]*global, announced map[spirv.ID]bool) []spirv.ID {
	if g.in.Op() == spirv.OpTypeForwardPointer {
		return nil
	}
	ops, err := g.part.parser.Parse(nil, g.in)
	if err != nil {
		return nil // newPart has read it before
	}
	var deps []spirv.ID
	for _, o := range ops {
		if o.Kind.Category() != spirv.CategoryID || o.Kind == spirv.KindIdResult {
			continue
		}
		id := l.id(g.part, o.ID())
		dep := byID[id]
		if dep == nil || announced[id] && g.in.Op() == spirv.OpTypeStruct || g.in.Op() == spirv.OpExtInst && dep.in.Op() == spirv.OpExtInst {
			continue
		}
		deps = append(deps, id)
	}
	return deps
}

// nextNeed returns something that has to be written before g, or nil.
func (l *linker) nextNeed(g *global, byID map[spirv.ID]*global) *global {
	for len(g.deps) > 0 {
		dep := byID[g.deps[0]]
		if dep.mark != written {
			return dep
		}
		g.deps = g.deps[1:]
	}
	return nil
}

func (l *linker) putGlobal(g *global) {
	if g.line != nil {
		l.put(g.part, inGlobals, *g.line, false)
	}
	l.put(g.part, inGlobals, g.in, false)
}
