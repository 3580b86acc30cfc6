package emu_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lockstep-gpu/lockstep/emu"
)

// engineProcess is an environment variable that makes TestEngineProcess do what it is there for.
const engineProcess = "LOCKSTEP_TEST_ENGINE_PROCESS"

// TestEngineProcess runs in a process of its own, see TestNoMachineCode: it runs a kernel on the engine auto.
func TestEngineProcess(t *testing.T) {
	how := os.Getenv(engineProcess)
	switch how {
	case "":
		t.Skip("part of TestNoMachineCode")
	case "refused":
		// From here on the system makes no memory executable that was writable.
		if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
			fmt.Println("no such system:", err)
			return
		}
	}
	d := device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, "launch"), "saxpy")
	out := buffer[float32](t, d, 1, 2, 3, 4)
	mustRun(t, &emu.Launch{Kernel: k, Range: emu.Range(4), Args: []emu.Arg{emu.Value(float32(2)), buffer[float32](t, d, 1, 1, 2, 2), out}})
	fmt.Printf("engines %v, auto is %s, because: %v, results %v\n", emu.Engines(), d.Limits().Engine, k.Portable(), contents[float32](t, out))
	if _, err := emu.NewDevice(emu.DeviceOptions{Engine: "native"}); err != nil {
		fmt.Println("native:", err)
	}
}

// TestNoMachineCode sees that the portable engine takes over where the processor is not to be used, and where the
// system refuses executable memory.
func TestNoMachineCode(t *testing.T) {
	for how, want := range map[string]string{
		"none":    `no machine code on this processor: LOCKSTEP_CPU is "none"`,
		"refused": "codemem: making ",
	} {
		t.Run(how, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestEngineProcess$", "-test.v")
			cpu := ""
			if how == "none" {
				cpu = how
			}
			cmd.Env = append(os.Environ(), engineProcess+"="+how, "LOCKSTEP_CPU="+cpu)
			out, err := cmd.CombinedOutput()
			got := string(out)
			switch {
			case err != nil:
				t.Fatalf("%v\n%s", err, got)
			case strings.Contains(got, "no such system"):
				t.Skip(got)
			}
			if !strings.Contains(got, "engines [auto interp], auto is interp, because: ") || !strings.Contains(got, want) || !strings.Contains(got, "results [3 4 7 8]") ||
				!strings.Contains(got, `native: engine "native": `) {
				t.Errorf("the process says:\n%s", got)
			}
		})
	}
}
