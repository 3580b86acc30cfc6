package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/clmath/judge"
)

// A search for hard cases in double precision, after Lefèvre's idea: among neighbours of an argument the exact results,
// in units of their last place, are very nearly a polynomial of the second degree, so that their fractions are found by
// adding. Those nearest to one half are candidates; the judge says how near they really are.

const (
	reach   = 1 << 13 // neighbours on each side
	near    = 1.0 / (1 << 19)
	hardest = 400 // how many hard cases a function gets
)

// hardCase is an argument, and how far its result is from the middle of two doubles, in units of the last place.
type hardCase struct{ x, distance float64 }

// search returns the hardest arguments that it finds for a function.
func (s *survey) search(function string, exponents [2]int) ([]float64, error) {
	seed := uint64(len(function))
	for _, c := range []byte(function) {
		seed = seed*131 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	var centres, asked []float64
	for range s.intervals {
		x := math.Ldexp(1+r.Float64(), exponents[0]+r.IntN(exponents[1]-exponents[0]))
		if function == "lgamma" || function == "tgamma" || r.IntN(2) == 0 && function != "acosh" && function != "rsqrt" && function[:3] != "log" {
			x = math.Copysign(x, float64(r.IntN(2))-0.5)
		}
		centres = append(centres, x)
		bits := math.Float64bits(x)
		asked = append(asked, math.Float64frombits(bits-reach), x, math.Float64frombits(bits+reach))
	}
	answers, err := s.judge.Points(function, 64, 1, asked)
	if err != nil {
		return nil, err
	}
	var candidates []float64
	for i, x := range centres {
		candidates = append(candidates, scan(x, answers[3*i:3*i+3])...)
	}
	answers, err = s.judge.Points(function, 64, 1, candidates)
	if err != nil {
		return nil, err
	}
	var cases []hardCase
	for i, a := range answers {
		if d := math.Abs(math.Abs(a.Off) - 0.5); d < 4*near {
			cases = append(cases, hardCase{candidates[i], d})
		}
	}
	slices.SortFunc(cases, func(a, b hardCase) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	cases = cases[:min(len(cases), hardest)]
	list := make([]float64, len(cases))
	for i, c := range cases {
		list[i] = c.x
	}
	return list, nil
}

// scan returns the neighbours of x whose results lie near the middle of two doubles, given the answers for x and for
// the outermost neighbours below and above.
func scan(x float64, a []judge.Answer) []float64 {
	for _, v := range a {
		if v.Result-v.Result != 0 || math.Abs(v.Result) < 0x1p-900 {
			return nil
		}
	}
	// Units of the last place from the middle answer; the binade must be one.
	base := int64(math.Float64bits(a[1].Result))
	at := func(v judge.Answer) (float64, bool) {
		bits := int64(math.Float64bits(v.Result))
		off := v.Off
		if v.Result < 0 {
			off = -off
		}
		return float64(bits-base) + off, bits>>52 == base>>52
	}
	below, ok1 := at(a[0])
	here, _ := at(a[1])
	above, ok2 := at(a[2])
	if !ok1 || !ok2 || math.Abs(above-below) > 0x1p30 {
		return nil
	}
	slope, bend := (above-below)/(2*reach), (above-2*here+below)/(2*reach*reach)
	var list []float64
	bits := math.Float64bits(x)
	for k := -reach; k <= reach; k++ {
		f := here + float64(k)*(slope+float64(k)*bend)
		if d := f - math.Floor(f) - 0.5; d < near && d > -near {
			list = append(list, math.Float64frombits(bits+uint64(k)))
		}
	}
	return list
}
