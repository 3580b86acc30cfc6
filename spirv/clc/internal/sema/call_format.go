package sema

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// formatSpec is one conversion of printf's format: %[flags][width][.precision][vector][length]conversion.
type formatSpec struct {
	text        string // as written
	flags       string
	stars       int // widths and precisions that are arguments
	lanes       int // of %v4d; 0 for none
	length      string
	conv        byte
	problem     string
	problemFlag string
}

// checkFormat compares printf's format with its arguments.
func (c *Checker) checkFormat(args []tree.Expr) {
	if !c.Diags.Enabled("format") {
		return
	}
	x := args[0]
	for {
		v, ok := x.(*tree.Convert)
		if !ok {
			break
		}
		x = v.X
	}
	lit, ok := x.(*tree.StringLit)
	if !ok {
		if v, isVar := x.(*tree.VarRef); isVar && v.Var.Init != nil && v.Type.IsArray() {
			lit, ok = v.Var.Init.(*tree.StringLit)
		}
	}
	if !ok {
		i := args[0].Info()
		if _, bad := x.(*tree.Bad); !bad && len(args) == 1 {
			c.Diags.Warnf("format-security", i.Pos, "the format is not a string literal").Range(i.From, i.To)
		}
		return
	}
	text := string(lit.Value)
	if n := strings.IndexByte(text, 0); n >= 0 {
		if n < len(text)-1 {
			c.Diags.Warnf("format", lit.Pos, "the format has a zero byte: what stands behind it is not printed")
		}
		text = text[:n]
	}
	next := 1
	for at := 0; ; {
		k := strings.IndexByte(text[at:], '%')
		if k < 0 {
			break
		}
		at += k
		spec, size := parseSpec(text[at:])
		pos := c.inLiteral(lit, at)
		at += size
		if spec.problem != "" {
			c.Diags.Warnf(spec.problemFlag, pos, spec.problem, spec.text)
			if spec.problemFlag != "format-invalid-specifier" {
				return
			}
			next += spec.stars + 1
			continue
		}
		if spec.conv == '%' {
			continue
		}
		for range spec.stars {
			if next < len(args) && !args[next].Info().Type.IsInteger() {
				c.formatMismatch(pos, spec.text, "int", args[next])
			}
			next++
		}
		if next >= len(args) {
			c.Diags.Warnf("format-insufficient-args", pos, "the format has more conversions than there are arguments")
			return
		}
		c.checkSpec(&spec, pos, args[next])
		next++
	}
	if next < len(args) {
		i := args[next].Info()
		c.Diags.Warnf("format-extra-args", i.Pos, "the format does not use this argument").Range(i.From, i.To)
	}
}

// inLiteral returns the place of a byte of a string literal, if it is written in one piece and without
// escapes before it; else that of the literal.
func (c *Checker) inLiteral(lit *tree.StringLit, at int) source.Pos {
	if f := c.Files.File(lit.Pos); f != nil && !lit.Pos.IsMacro() {
		from := f.Offset(lit.Pos) + 1
		if from+at < len(f.Text) && f.Text[from:from+at] == string(lit.Value[:at]) {
			return lit.Pos + source.Pos(1+at)
		}
	}
	return lit.Pos
}

// parseSpec reads a conversion, and returns how long it is.
func parseSpec(s string) (formatSpec, int) {
	var f formatSpec
	i := 1
	done := func(flag, problem string) (formatSpec, int) {
		f.text, f.problem, f.problemFlag = s[:i], problem, flag
		return f, i
	}
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		f.flags += s[i : i+1]
		i++
	}
	digits := func() {
		if i < len(s) && s[i] == '*' {
			f.stars++
			i++
			return
		}
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' {
		i++
		digits()
	}
	if i < len(s) && s[i] == 'v' {
		i++
		for i < len(s) && s[i] >= '0' && s[i] <= '9' && f.lanes < 100 {
			f.lanes = f.lanes*10 + int(s[i]-'0')
			i++
		}
		if f.lanes == 0 {
			return done("format", "the conversion '%s' lacks the number of components behind 'v'")
		}
	}
	for _, l := range []string{"hh", "hl", "h", "ll", "l", "j", "z", "t", "L"} {
		if strings.HasPrefix(s[i:], l) {
			f.length = l
			i += len(l)
			break
		}
	}
	if i >= len(s) {
		return done("format", "the conversion '%s' is not complete")
	}
	f.conv = s[i]
	i++
	if strings.IndexByte("diouxXfFeEgGaAcsp%", f.conv) < 0 {
		return done("format-invalid-specifier", "there is no conversion '%s'")
	}
	f.text = s[:i]
	return f, i
}

// checkSpec compares a conversion with its argument.
func (c *Checker) checkSpec(f *formatSpec, pos source.Pos, x tree.Expr) {
	c.checkFlags(f, pos)
	want := c.formatType(f)
	if want == nil {
		c.Diags.Warnf("format", pos, "the length '%s' does not go with '%%%c'", f.length, f.conv)
		return
	}
	t := x.Info().Type.Type
	switch {
	case f.conv == 's':
		if t.IsPointer() && t.Elem.Bits() == 8 && t.Elem.IsInteger() || t.IsPointer() && f.length == "l" {
			return
		}
		c.formatMismatch(pos, f.text, "char *", x)
		return
	case f.conv == 'p':
		if !t.IsPointer() {
			c.formatMismatch(pos, f.text, "void *", x)
		}
		return
	}
	if t.Lanes() == want.Lanes() && c.formatFits(written(x), want, f.lanes > 0) {
		return
	}
	c.formatMismatch(pos, f.text, want.String(), x)
}

// written returns the type of an argument before it was promoted.
func written(x tree.Expr) *types.Type {
	if v, ok := x.(*tree.Convert); ok && !v.Explicit && (v.Kind == tree.Integer || v.Kind == tree.FloatToFloat) {
		return v.X.Info().Type.Type
	}
	return x.Info().Type.Type
}

// formatFits reports whether an argument that was of type t before it was promoted goes with a conversion for
// want. The sign does not matter.
func (c *Checker) formatFits(t, want *types.Type, vector bool) bool {
	a, b := t.Component(), want.Component()
	switch {
	case a.IsFloat() && b.IsFloat():
		return !vector || a == b
	case !a.IsInteger() || !b.IsInteger():
		return false
	case vector, b.Bits() == 64:
		return a.Bits() == b.Bits()
	case b.Bits() < 32:
		return a.Bits() <= b.Bits()
	}
	return a.Bits() <= 32
}

// formatType returns the type that a conversion is for, nil if the length does not go with it.
func (c *Checker) formatType(f *formatSpec) *types.Type {
	t := c.Types
	var s *types.Type
	switch f.conv {
	case 'd', 'i', 'o', 'u', 'x', 'X':
		signed := f.conv == 'd' || f.conv == 'i'
		switch f.length {
		case "hh":
			s = t.Char
		case "h":
			s = t.Short
		case "l", "ll", "j", "z", "t":
			s = t.Long
			if f.length == "z" || f.length == "t" {
				s = t.PtrDiff
			}
		case "":
			s = t.Int
		case "hl":
			if f.lanes > 0 {
				s = t.Int
			}
		}
		if s != nil && !signed {
			s = t.Unsigned(s)
		}
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		switch {
		case f.length == "", f.length == "l":
			s = t.Double
		case f.length == "hl" && f.lanes > 0:
			s = t.Float
		case f.length == "h" && f.lanes > 0:
			s = t.Half
		}
		if s == t.Double && !c.doubleAllowed() {
			s = t.Float
		}
	case 'c':
		if f.length == "" && f.lanes == 0 {
			s = t.Int
		}
	case 's', 'p':
		if f.lanes == 0 && (f.length == "" || f.conv == 's' && f.length == "l") {
			s = t.Int // what is compared is another question
		}
	}
	if s != nil && f.lanes > 0 {
		return t.Vector(s, f.lanes)
	}
	return s
}

// checkFlags warns of flags that have no effect.
func (c *Checker) checkFlags(f *formatSpec, pos source.Pos) {
	has := func(b byte) bool { return strings.IndexByte(f.flags, b) >= 0 }
	signed := strings.IndexByte("diaAeEfFgG", f.conv) >= 0
	switch {
	case has('#') && strings.IndexByte("oxXaAeEfFgG", f.conv) < 0:
		c.Diags.Warnf("format", pos, "the flag '#' means nothing with '%%%c'", f.conv)
	case (has('+') || has(' ')) && !signed:
		c.Diags.Warnf("format", pos, "the flags '+' and ' ' mean nothing with '%%%c'", f.conv)
	case has('0') && strings.IndexByte("diouxXaAeEfFgG", f.conv) < 0:
		c.Diags.Warnf("format", pos, "the flag '0' means nothing with '%%%c'", f.conv)
	}
	if has('+') && has(' ') {
		c.Diags.Warnf("format", pos, "the flag ' ' means nothing beside '+'")
	}
	if has('-') && has('0') {
		c.Diags.Warnf("format", pos, "the flag '0' means nothing beside '-'")
	}
}

func (c *Checker) formatMismatch(pos source.Pos, spec, want string, x tree.Expr) {
	i := x.Info()
	t := qual(written(x))
	d := c.Diags.Warnf("format", i.Pos, "'%s' is for '%s', but the argument has type '%s'", spec, want, t).
		Range(i.From, i.To)
	if d != nil && pos != 0 {
		d.Note(pos, "%s", fmt.Sprintf("the conversion '%s' stands here", spec))
	}
}
