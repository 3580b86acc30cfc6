package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// A condition like a && b && c takes nothing but the comparisons, in mask registers: each is made for the
// lanes only for which those before it hold. The complement of a || b || c is one of that kind, too.
// Hyperblocks have their conditions made so, where the parts are for nothing else.

// conditions says which instructions are part of others: the one that makes them, by number, and of which
// instruction each operand is the result.
type conditions struct {
	maker   map[int]int
	results map[operandAt]int
}

// operandAt is an operand of an instruction.
type operandAt struct {
	at int
	r  isa.Reg
}

// prepareConditions looks for conditions in the hyperblock.
func (c *hyper) prepareConditions() {
	if c.ISA.File(isa.BankMask) != x86.FileMask {
		return
	}
	c.conditions = &conditions{maker: map[int]int{}, results: map[operandAt]int{}}
	uses, made := map[int]int{}, map[isa.Reg]int{}
	for i := range c.Run.Code {
		d, t := c.Run.Kernel().Operands(&c.Run.Code[i], func(r isa.Reg, t isa.Type) {
			if j, ok := made[r]; ok && t == isa.B1 && r.IsVector() {
				c.conditions.results[operandAt{i, r}] = j
				uses[j]++
			}
		})
		if d.IsVector() && t == isa.B1 {
			made[d] = i
			if c.Run.Keep[i] || slices.Contains(c.h.Masks, d) {
				uses[i] = 2 // it has other uses
			}
		}
	}
	for i := len(c.Run.Code) - 1; i >= 0; i-- {
		if _, part := c.conditions.maker[i]; !part {
			switch in := &c.Run.Code[i]; {
			case in.Type != isa.B1:
			case in.Op == isa.OpNot, in.Op == isa.OpAnd:
				parts, _ := c.collect(i, i, false, uses)
				for _, j := range parts {
					c.conditions.maker[j] = i
				}
			}
		}
	}
}

// form is what an instruction on booleans does: and, or or, of two operands or of one, which may be
// complemented.
type form struct {
	operands   []isa.Reg
	complement bool // of the first operand
	or         bool
}

// formOf returns the form of an instruction. ok is false if it has none.
func formOf(c *x86.Compiler, in *isa.Inst) (f form, ok bool) {
	if in.Type != isa.B1 {
		return f, false
	}
	switch in.Op {
	case isa.OpNot:
		f = form{operands: []isa.Reg{in.A}, complement: true}
	case isa.OpAnd, isa.OpOr:
		f = form{operands: []isa.Reg{in.A, in.B}, or: in.Op == isa.OpOr}
	case isa.OpSelect:
		o, ok := c.LogicalOf(in)
		if !ok {
			return f, false
		}
		f = form{operands: []isa.Reg{in.A, o.Other}, complement: o.Complement, or: o.Or}
	}
	return f, len(f.operands) > 0 && !slices.ContainsFunc(f.operands, isa.Reg.IsScalar)
}

// collect returns the instructions that can be parts of root for what instruction i needs, which is root or
// one of its parts: comparisons, and conditions of the same kind, without other uses. inverse says that the
// complement of i is asked for. ok says whether root can do with the rest: what that is in registers is the
// same there still.
func (c *hyper) collect(i, root int, inverse bool, uses map[int]int) (parts []int, ok bool) {
	f, ok := formOf(c.Compiler, &c.Run.Code[i])
	if !ok || len(f.operands) > 1 && f.or != inverse {
		return nil, false
	}
	for n, r := range f.operands {
		not := inverse != (n == 0 && f.complement)
		if j, ok := c.conditions.results[operandAt{i, r}]; ok && uses[j] == 1 {
			in := &c.Run.Code[j]
			if _, ok := x86.Comparisons[in.Op]; ok && in.Type != isa.B1 && !x86.Narrow(in.Type) && c.lasts(j, root, in.A, in.B) {
				parts = append(parts, j)
				continue
			}
			if more, ok := c.collect(j, root, not, uses); ok {
				parts = append(append(parts, j), more...)
				continue
			}
		}
		if i != root && !c.lasts(i, root, r) {
			return nil, false
		}
	}
	return parts, true
}

// lasts says whether operands of instruction i are the same still at root.
func (c *hyper) lasts(i, root int, operands ...isa.Reg) bool {
	var list []x86.Place
	c.Run.Kernel().Operands(&c.Run.Code[i], func(r isa.Reg, t isa.Type) {
		if r.IsVector() && slices.Contains(operands, r) {
			list = append(list, x86.Place{Bank: t.Bank(), Index: r.Index()})
		}
	})
	for k := i + 1; k < root; k++ {
		d, t := c.Run.Kernel().Operands(&c.Run.Code[k], func(isa.Reg, isa.Type) {})
		if d.IsVector() && slices.Contains(list, x86.Place{Bank: t.Bank(), Index: d.Index()}) {
			return false
		}
	}
	return true
}

// maker returns the instruction with which i is made.
func (c *hyper) maker(i int) int {
	if c.conditions != nil {
		if root, ok := c.conditions.maker[i]; ok {
			return root
		}
	}
	return i
}

// scheduleConditions notes when the operands of comparisons are needed.
func (c *hyper) scheduleConditions() {
	if c.conditions == nil {
		return
	}
	for j := range c.Run.Code {
		if root := c.maker(j); root != j {
			c.Run.Kernel().Operands(&c.Run.Code[j], func(r isa.Reg, t isa.Type) {
				if r.IsVector() {
					c.readsPlace(x86.Place{Bank: t.Bank(), Index: r.Index()}, root)
				}
			})
		}
	}
}

// instruction emits an instruction of the present step, unless another one makes it.
func (c *hyper) instruction(i int) {
	in := &c.Run.Code[i]
	if c.maker(i) != i {
		return
	}
	if f, ok := formOf(c.Compiler, in); ok && c.conditions != nil {
		for _, r := range f.operands {
			if j, ok := c.conditions.results[operandAt{i, r}]; ok && c.maker(j) == i {
				c.ResultMask(in, c.condition(i, false, nil))
				return
			}
		}
	}
	emitters.Find(c.CPU, in)(c.Compiler, in)
}

// condition makes what instruction i is, or its complement, for the lanes under, or for all if that is nil.
// The register of those has the result.
func (c *hyper) condition(i int, inverse bool, under *amd64.Mask) amd64.Mask {
	in := &c.Run.Code[i]
	if cmp, ok := x86.Comparisons[in.Op]; ok && in.Type != isa.B1 {
		return c.Comparison(in, cmp, inverse, under)
	}
	f, _ := formOf(c.Compiler, in)
	for n, r := range f.operands {
		not := inverse != (n == 0 && f.complement)
		var k amd64.Mask
		if j, ok := c.conditions.results[operandAt{i, r}]; ok && c.maker(j) == c.Index {
			k = c.condition(j, not, under)
		} else {
			k = leaf(c.Compiler, c.Boolean(r), not, under)
		}
		under = &k
	}
	return *under
}

// leaf is condition for a register.
func leaf(c *x86.Compiler, a amd64.Mask, inverse bool, under *amd64.Mask) amd64.Mask {
	if under == nil {
		k := c.Mask()
		if inverse {
			c.V(amd64.KNOTW, amd64.X, k, a)
		} else {
			c.V(amd64.KMOVW, amd64.X, k, a)
		}
		return k
	}
	op := amd64.KANDW
	if inverse {
		op = amd64.KANDNW
	}
	c.V(op, amd64.X, *under, a, *under)
	return *under
}
