package main

import (
	"fmt"
	"strings"
)

// divideText is a division: @N is the name, @U the type, @X the quotient of
// a[i] and v, @Y that of a[i] and s, and @Z that of two scalars. Division by
// zero gives all ones and is counted, for the lanes that run.
const divideText = `
func @NVV(w *wave, in *inst) {
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		d := (*[64]@U)(unsafe.Add(base, in.d))
		a := (*[64]@U)(unsafe.Add(base, in.a))
		b := (*[64]@U)(unsafe.Add(base, in.b))
		if m == full {
			for i := range d {
				v := b[i]
				if v == 0 {
					d[i] = ^v
					w.Counts.ZeroDivisions++
					continue
				}
				d[i] = @X
			}
			continue
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v := b[i]
			if v == 0 {
				d[i] = ^v
				w.Counts.ZeroDivisions++
				continue
			}
			d[i] = @X
		}
	}
}

func @NVS(w *wave, in *inst) {
	s := @U(w.s[in.b])
	base := w.base
	if s == 0 {
		for _, m := range w.exec {
			d := (*[64]@U)(unsafe.Add(base, in.d))
			w.Counts.ZeroDivisions += uint64(bits.OnesCount64(m))
			for ; m != 0; m &= m - 1 {
				d[bits.TrailingZeros64(m)&63] = ^s
			}
			base = unsafe.Add(base, w.stride)
		}
		return
	}
	for _, m := range w.masks[in.mask] {
		if m != 0 {
			d := (*[64]@U)(unsafe.Add(base, in.d))
			a := (*[64]@U)(unsafe.Add(base, in.a))
			if m == full {
				for i := range d {
					d[i] = @Y
				}
			} else {
				for ; m != 0; m &= m - 1 {
					i := bits.TrailingZeros64(m) & 63
					d[i] = @Y
				}
			}
		}
		base = unsafe.Add(base, w.stride)
	}
}

func @NSS(w *wave, in *inst) {
	a, b := @U(w.s[in.a]), @U(w.s[in.b])
	if b == 0 {
		w.Counts.ZeroDivisions += w.runningLanes()
		w.s[in.d] = uint64(^b)
		return
	}
	w.s[in.d] = uint64(@Z)
}
`

func genDivide() error {
	f := &file{name: "zz_divide.go"}
	list := []struct{ name, expr string }{
		{"DivU", "{A} / {B}"},
		{"RemU", "{A} % {B}"},
		{"DivS", "{U}({S}({A}) / {S}({B}))"},
		{"RemS", "{U}({S}({A}) % {S}({B}))"},
		{"ModS", "{U}(modS({S}({A}), {S}({B})))"},
	}
	f.p("// divideFuncs has the divisions by opcode and bank: of vectors, with a scalar")
	f.p("// divisor, of scalars.")
	f.p("var divideFuncs = map[isa.Op][isa.NumBanks][3]opFunc{")
	for _, o := range list {
		f.p("isa.Op%s: {", o.name)
		for _, e := range ints {
			n := "op" + o.name + e.isa
			f.p("isa.Bank%d: {%sVV, %sVS, %sSS},", e.bits, n, n, n)
		}
		f.p("},")
	}
	f.p("}\n")
	for _, o := range list {
		for _, e := range ints {
			x := func(a, b string) string { return subst(o.expr, e, []string{a, b}) }
			f.p("%s", strings.NewReplacer("@N", fmt.Sprintf("op%s%s", o.name, e.isa), "@U", e.u,
				"@X", x("a[i]", "v"), "@Y", x("a[i]", "s"), "@Z", x("a", "b")).Replace(divideText))
		}
	}
	return f.write(imports("math/bits", "unsafe", "github.com/lockstep-gpu/lockstep/isa"))
}
