package main

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

const tableFile = "../ACCURACY.md"

// TestRows asks whether every function of OpenCL.std is measured.
func TestRows(t *testing.T) {
	covered := map[string]bool{}
	for _, r := range rows {
		for _, name := range r.std {
			covered[name] = true
		}
	}
	for f := range clmath.Func(clmath.NumFuncs) {
		if name := f.String(); name != "invalid" && !covered[name] {
			t.Errorf("%s is not measured", name)
		}
	}
}

// TestTable checks that the table has a line for each function and type, and what the lines say: half and single precision
// are correctly rounded, doubles are or err by at most 0.51 units, and no error is more than OpenCL allows.
func TestTable(t *testing.T) {
	table, err := readTable(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, r := range rows {
		for i, typ := range types {
			if r.demand[i] == "" {
				continue
			}
			count++
			l, ok := table[r.name+" "+typ.name]
			if !ok {
				t.Errorf("%s has no line for %s: run go run ./conformance/accuracy -functions %s", tableFile, r.name+" "+typ.name, r.name)
				continue
			}
			worst, err := strconv.ParseFloat(l.worst, 64)
			if err != nil || worst > 0.51 || typ.bits < 64 && (worst > 0.5 || l.rounded != "yes") {
				t.Errorf("%s: greatest error %s, correctly rounded: %s", l.key(), l.worst, l.rounded)
			}
			if l.demand != r.demand[i] {
				t.Errorf("%s: the table says that OpenCL demands %s, not %s", l.key(), l.demand, r.demand[i])
			}
			if s, found := strings.CutSuffix(l.demand, " ulp"); found {
				if most, err := strconv.ParseFloat(strings.TrimPrefix(s, "≤ "), 64); err != nil || worst > most {
					t.Errorf("%s: greatest error %s, but OpenCL demands %s", l.key(), l.worst, l.demand)
				}
			}
		}
	}
	if count != len(table) {
		t.Errorf("%s has %d lines for %d functions and types", tableFile, len(table), count)
	}
}

// TestPlaces computes the worst case of each line again, which has the result that the table shows.
func TestPlaces(t *testing.T) {
	table, err := readTable(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, typ := range types {
		m, err := newMachine("", i)
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		for k := range rows {
			r := &rows[k]
			l := table[r.name+" "+typ.name]
			parts := strings.Split(l.at, "`")
			if len(parts) < 5 {
				continue // no error
			}
			var at []float64
			for _, s := range strings.Fields(parts[1]) {
				x, err := strconv.ParseFloat(s, 64)
				if err != nil {
					t.Fatalf("%s: %v", l.key(), err)
				}
				at = append(at, x)
			}
			if len(at) != r.arity {
				t.Errorf("%s: the worst case has %d arguments", l.key(), len(at))
				continue
			}
			result := 0
			if _, n, found := strings.Cut(parts[4], ", result "); found {
				if result, err = strconv.Atoi(n); err != nil || result < 1 || result > len(r.results) {
					t.Errorf("%s: result %s", l.key(), n)
					continue
				}
				result--
			}
			got, err := m.run(r, at)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := strconv.ParseFloat(parts[3], 64); err != nil || math.Float64bits(got[result][0]) != math.Float64bits(want) {
				t.Errorf("%s of %x is %x, the table has %s", l.key(), at, got[result][0], parts[3])
			}
		}
	}
}
