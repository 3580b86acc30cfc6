package mux

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CompilationOption is an option that a compiler has of its own.
type CompilationOption struct {
	Name       string // with its two hyphens
	TakesValue bool
	Help       string
}

// String returns the option as the syntax has it: "--NAME,1,HELP".
func (o CompilationOption) String() string {
	value := "0"
	if o.TakesValue {
		value = "1"
	}
	return o.Name + "," + value + "," + o.Help
}

// ParseCompilationOptions reads options in the compilation options syntax: tuples of name,
// 1 or 0, and help, separated by commas; one after the other, separated by semicolons (a
// last one may follow). The error wraps [ErrOptionsSyntax] and names the rule:
//
//  1. the name starts with a double hyphen and has no white space;
//  2. the second element is a 1 or a 0;
//  3. white space in the help is the space character only;
//  4. tuples are separated by a semicolon.
//
// A name cannot be there twice, and the help cannot have a comma or a semicolon, as nothing
// could tell it from the next element.
func ParseCompilationOptions(text string) ([]CompilationOption, error) {
	if text == "" {
		return nil, nil
	}
	var list []CompilationOption
	seen := map[string]bool{}
	for i, tuple := range strings.Split(strings.TrimSuffix(text, ";"), ";") {
		bad := func(rule int, format string, args ...any) ([]CompilationOption, error) {
			return nil, failed("ParseCompilationOptions", ErrOptionsSyntax, "option %d, rule %d: %s", i+1, rule, fmt.Sprintf(format, args...))
		}
		parts := strings.Split(tuple, ",")
		name := parts[0]
		switch {
		case !utf8.ValidString(tuple):
			return bad(3, "the text is not UTF-8")
		case !strings.HasPrefix(name, "--") || len(name) == 2:
			return bad(1, "the name %q does not start with a double hyphen and go on", name)
		case strings.ContainsFunc(name, unicode.IsSpace):
			return bad(1, "the name %q has white space", name)
		case strings.Contains(name, "="):
			return bad(1, "the name %q has an equals sign, which begins a value", name)
		case strings.Contains(strings.Join(parts[1:], ","), ",--"):
			return bad(4, "%q goes on with another option; a semicolon has to separate them", tuple)
		case len(parts) != 3:
			return bad(4, "%q has %d elements; there are name, 1 or 0, and help", tuple, len(parts))
		case parts[1] != "0" && parts[1] != "1":
			return bad(2, "%s: %q is neither 1 nor 0", name, parts[1])
		case strings.ContainsFunc(parts[2], func(r rune) bool { return r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r)) }):
			return bad(3, "%s: the help %q has white space that is no space character", name, parts[2])
		case seen[name]:
			return bad(1, "%s is there twice", name)
		}
		seen[name] = true
		list = append(list, CompilationOption{name, parts[1] == "1", parts[2]})
	}
	return list, nil
}

// OptionValue is an option that a compiler has of its own, as it was given.
type OptionValue struct {
	Name  string
	Value string // "" for an option without one
}

// OptionsMode says what options are for, and so which result wrong ones give.
type OptionsMode uint8

// The modes.
const (
	OptionsBuild   OptionsMode = iota // compiling and linking at once: ErrInvalidBuildOptions
	OptionsCompile                    // ErrInvalidCompilerOptions
	OptionsLink                       // ErrInvalidLinkerOptions
)

func (m OptionsMode) result() error {
	switch m {
	case OptionsCompile:
		return ErrInvalidCompilerOptions
	case OptionsLink:
		return ErrInvalidLinkerOptions
	}
	return ErrInvalidBuildOptions
}

// Options steer the compilation of a module (compiler::Options): those of OpenCL (OpenCL API
// 5.8.6, clBuildProgram) and the compiler's own.
type Options struct {
	// Definitions, of the form NAME or NAME=VALUE, and Includes, folders to look for headers
	// in, are those of -D and -I in their order.
	Definitions []string
	Includes    []string
	// Std is what -cl-std= says: "CL1.2", for instance; "" when nothing.
	Std string
	// Flags are the other options of OpenCL that were given, in their order:
	// "-cl-mad-enable", "-w" and so on.
	Flags []string
	// Device are the compiler's own options, in their order.
	Device []OptionValue
}

// Has says whether a flag is given.
func (o *Options) Has(flag string) bool {
	for _, f := range o.Flags {
		if f == flag {
			return true
		}
	}
	return false
}

// Value returns the value that was given last to one of the compiler's own options; ok is
// false when it was not given. A flag has the value "".
func (o *Options) Value(name string) (value string, ok bool) {
	for i := len(o.Device) - 1; i >= 0; i-- {
		if o.Device[i].Name == name {
			return o.Device[i].Value, true
		}
	}
	return "", false
}

// compilerFlags and linkerFlags are the options of OpenCL without a value (OpenCL API
// 5.8.6.3 to 5.8.6.7, 5.8.7).
var (
	compilerFlags = map[string]bool{
		"-cl-single-precision-constant": true, "-cl-denorms-are-zero": true, "-cl-fp32-correctly-rounded-divide-sqrt": true,
		"-cl-opt-disable": true, "-cl-strict-aliasing": true, "-cl-uniform-work-group-size": true, "-cl-no-subgroup-ifp": true,
		"-cl-mad-enable": true, "-cl-no-signed-zeros": true, "-cl-unsafe-math-optimizations": true, "-cl-finite-math-only": true,
		"-cl-fast-relaxed-math": true, "-w": true, "-Werror": true, "-cl-kernel-arg-info": true, "-g": true,
	}
	linkerFlags = map[string]bool{
		"-create-library": true, "-enable-link-options": true, "-cl-denorms-are-zero": true, "-cl-no-signed-zeros": true,
		"-cl-unsafe-math-optimizations": true, "-cl-finite-math-only": true, "-cl-fast-relaxed-math": true, "-cl-no-subgroup-ifp": true,
	}
)

// maxOptions bounds the text of options.
const maxOptions = 1 << 20

// ParseOptions reads options as a host gives them: words separated by spaces, with double
// quotes around what has spaces in it. own has the compiler's own options: those with a value
// are given as --NAME VALUE or --NAME=VALUE. The error wraps the result of the mode.
func ParseOptions(text string, mode OptionsMode, own []CompilationOption) (*Options, error) {
	bad := func(format string, args ...any) (*Options, error) {
		return nil, failed("ParseOptions", mode.result(), format, args...)
	}
	words, err := splitOptions(text)
	if err != nil {
		return bad("%v", err)
	}
	o := &Options{}
	for i := 0; i < len(words); i++ {
		word := words[i]
		// value takes what stands behind the option, or in the next word.
		value := func(attached string) (string, error) {
			if attached != "" {
				return attached, nil
			}
			if i++; i == len(words) {
				return "", fmt.Errorf("%s wants a value", word)
			}
			return words[i], nil
		}
		var err error
		name, attached, has := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "--"):
			err = o.device(own, name, attached, has, value)
		case mode != OptionsLink && strings.HasPrefix(word, "-D"):
			var d string
			if d, err = value(word[2:]); err == nil {
				o.Definitions = append(o.Definitions, d)
			}
		case mode != OptionsLink && strings.HasPrefix(word, "-I"):
			var d string
			if d, err = value(word[2:]); err == nil {
				o.Includes = append(o.Includes, d)
			}
		case mode != OptionsLink && name == "-cl-std" && has && attached != "":
			o.Std = attached
		case mode != OptionsLink && compilerFlags[word], mode != OptionsCompile && linkerFlags[word]:
			o.Flags = append(o.Flags, word)
		default:
			err = fmt.Errorf("%q is not one of the options", word)
		}
		if err != nil {
			return bad("%v", err)
		}
	}
	return o, nil
}

// device takes an option of the compiler's own.
func (o *Options) device(own []CompilationOption, name, attached string, has bool, value func(string) (string, error)) error {
	for _, c := range own {
		if c.Name != name {
			continue
		}
		switch {
		case !c.TakesValue && has:
			return fmt.Errorf("%s takes no value", name)
		case c.TakesValue && has && attached == "":
			return fmt.Errorf("%s wants a value", name)
		case c.TakesValue:
			var err error
			if attached, err = value(attached); err != nil {
				return err
			}
		}
		o.Device = append(o.Device, OptionValue{name, attached})
		return nil
	}
	return fmt.Errorf("%q is not one of the compiler's options", name)
}

// splitOptions cuts a text into words.
func splitOptions(text string) ([]string, error) {
	if len(text) > maxOptions {
		return nil, fmt.Errorf("%d bytes of options; there may be %d", len(text), maxOptions)
	}
	var words []string
	var word strings.Builder
	quoted, open := false, false
	for _, r := range text {
		switch {
		case r == 0:
			return nil, fmt.Errorf("the options have a zero byte")
		case r == '"':
			quoted, open = !quoted, true
		case !quoted && unicode.IsSpace(r):
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a double quote is missing")
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}
