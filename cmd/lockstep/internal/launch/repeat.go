package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// maxInstances bounds -repeat, and the number of pipes that one -pipe makes.
const maxInstances = 1 << 16

// instance writes text for instance i of -repeat: {i} is its number, and {i+1},
// {i/4} or {i%4+1} what is computed of it, from left to right.
func instance(text string, i int) (string, error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		expr, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("{%s: a brace is not closed; with -repeat, braces hold {i}, {i+1} and the like", rest)
		}
		n, err := compute(expr, i)
		if err != nil {
			return "", err
		}
		b.WriteString(strconv.Itoa(n))
		text = after
	}
}

// compute gives the value of an expression in i: operators and numbers from left
// to right.
func compute(expr string, i int) (int, error) {
	bad := func(why string) error {
		return fmt.Errorf("{%s}: %s; with -repeat, braces hold i, followed by any of + - * / %% with a whole number, as in {i%%4+1}; they are computed from left to right", expr, why)
	}
	rest, ok := strings.CutPrefix(expr, "i")
	if !ok {
		return 0, bad("it does not begin with i")
	}
	v := int64(i)
	for rest != "" {
		op := rest[0]
		digits := rest[1:]
		if n := strings.IndexAny(digits, "+-*/%"); n >= 0 {
			digits = digits[:n]
		}
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || !strings.ContainsRune("+-*/%", rune(op)) {
			return 0, bad(fmt.Sprintf("%q is no operator with a number", rest))
		}
		switch {
		case op == '+':
			v += int64(n)
		case op == '-':
			v -= int64(n)
		case op == '*':
			v *= int64(n)
		case n == 0:
			return 0, bad("a division by zero")
		case op == '/':
			v /= int64(n)
		default:
			v %= int64(n)
		}
		if v > 1<<31-1 || v < -1<<31 {
			return 0, bad("too large a number")
		}
		rest = rest[1+len(digits):]
	}
	return int(v), nil
}

// names writes out a name with ranges: c{0..2} is c0 c1 c2, and with several
// ranges each goes with each.
func names(text string) ([]string, error) {
	before, rest, ok := strings.Cut(text, "{")
	if !ok {
		return []string{text}, nil
	}
	body, after, closed := strings.Cut(rest, "}")
	from, to, isRange := strings.Cut(body, "..")
	a, err := strconv.ParseUint(from, 10, 31)
	b, err2 := strconv.ParseUint(to, 10, 31)
	if !closed || !isRange || err != nil || err2 != nil || a > b {
		return nil, fmt.Errorf("%s: a range of pipes is {FIRST..LAST}, as in c{0..7}", text)
	}
	tails, err := names(after)
	if err != nil {
		return nil, err
	}
	if (b-a+1)*uint64(len(tails)) > maxInstances {
		return nil, fmt.Errorf("%s: more than %d pipes", text, maxInstances)
	}
	var list []string
	for n := a; n <= b; n++ {
		for _, tail := range tails {
			list = append(list, before+strconv.FormatUint(n, 10)+tail)
		}
	}
	return list, nil
}
