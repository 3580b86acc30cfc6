package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
)

// report is what these tests read of a JSON document.
type report struct {
	Findings []struct {
		Code, Message, Detail, Kernel string
		Count                         uint64
		Reproduce                     string
	}
	Pipes    []launch.PipeReport
	Outputs  []launch.OutputReport
	Counters launch.CountersReport
	Timing   *launch.TimingReport
}

// runJSON runs a command line with -json.
func runJSON(t *testing.T, w *world, args []string, stdin []byte) (*report, int) {
	t.Helper()
	stdout, stderr, status := w.run(context.Background(), append(args, "-json"), stdin)
	doc := &report{}
	if err := json.Unmarshal([]byte(stdout), doc); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr)
	}
	return doc, status
}

// TestReproduce runs the command that a finding prints and finds the same.
func TestReproduce(t *testing.T) {
	w := &world{written: map[string][]byte{
		"rev.args": []byte("-schedule reverse -pipe a=i32:2 -kernel source -global 1 -arg pipe:a -arg i32:9 -with -kernel 'sink' -global 4 -arg pipe:a -arg zero:i32:4"),
	}}
	for _, line := range []string{
		"run pipes.spv -kernel sink -global 6 -arg pipe:i32:2:iota:i32:3 -arg zero:i32:6 -out 1=x.npy",
		"run pipes.spv -pipe a=i32:4 -kernel source -global 1 -arg pipe:a -arg i32:10 -with -kernel sink -global 3 -arg pipe:a -arg zero:i32:3 -schedule seeded -seed 9 -subgroup 8 -out 1=x.npy",
		"run pipes.spv @chain.args -with -kernel talk -global 4 -arg pipe:i32:1 -check",
		"run pipes.spv @rev.args",
		"run pipes.spv -pipe 'c{0..2}=i32:1' -kernel source -global 1 -arg pipe:c0 -arg i32:3 -with -repeat 2 -kernel twice -global 1 -arg 'pipe:c{i}' -arg 'pipe:c{i+1}' -arg i32:4 -out c2=y.bin -stats",
		"run pipes.spv -kernel source -global 1 -arg pipe:i32:1 -arg i32:3 -out 0=y.bin -with -kernel talk -global 2 -arg pipe:i32:4:buf:i32:1 -workers 1",
		"run pipes.spv -kernel forget -global 2 -arg pipe:i32:8",
	} {
		args, err := parse(line)
		if err != nil {
			t.Fatal(err)
		}
		want, status := runJSON(t, w, args, nil)
		if status != cmdline.ExitFinding || len(want.Findings) == 0 {
			t.Errorf("%s: exit status %d, %d findings", line, status, len(want.Findings))
			continue
		}
		command := want.Findings[0].Reproduce
		list, err := parse(command)
		if err != nil || len(list) < 2 || list[0] != "lockstep" {
			t.Errorf("%s: %s: %v", line, command, err)
			continue
		}
		got, status := runJSON(t, w, list[1:], nil)
		if status != cmdline.ExitFinding || !reflect.DeepEqual(got.Findings, want.Findings) || got.Counters != want.Counters || !reflect.DeepEqual(got.Pipes, want.Pipes) {
			t.Errorf("%s\n%s\nfinds other things: %+v, %+v", line, command, got, want)
		}
	}
}

// TestStreams: a file may be longer than the pipes, and than what stays in memory.
func TestStreams(t *testing.T) {
	const n = 30_000
	var input bytes.Buffer
	for i := range uint32(n) {
		input.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16), 0})
	}
	for _, schedule := range []string{"in-order", "reverse", "seeded"} {
		w := &world{written: map[string][]byte{}}
		args := []string{"run", "pipes.spv", "-kernel", "twice", "-global", "1", "-arg", "pipe:i32:7:in:-", "-arg", "pipe:i32:3", "-arg", "i32:30000", "-out", "1=y.bin", "-schedule", schedule}
		doc, status := runJSON(t, w, args, input.Bytes())
		out := w.written["y.bin"]
		if status != cmdline.ExitDone || len(out) != 4*n || out[4*20_000] != byte(2*20_000&0xff) || out[4*20_000+1] != byte(2*20_000>>8&0xff) {
			t.Errorf("%s: exit status %d, %d bytes", schedule, status, len(out))
		}
		if want := []launch.PipeReport{{Name: "in", PacketBytes: 4, Capacity: 7, Written: n - 7, Read: n, Fed: n - 7, Drained: 0, Left: 0, Held: 0}, {Name: "out", PacketBytes: 4, Capacity: 3, Written: n, Read: n, Fed: 0, Drained: n, Left: 0, Held: 0}}; !reflect.DeepEqual(doc.Pipes, want) {
			t.Errorf("%s: %+v", schedule, doc.Pipes)
		}
		if o := doc.Outputs[0]; o.Count != n || o.Path != "y.bin" || o.Type != "i32" {
			t.Errorf("%s: %+v", schedule, o)
		}
	}
}

// TestTornStream: a file that ends within a packet ends the run with an error.
func TestTornStream(t *testing.T) {
	w := &world{written: map[string][]byte{"torn.bin": []byte("0123456789")}}
	args := []string{"run", "pipes.spv", "-kernel", "sink", "-global", "4", "-arg", "pipe:4:1:in:torn.bin", "-arg", "zero:i32:4"}
	_, stderr, status := w.run(context.Background(), args, nil)
	if status != cmdline.ExitUsage || !strings.Contains(stderr, "torn.bin ends within a packet: its 10 bytes are no multiple of 4") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

// full is a file that cannot be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
func (full) Close() error              { return nil }

// TestFullDisk: packets that cannot be written end the run with an error.
func TestFullDisk(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	var out, errs bytes.Buffer
	env := &cmdline.Env{Stdin: bytes.NewReader(nil), Stdout: &out, Stderr: &errs, Open: w.open, Stat: w.stat,
		Create: func(string) (io.WriteCloser, error) { return full{}, nil }}
	status := Main(context.Background(), []string{"run", "pipes.spv", "-kernel", "source", "-global", "1", "-arg", "pipe:4:1", "-arg", "i32:4", "-out", "0=y.bin"}, env)
	if status != cmdline.ExitUsage || !strings.Contains(errs.String(), "drain of pipe") {
		t.Errorf("exit status %d: %s", status, errs.String())
	}
}

// TestSetStats: the tables of kernels that run together. Times are of the machine.
func TestSetStats(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	_, stderr, status := w.run(context.Background(), []string{"run", "pipes.spv", "@chain.args", "-stats"}, nil)
	text, time, ok := strings.Cut(stderr, "  time ")
	if status != cmdline.ExitDone || !ok || !strings.HasSuffix(time, "lane operations a second\n") {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	for _, want := range []string{
		"6 kernels together, sub-groups of 32, engine interp\n",
		"  launch kernel work-groups of waves instructions lane operations loads stores\n",
		"       0 source           1  1     1 ",
		"       4 twice            1  1     1 ",
		"       5 sink             1  3     1 ",
		"  pipe packet bytes capacity written by the host read by the host left reserved\n",
		"  c0              4        1       3           0    3           0    0        0\n",
		"  c4              4        1       3           0    3           0    0        0\n",
		"  waves                         6\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	doc, _ := runJSON(t, w, []string{"run", "pipes.spv", "@chain.args", "-stats"}, nil)
	if doc.Timing == nil || doc.Timing.Workers < 1 || doc.Counters.WorkGroups != 6 {
		t.Errorf("%+v", doc)
	}
}

// TestInfoRuns runs the command lines that info prints for a module, with numbers
// in the places of their words.
func TestInfoRuns(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	for _, module := range []string{"pipes.spv", "storage.spvasm", "examples/streaming-fir/fir.cl"} {
		stdout, _, _ := w.run(context.Background(), []string{"info", module}, nil)
		ran := 0
		for line := range strings.Lines(stdout) {
			_, command, ok := strings.Cut(line, ": lockstep ")
			if !ok {
				continue
			}
			ran++
			command = strings.NewReplacer(" N", " 1", ":V", ":8", "COUNT", "8").Replace(strings.TrimSpace(command))
			_, stderr, status := w.run(context.Background(), strings.Fields(command), nil)
			// Some kernels leave things open; none may be refused.
			if status == cmdline.ExitUsage {
				t.Errorf("%s: %s", command, stderr)
			}
		}
		if ran < 3 {
			t.Errorf("%s: %d command lines", module, ran)
		}
	}
}

// TestOutputFiles: a command that is refused leaves files as they are, and one
// does not write what it reads.
func TestOutputFiles(t *testing.T) {
	w := &world{written: map[string][]byte{"x.bin": []byte("0123456789abcdef"), "y.bin": []byte("precious")}}
	for _, c := range []struct{ line, err string }{
		{"run pipes.spv -pipe a=i32:4 -kernel twice -global 1 -arg pipe:a -arg pipe:a -arg i32:1 -with -kernel source -global 1 -arg pipe:i32:4 -arg i32:1 -out 0=y.bin", "launch 0 of a set: kernel twice"},
		{"run pipes.spv -kernel twice -global 1 -arg pipe:i32:1:in:x.bin -arg pipe:i32:1 -arg i32:4 -out 1=./x.bin", "-out 1=./x.bin: the file is also read"},
	} {
		_, stderr, status := w.run(context.Background(), strings.Fields(c.line), nil)
		if status != cmdline.ExitUsage || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: exit status %d: %s", c.line, status, stderr)
		}
	}
	if string(w.written["y.bin"]) != "precious" || len(w.written["x.bin"]) != 16 {
		t.Errorf("%q", w.written)
	}
	// What fits into the pipe is read before, and a file without packets is made, too.
	for _, line := range []string{
		"run pipes.spv -pipe z=4:4:in:x.bin -kernel sink -global 1 -arg pipe:z -arg zero:i32:1 -with -kernel twice -global 1 -arg pipe:i32:1:iota:i32:4 -arg pipe:i32:1 -arg i32:4 -out 0=x.txt -out 1=y.bin",
		"run pipes.spv -kernel twice -global 1 -arg pipe:i32:4:in:x.bin -arg pipe:i32:1 -arg i32:4 -out 1=z.bin",
		"run pipes.spv -kernel source -global 1 -arg pipe:i32:4 -arg i32:0 -out 0=y.bin",
	} {
		if _, stderr, status := w.run(context.Background(), strings.Fields(line), nil); status != cmdline.ExitDone || stderr != "" {
			t.Errorf("%s: exit status %d: %s", line, status, stderr)
		}
	}
	if got := w.written["z.bin"]; len(got) != 16 || got[0] != '0'*2 || len(w.written["y.bin"]) != 0 {
		t.Errorf("%q", w.written)
	}
}
