package validate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// stricter says why this package refuses what spirv-val accepts: rule and instruction.
var stricter = map[string]string{
	"int-width OpTypeInt":      "signedness is 0 or 1",
	"int-signedness OpTypeInt": "section 2.16.3 asks for signedness 0 in Kernel modules",
}

// TestJudge asks spirv-val, the validator of SPIRV-Tools, about modules with one word changed: what it
// accepts must be accepted here, but for the reasons above.
func TestJudge(t *testing.T) {
	judge, err := exec.LookPath("spirv-val")
	if err != nil || testing.Short() {
		t.Skip("takes spirv-val and a second or two")
	}
	paths, err := filepath.Glob("../testdata/*.O2.spv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules (%v)", err)
	}
	file := filepath.Join(t.TempDir(), "m.spv")
	rng := uint32(1)
	random := func(n int) int {
		rng ^= rng << 13
		rng ^= rng >> 17
		rng ^= rng << 5
		return int(rng % uint32(n))
	}
	agreed := 0
	for round := range 160 {
		data, err := os.ReadFile(paths[round%len(paths)])
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if round >= len(paths) { // the first rounds take the modules as they are
			in := m.Insts[random(len(m.Insts))]
			if len(in.Words) < 2 {
				continue
			}
			other := m.Insts[random(len(m.Insts))]
			in.Words[1+random(len(in.Words)-1)] = other.Words[len(other.Words)-1]
		}
		if err := os.WriteFile(file, m.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		accepted := exec.Command(judge, file).Run() == nil
		errs := validate.Validate(m, validate.Options{Strict: true})
		if !accepted || len(errs) == 0 {
			agreed++
			continue
		}
		key := errs[0].Rule + " " + errs[0].Op.String()
		if errs[0].Offset == 0 {
			key = errs[0].Rule + " module"
		}
		if stricter[key] == "" {
			t.Errorf("round %d, %s: spirv-val accepts what breaks:\n%v", round, paths[round%len(paths)], errs)
		}
	}
	if agreed < 120 {
		t.Errorf("spirv-val and this package agree on %d modules only", agreed)
	}
}
