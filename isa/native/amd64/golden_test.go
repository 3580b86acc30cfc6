package amd64

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.txt with what the GNU assembler says")

// every is a processor that has all that the assembler knows.
const every = AVX2 | AVX512 | VBMI | VBMI2 | BITALG | VPOPCNTDQ

// example is an instruction as text of the GNU assembler, and what this package makes of it.
type example struct {
	text string
	code []byte
}

// examples lists instructions of every form. A part of them is for the committed file: each form at each
// width, in which registers, addresses and the rest take turns; all of them combine more.
func examples(t testing.TB, all bool) []example {
	var list []example
	for op := noOp + 1; op < numOps; op++ {
		for i := range table[op] {
			list = append(list, vectorExamples(t, op, &table[op][i], all)...)
		}
	}
	return append(list, generalExamples(t)...)
}

// turn picks what is in the committed file: a generator of numbers (a linear congruential one) that starts
// anew for each form, so that a new form does not change the examples of others.
type turn uint32

func (n *turn) next(k int) int {
	*n = *n*1664525 + 1013904223
	return int(*n>>16) % k
}

// addresses are the shapes of memory operands. n is the unit of short displacements.
func addresses(n int32) []Mem {
	return []Mem{
		{Base: RSI},
		{Base: RBP},
		{Base: R13},
		{Base: RSP, Disp: n},
		{Base: R12, Disp: -128 * n},
		{Base: RAX, Index: RCX, Scale: 1, Disp: 127 * n},
		{Base: R9, Index: RBP, Scale: 2, Disp: 128 * n},
		{Base: RDI, Index: R10, Scale: 4, Disp: -129 * n},
		{Base: R13, Index: R12, Scale: 8},
		{Base: RDX, Disp: n/2 + 1},
		{Base: R8, Index: R15, Scale: 8, Disp: 1 << 20},
		{Index: RBX, Scale: 4, Disp: 64},
		{Disp: 0x1234},
	}
}

// indexed are those of gathers and scatters, with index v.
func indexed(n int32, v Vec) []Mem {
	return []Mem{
		VMem(RSI, v, 1, 0),
		VMem(RBP, v, 2, 0),
		VMem(R12, v, 4, 64*n),
		VMem(R13, v, 8, -4096),
		VMem(NoReg, v, 4, 8),
		VMem(RSP, v, 8, n),
	}
}

// vectorExamples are those of one form.
func vectorExamples(t testing.TB, op Op, f *form, all bool) []example {
	var list []example
	n := turn(len(f.name))
	for _, c := range f.name + f.args {
		n = n*31 + turn(c)
	}
	add := func(w Width, operands ...Operand) {
		a := New(every)
		a.List(nil)
		in := inst{w: w}
		a.V(op, w, operands...)
		if a.Err() != nil {
			return // not at this width, or not with these registers; TestForms sees that each form has some
		}
		for _, o := range operands {
			switch o := o.(type) {
			case Pred:
				in.pred = o
			case Rounding:
				in.round = o
			default:
				in.args[in.n] = o
				in.n++
			}
		}
		for i := range table[op] {
			g := &table[op][i]
			in.f = g
			if in.matches(g) {
				in.place()
				if in.vexRefuses(every) == "" || g.flags&evex != 0 && in.evexRefuses(every) == "" {
					break
				}
			}
			in.f = nil
		}
		if in.f != f {
			return // belongs to the examples of another form
		}
		code, err := a.Finish()
		if err != nil {
			t.Fatalf("%s: %v", in.text(f.name), err)
		}
		sameListing(t, a, in.text(f.name))
		list = append(list, example{in.text(f.name), code})
	}
	// operandsAt are registers from base on, with register number extra for operand k.
	operandsAt := func(w Width, base, extra, k int) []Operand {
		var out []Operand
		for i := range len(f.args) {
			r := base + i
			if i == k {
				r = extra + i
			}
			switch f.args[i] {
			case 'K', 'k':
				out = append(out, Mask(r%8))
			case 'D', 'd', 'R', 'r':
				out = append(out, RAX+Reg(r%16))
			case 'm':
				out = append(out, Mem{Base: RAX + Reg(r%16)})
			case 'S', 's':
				out = append(out, VMem(RDX, Vec(r%32), 4, 0))
			case 'i':
				out = append(out, Imm([]int64{0, 1, 3, 7, 15, 31, 127, 128, 255, -1}[n.next(10)]))
			default:
				out = append(out, Vec(r%32))
			}
		}
		return out
	}
	widths := []Width{X, Y, Z}
	if f.flags&scalar != 0 {
		widths = widths[:1]
	}
	if f.flags&vexL1 != 0 {
		widths = []Width{X}
	}
	memory := strings.IndexAny(f.args, "mvhqexykdrSs")
	masked := []Operand{Merge(K1), Zero(K7), Merge(K5), Zero(K2)}
	for _, w := range widths {
		// Registers: all low, then each in turn high, then all high.
		variants := [][]Operand{operandsAt(w, 1, 0, -1)}
		for k := range len(f.args) {
			variants = append(variants, operandsAt(w, 1, 9, k), operandsAt(w, 2, 17, k), operandsAt(w, 3, 25, k))
		}
		variants = append(variants, operandsAt(w, 8, 0, -1), operandsAt(w, 16, 0, -1), operandsAt(w, 26, 0, -1))
		for i, v := range variants {
			if all || i == 0 || i == len(variants)-2 && w == Y || n.next(8) == 0 {
				add(w, v...)
			}
			if f.flags&evex == 0 {
				continue
			}
			for _, p := range masked {
				if all || n.next(40) == 0 {
					add(w, append(v, p)...)
				}
			}
			if f.flags&(er|sae) != 0 && memory >= 0 {
				for r := RoundNearest; r <= SAE; r++ {
					if all && i < 4 || r == RoundNearest+Rounding(n.next(5)) && i < 3 {
						add(w, append(v, r)...)
						add(w, append(v, r, Zero(K3))...)
					}
				}
			}
		}
		if memory < 0 {
			continue
		}
		unit := int32(max(f.bytes(w, false), 1))
		base := operandsAt(w, 5, 0, -1)
		high := operandsAt(w, 17, 0, -1)
		places := addresses(unit)
		if c := f.args[memory]; c == 'S' || c == 's' {
			places = append(append(indexed(unit, 7), indexed(unit, 13)...), indexed(unit, 21)...)
		}
		for _, m := range places {
			for _, v := range [][]Operand{base, high} {
				v[memory] = m
				if all || n.next(20) == 0 {
					add(w, v...)
				}
				if f.flags&evex != 0 && (all || n.next(20) == 0) {
					add(w, append(v, masked[n.next(4)])...)
				}
				if f.flags&mustK != 0 && (all || n.next(8) == 0) {
					add(w, append(v, Merge(K4))...)
				}
			}
		}
		if f.flags&(b4|b8) == 0 {
			continue
		}
		unit = int32(f.bytes(w, true))
		for _, m := range addresses(unit) {
			if all || n.next(16) == 0 {
				base[memory] = m.Bcast()
				add(w, base...)
				add(w, append(base, masked[n.next(4)])...)
			}
		}
	}
	return list
}

// sameListing checks what an assembler has noted of an instruction: text that the GNU assembler is given.
func sameListing(t testing.TB, a *Assembler, want string) {
	t.Helper()
	if got := a.list.lines; len(got) != 1 || got[0].text != want {
		t.Errorf("%s is listed as %v", want, got)
	}
}

// assemble lets the GNU assembler read the examples and returns the bytes of each; the test is skipped
// without it.
func assemble(t *testing.T, list []example) [][]byte {
	t.Helper()
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	if out, err := exec.Command("as", "--64", "-o", os.DevNull, os.DevNull).CombinedOutput(); err != nil {
		t.Skipf("as is not for amd64: %s", out)
	}
	dir := t.TempDir()
	source, object, binary := filepath.Join(dir, "in.s"), filepath.Join(dir, "out.o"), filepath.Join(dir, "out.bin")
	var b bytes.Buffer
	b.WriteString(".intel_syntax noprefix\n.text\n")
	for _, e := range list {
		// Aligned to 16 bytes and followed by their length: what as makes can be split without knowing it.
		fmt.Fprintf(&b, "1:\n%s\n2:\n.balign 16, 0\n.byte 2b-1b\n.balign 16, 0\n", e.text)
	}
	if err := os.WriteFile(source, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("as", "--64", "-W", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("as: %v\n%.4000s", err, out)
	}
	if out, err := exec.Command("objcopy", "-O", "binary", "-j", ".text", object, binary).CombinedOutput(); err != nil {
		t.Fatalf("objcopy: %v\n%s", err, out)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != 32*len(list) {
		t.Fatalf("as made %d bytes of %d examples", len(data), len(list))
	}
	var out [][]byte
	for i := range list {
		one := data[32*i : 32*i+32]
		out = append(out, one[:one[16]])
	}
	return out
}

const goldenFile = "testdata/golden.txt"

// TestGolden compares the code of a part of the examples with what the GNU assembler made of them.
func TestGolden(t *testing.T) {
	list := examples(t, false)
	if *update {
		var b bytes.Buffer
		for i, code := range assemble(t, list) {
			fmt.Fprintf(&b, "%s\t%s\n", hex.EncodeToString(code), list[i].text)
		}
		if err := os.WriteFile(goldenFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%s has %d lines for %d examples", goldenFile, len(lines), len(list))
	}
	wrong := 0
	for i, e := range list {
		want, text, _ := strings.Cut(lines[i], "\t")
		if got := hex.EncodeToString(e.code); got != want || text != e.text {
			t.Errorf("%s\n got %s\nwant %s  %s", e.text, got, want, text)
			if wrong++; wrong == 20 {
				t.Fatal("and so on")
			}
		}
	}
}

// TestAgainstGNU compares the code of all examples with what the GNU assembler makes of them now.
func TestAgainstGNU(t *testing.T) {
	list := examples(t, !testing.Short())
	wrong := 0
	for i, want := range assemble(t, list) {
		if e := list[i]; !bytes.Equal(e.code, want) {
			t.Errorf("%s\n got %x\nwant %x", e.text, e.code, want)
			if wrong++; wrong == 40 {
				t.Fatal("and so on")
			}
		}
	}
	t.Logf("%d examples", len(list))
}
