package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
)

// The OpenCL driver, cmd/opencl, is measured by a program in C that knows nothing of Go. It is compiled when the command runs.

//go:embed driver/driver.c
var driverSource []byte

// driverTable is the title above the figures about the OpenCL driver.
const driverTable = "OpenCL driver"

// The targets.
const (
	blockingTarget  = 15.0 // microseconds
	pipelinedTarget = 3.0  // likewise
	transferTarget  = 0.8  // of memcpy
	firstTarget     = 20.0 // times PoCL with an empty cache
	driverTarget    = 1.03 // of the time of the Go API
)

// cDriver is a driver that the program in C is run against.
type cDriver struct {
	host, library string
	env           func() ([]string, error)
	first         []time.Duration
	values        map[string][]float64
}

// run runs the program, and returns how long that took and what it printed.
func (d *cDriver) run(ctx context.Context, words ...string) (time.Duration, map[string]float64, error) {
	env, err := d.env()
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.CommandContext(ctx, d.host, append([]string{d.library}, words...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	begin := time.Now()
	out, err := cmd.Output()
	took := time.Since(begin)
	if err != nil {
		return 0, nil, fmt.Errorf("driver %s: %w", strings.Join(words, " "), err)
	}
	values, err := driverValues(out)
	return took, values, err
}

// driverValues reads lines of a name and a number.
func driverValues(text []byte) (map[string]float64, error) {
	values := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, number, _ := strings.Cut(lines.Text(), " ")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("driver: line %q: %w", lines.Text(), err)
		}
		values[name] = v
	}
	return values, nil
}

// round adds a round of all measurements.
func (d *cDriver) round(ctx context.Context, transfer int) error {
	took, _, err := d.run(ctx, "first")
	if err != nil {
		return err
	}
	d.first = append(d.first, took)
	for _, words := range [][]string{{"launch"}, {"copies", strconv.Itoa(transfer)}} {
		_, values, err := d.run(ctx, words...)
		if err != nil {
			return err
		}
		for name, v := range values {
			d.values[name] = append(d.values[name], v)
		}
	}
	return nil
}

// driver measures cmd/opencl by itself, beside PoCL, and against the Go API.
func (c *comparison) driver(ctx context.Context, workloads []*bench.Workload) ([]Figure, error) {
	compiler := findCompiler()
	if compiler == "" {
		c.note("no figures of the OpenCL driver: there is no clang; on Debian, apt-get install clang-15")
		return nil, nil
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	source, host, dir := filepath.Join(c.dir, "driver.c"), filepath.Join(c.dir, "driver.exe"), filepath.Join(c.dir, "opencl")
	if err := os.WriteFile(source, driverSource, 0o600); err != nil {
		return nil, err
	}
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(ctx, compiler, "-O2", "-o", host, source, "-ldl"),
		exec.CommandContext(ctx, "go", "run", "./build", "-o", dir),
	} {
		cmd.Dir = filepath.Join(root, "cmd", "opencl")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building the OpenCL driver: %w\n%s", err, bytes.TrimSpace(out))
		}
	}
	env := []string{"OCL_ICD_VENDORS=" + filepath.Join(dir, "lockstep.icd")}
	own := &cDriver{host: host, library: "libOpenCL.so.1", env: func() ([]string, error) { return env, nil }, values: map[string][]float64{}}
	drivers := []*cDriver{own}
	if vendor := poclVendor("/etc/OpenCL/vendors"); vendor == "" {
		c.note("the OpenCL driver is not held against PoCL, which is not registered in /etc/OpenCL/vendors")
	} else {
		drivers = append(drivers, &cDriver{host: host, library: own.library, env: func() ([]string, error) {
			dir, err := os.MkdirTemp(c.dir, "cache-")
			return []string{"OCL_ICD_VENDORS=" + vendor, "POCL_KERNEL_CACHE=0", "POCL_CACHE_DIR=" + dir}, err
		}, values: map[string][]float64{}})
	}
	transfer := 256 << 20
	if c.sizes == "small" {
		transfer = 16 << 20
	}
	for range c.runs {
		for _, d := range drivers {
			if err := d.round(ctx, transfer); err != nil {
				return nil, err
			}
		}
	}
	figures := driverFigures(drivers, transfer)
	kernels, err := c.driverKernels(ctx, env, workloads)
	return append(figures, kernels...), err
}

// poclVendor is the file by which the loader finds PoCL, or "".
func poclVendor(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*pocl*.icd"))
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// driverFigures are those of the program in C; the first driver is lockstep's, the second PoCL.
func driverFigures(drivers []*cDriver, transfer int) []Figure {
	own := drivers[0]
	beside := func(text func(d *cDriver) string) string {
		if len(drivers) < 2 {
			return "no PoCL"
		}
		return "PoCL: " + text(drivers[1])
	}
	launch := func(name, what string, target float64) Figure {
		v := median(own.values[name])
		return Figure{Table: driverTable, Name: "empty kernel, " + what, Value: v, Unit: "µs", Target: fmt.Sprintf("under %g", target), Verdict: verdict(v < target),
			Detail: beside(func(d *cDriver) string { return number(median(d.values[name])) + " µs" })}
	}
	part := func(d *cDriver, name string) float64 {
		var list []float64
		for i, v := range d.values[name] {
			list = append(list, v/d.values["memcpy"][i])
		}
		return median(list)
	}
	copies := func(name string) Figure {
		v := part(own, name)
		return Figure{Table: driverTable, Name: fmt.Sprintf("%s of %d MiB", name, transfer>>20), Value: v, Unit: "times the speed of memcpy",
			Target: fmt.Sprintf("at least %g", transferTarget), Verdict: verdict(v >= transferTarget),
			Detail: beside(func(d *cDriver) string { return number(part(d, name)) })}
	}
	maps := func(name, what string) Figure {
		v := median(own.values[name])
		return Figure{Table: driverTable, Name: fmt.Sprintf("map and unmap of %d MiB%s", transfer>>20, what), Value: v, Unit: "µs",
			Detail: beside(func(d *cDriver) string { return number(median(d.values[name])) + " µs" })}
	}
	figures := []Figure{
		launch("blocking", "enqueue to the end of its event", blockingTarget), launch("pipelined", "each of 1000 with one finish", pipelinedTarget),
		copies("write"), copies("read"), maps("map", ""), maps("map_use_host_ptr", " with CL_MEM_USE_HOST_PTR"),
	}
	first := Figure{Table: driverTable, Name: "saxpy from source, process start to result", Value: 1e3 * median(own.first).Seconds(), Unit: "ms"}
	figures = append(figures, first)
	if len(drivers) > 1 {
		v := median(ratios(drivers[1].first, own.first))
		figures = append(figures, Figure{Table: driverTable, Name: "the same against PoCL, empty cache", Value: v, Unit: "times the speed",
			Target: fmt.Sprintf("at least %g", firstTarget), Verdict: verdict(v >= firstTarget), Detail: "PoCL: " + milliseconds(median(drivers[1].first).Seconds())})
	}
	return figures
}

// driverKernels holds the kernels through the driver against the Go API.
func (c *comparison) driverKernels(ctx context.Context, env []string, workloads []*bench.Workload) (figures []Figure, err error) {
	p, err := startWorker(ctx, workerKind{name: "the OpenCL driver", env: env}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, w := range workloads {
		l := w.Default
		if c.sizes == "small" {
			l = w.Small
		}
		api := &rival{process: c.processes[0], request: request{Kernel: w.Name(), Launch: l, FromSource: true}}
		through := &rival{process: p, request: request{Kernel: w.Name(), Launch: l}}
		if err := c.race([]*rival{api, through}); err != nil {
			return nil, err
		}
		v := median(ratios(through.times, api.times))
		figures = append(figures, Figure{Table: driverTable, Name: w.Name() + " against the Go API", Value: v, Unit: "times the time",
			Target: fmt.Sprintf("at most %g", driverTarget), Verdict: verdict(v <= driverTarget),
			Detail: fmt.Sprintf("%s work-items: %s and %s; in CPU time %s", describe(l), milliseconds(median(through.times).Seconds()),
				milliseconds(median(api.times).Seconds()), number(median(ratios(through.cpu, api.cpu))))})
	}
	return figures, nil
}
