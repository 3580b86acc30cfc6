package checks

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var (
	findForm   = regexp.MustCompile(`// find (E-[A-Z0-9]+)\b`)
	kernelForm = regexp.MustCompile(`(?m)^\s*(?:__)?kernel\s+(?:__attribute__\(\(.*\)\)\s*)*void\s+` +
		`(?:__attribute__\(\(.*\)\)\s*)*(\w+)\s*\(`)
)

// TestScan compares what is read with regular expressions: of all cases, and of what no case has.
func TestScan(t *testing.T) {
	sources := []string{
		"kernel void k(", "__kernel\tvoid\n k (int a)\nkernel void l()", "\n\n  kernel\nvoid k\n(", "a kernel void k()",
		"kernel int k()", "kernelvoid k()", "kernel voidk()", "kernel void ()", "kernel void k", "_kernel void k()",
		"kernel __attribute__((vec_type_hint(float4))) void __attribute__((a))__attribute__((b (c)))\nk(int)",
		"kernel __attribute__((a)) int k()", "kernel __attribute__((a\nb)) void k()", "kernel __attribute__((a", "kernel",
		"kernel void k() {} // find E-RACE // find E-OOB, // find E-A_ // find E- // find E-OOBx // find E-1\xff", "",
	}
	for _, folder := range []string{"faulty", "right"} {
		for _, c := range loadCases(t, folder) {
			sources = append(sources, c.Source)
		}
	}
	for _, source := range sources {
		var names, codes, gotCodes []string
		for _, m := range kernelForm.FindAllStringSubmatch(source, -1) {
			names = append(names, m[1])
		}
		for line := range strings.Lines(source) {
			for _, m := range findForm.FindAllStringSubmatch(line, -1) {
				codes = append(codes, m[1])
			}
			gotCodes = append(gotCodes, findCodes(line)...)
		}
		if diff := cmp.Diff([][]string{names, codes}, [][]string{kernelNames(source), gotCodes}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%.300q: %s", source, diff)
		}
	}
}
