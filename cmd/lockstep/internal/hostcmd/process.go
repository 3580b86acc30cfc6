package hostcmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/icd"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// Signalled is what is added to the number of the signal that ended a program, as shells do.
const Signalled = 128

// RunProgram runs a program with the standard streams of this process, and returns its exit status. An interrupt of
// the terminal reaches the program by itself; the end of ctx is passed on.
func RunProgram(ctx context.Context, p cmdline.Program) (int, error) {
	dir, err := os.MkdirTemp("", "lockstep-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	driver, err := filepath.Abs(p.Driver)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "lockstep.icd"), []byte(driver+"\n"), 0o666); err != nil {
		return 0, err
	}
	loader := slices.ContainsFunc(icd.LoaderPaths(runtime.GOOS), func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
	if !loader {
		if err := standIn(driver, dir); err != nil {
			return 0, err
		}
	}
	tally := filepath.Join(dir, "tally")
	cmd := exec.CommandContext(ctx, p.Args[0], p.Args[1:]...)
	cmd.Env = append(icd.Environment(runtime.GOOS, os.Environ(), dir, driver, loader),
		hostrun.Variable+"="+p.Options, hostrun.TallyVariable+"="+tally)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Dir, os.Stdin, os.Stdout, os.Stderr
	if p.Stdout != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
		cmd.WaitDelay = time.Second // for who has its files from a program that has ended
	}
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	err = cmd.Run()
	if text, err := os.ReadFile(tally); err == nil {
		p.Tally(string(text))
	}
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &ended):
		return 0, err
	case ended.ExitCode() < 0:
		return Signalled + signalOf(ended.ProcessState), nil
	}
	return ended.ExitCode(), nil
}

// standIn puts the driver where a program without a loader looks for OpenCL.
func standIn(driver, dir string) error {
	name := filepath.Join(dir, icd.LoaderName(runtime.GOOS))
	if runtime.GOOS != "windows" {
		return os.Symlink(driver, name)
	}
	data, err := os.ReadFile(driver)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o777)
}

// Temporary calls f with the path of a file that is not there yet, and removes it behind.
func Temporary(f func(path string) error) error {
	dir, err := os.MkdirTemp("", "lockstep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(filepath.Join(dir, "file"))
}
