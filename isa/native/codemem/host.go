package codemem

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/cpu"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Variable is the environment variable that narrows what [Host] finds: "none" for no machine code at all,
// "avx2" or "avx512" for nothing beyond these. Empty or unset, it leaves everything. It cannot add what the
// processor lacks.
const Variable = "LOCKSTEP_CPU"

// ErrProcessor is wrapped by the error of [Host] where the processor lacks what generated code needs, or the
// environment says that it is not to be used.
var ErrProcessor = errors.New("codemem: no machine code on this processor")

// Host says which instructions generated code may use here. The error is the reason why there can be none:
// the system has no support (it wraps ErrUnsupported) or refuses executable memory, the processor has no
// AVX2, or [Variable] says so (it wraps ErrProcessor).
func Host() (amd64.Features, error) { return hostFeatures() }

var hostFeatures = sync.OnceValues(func() (amd64.Features, error) {
	f, err := narrow(processor(), os.Getenv(Variable))
	if err != nil {
		return 0, err
	}
	if err := try(host); err != nil {
		return 0, err
	}
	return f, nil
})

// processor is what the processor has and the system lets programs use.
func processor() amd64.Features {
	x := &cpu.X86
	var f amd64.Features
	if runtime.GOARCH != "amd64" ||
		!(x.HasAVX && x.HasAVX2 && x.HasFMA && x.HasF16C && x.HasBMI1 && x.HasBMI2 && x.HasLZCNT && x.HasPOPCNT) {
		return 0
	}
	f |= amd64.AVX2
	if !(x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL) {
		return f
	}
	f |= amd64.AVX512
	for _, e := range []struct {
		has     bool
		feature amd64.Features
	}{
		{x.HasAVX512VBMI, amd64.VBMI},
		{x.HasAVX512VBMI2, amd64.VBMI2},
		{x.HasAVX512BITALG, amd64.BITALG},
		{x.HasAVX512VPOPCNTDQ, amd64.VPOPCNTDQ},
	} {
		if e.has {
			f |= e.feature
		}
	}
	return f
}

// narrow is what remains of f under the given value of Variable.
func narrow(f amd64.Features, value string) (amd64.Features, error) {
	if runtime.GOARCH != "amd64" {
		return 0, ErrUnsupported
	}
	switch value {
	case "":
	case "none":
		return 0, fmt.Errorf("%w: %s is %q", ErrProcessor, Variable, value)
	case "avx2":
		f &= amd64.AVX2
	case "avx512":
		if f&amd64.AVX512 == 0 {
			return 0, fmt.Errorf("%w: %s is %q, but it has no AVX-512 (F, BW, CD, DQ and VL)", ErrProcessor, Variable, value)
		}
		f &= amd64.AVX2 | amd64.AVX512
	default:
		return 0, fmt.Errorf("%w: %s is %q; it may be none, avx2 or avx512, or empty", ErrProcessor, Variable, value)
	}
	if f&amd64.AVX2 == 0 {
		return 0, fmt.Errorf("%w: it lacks AVX2, or FMA, F16C, BMI1, BMI2, LZCNT or POPCNT", ErrProcessor)
	}
	return f, nil
}

// try loads and calls the smallest function.
func try(sys system) error {
	a := amd64.New(amd64.AVX2)
	a.G(amd64.RET, amd64.B64)
	code, err := a.Finish()
	if err != nil {
		return err
	}
	c, err := load(sys, [][]byte{code})
	if err != nil {
		return err
	}
	err = c.Func(0).Call(nil)
	return errors.Join(err, c.Close())
}
