package main

import "fmt"

// genCompare writes the comparisons: they make a bit a lane.
func genCompare() error {
	f := &file{name: "zz_compare.go"}
	var rows []row
	one := func(c cmp, e elem) {
		o := op{expr: c.expr}
		fns := map[int]string{}
		for _, shape := range []int{0, 1, 2, 3} {
			name := fmt.Sprintf("op%s%s%c%c", c.name, e.isa, "VS"[shape&1], "VS"[shape>>1])
			fns[shape] = name
			f.p("func %s(w *wave, in *inst) {", name)
			for k := range 2 {
				if shape>>k&1 != 0 {
					f.p("s%c := %s", letters[k], e.load(letters[k:k+1]))
				}
			}
			if shape == 3 {
				f.p("w.s[in.d] = b2u(%s)\n}\n", subst(o.expr, e, operands(2, shape, "")))
				continue
			}
			f.p("base := w.base")
			f.p("for _, m := range w.masks[in.mask] {")
			f.p("if m != 0 {")
			f.p("d := (*uint64)(unsafe.Add(base, in.d))")
			for k := range 2 {
				if shape>>k&1 == 0 {
					f.p("%c := (*[64]%s)(unsafe.Add(base, in.%c))", letters[k], e.u, letters[k])
				}
			}
			f.p("var r uint64")
			f.p("if m == full || bits.OnesCount64(m) >= cmpDense {")
			f.p("for i := 0; i < 64; i += 8 {")
			f.p("r |= (")
			for u := range 8 {
				lane, shift, sep := "i", "", " |"
				if u > 0 {
					lane, shift = fmt.Sprintf("i+%d", u), fmt.Sprintf("<<%d", u)
				}
				if u == 7 {
					sep = ") << (i & 63)"
				}
				f.p("b2u(%s)%s%s", subst(o.expr, e, operands(2, shape, lane)), shift, sep)
			}
			f.p("}\n} else {")
			f.p("for n := m; n != 0; n &= n - 1 {\ni := bits.TrailingZeros64(n) & 63")
			f.p("r |= b2u(%s) << i", subst(o.expr, e, operands(2, shape, "i")))
			f.p("}\n}\n*d = *d&^m | r&m\n}\nbase = unsafe.Add(base, w.stride)\n}\n}\n")
		}
		rows = append(rows, row{c.name, e.isa, "", fns})
	}
	for _, c := range intCmps {
		for _, e := range ints {
			one(c, e)
		}
	}
	for _, c := range floatCmps {
		for _, e := range floats {
			one(c, e)
		}
	}
	f.table("compareFuncs", rows, "has the comparisons; an index is the set of scalar operands.")
	return f.write(imports("math", "math/bits", "unsafe", "github.com/lockstep-gpu/lockstep/isa"))
}

// genConvert writes the conversions. Those that round in a way which the
// instruction names have "R" in the name and find it in inst.imm.
func genConvert() error {
	f := &file{name: "zz_convert.go"}
	floats3 := append([]elem{half}, floats...)
	type conv struct {
		op       string
		dst, src elem
		fns      [2]map[int]string
	}
	var list []conv
	add := func(name string, d, s elem, nan bool, exprs ...string) {
		c := conv{op: name, dst: d, src: s}
		for i, x := range exprs {
			o := &op{name: name + []string{"", "R"}[i], arity: 1, expr: x, nan: nan, conv: true, heavy: i > 0}
			c.fns[i] = f.arith(o, d, s)
		}
		list = append(list, c)
	}
	for _, d := range ints {
		for _, s := range ints {
			if d.bits < s.bits {
				add("Truncate", d, s, false, "{U}({A})")
			}
		}
	}
	for _, d := range ints {
		for _, s := range ints {
			if d.bits > s.bits {
				add("SExt", d, s, false, "{U}("+s.s+"({A}))")
			}
		}
	}
	for _, d := range ints {
		for _, s := range ints {
			if d.bits > s.bits {
				add("ZExt", d, s, false, "{U}({A})")
			}
		}
	}
	for _, name := range []string{"SToF", "UToF"} {
		for _, d := range floats3 {
			for _, s := range ints {
				v, fn := s.s+"({A})", "intToFloat"
				if name == "UToF" {
					v, fn = "{A}", "uintToFloat"
				}
				wide := map[string]string{"intToFloat": "int64", "uintToFloat": "uint64"}[fn] + "(" + v + ")"
				if d.bits == 16 {
					add(name, d, s, false, "f64ToF16(float64("+v+"), isa.RoundRTE)", "f64ToF16(float64("+v+"), isa.Round(in.imm))")
					continue
				}
				p := map[int]int{32: 24, 64: 53}[d.bits]
				add(name, d, s, false, "{U}("+v+")", fmt.Sprintf("{U}(%s(%s, %d, isa.Round(in.imm)))", fn, wide, p))
			}
		}
	}
	for _, name := range []string{"FToS", "FToU"} {
		for _, d := range ints {
			for _, s := range floats3 {
				v := "float64({A})"
				if s.bits == 16 {
					v = "f16ToF64({A})"
				}
				to := "ftos"
				if name == "FToU" {
					to = "ftou"
				}
				x := "{U}(" + to + "{W}("
				add(name, d, s, false, x+v+"))", x+"roundFloat("+v+", isa.Round(in.imm))))")
			}
		}
	}
	for _, d := range floats3 {
		for _, s := range floats3 {
			v := "float64({A})"
			if s.bits == 16 {
				v = "f16ToF64({A})"
			}
			switch {
			case d.bits == 16:
				add("FToF", d, s, false, "f64ToF16("+v+", isa.RoundRTE)", "f64ToF16("+v+", isa.Round(in.imm))")
			case d.bits == 32:
				add("FToF", d, s, true, "float32("+v+")", "f64ToF32("+v+", isa.Round(in.imm))")
			default:
				add("FToF", d, s, true, v, v)
			}
		}
	}
	f.p("// convertFuncs has the conversions by opcode, types, whether the instruction names")
	f.p("// a rounding mode, and whether the operand is scalar.")
	f.p("var convertFuncs = map[convertKey][2][2]opFunc{")
	for _, c := range list {
		f.p("{isa.Op%s, isa.%s, isa.%s}: {", c.op, c.dst.isa, c.src.isa)
		for _, fns := range c.fns {
			if fns == nil {
				f.p("{nil, nil},")
			} else {
				f.p("{%s, %s},", fns[0], fns[1])
			}
		}
		f.p("},")
	}
	f.p("}")
	return f.write(imports("math", "math/bits", "unsafe", "github.com/lockstep-gpu/lockstep/isa"))
}

// genMove writes moves and selections, by the width of the element.
func genMove() error {
	f := &file{name: "zz_move.go"}
	for _, e := range ints {
		f.p("func mov%dV(w *wave, in *inst) {", e.bits)
		f.p("base := w.base")
		f.p("for _, m := range w.masks[in.mask] {\nif m != 0 {")
		f.p("d := (*[64]%s)(unsafe.Add(base, in.d))", e.u)
		f.p("a := (*[64]%s)(unsafe.Add(base, in.a))", e.u)
		f.p("if m == full { *d = *a } else {")
		f.p("for ; m != 0; m &= m - 1 {\ni := bits.TrailingZeros64(m) & 63\nd[i] = a[i]\n}\n}\n}")
		f.p("base = unsafe.Add(base, w.stride)\n}\n}\n")

		f.p("func mov%dS(w *wave, in *inst) {", e.bits)
		f.p("sa := %s", e.load("a"))
		f.p("base := w.base")
		f.p("for _, m := range w.masks[in.mask] {\nif m != 0 {")
		f.p("d := (*[64]%s)(unsafe.Add(base, in.d))", e.u)
		f.p("if m == full {\nfor i := 0; i < 64; i += 4 {\nd[i] = sa\nd[i+1] = sa\nd[i+2] = sa\nd[i+3] = sa\n}\n} else {")
		f.p("for ; m != 0; m &= m - 1 {\nd[bits.TrailingZeros64(m)&63] = sa\n}\n}\n}")
		f.p("base = unsafe.Add(base, w.stride)\n}\n}\n")

		for shape := range 4 {
			f.p("func select%d%c%c(w *wave, in *inst) {", e.bits, "VS"[shape&1], "VS"[shape>>1])
			for k := range 2 {
				if shape>>k&1 != 0 {
					f.p("s%c := %s", "bc"[k], e.load("bc"[k:k+1]))
				}
			}
			f.p("base := w.base")
			f.p("for _, m := range w.masks[in.mask] {\nif m != 0 {")
			f.p("d := (*[64]%s)(unsafe.Add(base, in.d))", e.u)
			f.p("cond := *(*uint64)(unsafe.Add(base, in.a))")
			ops := func(lane string) [2]string {
				var r [2]string
				for k := range 2 {
					if shape>>k&1 != 0 {
						r[k] = "s" + "bc"[k:k+1]
					} else {
						r[k] = "bc"[k:k+1] + "[" + lane + "]"
					}
				}
				return r
			}
			for k := range 2 {
				if shape>>k&1 == 0 {
					f.p("%c := (*[64]%s)(unsafe.Add(base, in.%c))", "bc"[k], e.u, "bc"[k])
				}
			}
			f.p("if m == full {\nfor i := 0; i < 64; i += 4 {\nq := cond >> (i & 63)")
			for u := range 4 {
				o := ops(fmt.Sprintf("i+%d", u))
				f.p("{\nx, y := %s, %s\nif q&%d != 0 { y = x }\nd[i+%d] = y\n}", o[0], o[1], 1<<u, u)
			}
			f.p("}\n} else {")
			f.p("for ; m != 0; m &= m - 1 {\ni := bits.TrailingZeros64(m) & 63")
			o := ops("i")
			f.p("x, y := %s, %s\nif cond>>i&1 != 0 { y = x }\nd[i] = y\n}\n}\n}", o[0], o[1])
			f.p("base = unsafe.Add(base, w.stride)\n}\n}\n")
		}
	}
	f.p("// movFuncs has the moves by bank and whether the operand is scalar.")
	f.p("var movFuncs = [isa.NumBanks][2]opFunc{\nisa.BankMask: {movMaskV, movMaskS},")
	for _, e := range ints {
		f.p("isa.Bank%d: {mov%dV, mov%dS},", e.bits, e.bits, e.bits)
	}
	f.p("}\n")
	f.p("// selectFuncs has the selections under a vector condition by bank and the set of scalar values.")
	f.p("var selectFuncs = [isa.NumBanks][4]opFunc{\nisa.BankMask: {selectMask, selectMask, selectMask, selectMask},")
	for _, e := range ints {
		f.p("isa.Bank%d: {", e.bits)
		for shape := range 4 {
			f.p("select%d%c%c,", e.bits, "VS"[shape&1], "VS"[shape>>1])
		}
		f.p("},")
	}
	f.p("}")
	return f.write(imports("math/bits", "unsafe", "github.com/lockstep-gpu/lockstep/isa"))
}
