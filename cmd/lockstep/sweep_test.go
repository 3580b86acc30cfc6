package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// lockstep runs the command with a time limit and returns what it prints.
func lockstep(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		t.Fatalf("lockstep %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// race is a kernel with a race, and its arguments.
var race = strings.Fields("../../examples/tutorial/04-race.cl -global 16 -local 8 -arg iota:i32:16 -arg zero:i32:16 -arg local:32")

// TestKill kills an exploration in the middle; the same command then makes the rest.
func TestKill(t *testing.T) {
	args := append([]string{"explore", "-runs", "400", "-q"}, race...)
	want := lockstep(t, args...)
	file := filepath.Join(t.TempDir(), "results.jsonl")
	args = append(args, "-resume", file)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && bytes.Count(text, []byte("\n")) > 20 {
			break
		}
	}
	_ = cmd.Process.Kill() // it may be done
	_ = cmd.Wait()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := lockstep(t, args...); got != want {
		t.Errorf("after the kill:\n%s\nwant\n%s", got, want)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(after, before) {
		t.Errorf("what was there has changed, %v", err)
	}
	if got := lockstep(t, "merge", "-q", file); got != want {
		t.Errorf("merged:\n%s\nwant\n%s", got, want)
	}
}

// cluster is a Slurm cluster of this machine.
type cluster struct {
	t   *testing.T
	dir string
	env []string
}

// start starts a program that stays, and ends it with the test.
func (c *cluster) start(name string, args ...string) {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	log, err := os.Create(filepath.Join(c.dir, filepath.Base(name)+".out"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		log.Close()
	})
}

// run runs a client until it succeeds, for a minute: the daemons have to find each other first.
func (c *cluster) run(name string, args ...string) string {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		cmd := exec.Command(name, args...)
		cmd.Env = c.env
		out, err := cmd.CombinedOutput()
		if err == nil {
			return string(out)
		}
		if time.Now().After(deadline) {
			for _, log := range []string{"munged.out", "slurmctld.out", "slurmd.out"} {
				text, _ := os.ReadFile(filepath.Join(c.dir, log))
				c.t.Logf("%s:\n%s", log, text)
			}
			c.t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}

// newCluster starts munged, slurmctld and slurmd, all with files of their own. Tests that cannot are skipped.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	if testing.Short() || runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("slurmd needs Linux and root")
	}
	paths := map[string]string{}
	for _, name := range []string{"munged", "mungekey", "slurmctld", "slurmd", "sbatch", "srun", "squeue"} {
		path, err := exec.LookPath(name)
		if err != nil {
			path, err = exec.LookPath("/usr/sbin/" + name)
		}
		if err != nil {
			t.Skipf("%s is not installed (Debian: apt-get install slurm-wlm munge)", name)
		}
		paths[name] = path
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	// munged wants a short path for its socket, below folders that others cannot write to.
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ports := make([]int, 2)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	c := &cluster{t: t, dir: dir}
	at := func(name string) string { return filepath.Join(dir, name) }
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[2]s/munge.socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_res
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
StateSaveLocation=%[2]s
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES State=UP
`, host, dir, ports[0], ports[1])
	if err := os.WriteFile(at("slurm.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at("bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err == nil {
		err = os.Symlink(self, at("bin/lockstep"))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.env = append(os.Environ(), "SLURM_CONF="+at("slurm.conf"), asCommand+"=1", "PATH="+at("bin")+":"+os.Getenv("PATH"))
	c.run(paths["mungekey"], "--create", "--keyfile="+at("munge.key"))
	c.start(paths["munged"], "--foreground", "--force", "--key-file="+at("munge.key"), "--socket="+at("munge.socket"), "--pid-file="+at("munged.pid"),
		"--log-file="+at("munged.log"), "--seed-file="+at("munge.seed"))
	c.start(paths["slurmctld"], "-D", "-c")
	c.start(paths["slurmd"], "-D", "-N", host)
	return c
}

// TestSlurm runs the job array of examples/sweep under a slurmd of this machine, where Slurm is installed.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	results := filepath.Join(c.dir, "results")
	if err := os.Mkdir(results, 0o755); err != nil {
		t.Fatal(err)
	}
	const tasks, runs = 6, "60"
	module, err := filepath.Abs(race[0])
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--parsable", "--chdir=" + c.dir, fmt.Sprintf("--array=1-%d", tasks), "../../examples/sweep/sweep.sbatch", results, runs, module}, race[1:]...)
	job := strings.TrimSpace(c.run("sbatch", args...))
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left := strings.TrimSpace(c.run("squeue", "--noheader", "--format=%i %T %r"))
		if left == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("job %s is not over:\n%s", job, left)
		}
	}
	files, err := filepath.Glob(filepath.Join(results, "*.jsonl"))
	if err != nil || len(files) != tasks {
		logs, _ := filepath.Glob(filepath.Join(c.dir, "slurm-*.out"))
		for _, log := range logs {
			text, _ := os.ReadFile(log)
			t.Logf("%s:\n%s", log, text)
		}
		t.Fatalf("%d tasks left %d files, %v", tasks, len(files), err)
	}
	want := lockstep(t, append([]string{"explore", "-runs", runs, "-q", module}, race[1:]...)...)
	if got := lockstep(t, append([]string{"merge", "-q"}, files...)...); got != want || !strings.Contains(want, "60 runs, ") {
		t.Errorf("merged:\n%s\nwant\n%s", got, want)
	}
}
