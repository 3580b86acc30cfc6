package clc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// Version is a version of OpenCL C, as __OPENCL_C_VERSION__ writes it.
type Version int

// The versions of OpenCL C.
const (
	CL10 Version = 100
	CL11 Version = 110
	CL12 Version = 120
	CL20 Version = 200
	CL30 Version = 300
)

// Options shape a compilation. The zero value compiles OpenCL C 3.0 for a 64-bit device.
type Options struct {
	Version     Version // 0 is CL30
	AddressBits int     // 32 or 64; 0 is 64
	// SPIRV is the version of the module, 1.0 to 1.6; 0 is 1.4. What a version lacks is an error where the
	// source needs it.
	SPIRV spirv.Version

	// Definitions are macros: NAME or NAME=TEXT. "-NAME" undefines one that is predefined or was defined
	// before.
	Definitions []string
	// Include has the folders in which #include looks, in order. "" is the folder of the headers without one.
	Include []string
	// Headers are texts by the name by which sources include them, with slashes. They are found before Open
	// is asked.
	Headers map[string]string
	// Open reads a header, with a name that begins with the folder of the including file or one of Include,
	// unless these are empty. ok is false where there is none. nil reads nothing: a source sees Headers
	// alone.
	Open func(name string) (text string, ok bool)

	// ExportKernels lets functions of other modules call the kernels once these are linked, as programs of
	// clCompileProgram may. Each kernel then has a function of its name, which is exported, besides its entry point.
	ExportKernels bool

	// Without has extensions and optional features that are left out, by name: those that a device lacks.
	Without map[string]bool

	Debug      bool     // -g: variables, types and scopes (OpenCL.DebugInfo.100)
	Warnings   []string // -W options without their "-W": "all", "no-unused-variable", "error"
	NoWarnings bool     // -w
	MaxErrors  int      // errors after which the compiler stops; 0 is 1000

	SinglePrecisionConstant bool // -cl-single-precision-constant
	OptDisable              bool // -cl-opt-disable

	// These promise something about floats. The module says so, in decorations FPFastMathMode of the
	// arithmetic that the source writes as operators.
	NoSignedZeros   bool // -cl-no-signed-zeros: NSZ
	FiniteMathOnly  bool // -cl-finite-math-only: NotNaN and NotInf
	UnsafeMath      bool // -cl-unsafe-math-optimizations: NSZ and AllowRecip
	FastRelaxedMath bool // -cl-fast-relaxed-math: all of these

	// These change no module. Products and sums are contracted by FP_CONTRACT alone, SPIR-V has no word for a
	// kernel that must or need not round divisions correctly, denormals may stay under -cl-denorms-are-zero,
	// which is a permission, and launches say whether work-groups are uniform.
	DenormsAreZero       bool // -cl-denorms-are-zero
	CorrectlyRounded     bool // -cl-fp32-correctly-rounded-divide-sqrt
	MadEnable            bool // -cl-mad-enable
	UniformWorkGroupSize bool // -cl-uniform-work-group-size
}

// OptionError is an option that ParseOptions does not accept.
type OptionError struct{ Option, Reason string }

// Error returns "option -cl-std=CL9.0: …".
func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }

var errQuote = errors.New("a quotation mark is not closed")

// SplitOptions splits a text of options at white space. Quotation marks and backslashes keep white space, as
// in a POSIX shell.
func SplitOptions(text string) ([]string, error) {
	var list []string
	var word []byte
	in, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text) && (quote == 0 || text[i+1] == quote || text[i+1] == '\\'):
			i++
			word, in = append(word, text[i]), true
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if in {
				list, word, in = append(list, string(word)), word[:0], false
			}
		default:
			word, in = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, &OptionError{text, errQuote.Error()}
	}
	if in {
		list = append(list, string(word))
	}
	return list, nil
}

// flags are the options that are words alone.
var flags = map[string]func(o *Options) *bool{
	"-cl-single-precision-constant":          func(o *Options) *bool { return &o.SinglePrecisionConstant },
	"-cl-denorms-are-zero":                   func(o *Options) *bool { return &o.DenormsAreZero },
	"-cl-fp32-correctly-rounded-divide-sqrt": func(o *Options) *bool { return &o.CorrectlyRounded },
	"-cl-mad-enable":                         func(o *Options) *bool { return &o.MadEnable },
	"-cl-no-signed-zeros":                    func(o *Options) *bool { return &o.NoSignedZeros },
	"-cl-finite-math-only":                   func(o *Options) *bool { return &o.FiniteMathOnly },
	"-cl-unsafe-math-optimizations":          func(o *Options) *bool { return &o.UnsafeMath },
	"-cl-fast-relaxed-math":                  func(o *Options) *bool { return &o.FastRelaxedMath },
	"-cl-uniform-work-group-size":            func(o *Options) *bool { return &o.UniformWorkGroupSize },
	"-cl-opt-disable":                        func(o *Options) *bool { return &o.OptDisable },
	"-g":                                     func(o *Options) *bool { return &o.Debug },
	"-w":                                     func(o *Options) *bool { return &o.NoWarnings },
}

// ignored are options of clBuildProgram and clCompileProgram that change nothing here: the information about
// kernel arguments is always there, and the others are hints to optimizers or for linking.
var ignored = []string{"-cl-kernel-arg-info", "-cl-strict-aliasing", "-cl-no-subgroup-ifp", "-create-library",
	"-enable-link-options", "-O0", "-O1", "-O2", "-O3", "-Os", "-gline-tables-only"}

const (
	spirvOption   = "-spirv-version="
	spirvVersions = "versions are 1.0 to 1.6"
)

var versions = map[string]Version{"CL": CL10, "CL1.0": CL10, "CL1.1": CL11, "CL1.2": CL12, "CL2.0": CL20, "CL3.0": CL30}

// IsOption reports whether a word is, or begins, an option of the compiler that Add takes; takesValue says
// that the next word belongs to it.
func IsOption(word string) (is, takesValue bool) {
	switch {
	case word == "-D" || word == "-U" || word == "-I":
		return true, true
	case strings.HasPrefix(word, spirvOption), strings.HasPrefix(word, "-D"), strings.HasPrefix(word, "-U"), strings.HasPrefix(word, "-I"),
		strings.HasPrefix(word, "-W"), strings.HasPrefix(word, "-cl-"):
		return true, false
	}
	return flags[word] != nil || strings.HasPrefix(word, "-O") && slices.Contains(ignored, word), false
}

// Add adds options as clBuildProgram takes them (OpenCL API 5.8.6), each a word: "-D", "N=64",
// "-cl-std=CL2.0". The error is an *OptionError.
func (o *Options) Add(words []string) error {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) >= 2 && (w[:2] == "-D" || w[:2] == "-U" || w[:2] == "-I") {
			value := w[2:]
			if value == "" {
				if i+1 == len(words) {
					return &OptionError{w, "its value is missing"}
				}
				i++
				value = words[i]
			}
			switch w[1] {
			case 'D':
				o.Definitions = append(o.Definitions, value)
			case 'U':
				o.Definitions = append(o.Definitions, "-"+value)
			case 'I':
				o.Include = append(o.Include, value)
			}
			continue
		}
		if err := o.add(w); err != nil {
			return err
		}
	}
	return nil
}

// add adds an option that is one word.
func (o *Options) add(w string) error {
	if f := flags[w]; f != nil {
		*f(o) = true
		return nil
	}
	if std, ok := strings.CutPrefix(w, "-cl-std="); ok {
		v, ok := versions[strings.ToUpper(std)]
		if !ok {
			return &OptionError{w, "versions are CL1.0, CL1.1, CL1.2, CL2.0 and CL3.0"}
		}
		o.Version = v
		return nil
	}
	if text, ok := strings.CutPrefix(w, spirvOption); ok {
		minor, ok := strings.CutPrefix(text, "1.")
		if !ok || len(minor) != 1 || minor[0] < '0' || minor[0] > '6' {
			return &OptionError{w, spirvVersions}
		}
		o.SPIRV = spirv.Version10 + spirv.Version(minor[0]-'0')<<8
		return nil
	}
	if name, ok := strings.CutPrefix(w, "-W"); ok {
		o.Warnings = append(o.Warnings, name) // -W is -Wextra
		return nil
	}
	if list, ok := strings.CutPrefix(w, "-cl-ext="); ok {
		return o.extensions(w, list)
	}
	if slices.Contains(ignored, w) {
		return nil
	}
	return unknownOption(w)
}

// extensions reads -cl-ext=-NAME,+NAME,-all.
func (o *Options) extensions(option, list string) error {
	if o.Without == nil {
		o.Without = map[string]bool{}
	}
	for _, word := range strings.Split(list, ",") {
		if len(word) < 2 || word[0] != '+' && word[0] != '-' {
			return &OptionError{option, "extensions have + or - before their names"}
		}
		name, off := word[1:], word[0] == '-'
		if name != "all" {
			o.Without[name] = off
			continue
		}
		for _, f := range lang.Features {
			o.Without[f.Name] = off
		}
	}
	return nil
}
