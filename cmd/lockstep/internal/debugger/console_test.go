package debugger

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/debug"
)

const source = `int twice(int v) { return 2 * v; }
kernel void k(global int *x, local int *tile)
{
	int i = get_local_id(0);
	tile[i] = twice(x[i]);
	barrier(CLK_LOCAL_MEM_FENCE);
	x[i] = tile[i ^ 1];
}
`

// console returns one over a small launch, and what it writes.
func console(t testing.TB) (*Console, *bytes.Buffer) {
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := d.BuildProgram(source, "-g")
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	x, err := emu.NewBufferOf(d, []int32{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		t.Fatal(err)
	}
	s, err := debug.New(context.Background(), &emu.Launch{Kernel: kernel, Range: emu.Range(8), Args: []emu.Arg{x, emu.LocalBytes(32)}}, debug.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		d.Close()
	})
	out := &bytes.Buffer{}
	c := &Console{Session: s, Out: out, Source: func(string) ([]byte, error) { return []byte(source), nil }}
	c.Begin()
	return c, out
}

// TestOwnStops goes on to places by breakpoints of which nobody is told.
func TestOwnStops(t *testing.T) {
	c, out := console(t)
	for _, step := range []struct{ line, want, not string }{
		{"until 7", "program.cl:7:", "breakpoint"},
		{"group 0", "the launch has ended", "breakpoint"},
		{"b 7", "breakpoint 3 at", ""},
		{"r", "breakpoint 3", ""},
		{"rc", "the beginning", ""},
		{"until 7", "breakpoint 3\n", ""},
	} {
		out.Reset()
		if _, err := c.Do(context.Background(), step.line); err != nil {
			t.Errorf("%s: %v", step.line, err)
		}
		if got := out.String(); !strings.Contains(got, step.want) || step.not != "" && strings.Contains(got, step.not) {
			t.Errorf("%s: %s", step.line, got)
		}
	}
	if _, err := c.Do(context.Background(), "r"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(context.Background(), "group 9"); err == nil || err.Error() != "there is no work-group (9): the launch has 1 by 1 by 1" {
		t.Errorf("group 9: %v", err)
	}
}

func TestCommands(t *testing.T) {
	c, out := console(t)
	for _, step := range []struct{ line, want string }{
		{"b 7", "breakpoint 1 at program.cl:7"},
		{"r", "breakpoint 1"},
		{"p tile", "tile = &tile -> 2"},
		{"p/x x[3]", "x[3] = 0x00000004"},
		{"x/2d x", "x: 1 2"},
		{"x /2d x", "x: 1 2"},
		{"rev", ""}, // ambiguous
		{"cond 1 i == 5", "breakpoint 1 at program.cl:7, if i == 5"},
		{"c", "work-item (5)"},
		{"disp i", "i = 5"},
		{"n", "i = 5"},
		{"", "has ended"}, // next again: the work-item is at its end
		{"rc", "work-item (5)"},
		{"rn", "program.cl:6"},
		{"s", "program.cl:7"},
		{"rs", "program.cl:6"},
		{"tb twice", "breakpoint 2 at twice, program.cl:1, once"},
		{"d", ""},
		{"info break", "no breakpoints"},
		{"item 2", "work-item (2)"},
		{"lane 0", "work-item (0)"},
		{"wave 1", "work-item (4)"},
		{"set x[0] = twice", ""},
		{"set x[0] = 5 * 2", "x[0] = 10"},
		{"h print", "$pc"},
		{"nonsense", ""},
	} {
		out.Reset()
		_, err := c.Do(context.Background(), step.line)
		switch {
		case step.want == "" && step.line != "d" && err == nil:
			t.Errorf("%q is no error: %s", step.line, out)
		case step.want != "" && err != nil:
			t.Errorf("%q: %v", step.line, err)
		case !strings.Contains(out.String(), step.want):
			t.Errorf("%q shows\n%s, and not %q", step.line, out, step.want)
		}
	}
	if quit, err := c.Do(context.Background(), "q"); !quit || err != nil {
		t.Error(quit, err)
	}
}

func TestComplete(t *testing.T) {
	c, _ := console(t)
	for line, want := range map[string][]string{
		"cont":        {"continue "},
		"reverse-s":   {"reverse-step ", "reverse-stepi "},
		"print ti":    {"print tile"},
		"p x[0] + ti": {"p x[0] + tile"},
		"break tw":    {"break twice"},
		"info wa":     {"info waves"},
		"nonsense x":  nil,
		"print zz":    nil,
	} {
		if got := c.Complete(line); !slices.Equal(got, want) {
			t.Errorf("%q is completed by %q, want %q", line, got, want)
		}
	}
}

// FuzzCommands carries out any lines: they end with errors or not, and nothing else.
func FuzzCommands(f *testing.F) {
	for _, lines := range []string{
		"b 5\nr\nbt\nlist\ninfo locals\nnext group 3\nrc\nrfin\ngoto 7\nall i\nx/3f x\ndisas", "watch tile[1]\nc\nc\nc\nc\ninfo waves\ninfo registers\nrc",
		"break *3 item 1 if $lane == 1\nrun\nfinish\nup\ndown\nframe 0\nignore 1 2\nenable\ndisable 1", "c\nc\ninfo barriers\nall x[i]\nstep\nset $s0 = 1\np $s0\nrs\nuntil 7",
		"group 0,0,0\nlane 3\nwave\nitem 1,2,3,4\nx/0 x\nx/9999d x\ndisplay i\nundisplay 1\nptype tile\np ((((", "\n\n#\nx/\np/\n/\nb :\nb :0\nb a:1\nlist 99\nh h\ndelete 1 2 x",
	} {
		f.Add(lines)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		c, _ := console(t)
		for i, line := range strings.Split(lines, "\n") {
			c.Complete(line)
			if quit, _ := c.Do(context.Background(), line); quit || i > 40 {
				return
			}
		}
	})
}
