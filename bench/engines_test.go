package bench

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// compareVariable is an environment variable: with "large", TestEnginesAgree runs the large launches.
const compareVariable = "LOCKSTEP_COMPARE"

// TestEnginesAgree runs the workloads, and the kernels of package kernels at many times the size of their launches, on both
// engines, which must agree on memory, output, counters and findings. The kernels then go beyond what their references know:
// each worker goes through many work-groups, and some accesses may be out of bounds.
func TestEnginesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of launches")
	}
	if d, err := emu.NewDevice(emu.DeviceOptions{Engine: "compare"}); err != nil {
		t.Skip(err)
	} else if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	large := os.Getenv(compareVariable) == "large"
	for _, w := range workloads(t) {
		l := w.Small
		if w.Set == Fields && !large {
			continue // the kernels below have them
		}
		if large {
			l = w.Large
		}
		agree(t, w.Kernel, l)
	}
	items := uint64(1 << 12)
	if large {
		items = 1 << 17
	}
	n := 0
	for _, k := range kernels.All() {
		if l, ok := scaled(t, k.Launch, items); ok {
			n++
			agree(t, k, l)
		}
	}
	if n < 100 {
		t.Errorf("%d kernels", n)
	}
}

// agree runs a launch on both engines.
func agree(t *testing.T, k *kernels.Kernel, l kernels.Launch) {
	t.Helper()
	s, err := Open(k, l, emu.DeviceOptions{Engine: "compare"})
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	res, _, err := s.Run(t.Context())
	var failed *emu.FindingsError
	switch {
	case errors.Is(err, emu.ErrNotCompared):
		t.Logf("%v", err)
	case err != nil && !errors.As(err, &failed):
		t.Errorf("%s: %v", k.Name, err)
	case res != nil:
		for i := range res.Findings.Findings {
			if f := &res.Findings.Findings[i]; f.Code == "E-ENGINEDIFF" && f.Severity == "error" {
				t.Errorf("%s %+v:\n%s", k.Name, l, f.Text())
			}
		}
	}
}

// scaled returns a launch with so many times the work-items of another that there are about as many as are asked for,
// and as many times the elements in each buffer. It says whether the launch has no arguments but buffers, values and local memory.
func scaled(t *testing.T, l kernels.Launch, want uint64) (kernels.Launch, bool) {
	t.Helper()
	factor := max(want/items(l), 1)
	l.Global, l.Args = slices.Clone(l.Global), slices.Clone(l.Args)
	l.Global[0] *= factor
	args, err := ParseArgs(l)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		switch a.Kind {
		case argspec.Null, argspec.Local, argspec.Value:
		case argspec.Buffer:
			// FORM:TYPE:COUNT…
			part := strings.SplitN(l.Args[i], ":", 4)
			if n, err := strconv.ParseUint(part[min(2, len(part)-1)], 10, 32); err == nil && part[0] != "buf" && part[0] != "in" {
				part[2] = strconv.FormatUint(n*factor, 10)
				l.Args[i] = strings.Join(part, ":")
			}
		default:
			return l, false
		}
	}
	return l, true
}
