package xz

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew")

// samples are data of several kinds.
func samples(t *testing.T) map[string][]byte {
	t.Helper()
	source, err := os.ReadFile("encoder.go")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var numbers []byte
	for i := range 9000 {
		numbers = append(numbers, byte(i), byte(i>>8), 0, 0, byte(r.IntN(5)), 0, 7, byte(i/50))
	}
	return map[string][]byte{
		"nothing": nil, "byte": {7}, "two": {7, 7}, "three": {1, 2, 3}, "zeros": make([]byte, 70000),
		"source": source, "twice": append(append([]byte(nil), source...), source...), "noise": noise,
		"numbers": numbers, "letters": []byte(strings.Repeat("abcdefghijklmnop", 100)),
		"noise far apart": append(append(append([]byte(nil), noise[:3000]...), make([]byte, 5000)...), noise[:3000]...),
	}
}

// TestRoundTrip decodes what was encoded, with several parameters.
func TestRoundTrip(t *testing.T) {
	for name, data := range samples(t) {
		for _, p := range [][3]int{{3, 0, 2}, {4, 0, 0}, {0, 4, 4}, {1, 3, 3}} {
			file, err := Encode(Block{data, p[0], p[1], p[2]})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := decode(file); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s %v: %v, %d bytes of %d", name, p, err, len(got), len(data))
			}
		}
	}
}

// TestLargeChunks has more data than a chunk holds, in two blocks.
func TestLargeChunks(t *testing.T) {
	data := bytes.Repeat([]byte("lockstep "), 250000)
	file, err := Encode(Block{Data: data, LC: 3}, Block{Data: data[:100], PB: 2}, Block{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decode(file); err != nil || !bytes.Equal(got, append(data, data[:100]...)) {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if len(file) > 2000 {
		t.Errorf("%d bytes are a lot", len(file))
	}
}

// squares returns a text.
func squares(lines int) []byte {
	var text bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&text, "line %d has the square %d\n", i, i*i)
	}
	return text.Bytes()
}

// TestRatio has the encoder be as good as xz -9e, which makes 7116 bytes of this text.
func TestRatio(t *testing.T) {
	file, err := Encode(Block{Data: squares(2000), LC: 3, PB: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 7116 {
		t.Errorf("%d bytes", len(file))
	}
}

// TestGolden compares a file with the one that the test of the decoder in JavaScript reads, and damages it.
func TestGolden(t *testing.T) {
	file, err := Encode(Block{Data: squares(60), LC: 4}, Block{Data: squares(20), LC: 1, LP: 3, PB: 3})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "squares.xz")
	if *update {
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(file, want) {
		t.Errorf("%s differs; -update writes it (%v)", name, err)
	}
	for i := range file {
		if _, err := decode(file[:i]); err == nil {
			t.Errorf("cut off behind %d bytes, it is right", i)
		}
		damaged := bytes.Clone(file)
		damaged[i] ^= 1 << (i % 8)
		if _, err := decode(damaged); err == nil {
			t.Errorf("with another byte %d, it is right", i)
		}
	}
}

// TestParameters refuses what LZMA2 has not.
func TestParameters(t *testing.T) {
	for _, b := range []Block{{LC: 3, LP: 2}, {LC: -1}, {LP: 5}, {PB: 5}} {
		if _, err := Encode(b); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}

// TestDictionary compares codes with sizes of the specification.
func TestDictionary(t *testing.T) {
	for size, code := range map[int]byte{0: 0, 4096: 0, 4097: 1, 6144: 1, 8192: 2, 1 << 20: 16, 1<<20 + 1: 17, 1 << 30: 36} {
		if got := dictionary(size); got != code {
			t.Errorf("%d: %d, and not %d", size, got, code)
		}
	}
}

// TestSlots compares slots of distances with their definition.
func TestSlots(t *testing.T) {
	for _, d := range []uint32{0, 1, 3, 4, 5, 6, 7, 127, 128, 1<<20 - 1, 1 << 29, 1<<32 - 1} {
		slot := slotOf(d)
		first := uint32(slot)
		if slot >= firstModel {
			first = uint32(2|slot&1) << (slot/2 - 1)
		}
		if next := slotOf(d + 1); d < first || d+1 != 0 && next != slot && next != slot+1 {
			t.Errorf("%d has slot %d, and %d has %d", d, slot, d+1, next)
		}
	}
}
