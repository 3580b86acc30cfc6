package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// plain finds the runs one byte after the other.
func plain(input []byte) []run {
	var runs []run
	for _, b := range input {
		if n := len(runs) - 1; n >= 0 && runs[n].value == uint16(b) && runs[n].length < 65535 {
			runs[n].length++
			continue
		}
		runs = append(runs, run{uint16(b), 1})
	}
	return runs
}

func TestCompress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	mixed := make([]byte, 5000)
	for i := 1; i < len(mixed); i++ {
		mixed[i] = mixed[i-1]
		if rng.IntN(6) == 0 {
			mixed[i] = byte(rng.Uint32())
		}
	}
	for name, input := range map[string][]byte{
		"one": {7}, "rest": bytes.Repeat([]byte("ab"), 50), "mixed": mixed, "long": make([]byte, 70000),
	} {
		want := plain(input)
		for _, schedule := range []string{"in-order", "reverse", "seeded"} {
			for _, room := range []struct{ bytes, runs uint32 }{{width, 1}, {4 * width, 16}} {
				if name == "long" && schedule == "seeded" && testing.Short() {
					continue
				}
				t.Run(fmt.Sprint(name, " ", schedule, room), func(t *testing.T) {
					s, err := emu.ParseSchedule(schedule, 5)
					if err != nil {
						t.Fatal(err)
					}
					got, err := compress(input, room.bytes, room.runs, s)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%d runs %v\nwant %d: %v", len(got), got, len(want), want)
					}
				})
			}
		}
	}
}

func TestCompressFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte("aaaabbbbbbbc"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := compressFile(&out, name); err != nil {
		t.Fatal(err)
	}
	if want := "12 bytes in 3 runs; the longest is 7 × 'b'\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := compressFile(&out, name); err == nil {
		t.Error("no error for an empty file")
	}
}
