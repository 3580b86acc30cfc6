package bigmath

import (
	"math/big"
	"testing"
)

// TestKnownValues compares with published digits of constants that every
// branch of the package has a part in.
func TestKnownValues(t *testing.T) {
	const prec = 160
	at := func(x float64) *big.Float { return New(x, prec) }
	sin, cos := SinCos(at(1e22), prec)
	lg, _ := LogGamma(at(0.5), prec)
	lgNeg, sign := LogGamma(at(-2.5), prec)
	tests := []struct {
		name string
		got  *big.Float
		want string
	}{
		{"pi", Pi(prec), "3.14159265358979323846264338327950288419716939937510582097494459"},
		{"ln 2", Ln2(prec), "0.693147180559945309417232121458176568075500134360255254120680009"},
		{"log 10", Log(at(10), prec), "2.30258509299404568401799145468436420760110148862877297603332790"},
		{"log1p 1", Log1p(at(1), prec), "0.693147180559945309417232121458176568075500134360255254120680009"},
		{"exp 1", Exp(at(1), prec), "2.71828182845904523536028747135266249775724709369995957496696763"},
		{"expm1 1", Expm1(at(1), prec), "1.71828182845904523536028747135266249775724709369995957496696763"},
		{"sin 1e22", sin, "-0.852200849767188801772705893753029368261762150410043656256509"},
		{"cos 1e22", cos, "0.523214785395138945497594473384709492140919972439387953527211"},
		{"4 atan 1", zero(prec).Mul(Atan(at(1), prec), at(4)), "3.14159265358979323846264338327950288419716939937510582097494459"},
		{"atan2(1,-1) * 4/3", zero(prec).Quo(zero(prec).Mul(Atan2(at(1), at(-1), prec), at(4)), at(3)), "3.14159265358979323846264338327950288419716939937510582097494459"},
		{"erf 1", Erf(at(1), prec), "0.842700792949714869341220635082609259296066997966302908459938"},
		{"erfc 1", Erfc(at(1), prec), "0.157299207050285130658779364917390740703933002033697091540062"},
		{"log gamma 1/2", lg, "0.572364942924700087071713675676529355823647406457655785756812"},
		{"log|gamma -5/2|", lgNeg, "-0.0562437164976740506725945300976542841229441025528456255284906"},
		{"euler", EulerGamma(prec), "0.577215664901532860606512090082402431042159335939923598805767235"},
		{"zeta(3)-1", Zeta(3, prec), "0.202056903159594285399738161511449990764986292340498881792271555"},
	}
	for _, tt := range tests {
		want, _, err := big.ParseFloat(tt.want, 10, 200, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		d := new(big.Float).SetPrec(200).Sub(tt.got, want)
		d.Quo(d, want)
		if d.Sign() != 0 && d.MantExp(nil) > -145 {
			t.Errorf("%s = %.50g, want %.50g", tt.name, tt.got, want)
		}
	}
	if sign != -1 {
		t.Errorf("sign of gamma(-5/2) = %d, want -1", sign)
	}
}

func TestFit(t *testing.T) {
	f := func(x *big.Float) *big.Float { return Exp(x, 200) }
	c := Fit(f, -0.25, 0.25, 12, 200)
	x := New(0.2, 200)
	sum := zero(200)
	for i := len(c) - 1; i >= 0; i-- {
		sum.Mul(sum, x)
		sum.Add(sum, c[i])
	}
	d := zero(200).Sub(sum, f(x))
	if d.MantExp(nil) > -60 {
		t.Errorf("fit of exp misses by %g", d)
	}
}
