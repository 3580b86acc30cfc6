package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// The yardsticks are kernels written by hand in C, for what a processor can do
// at all. They are compiled when the program runs.

//go:embed yardstick
var yardstickSources embed.FS

// yardsticks are the kernels that there are, by name: the dimension whose work-items
// are parted among threads, which is the last one, and the number of them that
// a part is a multiple of.
var yardsticks = map[string]struct{ dimension, multiple int }{
	"inthash":    {0, 128},
	"mandelbrot": {1, 4},
	"nbody":      {0, 32},
}

func hasYardstick(k *kernels.Kernel) bool {
	_, ok := yardsticks[k.Name]
	return ok
}

// compilers are tried in turn.
var compilers = []string{"clang", "clang-15"}

// compileOptions are for what the processor has, without liberties in the
// arithmetic.
var compileOptions = []string{"-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared"}

// yardstick compiles the kernels in C and adds them, where they can be had.
func (c *comparison) yardstick(ctx context.Context) error {
	if c.implementations[0].Name != nativeAVX512 {
		c.note("no kernels in C: they need AVX-512")
		return nil
	}
	compiler := findCompiler()
	if compiler == "" {
		c.note("no kernels in C: there is no clang; on Debian, apt-get install clang-15")
		return nil
	}
	library, err := compileYardstick(ctx, compiler, c.dir)
	if err != nil {
		return err
	}
	impl := Implementation{Name: handwritten, Version: compilerVersion(ctx, compiler), Device: strings.Join(compileOptions, " ")}
	return c.add(ctx, impl, workerKind{library: library, index: yardstickIndex})
}

// findCompiler gives the path of one of the compilers, or "".
func findCompiler() string {
	for _, name := range compilers {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

// compileYardstick makes a library in dir.
func compileYardstick(ctx context.Context, compiler, dir string) (string, error) {
	if err := os.CopyFS(dir, yardstickSources); err != nil {
		return "", err
	}
	library := filepath.Join(dir, "yardstick.so")
	args := append(slices.Clone(compileOptions), "-o", library)
	for name := range yardsticks {
		args = append(args, filepath.Join(dir, "yardstick", name+".c"))
	}
	slices.Sort(args[len(compileOptions)+2:])
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("compiling the kernels in C: %w", err)
	}
	return library, nil
}

// compilerVersion is the first line of what a compiler says about itself.
func compilerVersion(ctx context.Context, compiler string) string {
	out, err := exec.CommandContext(ctx, compiler, "--version").Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(first)
}

// yardstickLaunch is struct launch of yardstick.h.
type yardstickLaunch struct {
	arg    [8]unsafe.Pointer
	global [3]uintptr
}

// yardstickLibrary is the compiled library.
type yardstickLibrary struct{ handle uintptr }

func loadYardstick(path string) (implementation, error) {
	handle, err := openLibrary(path)
	return yardstickLibrary{handle}, err
}

// yardstickSession is one launch of a kernel in C.
type yardstickSession struct {
	kernel *kernels.Kernel
	first  [][]byte // contents of the arguments before a run
	data   [][]byte
	launch *yardstickLaunch
	pin    runtime.Pinner
	call   func(l unsafe.Pointer, begin, end uintptr)
	items  int // of the dimension that is parted
	part   int
}

// parts is about how many parts a launch has: enough that threads end at the
// same time where parts differ.
const parts = 64

func (y yardstickLibrary) open(k *kernels.Kernel, q *request) (session, error) {
	shape, ok := yardsticks[k.Name]
	if !ok {
		return nil, fmt.Errorf("kernel %s is not there in C", k.Name)
	}
	symbol, err := findSymbol(y.handle, k.Name)
	if err != nil {
		return nil, err
	}
	args, err := bench.ParseArgs(q.Launch)
	if err != nil {
		return nil, err
	}
	s := &yardstickSession{kernel: k, launch: &yardstickLaunch{}, items: int(q.Launch.Global[shape.dimension])}
	if len(args) > len(s.launch.arg) || s.items%shape.multiple != 0 {
		return nil, errors.New("the launch does not fit the kernel in C")
	}
	s.part = max(s.items/parts/shape.multiple, 1) * shape.multiple
	s.pin.Pin(s.launch)
	for i, a := range args {
		if a.Kind != argspec.Buffer && a.Kind != argspec.Value || len(a.Data) == 0 {
			return nil, fmt.Errorf("argument %d is neither a buffer nor a value", i)
		}
		s.first = append(s.first, a.Data)
		s.data = append(s.data, slices.Clone(a.Data))
		s.pin.Pin(&s.data[i][0])
		s.launch.arg[i] = unsafe.Pointer(&s.data[i][0])
	}
	for i, n := range q.Launch.Global {
		s.launch.global[i] = uintptr(n)
	}
	purego.RegisterFunc(&s.call, symbol)
	return s, nil
}

func (s *yardstickSession) build() time.Duration { return 0 }

func (s *yardstickSession) reset() error {
	for _, i := range s.kernel.Outputs {
		copy(s.data[i], s.first[i])
	}
	return nil
}

// run gives each CPU a thread, which takes parts until there are none left.
func (s *yardstickSession) run() (time.Duration, error) {
	begin := time.Now()
	var next atomic.Int64
	var threads sync.WaitGroup
	for range runtime.NumCPU() {
		threads.Go(func() {
			for {
				end := int(next.Add(int64(s.part)))
				if end-s.part >= s.items {
					return
				}
				s.call(unsafe.Pointer(s.launch), uintptr(end-s.part), uintptr(min(end, s.items)))
			}
		})
	}
	threads.Wait()
	return time.Since(begin), nil
}

func (s *yardstickSession) outputs() ([][]byte, error) {
	var out [][]byte
	for _, i := range s.kernel.Outputs {
		out = append(out, slices.Clone(s.data[i]))
	}
	return out, nil
}

func (s *yardstickSession) close() error {
	s.pin.Unpin()
	return nil
}
