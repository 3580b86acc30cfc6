// Package judge asks GNU MPFR what the functions of package clmath should give. It compiles a C program, which needs
// gcc and libmpfr-dev, and sends arguments through it. It serves tests and the command that measures accuracy, and
// knows nothing of package clmath.
package judge

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed mpfr/judge.c
var source string

// A Judge is the compiled program.
type Judge struct{ program string }

// Build compiles the program into a folder.
func Build(dir string) (*Judge, error) {
	program := filepath.Join(dir, "judge")
	cmd := exec.Command("gcc", "-O2", "-x", "c", "-o", program, "-", "-lmpfr", "-lgmp", "-lm")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the judge (are gcc and libmpfr-dev installed?): %w\n%s", err, out)
	}
	return &Judge{program}, nil
}

// Answer is the correctly rounded result of a function, and the true value less that result, in units of the last
// place.
type Answer struct{ Result, Off float64 }

// Points returns the answers for arguments, so many for each point, in a format of 16, 32 or 64 bits.
func (j *Judge) Points(function string, bits, arity int, args []float64) ([]Answer, error) {
	in := make([]byte, 0, 8*len(args))
	for _, x := range args {
		in = binary.NativeEndian.AppendUint64(in, math.Float64bits(x))
	}
	cmd := exec.Command(j.program, function, "points", fmt.Sprint(bits))
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the judge about %s: %w", function, err)
	}
	answers := make([]Answer, len(args)/arity)
	if len(out) != 16*len(answers) {
		return nil, fmt.Errorf("the judge gave %d bytes for %d points of %s", len(out), len(answers), function)
	}
	for i := range answers {
		answers[i].Result = math.Float64frombits(binary.NativeEndian.Uint64(out[16*i:]))
		answers[i].Off = math.Float64frombits(binary.NativeEndian.Uint64(out[16*i+8:]))
	}
	return answers, nil
}

// Sweep calls f with the answers for every stride-th float32, in the order of their bits, and returns how many there
// were. The difference of an answer is good to 2^-19.
func (j *Judge) Sweep(function string, stride uint64, f func(x, result, off float32)) (uint64, error) {
	count := (1<<32 + stride - 1) / stride
	cmd := exec.Command(j.program, function, "sweep", "0", fmt.Sprint(count), fmt.Sprint(stride))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	in := bufio.NewReaderSize(pipe, 1<<17)
	var pair [8]byte
	for i := range count {
		if _, err := io.ReadFull(in, pair[:]); err != nil {
			return 0, fmt.Errorf("reading the judge's answers about %s: %w", function, err)
		}
		f(math.Float32frombits(uint32(i*stride)), math.Float32frombits(binary.NativeEndian.Uint32(pair[:4])),
			math.Float32frombits(binary.NativeEndian.Uint32(pair[4:])))
	}
	return count, cmd.Wait()
}
