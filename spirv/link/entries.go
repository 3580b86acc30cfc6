package link

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// version14 is the version from which on entry points list every variable that
// they reach, whatever its storage class (section 3.3.14, OpEntryPoint).
const version14 spirv.Version = 0x00010400

// emitEntries writes the entry points.
func (l *linker) emitEntries(version spirv.Version) {
	var graph *callGraph
	if version >= version14 {
		graph = l.callGraph()
	}
	for _, p := range l.parts {
		for _, in := range p.entries {
			words := l.mapped(p, in, true)
			_, n, _ := spirv.DecodeString(words[3:])
			head := 3 + n
			list := []uint32{}
			seen := map[uint32]bool{}
			add := func(id uint32) {
				if !seen[id] {
					seen[id] = true
					list = append(list, id)
				}
			}
			for _, id := range words[head:] {
				add(id)
			}
			if graph != nil {
				for _, id := range graph.variables(spirv.ID(words[2])) {
					add(uint32(id))
				}
			}
			out, err := spirv.NewInst(spirv.OpEntryPoint, append(slices.Clone(words[1:head]), list...)...)
			if l.words += len(list) + head; err != nil || l.words > maxWords {
				l.fail(&Error{Kind: ErrTooLarge, Symbol: in.StringOperand(2), Reason: fmt.Sprintf("is an entry point that reaches %d variables", len(list))})
				return
			}
			l.out.add(inEntries, out.Words)
		}
	}
}

// callGraph has what each function of the result calls and which program-scope
// variables it names.
type callGraph struct {
	calls map[spirv.ID][]spirv.ID
	names map[spirv.ID][]spirv.ID
}

func (l *linker) callGraph() *callGraph {
	g := &callGraph{map[spirv.ID][]spirv.ID{}, map[spirv.ID][]spirv.ID{}}
	global := map[spirv.ID]bool{}
	for _, words := range l.out.list[inGlobals] {
		if op := spirv.Op(words[0]); op == spirv.OpVariable || op == spirv.OpUntypedVariableKHR {
			global[spirv.ID(words[2])] = true
		}
	}
	for _, p := range l.parts {
		for i := range p.funcs {
			f := &p.funcs[i]
			if p.dropped[f.id] {
				continue
			}
			id := l.id(p, f.id)
			seen := map[spirv.ID]bool{}
			var ops []spirv.ParsedOperand
			for _, in := range f.insts {
				var err error
				if ops, err = p.parser.Parse(ops[:0], in); err != nil {
					continue // newPart has read it before
				}
				for _, o := range ops {
					if o.Kind.Category() != spirv.CategoryID {
						continue
					}
					switch n := l.id(p, o.ID()); {
					case seen[n]:
					case global[n]:
						seen[n] = true
						g.names[id] = append(g.names[id], n)
					case l.made[n] == spirv.OpFunction && n != id:
						seen[n] = true
						g.calls[id] = append(g.calls[id], n)
					}
				}
			}
		}
	}
	return g
}

// variables returns the variables that a function reaches, itself and through
// what it calls, in the order in which they are met.
func (g *callGraph) variables(root spirv.ID) []spirv.ID {
	var list []spirv.ID
	seen := map[spirv.ID]bool{root: true}
	for stack := []spirv.ID{root}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		list = append(list, g.names[f]...)
		for _, callee := range slices.Backward(g.calls[f]) {
			if !seen[callee] {
				seen[callee] = true
				stack = append(stack, callee)
			}
		}
	}
	return list
}
