package bench

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// OrdinaryLines is the length of the source that the compiler of OpenCL C is timed with.
const OrdinaryLines = 100_000

// ordinaryModules are the sources of conformance/kernels that OrdinarySource repeats.
var ordinaryModules = strings.Fields("sha256 fft aes128 kmeans mandelbrot nbody matmul scan bitonic blackscholes crc32 " +
	"inthash lu philox reduce saxpy spmv stencil transpose vecadd histogram collatz strsearch tiles2d divergence")

var (
	// ordinaryNames are names that begin a line of such a source: what has to be renamed for it to stand in one text
	// several times.
	ordinaryNames = regexp.MustCompile(`(?m)^(?:[A-Za-z_][^=;({\n]*?[\s*])(\w+)\s*[(\[=;]|^#define (\w+)|^} (\w+);`)
	identifier    = regexp.MustCompile(`\b[A-Za-z_]\w*\b`)
)

// OrdinarySource returns a source of ordinary kernel code of about n lines: kernels of conformance/kernels, again and
// again under other names.
func OrdinarySource(n int) (string, error) {
	sources := map[string]string{}
	for _, k := range kernels.All() {
		sources[k.Module] = k.Source()
	}
	var b strings.Builder
	for k, lines := 0, 0; lines < n; k++ {
		module := ordinaryModules[k%len(ordinaryModules)]
		text, ok := sources[module]
		if !ok {
			return "", fmt.Errorf("no kernel has the source %s.cl", module)
		}
		renamed := map[string]bool{}
		for _, m := range ordinaryNames.FindAllStringSubmatch(text, -1) {
			for _, name := range m[1:] {
				if name != "" && name != "__attribute__" && name != "reqd_work_group_size" {
					renamed[name] = true
				}
			}
		}
		b.WriteString(identifier.ReplaceAllStringFunc(text, func(s string) string {
			if renamed[s] {
				return fmt.Sprintf("%s_%d", s, k)
			}
			return s
		}))
		lines += strings.Count(text, "\n")
	}
	return b.String(), nil
}

// LargestSource returns the longest source of conformance/kernels, and its name.
func LargestSource() (name, text string) {
	for _, k := range kernels.All() {
		if s := k.Source(); len(s) > len(text) {
			name, text = k.Module+".cl", s
		}
	}
	return name, text
}
