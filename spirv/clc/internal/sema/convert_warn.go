package sema

import (
	"math/bits"
	"strconv"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// warnCache remembers which warnings of conversions are on: they are asked for at each conversion.
type warnCache struct {
	ready                          bool
	changes                        int // of the Bag, when the warnings were asked for
	constant, literal, intConst    bool
	sign, shorten, narrow          bool
	floatToInt, precision, promote bool
	intToFloat, enum               bool
	signCompare, typeLimits        bool
}

func (c *Checker) warnings() *warnCache {
	w := &c.warn
	if n := c.Diags.Changes(); !w.ready || w.changes != n {
		on := c.Diags.Enabled
		*w = warnCache{ready: true, changes: n,
			constant: on("constant-conversion"), literal: on("literal-conversion"),
			intConst: on("implicit-const-int-float-conversion"),
			sign:     on("sign-conversion"), shorten: on("shorten-64-to-32"), narrow: on("implicit-int-conversion"),
			floatToInt: on("float-conversion"), precision: on("implicit-float-conversion"),
			promote: on("double-promotion"), intToFloat: on("implicit-int-float-conversion"),
			enum: on("enum-conversion"), signCompare: on("sign-compare"),
			typeLimits: on("tautological-unsigned-zero-compare"),
		}
	}
	return w
}

// formatFloat writes a value of a floating type.
func formatFloat(v float64, t *types.Type) string {
	if t.Kind == types.DoubleKind {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}

// formatInt writes a value of an integer type.
func formatInt(v uint64, t *types.Type) string {
	switch {
	case t.Kind == types.BoolKind && v == 0:
		return "false"
	case t.Kind == types.BoolKind:
		return "true"
	case t.IsSigned():
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}

// warnImplicit warns of what an implicit conversion does to the value of x. operands says that x is
// an operand that is converted to the other one's type, else it is stored, passed or returned.
func (c *Checker) warnImplicit(x tree.Expr, to *types.Type, pos source.Pos, operands bool) {
	from := x.Info().Type.Type
	if from == to {
		return
	}
	w := c.warnings()
	if n, ok := x.(*tree.Cond); ok && !from.IsVector() {
		c.warnImplicit(n.A, to, pos, operands)
		c.warnImplicit(n.B, to, pos, operands)
		return
	}
	if to.Kind == types.EnumKind && from.IsFloat() {
		return
	}
	to = to.Component()
	if from.Kind == types.EnumKind && !operands {
		return // Coerce has said what there is to say
	}
	switch {
	case from.IsVector() || !from.IsArithmetic() || !to.IsArithmetic():
	case to.Kind == types.BoolKind:
		if lit, ok := x.(*tree.FloatLit); ok && lit.Value != 0 && lit.Value != 1 && w.literal {
			c.warnChange("literal-conversion", x, to, formatFloat(lit.Value, from), "true")
		}
	case from.IsFloat() && to.IsFloat():
		c.warnPrecision(w, x, to)
	case from.IsFloat():
		c.warnFloatToInt(w, x, to)
	case to.IsFloat():
		c.warnIntToFloat(w, x, to)
	default:
		c.warnIntToInt(w, x, to)
	}
}

// warnChange warns that a constant changes when it is converted.
func (c *Checker) warnChange(flag string, x tree.Expr, to *types.Type, before, after string) {
	i := x.Info()
	c.Diags.Warnf(flag, i.Pos, "converting from '%s' to '%s' changes the value from %s to %s", i.Type, to,
		before, after).
		Range(i.From, i.To)
}

func (c *Checker) warnPrecision(w *warnCache, x tree.Expr, to *types.Type) {
	i := x.Info()
	if to.Kind > i.Type.Kind {
		if w.promote {
			c.Diags.Warnf("double-promotion", i.Pos, "'%s' becomes '%s' here", i.Type, to).Range(i.From, i.To)
		}
		return
	}
	if !w.precision {
		return
	}
	if lit, ok := x.(*tree.FloatLit); ok && roundTo(lit.Value, to) == lit.Value {
		return
	}
	c.Diags.Warnf("implicit-float-conversion", i.Pos, "converting from '%s' to '%s' loses precision", i.Type,
		to).
		Range(i.From, i.To)
}

func (c *Checker) warnFloatToInt(w *warnCache, x tree.Expr, to *types.Type) {
	i := x.Info()
	lit, ok := x.(*tree.FloatLit)
	if !ok || lit.Folded != 0 {
		if w.floatToInt {
			c.Diags.Warnf("float-conversion", i.Pos, "converting from '%s' to '%s' drops the fraction", i.Type, to).
				Range(i.From, i.To)
		}
		return
	}
	if !w.literal {
		return
	}
	v, ok := floatToInt(lit.Value, to)
	switch {
	case !ok:
		c.Diags.Warnf("literal-conversion", i.Pos, "'%s' does not have the value %s: what comes of it is undefined",
			to,
			formatFloat(lit.Value, i.Type.Type)).Range(i.From, i.To)
	case intToFloat(v, to.IsSigned(), c.Types.Double) != lit.Value:
		c.warnChange("literal-conversion", x, to, formatFloat(lit.Value, i.Type.Type), formatInt(v, to))
	}
}

func (c *Checker) warnIntToFloat(w *warnCache, x tree.Expr, to *types.Type) {
	i := x.Info()
	mantissa := map[types.Kind]int{types.HalfKind: 11, types.FloatKind: 24, types.DoubleKind: 53}
	if lit, ok := x.(*tree.IntLit); ok {
		if !w.intConst {
			return
		}
		from := i.Type.Type
		v := intToFloat(lit.Value, from.IsSigned(), to)
		n, fits := floatToInt(v, from.Base())
		if from.Kind != types.BoolKind && (!fits || n != lit.Value) {
			c.warnChange("implicit-const-int-float-conversion", x, to, formatInt(lit.Value, from),
				strconv.FormatFloat(v, 'f', -1, 64))
		}
		return
	}
	if !w.intToFloat {
		return
	}
	if width, _ := intRange(x, 0); width > mantissa[to.Kind] {
		c.Diags.Warnf("implicit-int-float-conversion", i.Pos, "converting from '%s' to '%s' may lose precision",
			i.Type, to).
			Range(i.From, i.To)
	}
}

func (c *Checker) warnIntToInt(w *warnCache, x tree.Expr, to *types.Type) {
	i := x.Info()
	from := i.Type.Base()
	signed, width := to.IsSigned(), to.Bits()
	if lit, ok := x.(*tree.IntLit); ok {
		if !w.constant && !w.sign || truncate(lit.Value, to) == lit.Value && (signed == from.IsSigned() ||
			int64(lit.Value) >= 0) {
			return
		}
		n, nonneg := intRange(x, 0)
		switch {
		case n > width || n == width && signed && nonneg && from.IsSigned():
			if w.constant {
				c.warnChange("constant-conversion", x, to, formatInt(lit.Value, from),
					formatInt(truncate(lit.Value, to), to))
			}
		case w.sign && signed != from.IsSigned() && !c.comparing:
			c.Diags.Warnf("sign-conversion", i.Pos, "converting from '%s' to '%s' changes the sign", i.Type, to).
				Range(i.From, i.To)
		}
		return
	}
	if !w.sign && !w.shorten && !w.narrow {
		return
	}
	n, nonneg := intRange(x, 0)
	switch {
	case n > width && from.Bits() == 64 && width == 32:
		c.Diags.Warnf("shorten-64-to-32", i.Pos, "converting from '%s' to '%s' may lose the upper half", i.Type,
			to).
			Range(i.From, i.To)
	case n > width:
		c.Diags.Warnf("implicit-int-conversion", i.Pos, "converting from '%s' to '%s' may lose the upper bits",
			i.Type, to).
			Range(i.From, i.To)
	case w.sign && !c.comparing && (!signed && !nonneg || signed && nonneg && n == width):
		c.Diags.Warnf("sign-conversion", i.Pos, "converting from '%s' to '%s' changes the sign", i.Type, to).
			Range(i.From, i.To)
	}
}

// intRange returns how many bits the value of an integer expression needs at most, as far as that can be seen
// at a glance: those of a value that is never negative, or with the sign.
func intRange(x tree.Expr, depth int) (width int, nonneg bool) {
	t := x.Info().Type.Type
	whole := func() (int, bool) {
		if t.Kind == types.BoolKind {
			return 1, true
		}
		return t.Bits(), !t.IsSigned()
	}
	if depth > 7 {
		return whole()
	}
	switch n := x.(type) {
	case *tree.IntLit:
		switch {
		case !t.IsSigned() || int64(n.Value) >= 0:
			return bits.Len64(n.Value), true
		default:
			return bits.Len64(^n.Value) + 1, false
		}
	case *tree.Convert:
		if w, field := bitField(x); field {
			return w, !t.IsSigned()
		}
		if n.Kind == tree.Integer || n.Kind == tree.NoOp {
			w, nn := intRange(n.X, depth+1)
			full, unsigned := whole()
			if w > full || !nn && unsigned {
				return full, unsigned
			}
			return w, nn
		}
	case *tree.Binary:
		return binaryRange(n, depth, whole)
	case *tree.Unary:
		switch n.Op {
		case tree.LogNot:
			return 1, true
		case tree.Neg, tree.Plus, tree.BitNot:
			return intRange(n.X, depth+1)
		}
	case *tree.Cond:
		aw, an := intRange(n.A, depth+1)
		bw, bn := intRange(n.B, depth+1)
		return joinRange(aw, an, bw, bn)
	}
	return whole()
}

func joinRange(aw int, an bool, bw int, bn bool) (int, bool) {
	if an != bn {
		if an {
			aw++
		} else {
			bw++
		}
	}
	return max(aw, bw), an && bn
}

// magnitude returns the bits of a value without its sign.
func magnitude(width int, nonneg bool) int {
	if nonneg {
		return width
	}
	return width - 1
}

func binaryRange(n *tree.Binary, depth int, whole func() (int, bool)) (int, bool) {
	switch {
	case n.Op >= tree.Lt && n.Op <= tree.LogOr:
		return 1, true
	case n.Op == tree.Comma:
		return intRange(n.R, depth+1)
	case n.Op > tree.Xor || n.Op == tree.Shl:
		return whole()
	}
	lw, ln := intRange(n.L, depth+1)
	rw, rn := intRange(n.R, depth+1)
	switch n.Op {
	case tree.And:
		switch {
		case ln && rn:
			return min(lw, rw), true
		case ln:
			return lw, true
		case rn:
			return rw, true
		}
		return max(lw, rw), false
	case tree.Or, tree.Xor, tree.Add, tree.Sub, tree.Mul:
		// Sums and products are taken to be as small as what they are made of: else each a = a + 1 would be one too
		// many.
		return joinRange(lw, ln, rw, rn)
	case tree.Rem:
		w := min(magnitude(lw, ln), magnitude(rw, rn))
		if !ln {
			w++
		}
		return w, ln
	case tree.Shr:
		if k, ok := n.R.(*tree.IntLit); ok {
			return max(lw-int(k.Value&uint64(n.Type.Bits()-1)), 1), ln
		}
		return lw, ln
	}
	// Div: only a negative divisor makes a value larger.
	if ln && rn {
		return lw, true
	}
	return whole()
}
