package cmdline

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// SourceOptions are the flags that say how OpenCL C is compiled.
type SourceOptions struct {
	FrontEnd string
	Words    []string // options of the compiler, as clBuildProgram takes them
	// All says that whatever is no module is a source, not only what looks like one.
	All bool
	// CodeOnly says that modules are written as they come out of the compiler: Module.Code is enough.
	CodeOnly bool
	// Color is the flag -color: "auto", "always" or "never".
	Color string
}

// The compilers that -front-end names.
const (
	OwnFrontEnd   = "lockstep"
	ClangFrontEnd = "clang"
)

// The environment variables that say which programs -front-end clang runs, and with which arguments.
const (
	ClangVariable      = "LOCKSTEP_CLANG"
	TranslatorVariable = "LOCKSTEP_LLVM_SPIRV"
	FlagsVariable      = "LOCKSTEP_CLANG_FLAGS"
)

// Compiler declares the flags of commands that take OpenCL C. The options themselves (-D N=64, -cl-std=CL2.0)
// are no flags of the flag package: parsing.next gives them to option.
func (f *Flags) Compiler() {
	f.Source = &SourceOptions{Color: "auto"}
	f.StringVar(&f.Source.FrontEnd, "front-end", OwnFrontEnd,
		"compile OpenCL C with `NAME`: lockstep, or clang, which has to be installed\n(lockstep help opencl)")
}

// option takes a word of the command line, and the one behind it if that is its value, when it is an option
// of the compiler.
func (p *parsing) option(w word) (bool, error) {
	if p.f.Source == nil {
		return false, nil
	}
	is, takesValue := clc.IsOption(w.text)
	if !is {
		return false, nil
	}
	p.f.Source.Words = append(p.f.Source.Words, w.text)
	if takesValue {
		if len(p.words) == 0 || p.words[0].from == "" && w.from != "" {
			return true, p.fail(w, "%s needs a value, such as %s", w.text,
				map[string]string{"-D": "-D N=64", "-U": "-U NDEBUG", "-I": "-I include"}[w.text])
		}
		p.f.Source.Words = append(p.f.Source.Words, p.take().text)
	}
	return true, nil
}

// Check refuses a front end and options that there are not.
func (s *SourceOptions) Check(command string) error {
	if s.FrontEnd != OwnFrontEnd && s.FrontEnd != ClangFrontEnd {
		return Usagef("help "+command, "%s: -front-end %s: front ends are %s and %s", command, s.FrontEnd, OwnFrontEnd, ClangFrontEnd)
	}
	var o clc.Options
	err := o.Add(s.Words)
	var wrong *clc.OptionError
	if errors.As(err, &wrong) && s.FrontEnd == OwnFrontEnd {
		return Usagef("help opencl", "%s: %s: %s", command, wrong.Option, wrong.Reason)
	}
	return nil
}
