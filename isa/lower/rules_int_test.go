package lower_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"testing"
)

// widths are the integer widths that are tried: those of registers, and odd
// ones that live in wider registers.
var widths = []int{8, 16, 32, 64, 3, 17, 33}

func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// bigS and bigU are a value of type t as a number.
func bigS(t ty, x uint64) *big.Int { return big.NewInt(t.sx(x)) }
func bigU(x uint64) *big.Int       { return new(big.Int).SetUint64(x) }

// low returns the low bits of a number.
func low(t ty, x *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	return new(big.Int).Mod(x, m).Uint64()
}

// clamp returns the nearest number that the type has.
func clamp(t ty, signed bool, x *big.Int) uint64 {
	lo, hi := new(big.Int), new(big.Int).SetUint64(t.mask())
	if signed {
		hi.Rsh(hi, 1)
		lo.Not(hi)
	}
	if x.Cmp(lo) < 0 {
		x = lo
	}
	if x.Cmp(hi) > 0 {
		x = hi
	}
	return low(t, x)
}

func floorDiv2(x *big.Int) *big.Int { return new(big.Int).Rsh(x, 1) }

func TestIntegerRules(t *testing.T) {
	for i, n := range widths {
		if testing.Short() && i%2 == 0 {
			continue // 16, 64 and 17 bits are left
		}
		checkRules(t, integerRules(ti(n)))
	}
}

func integerRules(t ty) []rule {
	var rules []rule
	full := t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64
	add := func(r rule) {
		r.name += fmt.Sprintf(" i%d", t.bits)
		rules = append(rules, r)
	}
	bin := func(op string, want func(a, b uint64) uint64) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_ B_", res: t, args: []ty{t, t},
			want: func(a []uint64) uint64 { return want(a[0], a[1]) & t.mask() }})
	}
	div := func(op string, signed bool, want func(q, r, b *big.Int) *big.Int) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_ B_", res: t, args: []ty{t, t},
			valid: func(a []uint64) bool {
				return a[1] != 0 && !(signed && t.sx(a[1]) == -1 && a[0] == t.mask()>>1+1)
			},
			want: func(a []uint64) uint64 {
				x, y := bigU(a[0]), bigU(a[1])
				if signed {
					x, y = bigS(t, a[0]), bigS(t, a[1])
				}
				q, r := new(big.Int).QuoRem(x, y, new(big.Int))
				return low(t, want(q, r, y))
			}})
	}
	cmp := func(op string, want func(a, b uint64) bool) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_ B_", res: tb, args: []ty{t, t},
			want: func(a []uint64) uint64 { return truth(want(a[0], a[1])) }})
	}
	un := func(op string, want func(a uint64) uint64) {
		add(rule{name: op, inst: "RES = " + op + " TYPE A_", res: t, args: []ty{t},
			want: func(a []uint64) uint64 { return want(a[0]) & t.mask() }})
	}
	bin("OpIAdd", func(a, b uint64) uint64 { return a + b })
	bin("OpISub", func(a, b uint64) uint64 { return a - b })
	bin("OpIMul", func(a, b uint64) uint64 { return a * b })
	bin("OpBitwiseAnd", func(a, b uint64) uint64 { return a & b })
	bin("OpBitwiseOr", func(a, b uint64) uint64 { return a | b })
	bin("OpBitwiseXor", func(a, b uint64) uint64 { return a ^ b })
	div("OpUDiv", false, func(q, r, b *big.Int) *big.Int { return q })
	div("OpSDiv", true, func(q, r, b *big.Int) *big.Int { return q })
	div("OpUMod", false, func(q, r, b *big.Int) *big.Int { return r })
	div("OpSRem", true, func(q, r, b *big.Int) *big.Int { return r })
	div("OpSMod", true, func(q, r, b *big.Int) *big.Int {
		if r.Sign()*b.Sign() < 0 {
			return new(big.Int).Add(r, b)
		}
		return r
	})
	cmp("OpIEqual", func(a, b uint64) bool { return a == b })
	cmp("OpINotEqual", func(a, b uint64) bool { return a != b })
	cmp("OpULessThan", func(a, b uint64) bool { return a < b })
	cmp("OpULessThanEqual", func(a, b uint64) bool { return a <= b })
	cmp("OpUGreaterThan", func(a, b uint64) bool { return a > b })
	cmp("OpUGreaterThanEqual", func(a, b uint64) bool { return a >= b })
	cmp("OpSLessThan", func(a, b uint64) bool { return t.sx(a) < t.sx(b) })
	cmp("OpSLessThanEqual", func(a, b uint64) bool { return t.sx(a) <= t.sx(b) })
	cmp("OpSGreaterThan", func(a, b uint64) bool { return t.sx(a) > t.sx(b) })
	cmp("OpSGreaterThanEqual", func(a, b uint64) bool { return t.sx(a) >= t.sx(b) })
	un("OpNot", func(a uint64) uint64 { return ^a })
	un("OpSNegate", func(a uint64) uint64 { return -a })
	un("OpBitReverse", func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - t.bits) })
	un("OpBitCount", func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
	un("OpCopyObject", func(a uint64) uint64 { return a })

	// Shifts: amounts of the same and of another type, below the width.
	for i, at := range []ty{t, ti(8), ti(64)} {
		if i > 0 && at == t {
			continue
		}
		small := func(a []uint64) bool { return a[1] < uint64(t.bits) }
		shift := func(op string, want func(a, n uint64) uint64) {
			add(rule{name: op + " by " + at.name(), inst: "RES = " + op + " TYPE A_ B_", res: t, args: []ty{t, at}, valid: small,
				want: func(a []uint64) uint64 { return want(a[0], a[1]) & t.mask() }})
		}
		shift("OpShiftLeftLogical", func(a, n uint64) uint64 { return a << n })
		shift("OpShiftRightLogical", func(a, n uint64) uint64 { return a >> n })
		shift("OpShiftRightArithmetic", func(a, n uint64) uint64 { return uint64(t.sx(a) >> n) })
	}

	// Bit fields (SPIR-V 3.49.13).
	field := func(a []uint64) bool { return a[len(a)-2]+a[len(a)-1] <= uint64(t.bits) }
	ones := func(n uint64) uint64 {
		if n >= 64 {
			return ^uint64(0)
		}
		return 1<<n - 1
	}
	ct := ti(8)
	add(rule{name: "OpBitFieldInsert", inst: "RES = OpBitFieldInsert TYPE A_ B_ C_ D_", res: t, args: []ty{t, t, ct, ct}, scalar: [4]bool{2: true, 3: true}, valid: field,
		want: func(a []uint64) uint64 {
			m := ones(a[3]) << a[2]
			return (a[0]&^m | a[1]<<a[2]&m) & t.mask()
		}})
	add(rule{name: "OpBitFieldUExtract", inst: "RES = OpBitFieldUExtract TYPE A_ B_ C_", res: t, args: []ty{t, ct, ct}, scalar: [4]bool{1: true, 2: true}, valid: field,
		want: func(a []uint64) uint64 { return a[0] >> a[1] & ones(a[2]) }})
	add(rule{name: "OpBitFieldSExtract", inst: "RES = OpBitFieldSExtract TYPE A_ B_ C_", res: t, args: []ty{t, ct, ct}, scalar: [4]bool{1: true, 2: true}, valid: field,
		want: func(a []uint64) uint64 {
			if a[2] == 0 {
				return 0
			}
			x := a[0] >> a[1] & ones(a[2])
			if x>>(a[2]-1)&1 != 0 {
				x |= ^ones(a[2])
			}
			return x & t.mask()
		}})

	add(rule{name: "OpSelect", inst: "RES = OpSelect TYPE A_ B_ C_", res: t, args: []ty{tb, t, t},
		want: func(a []uint64) uint64 { return a[2-a[0]] }})
	add(rule{name: "OpSelect by scalar", inst: "RES = OpSelect TYPE A_ B_ C_", res: t, args: []ty{tb, t, t}, scalar: [4]bool{0: true},
		want: func(a []uint64) uint64 { return a[2-a[0]] }})

	for _, signed := range []bool{true, false} {
		op := "OpUConvert"
		if signed {
			op = "OpSConvert"
		}
		for _, n := range widths {
			to := ti(n)
			if to == t {
				continue
			}
			num := func(x uint64) *big.Int {
				if signed {
					return bigS(t, x)
				}
				return bigU(x)
			}
			add(rule{name: fmt.Sprintf("%s to i%d", op, n), inst: "RES = " + op + " TYPE A_", res: to, args: []ty{t},
				want: func(a []uint64) uint64 { return low(to, num(a[0])) }})
			add(rule{name: fmt.Sprintf("%s saturated to i%d", op, n), inst: "RES = " + op + " TYPE A_", res: to, args: []ty{t}, deco: "SaturatedConversion",
				want: func(a []uint64) uint64 { return clamp(to, signed, num(a[0])) }})
		}
	}
	for _, n := range widths {
		to := ti(n)
		add(rule{name: fmt.Sprintf("OpSatConvertSToU to i%d", n), inst: "RES = OpSatConvertSToU TYPE A_", res: to, args: []ty{t},
			want: func(a []uint64) uint64 { return clamp(to, false, bigS(t, a[0])) }})
		add(rule{name: fmt.Sprintf("OpSatConvertUToS to i%d", n), inst: "RES = OpSatConvertUToS TYPE A_", res: to, args: []ty{t},
			want: func(a []uint64) uint64 { return clamp(to, true, bigU(a[0])) }})
	}

	// Two results.
	if full {
		two := func(op string, signed bool, lo, hi func(x, y *big.Int) *big.Int) {
			for m, g := range []func(x, y *big.Int) *big.Int{lo, hi} {
				add(rule{name: fmt.Sprintf("%s.%d", op, m), inst: "RES = " + op + " TYPE A_ B_", res: t, args: []ty{t, t}, member: m + 1,
					want: func(a []uint64) uint64 {
						if signed {
							return low(t, g(bigS(t, a[0]), bigS(t, a[1])))
						}
						return low(t, g(bigU(a[0]), bigU(a[1])))
					}})
			}
		}
		sum := func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
		diff := func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
		prod := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
		two("OpIAddCarry", false, sum, func(x, y *big.Int) *big.Int { return new(big.Int).Rsh(sum(x, y), uint(t.bits)) })
		two("OpISubBorrow", false, diff, func(x, y *big.Int) *big.Int { return big.NewInt(int64(truth(x.Cmp(y) < 0))) })
		two("OpUMulExtended", false, prod, func(x, y *big.Int) *big.Int { return new(big.Int).Rsh(prod(x, y), uint(t.bits)) })
		two("OpSMulExtended", true, prod, func(x, y *big.Int) *big.Int { return new(big.Int).Rsh(prod(x, y), uint(t.bits)) })
		rules = append(rules, clIntegerRules(t)...)
	}
	return rules
}

func clIntegerRules(t ty) []rule {
	var rules []rule
	n := uint(t.bits)
	cl := func(name string, args int, signed bool, want func(a []*big.Int) uint64) {
		ops := []ty{t, t, t}[:args]
		inst := "RES = OpExtInst TYPE %cl " + name
		for i := range args {
			inst += " " + string(rune('A'+i)) + "_"
		}
		rules = append(rules, rule{name: fmt.Sprintf("%s i%d", name, t.bits), inst: inst, res: t, args: ops,
			want: func(a []uint64) uint64 {
				num := make([]*big.Int, len(a))
				for i, x := range a {
					num[i] = bigU(x)
					if signed {
						num[i] = bigS(t, x)
					}
				}
				return want(num)
			}})
	}
	neu := func() *big.Int { return new(big.Int) }
	for _, signed := range []bool{true, false} {
		s := "u_"
		if signed {
			s = "s_"
		}
		cl(s+"abs", 1, signed, func(a []*big.Int) uint64 { return low(t, neu().Abs(a[0])) })
		cl(s+"abs_diff", 2, signed, func(a []*big.Int) uint64 { return low(t, neu().Abs(neu().Sub(a[0], a[1]))) })
		cl(s+"add_sat", 2, signed, func(a []*big.Int) uint64 { return clamp(t, signed, neu().Add(a[0], a[1])) })
		cl(s+"sub_sat", 2, signed, func(a []*big.Int) uint64 { return clamp(t, signed, neu().Sub(a[0], a[1])) })
		cl(s+"hadd", 2, signed, func(a []*big.Int) uint64 { return low(t, floorDiv2(neu().Add(a[0], a[1]))) })
		cl(s+"rhadd", 2, signed, func(a []*big.Int) uint64 {
			return low(t, floorDiv2(neu().Add(neu().Add(a[0], a[1]), big.NewInt(1))))
		})
		least := func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		}
		most := func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return y
			}
			return x
		}
		cl(s+"max", 2, signed, func(a []*big.Int) uint64 { return low(t, most(a[0], a[1])) })
		cl(s+"min", 2, signed, func(a []*big.Int) uint64 { return low(t, least(a[0], a[1])) })
		cl(s+"clamp", 3, signed, func(a []*big.Int) uint64 { return low(t, least(most(a[0], a[1]), a[2])) })
		r := &rules[len(rules)-1]
		r.valid = func(a []uint64) bool {
			if signed {
				return t.sx(a[1]) <= t.sx(a[2])
			}
			return a[1] <= a[2]
		}
		cl(s+"mul_hi", 2, signed, func(a []*big.Int) uint64 { return low(t, neu().Rsh(neu().Mul(a[0], a[1]), n)) })
		cl(s+"mad_hi", 3, signed, func(a []*big.Int) uint64 {
			return low(t, neu().Add(neu().Rsh(neu().Mul(a[0], a[1]), n), a[2]))
		})
		cl(s+"mad_sat", 3, signed, func(a []*big.Int) uint64 {
			return clamp(t, signed, neu().Add(neu().Mul(a[0], a[1]), a[2]))
		})
		if t.bits == 32 {
			limit := func(a []uint64) bool {
				for _, x := range a[:2] {
					if signed && (t.sx(x) < -1<<23 || t.sx(x) >= 1<<23) || !signed && x >= 1<<24 {
						return false
					}
				}
				return true
			}
			in := []uint64{0, 1, 2, 0x7fffff, 0xffffff, 0xff800000, 0xffffffff, 12345, 0xfedcba}
			cl(s+"mul24", 2, signed, func(a []*big.Int) uint64 { return low(t, neu().Mul(a[0], a[1])) })
			rules[len(rules)-1].valid, rules[len(rules)-1].inputs = limit, in
			cl(s+"mad24", 3, signed, func(a []*big.Int) uint64 { return low(t, neu().Add(neu().Mul(a[0], a[1]), a[2])) })
			rules[len(rules)-1].valid, rules[len(rules)-1].inputs = limit, in
		}
		if t.bits < 64 {
			wide := ti(2 * t.bits)
			rules = append(rules, rule{name: fmt.Sprintf("%supsample i%d", s, t.bits), inst: "RES = OpExtInst TYPE %cl " + s + "upsample A_ B_",
				res: wide, args: []ty{t, t}, want: func(a []uint64) uint64 { return a[0]<<n | a[1] }})
		}
	}
	cl("clz", 1, false, func(a []*big.Int) uint64 { return uint64(n) - uint64(a[0].BitLen()) })
	cl("ctz", 1, false, func(a []*big.Int) uint64 {
		if a[0].Sign() == 0 {
			return uint64(n)
		}
		return uint64(a[0].TrailingZeroBits())
	})
	cl("popcount", 1, false, func(a []*big.Int) uint64 { return uint64(bits.OnesCount64(a[0].Uint64())) })
	cl("rotate", 2, false, func(a []*big.Int) uint64 {
		k := uint(a[1].Uint64() % uint64(n))
		x := a[0].Uint64()
		return (x<<k | x>>(n-k)) & t.mask()
	})
	cl("bitselect", 3, false, func(a []*big.Int) uint64 {
		c := a[2].Uint64()
		return a[0].Uint64()&^c | a[1].Uint64()&c
	})
	rules = append(rules,
		rule{name: fmt.Sprintf("select i%d", n), inst: "RES = OpExtInst TYPE %cl select A_ B_ C_", res: t, args: []ty{t, t, t}, noVec: true,
			want: func(a []uint64) uint64 {
				if a[2] != 0 {
					return a[1]
				}
				return a[0]
			}})
	return rules
}

func TestBooleanRules(t *testing.T) {
	var rules []rule
	bin := func(op string, want func(a, b bool) bool) {
		rules = append(rules, rule{name: op, inst: "RES = " + op + " TYPE A_ B_", res: tb, args: []ty{tb, tb},
			want: func(a []uint64) uint64 { return truth(want(a[0] != 0, a[1] != 0)) }})
	}
	bin("OpLogicalAnd", func(a, b bool) bool { return a && b })
	bin("OpLogicalOr", func(a, b bool) bool { return a || b })
	bin("OpLogicalEqual", func(a, b bool) bool { return a == b })
	bin("OpLogicalNotEqual", func(a, b bool) bool { return a != b })
	rules = append(rules,
		rule{name: "OpLogicalNot", inst: "RES = OpLogicalNot TYPE A_", res: tb, args: []ty{tb}, want: func(a []uint64) uint64 { return 1 - a[0] }},
		rule{name: "OpSelect bool", inst: "RES = OpSelect TYPE A_ B_ C_", res: tb, args: []ty{tb, tb, tb}, want: func(a []uint64) uint64 { return a[2-a[0]] }},
	)
	for range 3 { // vectors of 2, 3 and 4
		i := len(rules)
		rules = append(rules,
			rule{name: fmt.Sprint("OpAny ", i), inst: "RES = OpAny TYPE A_", res: tb, args: []ty{tb}, reduce: true, want: func(a []uint64) uint64 {
				r := uint64(0)
				for _, x := range a {
					r |= x
				}
				return r
			}},
			rule{name: fmt.Sprint("OpAll ", i), inst: "RES = OpAll TYPE A_", res: tb, args: []ty{tb}, reduce: true, want: func(a []uint64) uint64 {
				r := uint64(1)
				for _, x := range a {
					r &= x
				}
				return r
			}})
	}
	checkRules(t, rules)
}
