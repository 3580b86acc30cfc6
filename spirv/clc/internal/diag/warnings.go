package diag

import (
	"slices"
	"strings"
	"sync"
)

// Flag is a row of the table of warnings.
type Flag struct {
	Name  string // behind -W
	Group string // the groups that turn it on, with blanks between: "all", "extra", "pedantic" and others
	On    bool   // without any option
	Help  string // one line
}

// Flags is all warnings by name. Whoever gives a warning has a row here; tests compare.
var Flags = []Flag{
	// The preprocessor.
	{"#pragma-messages", "", true, "the text of #pragma message"},
	{"#warnings", "", true, "the text of #warning"},
	{"backslash-newline-escape", "", true, "white space stands between a backslash and the end of its line"},
	{"builtin-macro-redefined", "", true, "a macro like __LINE__ is defined or undefined"},
	{"c99-extensions", "", true, "something that C99 does not allow and compilers take"},
	{"comment", "all", true, "a comment begins inside a comment"},
	{"embedded-directive", "pedantic", false, "a directive stands between the arguments of a macro"},
	{"expansion-to-defined", "extra pedantic", false, "a macro makes the operator defined in a condition"},
	{"extra-tokens", "", true, "something stands behind a directive that is complete"},
	{"four-char-constants", "", true, "a character constant of more than four characters"},
	{"gnu-zero-variadic-macro-arguments", "pedantic", false, "nothing is passed for the ... of a macro"},
	{"ignored-pragmas", "", true, "a pragma of OpenCL with a mistake in it"},
	{"implicitly-unsigned-literal", "", true, "a decimal number without u is too large for a signed type"},
	{"integer-overflow", "", true, "an operation in the condition of #if overflows"},
	{"invalid-pp-token", "", true, "a quote without its partner in the body of a macro"},
	{"invalid-string-literal", "", true, "the operator # makes a string that ends with a backslash"},
	{"keyword-macro", "pedantic", false, "a macro has the name of a keyword"},
	{"macro-redefined", "", true, "a macro is defined again, and differently"},
	{"multi-line-comment", "all", false, "a backslash continues a // comment in the next line"},
	{"multichar", "", true, "a character constant of several characters"},
	{"null-character", "", true, "the source has bytes that are zero"},
	{"pedantic", "pedantic", false, "extensions that the standard does not have"},
	{"pragma-once-outside-header", "", true, "#pragma once in a file that is not included"},
	{"sign-conversion-preprocessor", "", true, "a negative number becomes unsigned in the condition of #if"},
	{"undef", "", false, "a name in the condition of #if is no macro"},
	{"unicode-whitespace", "", true, "white space beyond ASCII in the source"},
	{"unknown-directives", "", true, "a misspelt #else or #endif in text that is skipped"},
	{"unknown-pragmas", "all", true, "a pragma that no part of the compiler knows"},
	{"unknown-warning-option", "", true, "a warning of that name does not exist"},

	// Declarations.
	{"address-space", "", true, "an address space that stands where it has no effect"},
	{"deprecated-non-prototype", "", true, "a function is defined in the style before C89"},
	{"enum-too-large", "", true, "an enumerator does not fit into an integer type"},
	{"extra-semi", "pedantic", false, "a semicolon too many between declarations"},
	{"fixed-enum-extension", "pedantic", false, "an enumeration with a type of its own choice"},
	{"flexible-array-extensions", "pedantic", false, "an array without a size in an unusual place"},
	{"invalid-noreturn", "", true, "a function that must not return does"},
	{"many-braces-around-scalar-init", "", true, "braces within braces around one value"},
	{"pedantic-core-features", "", false, "a pragma for an extension that the version has anyway"},
	{"duplicate-decl-specifier", "all", true, "a qualifier or type is written twice"},
	{"enum-compare", "", true, "values of different enumerations are compared"},
	{"excess-initializers", "", true, "a list has more values than there is room for"},
	{"extern-initializer", "", true, "an extern variable has an initializer"},
	{"gnu-designator", "pedantic", false, "designators in the old style of GNU C"},
	{"gnu-empty-initializer", "pedantic", false, "an empty list as an initializer"},
	{"gnu-empty-struct", "pedantic", false, "a structure without members"},
	{"gnu-folding-constant", "", true, "a constant expression that only a compiler can compute"},
	{"gnu-variable-sized-type-not-at-end", "", true, "a flexible array is not the last member"},
	{"ignored-attributes", "", true, "an attribute that cannot be where it is"},
	{"ignored-qualifiers", "extra", false, "a qualifier of a result has no effect"},
	{"implicit-function-declaration", "", true, "a function is called before its declaration"},
	{"implicit-int", "", true, "a declaration without a type"},
	{"initializer-overrides", "extra", true, "a later initializer replaces an earlier one"},
	{"main", "", true, "a function is called main"},
	{"missing-braces", "all", false, "a list of values without braces around its parts"},
	{"missing-declarations", "", true, "a declaration declares nothing"},
	{"missing-field-initializers", "extra", false, "a list does not give all members values"},
	{"missing-prototypes", "", false, "a function that is not static has no prototype before it"},
	{"nonportable-kernel-param-types", "pedantic", false, "the size of a kernel's parameter depends on the device"},
	{"redundant-decls", "", false, "a name is declared again, in the same way"},
	{"shadow", "", false, "a declaration hides another of the same name"},
	{"strict-prototypes", "", false, "a function is declared without saying that it takes nothing"},
	{"typedef-redefinition", "pedantic", false, "a typedef is repeated"},
	{"undefined-internal", "", true, "a static function is used and has no body"},
	{"uninitialized", "all", false, "a variable is read before it has a value"},
	{"sometimes-uninitialized", "all", false, "a variable is read without a value on some paths"},
	{"conditional-uninitialized", "", false, "a variable may be read without a value"},
	{"unknown-attributes", "attributes", true, "an attribute that the compiler does not know"},
	{"unused-const-variable", "", false, "a constant of the program is not used"},
	{"unused-but-set-parameter", "extra", false, "a parameter gets values that nobody reads"},
	{"unused-but-set-variable", "all", false, "a variable gets values that nobody reads"},
	{"unused-function", "all unused", false, "a static function is not called"},
	{"unused-label", "all unused", false, "no goto leads to a label"},
	{"unused-local-typedef", "all unused", false, "a typedef in a function is not used"},
	{"unused-parameter", "extra", false, "a parameter is not used"},
	{"unused-variable", "all unused", false, "a variable is not used"},
	{"variadic-macros", "", true, "__VA_OPT__ stands where no macro with ... is defined"},
	{"visibility", "", true, "a type is declared in a list of parameters, where nobody else sees it"},
	{"vla", "", false, "an array of variable size"},
	{"duplicate-enum", "", false, "two enumerators have one value"},
	{"gnu-statement-expression", "pedantic", false, "a block as an expression"},
	{"gnu-case-range", "pedantic", false, "case with a range of values"},
	{"gnu-conditional-omitted-operand", "pedantic", false, "?: without its second operand"},
	{"overlength-strings", "pedantic", false, "a string literal of more than 4095 bytes"},
	{"language-extension-token", "", false, "a keyword of GNU C"},
	{"c11-extensions", "pedantic", false, "something of C11"},
	{"c2x-extensions", "", true, "something of C23"},
	{"opencl-unsupported-rgba", "", true, "components by the names r, g, b, a before OpenCL C 3.0"},
	{"read-only-types", "", false, "a variable that nobody can write"},

	// Statements.
	{"dangling-else", "parentheses", true, "an else belongs to another if than it seems"},
	{"duplicate-switch", "", true, "a value occurs in two cases"},
	{"empty-body", "extra", true, "the body of an if or a loop is a semicolon"},
	{"for-loop-analysis", "all", false, "the variables of a loop's condition do not change in it"},
	{"implicit-fallthrough", "", false, "a case goes on into the next"},
	{"infinite-recursion", "all", false, "a function calls itself on every path"},
	{"misleading-indentation", "all", false, "a statement is indented as if an if guarded it"},
	{"pass-failed", "", true, "a loop could not be unrolled as asked"},
	{"return-type", "all", true, "a function ends without the value that it must return"},
	{"switch", "all", true, "an enumerator has no case"},
	{"switch-bool", "", true, "a switch over a truth value"},
	{"switch-default", "", false, "a switch has no default"},
	{"switch-enum", "", false, "an enumerator has no case, even with a default"},
	{"covered-switch-default", "", false, "a default that nothing reaches"},
	{"unreachable-code", "", false, "a statement that nothing reaches"},
	{"unreachable-code-break", "unreachable-code-aggressive", false, "a break that nothing reaches"},
	{"unreachable-code-return", "unreachable-code-aggressive", false, "a return that nothing reaches"},
	{"unsequenced", "all", true, "a variable is changed twice in an expression, in no order"},
	{"unused-comparison", "all unused unused-value", true, "the result of a comparison is not used"},
	{"unused-result", "all unused unused-value", true, "the result of a function that says it matters is not used"},
	{"unused-value", "all unused", true, "the value of an expression is not used"},

	// Expressions.
	{"absolute-value", "", true, "an absolute value of what has no sign, or of another type"},
	{"array-bounds", "", true, "an index beyond the end of an array"},
	{"array-bounds-pointer-arithmetic", "", false, "a pointer beyond the end of an array"},
	{"bitfield-constant-conversion", "", true, "a constant does not fit into a bit-field"},
	{"bitfield-width", "", true, "a bit-field is wider than its type"},
	{"bitwise-conditional-parentheses", "parentheses", true, "a bit operator in the condition of ?:"},
	{"bitwise-instead-of-logical", "all", false, "& or | between truth values with effects"},
	{"bitwise-op-parentheses", "all parentheses", false, "& within |"},
	{"bool-conversion", "", true, "an address as a truth value"},
	{"bool-operation", "all", false, "an operator that makes no sense on truth values"},
	{"cast-align", "", false, "a cast to a pointer of stricter alignment"},
	{"cast-qual", "", false, "a cast takes a qualifier away"},
	{"char-subscripts", "all", false, "an index of type char"},
	{"comma", "", false, "the operator comma where it may be a mistake"},
	{"deprecated-declarations", "", true, "a function that is marked as deprecated is called"},
	{"double-constant", "", true, "a constant of type double where there are no doubles"},
	{"enum-compare-conditional", "", false, "the results of ?: are of different enumerations"},
	{"non-literal-null-conversion", "", true, "an expression with the value 0 becomes a null pointer"},
	{"spir-compat", "", true, "a sampler that SPIR-V does not have"},
	{"unknown-escape-sequence", "", true, "a backslash before a character that needs none"},
	{"compare-distinct-pointer-types", "", true, "pointers of different types are compared"},
	{"conditional-type-mismatch", "", true, "the results of ?: are of different types"},
	{"constant-conversion", "", true, "a constant changes its value in a conversion"},
	{"constant-evaluated", "", true, "a condition whose value is known"},
	{"constant-logical-operand", "", true, "&& or || with a constant where & or | may be meant"},
	{"conversion", "", false, "conversions that may change a value"},
	{"division-by-zero", "", true, "an integer is divided by zero"},
	{"double-promotion", "", false, "a float becomes a double"},
	{"duplicate-method-match", "", false, "several overloads fit equally"},
	{"enum-conversion", "", true, "a value of one enumeration becomes one of another"},
	{"float-conversion", "conversion", false, "a floating value becomes an integer"},
	{"float-equal", "", false, "floating values are compared for equality"},
	{"float-overflow-conversion", "conversion", false, "a floating constant is too large for the integer type"},
	{"float-zero-conversion", "conversion", false, "a floating constant becomes zero"},
	{"format", "all", true, "the arguments of printf do not fit its format"},
	{"format-extra-args", "all format", true, "printf has more arguments than its format asks for"},
	{"format-insufficient-args", "all format", true, "printf has too few arguments"},
	{"format-invalid-specifier", "all format", true, "a conversion that printf does not have"},
	{"format-nonliteral", "", false, "the format of printf is no literal"},
	{"format-security", "all format", true, "the format of printf is no literal, and it has no arguments"},
	{"format-zero-length", "all format", true, "the format of printf is empty"},
	{"gnu-pointer-arith", "pedantic", false, "arithmetic on pointers to void or functions"},
	{"idiomatic-parentheses", "", false, "an assignment as a condition"},
	{"implicit-const-int-float-conversion", "", true, "an integer constant is inexact as a floating value"},
	{"implicit-float-conversion", "conversion", false, "a floating value becomes one with fewer bits"},
	{"implicit-int-conversion", "conversion", false, "an integer becomes one with fewer bits"},
	{"implicit-int-float-conversion", "conversion", false, "an integer becomes a floating value that may be inexact"},
	{"incompatible-pointer-types", "", true, "a pointer becomes one to another type"},
	{"incompatible-pointer-types-discards-qualifiers", "incompatible-pointer-types", true, "a conversion takes a qualifier away"},
	{"int-conversion", "", true, "an integer becomes a pointer, or a pointer an integer"},
	{"int-in-bool-context", "all", false, "an integer operation as a truth value"},
	{"int-to-pointer-cast", "", true, "a cast of a smaller integer to a pointer"},
	{"int-to-void-pointer-cast", "int-to-pointer-cast", true, "a cast of a smaller integer to a pointer to void"},
	{"literal-conversion", "", true, "a floating literal becomes an integer"},
	{"literal-range", "", true, "a floating literal is too large or too small for its type"},
	{"logical-not-parentheses", "parentheses", true, "! only applies to the left side of a comparison"},
	{"logical-op-parentheses", "all parentheses", false, "&& within ||"},
	{"nonnull", "", true, "null is passed where it must not be"},
	{"null-arithmetic", "", true, "arithmetic on null pointers"},
	{"null-dereference", "", true, "a null pointer is followed"},
	{"overflow", "", true, "a constant expression overflows its type"},
	{"parentheses", "", true, "operators that are easily read in another order"},
	{"parentheses-equality", "parentheses", true, "a comparison with two pairs of parentheses"},
	{"pointer-arith", "pedantic", false, "arithmetic on pointers to void"},
	{"pointer-bool-conversion", "bool-conversion", true, "an address as a truth value, which is always true"},
	{"pointer-integer-compare", "", true, "a pointer is compared with an integer"},
	{"pointer-sign", "all pedantic", true, "a pointer becomes one to a type of the other signedness"},
	{"pointer-to-int-cast", "", true, "a cast of a pointer to a smaller integer"},
	{"pointer-type-mismatch", "", true, "the results of ?: are pointers to different types"},
	{"precedence", "", true, "operators that are easily read in another order"},
	{"self-assign", "all", false, "a variable is assigned to itself"},
	{"self-assign-field", "all self-assign", false, "a member is assigned to itself"},
	{"shift-count-negative", "", true, "a shift by a negative number"},
	{"shift-count-overflow", "", true, "a shift by as many bits as there are, or more"},
	{"shift-negative-value", "extra", false, "a negative value is shifted left"},
	{"shift-op-parentheses", "parentheses", true, "a sum within a shift"},
	{"shift-overflow", "", true, "a shift of a constant loses bits"},
	{"shift-sign-overflow", "", false, "a shift of a constant reaches the sign"},
	{"shorten-64-to-32", "conversion", false, "an integer of 64 bits becomes one of 32"},
	{"sign-compare", "extra", false, "a signed and an unsigned value are compared"},
	{"sign-conversion", "", false, "an integer becomes one of the other signedness"},
	{"sizeof-array-argument", "", true, "sizeof of a parameter that looks like an array"},
	{"sizeof-array-decay", "", true, "sizeof of an array that has become a pointer"},
	{"sizeof-array-div", "", true, "sizeof of arrays divided by the wrong size"},
	{"sizeof-pointer-div", "", true, "sizeof of a pointer, divided"},
	{"string-compare", "", true, "a string literal is compared by its address"},
	{"string-conversion", "", false, "a string literal as a truth value"},
	{"string-plus-int", "", true, "an integer is added to a string literal"},
	{"tautological-compare", "all", true, "a comparison that always has the same result"},
	{"tautological-constant-compare", "tautological-compare", true, "a comparison with a constant that always has the same result"},
	{"tautological-constant-out-of-range-compare", "tautological-compare", true, "a comparison with a constant beyond the type"},
	{"tautological-overlap-compare", "all tautological-compare", false, "two comparisons that cannot both decide"},
	{"tautological-pointer-compare", "tautological-compare", true, "a comparison of an address with null"},
	{"tautological-unsigned-zero-compare", "", false, "an unsigned value is compared with zero"},
	{"undefined-bool-conversion", "", true, "an address as a truth value"},
	{"unused-volatile-lvalue", "unused", true, "a volatile variable is named and not read"},
	{"vec-elem-size", "", true, "vec_step or sizeof of elements"},
	{"vector-conversion", "", true, "a vector becomes one of another type"},
	{"xor-used-as-pow", "", true, "2 ^ 8 where a power seems meant"},
}

// groups are names that stand for warnings of other names, beside those in the rows.
var groups = map[string]string{
	"most": "all", "unused": "unused", "unreachable-code-aggressive": "unreachable-code-aggressive", "attributes": "attributes",
}

// table finds warnings by name, and the warnings of a group.
var table = sync.OnceValues(func() (map[string]*Flag, map[string][]string) {
	byName := make(map[string]*Flag, len(Flags))
	members := make(map[string][]string)
	for i := range Flags {
		w := &Flags[i]
		byName[w.Name] = w
		for _, g := range strings.Fields(w.Group) {
			members[g] = append(members[g], w.Name)
		}
	}
	return byName, members
})

// KnownWarning reports whether -Wname means something.
func KnownWarning(name string) bool {
	byName, members := table()
	return byName[name] != nil || members[resolve(name)] != nil || name == "everything"
}

// resolve returns the group that a name stands for.
func resolve(name string) string {
	if g, ok := groups[name]; ok {
		return g
	}
	return name
}

// Help returns the line that explains a warning.
func Help(name string) string {
	byName, _ := table()
	if w := byName[name]; w != nil {
		return w.Help
	}
	return ""
}

// names returns the warnings that an option names: a warning, and those of the group of that name.
func names(name string) []string {
	byName, members := table()
	if name == "everything" {
		all := make([]string, 0, len(Flags))
		for _, w := range Flags {
			all = append(all, w.Name)
		}
		return all
	}
	var list []string
	if byName[name] != nil {
		list = append(list, name)
	}
	list = append(list, members[resolve(name)]...)
	if name == "extra" {
		list = append(list, "unused-parameter")
	}
	// A group can hold another: -Wall turns on -Wparentheses and with it its parts.
	for i := 0; i < len(list); i++ {
		for _, m := range members[list[i]] {
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list
}

// DefaultOptions returns what holds without any -W.
func DefaultOptions() Options {
	o := Options{Disabled: make(map[string]bool), Errors: make(map[string]bool), NotErrors: make(map[string]bool)}
	for _, w := range Flags {
		if !w.On {
			o.Disabled[w.Name] = true
		}
	}
	return o
}

// ParseOptions reads options like "-Wall", "-Wno-shadow", "-Werror=return-type", "-w" and "-pedantic", in order; a later
// one outweighs an earlier one. It returns those that name no warning, and passes over what is no such option.
func ParseOptions(args []string) (o Options, unknown []string) {
	o = DefaultOptions()
	for _, arg := range args {
		switch arg {
		case "-w":
			o.NoWarnings = true
			continue
		case "-pedantic", "-Wpedantic":
			o.enable("pedantic", true)
			continue
		case "-pedantic-errors":
			o.enable("pedantic", true)
			for _, n := range names("pedantic") {
				o.Errors[n] = true
			}
			continue
		case "-W":
			o.enable("extra", true)
			continue
		}
		name, ok := strings.CutPrefix(arg, "-W")
		if !ok {
			continue
		}
		off := false
		if name, off = strings.CutPrefix(name, "no-"); off && name == "everything" {
			o.NoWarnings = true
			continue
		}
		if !o.apply(name, off) {
			unknown = append(unknown, arg)
		}
	}
	return o, unknown
}

// apply does one -Wname or -Wno-name.
func (o *Options) apply(name string, off bool) bool {
	if name == "error" {
		o.AllErrors = !off
		return true
	}
	if of, ok := strings.CutPrefix(name, "error="); ok {
		if !KnownWarning(of) {
			return false
		}
		for _, n := range names(of) {
			o.Errors[n] = !off
			o.NotErrors[n] = off
		}
		if !off {
			o.enable(of, true)
		}
		return true
	}
	if !KnownWarning(name) {
		return false
	}
	o.enable(name, !off)
	return true
}

// enable turns the warnings of a name on or off.
func (o *Options) enable(name string, on bool) {
	for _, n := range names(name) {
		o.Disabled[n] = !on
	}
}

// NearestOption returns the option that a misspelt -Wname or -Wno-name may mean, "" if there is none.
func NearestOption(option string) string {
	name, ok := strings.CutPrefix(option, "-W")
	if !ok {
		return ""
	}
	prefix := "-W"
	for _, p := range []string{"no-error=", "error=", "no-"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			prefix, name = prefix+p, rest
			break
		}
	}
	all := make([]string, 0, len(Flags)+4)
	for _, w := range Flags {
		all = append(all, w.Name)
	}
	if s := Nearest(name, append(all, "all", "extra", "everything", "error", "pedantic", "unused")); s != "" {
		return prefix + s
	}
	return ""
}
