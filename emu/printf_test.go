package emu_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestPrintfStrings prints strings that are no constants where they are used, at both levels of optimization
// and on every engine.
func TestPrintfStrings(t *testing.T) {
	for _, engine := range emu.Engines() {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1})
		if err != nil {
			t.Log(err) // a processor without the vectors that machine code needs
			continue
		}
		for _, c := range []struct{ module, kernel, want string }{
			{"printfs", "chosen", "low 0\nhigh 1\nhigh 2\n"},
			{"printfs", "table", "red|green |bl|red\ngreen|blue  |bl|red\nblue|red   |bl|red\n"},
			{"printfs", "formats", "second 0 red\nfirst 1\nsecond 2 red\n"},
			{"strings12", "made", "ab\nbb\ncb\n"},
			{"strings12", "given", "1 hi\n1 hi\n1 hi\n"},
			{"strings12", "local_word", "z\nz\nz\n"},
		} {
			for _, level := range []string{"", ".O0"} {
				k := kernel(t, program(t, d, c.module+level), c.kernel)
				res := mustRun(t, &emu.Launch{Kernel: k, Range: sized(3, 3), Args: []emu.Arg{buffer(t, d, 'h', 'i', int8(0)), emu.Value(int32(1))}})
				if got := string(res.Output); got != c.want {
					t.Errorf("%s: %s%s %s prints %q, want %q", engine, c.module, level, c.kernel, got, c.want)
				}
			}
		}
		p := program(t, d, "strings12")
		for _, c := range []struct {
			name string
			arg  emu.Arg
			want finding.Code
			text string
		}{
			{"without an end", buffer(t, d, int8('h'), int8('i')), finding.OutOfBounds, ""},
			{"null", emu.Null(), "", "1 (null)\n"},
			{"long", buffer(t, d, append(slices.Repeat([]int8{'a'}, 64<<10), 0)...), "", "1 " + strings.Repeat("a", 64<<10) + "\n"},
			{"too long", buffer(t, d, append(slices.Repeat([]int8{'a'}, 64<<10+1), 0)...), "", ""},
		} {
			l := emu.Launch{Kernel: kernel(t, p, "given"), Range: sized(1, 1), Args: []emu.Arg{c.arg, emu.Value(int32(1))}}
			res, err := l.Run(context.Background())
			var found *emu.FindingsError
			switch {
			case c.want == "" && (err != nil || string(res.Output) != c.text):
				t.Errorf("%s: %s: %d bytes, %v", engine, c.name, len(res.Output), err)
			case c.want != "" && (!errors.As(err, &found) || found.Findings.Findings[0].Code != c.want):
				t.Errorf("%s: %s: %v", engine, c.name, err)
			}
		}
	}
}
