package link

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestHostile links modules that ask for much with little: none takes more than
// time and memory in proportion to what it is.
func TestHostile(t *testing.T) {
	many := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	const n = 3000
	for _, c := range []struct {
		name, module string
		kind         error // nil for none
	}{
		{"imports that nobody defines", many(n, func(i int) string {
			return fmt.Sprintf("OpDecorate %%x%d LinkageAttributes \"x%d\" Import\n", i, i)
		}) + types + many(n, func(i int) string { return fmt.Sprintf("%%x%d = OpVariable %%pint CrossWorkgroup\n", i) }), ErrUnresolved},
		{"pointers that lead to each other", many(n, func(i int) string {
			return fmt.Sprintf("OpTypeForwardPointer %%p%d CrossWorkgroup\n", i)
		}) + many(n, func(i int) string {
			return fmt.Sprintf("%%s%d = OpTypeStruct %%p%d %%p%d\n", i, (i+1)%n, i)
		}) + many(n, func(i int) string {
			return fmt.Sprintf("%%p%d = OpTypePointer CrossWorkgroup %%s%d\n", i, i)
		}), nil},
		{"a chain of constants", types + "%c0 = OpConstant %int 1\n" + many(n, func(i int) string {
			return fmt.Sprintf("%%c%d = OpSpecConstantOp %%int IAdd %%c%d %%c%d\n", i+1, i, i)
		}), nil},
		{"groups that unfold", many(1200, func(i int) string {
			return fmt.Sprintf("OpDecorate %%g UserSemantic \"%d\"\n", i)
		}) + "%g = OpDecorationGroup\nOpGroupDecorate %g" + many(1000, func(i int) string { return fmt.Sprintf(" %%x%d", i) }) + "\n" +
			types + many(1000, func(i int) string { return fmt.Sprintf("%%x%d = OpVariable %%pint CrossWorkgroup\n", i) }), ErrMalformed},
		{"exports of one name", many(n, func(i int) string {
			return fmt.Sprintf("OpDecorate %%x%d LinkageAttributes \"x\" Export\n", i)
		}) + types + many(n, func(i int) string { return fmt.Sprintf("%%x%d = OpVariable %%pint CrossWorkgroup\n", i) }), ErrDuplicate},
		{"a type within itself within itself", types + "%t0 = OpTypeStruct %int %int\n" + many(200, func(i int) string {
			return fmt.Sprintf("%%t%d = OpTypeStruct %%t%d %%t%d\n", i+1, i, i)
		}) + "%pt = OpTypePointer CrossWorkgroup %t200\n%ft = OpTypeFunction %void %pt\n%f = OpFunction %void None %ft\n%x = OpFunctionParameter %pt\nOpFunctionEnd\n", nil},
	} {
		module := assembled(t, header+c.module)
		m, err := Link([]Input{{Module: module}, {Module: assembled(t, header+types)}}, Options{})
		if !errors.Is(err, c.kind) {
			text := fmt.Sprint(err)
			t.Errorf("%s: error %.300s", c.name, text)
		}
		if err != nil && len(err.Error()) > 20000 {
			t.Errorf("%s: a message of %d bytes", c.name, len(err.Error()))
		}
		if m != nil {
			checkResult(t, m, true)
		}
	}
}

// TestLongTypes holds that messages about types that are large, or lead to
// themselves, stay short.
func TestLongTypes(t *testing.T) {
	module := func(kind, last string) string {
		var b strings.Builder
		b.WriteString(`OpDecorate %f LinkageAttributes "f" ` + kind + "\n" + types + "%t0 = OpTypeStruct %int %int\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%%t%d = OpTypeStruct %%t%d %%t%d\n", i+1, i, i)
		}
		b.WriteString("%pt = OpTypePointer CrossWorkgroup %t60\n%ft = OpTypeFunction %void %pt " + last + "\n%f = OpFunction %void None %ft\n" +
			"%x = OpFunctionParameter %pt\n%y = OpFunctionParameter " + last + "\n")
		if kind == "Export" {
			b.WriteString("%fe = OpLabel\nOpReturn\n")
		}
		return header + b.String() + "OpFunctionEnd\n"
	}
	_, err := Link([]Input{{Module: assembled(t, module("Import", "%int"))}, {Module: assembled(t, module("Export", "%float"))}}, Options{})
	if !errors.Is(err, ErrMismatch) || len(err.Error()) > 2000 {
		t.Errorf("error %v", err)
	}
}
