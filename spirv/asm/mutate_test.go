package asm

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// mutator makes text that is nearly right.
type mutator struct {
	rng   *rand.Rand
	lines []string // of good text, without comments
	words []string // of good text, and odd ones
}

func newMutator(t *testing.T, seed uint64) *mutator {
	mu := &mutator{rng: rand.New(rand.NewPCG(seed, 1))}
	paths, err := filepath.Glob("testdata/text/*.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "newer.spvasm" {
			continue
		}
		l := newLexer(string(data))
		line := ""
		for !l.peek(0).end() {
			if l.atInstruction() && line != "" {
				mu.lines = append(mu.lines, line)
				line = ""
			}
			start := l.peek(0).text[0] == '%' && l.peek(1).text == "="
			for n := 1; n > 0; n-- {
				if start {
					n, start = 3, false
				}
				w := l.next().text
				mu.words = append(mu.words, w)
				line += w + " "
			}
		}
		mu.lines = append(mu.lines, line)
	}
	mu.lines = slices.DeleteFunc(mu.lines, func(line string) bool {
		_, err := Assemble(preamble+line, Options{})
		return err != nil
	})
	mu.words = append(mu.words, "=", "!1", "!0x10", "!-0", "!", "%", "%0", "%1", "%-", "\"", "\\", "\"a\\\"", "|", "None|Volatile",
		"-", "--1", "0x", "00", "09", "1e5", "1.", ".5", "-.5e-3", "0x1p", "0x.8p1", "99999999999", "-129", "0x100", "OpNop", "Op", "OpX", ";", "\n", "None", "42")
	return mu
}

// odd holds bytes of every kind.
const odd = " !\"%()*+,-./019:;<=>AZaz_|~\\\x00\xc3"

// text gives a short module of which a few words are changed.
func (mu *mutator) text() string {
	lines := []string{preamble}
	for i := range 1 + mu.rng.IntN(4) {
		switch mu.rng.IntN(3) {
		case 0:
			typ := "uslhfd"[mu.rng.IntN(6)]
			lines = append(lines, "%c"+strconv.Itoa(i)+" = OpConstant %"+string(typ)+" "+mu.number(typ))
		case 1:
			lines = append(lines, "OpSwitch %v %d "+mu.number('s')+" %e")
		default:
			lines = append(lines, mu.lines[mu.rng.IntN(len(mu.lines))])
		}
	}
	words := strings.Fields(strings.Join(lines, "\n"))
	for range max(0, mu.rng.IntN(5)-2) {
		i := len(words) - 1 - mu.rng.IntN(min(len(words), 30))
		switch w := mu.words[mu.rng.IntN(len(mu.words))]; mu.rng.IntN(5) {
		case 0:
			words[i] = w
		case 1:
			words = append(words[:i], append([]string{w}, words[i:]...)...)
		case 2:
			words = append(words[:i], words[i+1:]...)
		case 3:
			b := []byte(words[i])
			b[mu.rng.IntN(len(b))] = odd[mu.rng.IntN(len(odd))]
			words[i] = string(b)
		case 4:
			words[i] += words[mu.rng.IntN(len(words))]
		}
	}
	return strings.Join(words, []string{" ", "\n", "\t", " \r\n"}[mu.rng.IntN(4)])
}

// preamble defines what the lines of a mutated module use.
const preamble = `%u = OpTypeInt 32 0
%s = OpTypeInt 16 1
%l = OpTypeInt 64 1
%h = OpTypeFloat 16
%f = OpTypeFloat 32
%d = OpTypeFloat 64
%x = OpExtInstImport "OpenCL.std"
%v = OpUndef %s
`

// number gives something like a number of a type: u, s and l are integers of 32,
// 16 and 64 bits, h, f and d floats of 16, 32 and 64.
func (mu *mutator) number(typ byte) string {
	if mu.rng.IntN(4) != 0 {
		switch typ {
		case 'u':
			return strconv.FormatUint(uint64(mu.rng.Uint32()>>mu.rng.IntN(32)), 10)
		case 's':
			return strconv.Itoa(mu.rng.IntN(1<<16) - 1<<15)
		case 'l':
			return strconv.FormatInt(mu.rng.Int64()>>mu.rng.IntN(64), 10)
		}
		v := math.Ldexp(mu.rng.Float64(), mu.rng.IntN(300)-150)
		if typ == 'h' {
			v = math.Ldexp(mu.rng.Float64(), mu.rng.IntN(60)-44)
		}
		return strconv.FormatFloat(v, "eEfgx"[mu.rng.IntN(5)], mu.rng.IntN(20)-1, 64)
	}
	const parts = "000011234789--+..eEpPxXaf_"
	s := []string{"", "-", "0x", "-0x", "0x1.", "1e", "0", "+"}[mu.rng.IntN(8)]
	if mu.rng.IntN(3) == 0 {
		return s + strconv.FormatUint(mu.rng.Uint64()>>mu.rng.IntN(64), []int{10, 16}[mu.rng.IntN(2)])
	}
	for range 1 + mu.rng.IntN(7) {
		s += string(parts[mu.rng.IntN(len(parts))])
	}
	if mu.rng.IntN(4) == 0 {
		s += []string{"p+3", "p-130", "p128", "e-40", "p-20", "p15", "e4"}[mu.rng.IntN(7)]
	}
	return s
}

// grown matches an OpTypeFloat with a raw word. The instruction got an optional
// operand, which takes the raw word now.
var grown = regexp.MustCompile(`OpTypeFloat\s+\S*\s*!`)

// TestToolsMutations compares over text with mistakes: what spirv-as takes gives
// the same bytes, and what it refuses for its literals is refused.
func TestToolsMutations(t *testing.T) {
	tl := findTools(t)
	mu := newMutator(t, 1)
	n := 300
	if requireTools() {
		n = 3000
	}
	taken := 0
	for range n {
		text := mu.text()
		if grown.MatchString(text) {
			continue
		}
		var args []string
		opts := Options{PreserveNumericIDs: mu.rng.IntN(2) == 0}
		if opts.PreserveNumericIDs {
			args = append(args, "--preserve-numeric-ids")
		}
		want, err := tl.as(text, args...)
		got, gotErr := Assemble(text, opts)
		switch {
		case err == nil:
			taken++
			if gotErr != nil || !bytes.Equal(got, want) {
				t.Errorf("%q %q: %v\n% x, want\n% x", text, args, gotErr, got, want)
			}
		case gotErr == nil && !lenient(text, err):
			t.Errorf("%q %q: taken, but %v", text, args, err)
		}
		if gotErr == nil {
			if m, err := spirv.Decode(got); err == nil {
				Disassemble(m, DisassembleOptions{})
			}
		}
	}
	if taken < n/10 {
		t.Errorf("spirv-as took %d of %d texts only", taken, n)
	}
}

// lenient reports whether a text that spirv-as refuses may assemble: where the
// result id stands among the operands, where an extended set or instruction is
// given by a name or number that the tool does not know, and where a selector is
// defined late.
func lenient(text string, err error) bool {
	for _, reason := range []string{
		"Expected <result-id> at the beginning of an instruction",
		"Invalid extended instruction import",
		"Invalid extended instruction name",
	} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return false
}

// overwide reports whether an instruction declares a number type of more than 64
// bits. spirv-dis prints nothing for its literals, which would not assemble.
func overwide(in spirv.Inst) bool {
	return (in.Op() == spirv.OpTypeInt || in.Op() == spirv.OpTypeFloat) && in.Operand(0) > 64
}

// TestToolsDamage compares over modules with a few words changed: what spirv-dis
// prints to the end is printed alike.
func TestToolsDamage(t *testing.T) {
	tl := findTools(t)
	rng := rand.New(rand.NewPCG(7, 3))
	modules := readModules(t, "testdata/kernels/*.spv")
	names := slices.Sorted(maps.Keys(modules))
	n := 200
	if requireTools() {
		n = 2000
	}
	printed := 0
	for range n {
		good := modules[names[rng.IntN(len(names))]]
		data := good.Encode()
		for range 1 + rng.IntN(3) {
			at := 4 * (spirv.HeaderWords + rng.IntN(len(data)/4-spirv.HeaderWords))
			word := binary.LittleEndian.Uint32(data[at:])
			switch rng.IntN(4) {
			case 0:
				word ^= 1 << rng.IntN(32)
			case 1:
				word = rng.Uint32N(good.Bound)
			case 2:
				word = rng.Uint32() >> rng.IntN(32)
			case 3:
				word += 1 - 2*rng.Uint32N(2)
			}
			binary.LittleEndian.PutUint32(data[at:], word)
		}
		m, err := spirv.Decode(data)
		if err != nil || slices.ContainsFunc(m.Insts, overwide) {
			continue
		}
		var args []string
		opts := DisassembleOptions{RawIDs: rng.IntN(2) == 0}
		if opts.RawIDs {
			args = append(args, "--raw-id")
		}
		want, err := tl.dis(m, args...)
		if err != nil {
			continue
		}
		printed++
		if got := tl.rename(Disassemble(m, opts)); got != want {
			t.Errorf("damaged module (-spirv-dis +Disassemble):\n%s", lineDiff(want, got))
		}
	}
	if printed < n/10 {
		t.Errorf("spirv-dis printed %d of %d modules only", printed, n)
	}
}
