package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/clmath/judge"
)

// A survey measures rows.
type survey struct {
	judge     *judge.Judge
	machines  [3]*machine // of types
	stride    uint64      // of float arguments
	count     int         // points of functions that have too many
	intervals int         // in which hard cases are searched
}

// A measurement is what is found out about a row in one type.
type measurement struct {
	row    *row
	typ    int
	inputs string
	worst  float64   // in units of the last place
	at     []float64 // arguments with the worst result
	got    float64   // that result
	result int       // which of the row's results it is
	wrong  uint64    // results that are not correctly rounded
}

// measure runs a row in a type at all its inputs.
func (s *survey) measure(r *row, t int) (*measurement, error) {
	m := &measurement{row: r, typ: t}
	bits := types[t].bits
	switch {
	case bits == 16 && r.arity == 1:
		all := make([]float64, 1<<16)
		for h := range all {
			all[h] = fromHalf(uint16(h))
		}
		m.inputs = "all 65,536"
		return m, s.points(m, all)
	case bits == 32 && r.arity == 1 && r.sweeps():
		return m, s.sweep(m)
	}
	list := points(r, bits, s.count)
	m.inputs = grouped(uint64(len(list)/r.arity)) + " edges and random"
	if bits == 64 {
		hard, err := s.hardArguments(r)
		if err != nil {
			return nil, err
		}
		if len(hard) > 0 {
			m.inputs += ", " + grouped(uint64(len(hard))) + " hard cases"
			list = append(list, hard...)
		}
	}
	return m, s.points(m, list)
}

// sweeps says whether the judge answers for all floats in a row.
func (r *row) sweeps() bool {
	for _, res := range r.results {
		if res.judge == "fract" || res.judge == "modf" {
			return false
		}
	}
	return true
}

// points compares the results at points with the answers of the judge, or with what is known.
func (s *survey) points(m *measurement, list []float64) error {
	r := m.row
	bits := types[m.typ].bits
	got, err := s.machines[m.typ].run(r, list)
	if err != nil {
		return err
	}
	for k, res := range r.results {
		args, arity := list, r.arity
		if res.pick != nil {
			args, arity = nil, len(res.pick)
			for i := 0; i < len(list); i += r.arity {
				for _, p := range res.pick {
					args = append(args, list[i+p])
				}
			}
		}
		var answers []judge.Answer
		if res.own == nil {
			if answers, err = s.judge.Points(res.judge, bits, arity, args); err != nil {
				return err
			}
		}
		for i, y := range got[k] {
			at := list[i*r.arity : (i+1)*r.arity]
			if res.own != nil {
				m.take(k, at, y, judge.Answer{Result: res.own(bits, at)})
			} else if !excused(res.judge, at) {
				m.take(k, at, y, answers[i])
			}
		}
	}
	return nil
}

// sweep runs a function of one float at every stride-th of them.
func (s *survey) sweep(m *measurement) error {
	const chunk = 1 << 18
	var count uint64
	for k, res := range m.row.results {
		var xs []float64
		var answers []judge.Answer
		var failed error
		flush := func() {
			if len(xs) == 0 || failed != nil {
				return
			}
			got, err := s.machines[m.typ].run(m.row, xs)
			if err != nil {
				failed = err
				return
			}
			for i, y := range got[k] {
				if !excused(res.judge, xs[i:i+1]) {
					m.take(k, xs[i:i+1], y, answers[i])
				}
			}
			xs, answers = xs[:0], answers[:0]
		}
		add := func(x float32, result, off float64) {
			xs = append(xs, float64(x))
			answers = append(answers, judge.Answer{Result: result, Off: off})
			if len(xs) == chunk {
				flush()
			}
		}
		if res.own != nil {
			count = 0
			for b := uint64(0); b < 1<<32; b += s.stride {
				x := math.Float32frombits(uint32(b))
				add(x, res.own(32, []float64{float64(x)}), 0)
				count++
			}
		} else {
			n, err := s.judge.Sweep(res.judge, s.stride, func(x, result, off float32) { add(x, float64(result), float64(off)) })
			if err != nil {
				return err
			}
			count = n
		}
		flush()
		if failed != nil {
			return failed
		}
	}
	m.inputs = "all 4,294,967,296"
	if s.stride > 1 {
		m.inputs = fmt.Sprintf("%s: every %s", grouped(count), ordinal(s.stride))
	}
	return nil
}

// take compares a result with an answer.
func (m *measurement) take(k int, at []float64, got float64, want judge.Answer) {
	bits := types[m.typ].bits
	same := math.Float64bits(got) == math.Float64bits(want.Result) || got != got && want.Result != want.Result
	off := math.Abs(want.Off)
	if !same {
		m.wrong++
		off = math.Inf(1)
		switch {
		case got == want.Result: // zeros of different signs
			off = math.Abs(want.Off)
		case got-got == 0 && want.Result-want.Result == 0:
			off = math.Abs((got-want.Result)/unit(bits, want.Result) - want.Off)
		}
	}
	if off > m.worst || m.at == nil && !same {
		m.worst, m.at, m.got, m.result = off, append([]float64(nil), at...), got, k
	}
}

// unit is a unit of the last place of a number in a format.
func unit(bits int, x float64) float64 {
	precision, least := 53, -1074
	switch bits {
	case 16:
		precision, least = 11, -24
	case 32:
		precision, least = 24, -149
	}
	_, e := math.Frexp(x)
	if x == 0 {
		e = least
	}
	return math.Ldexp(1, max(e-precision, least))
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func ordinal(n uint64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatUint(n, 10) + suffix
}

// place writes the arguments and the result of the worst case: numbers in hexadecimal.
func (m *measurement) place() string {
	if m.at == nil {
		return "–"
	}
	var args []string
	for _, x := range m.at {
		args = append(args, strconv.FormatFloat(x, 'x', -1, 64))
	}
	of := ""
	if len(m.row.results) > 1 {
		of = fmt.Sprintf(", result %d", m.result+1)
	}
	return fmt.Sprintf("`%s` → `%s`%s", strings.Join(args, " "), strconv.FormatFloat(m.got, 'x', -1, 64), of)
}
