package validate

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// TestPlain compares what is read without the grammar with what the grammar reads, for every opcode and random words.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parser := spirv.NewParser(&spirv.Module{})
	plains, others := 0, 0
	for info := range spirv.Ops() {
		for range 200 {
			words := make([]uint32, r.IntN(9))
			for i := range words {
				words[i] = r.Uint32N(5) // small, as masks and values that the grammar names
			}
			in, err := spirv.NewInst(info.Op, words...)
			if err != nil {
				t.Fatal(err)
			}
			ids, f, ok := plain(in)
			if !ok {
				others++
				continue
			}
			plains++
			ops, err := parser.Parse(nil, in)
			if err != nil {
				t.Fatalf("%s of words %v counts as plain, and does not parse: %v", info.Name, words, err)
			}
			n := 0
			for _, o := range ops {
				switch {
				case o.Kind.Category() == spirv.CategoryID:
					if n >= len(ids) || spirv.ID(ids[n]) != o.ID() || f.kind(n) != o.Kind {
						t.Fatalf("%s of words %v: id %d is %v of %s; read as %v", info.Name, words, n, o.Words, o.Kind, ids)
					}
					n++
				case o.Kind.Category() == spirv.CategoryValueEnum,
					o.Kind.Category() == spirv.CategoryBitEnum && o.Words[0] != uint32(spirv.MemoryAccessAligned):
					t.Fatalf("%s of words %v counts as plain and has the %s %d", info.Name, words, o.Kind, o.Words[0])
				}
			}
			if n != len(ids) {
				t.Fatalf("%s of words %v has %d ids; read as %v", info.Name, words, n, ids)
			}
		}
	}
	if plains < 10000 || others < 10000 {
		t.Errorf("%d instructions count as plain and %d do not; expected many of both", plains, others)
	}
}
