package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// edges are magnitudes around which functions change their ways.
var edges = []float64{
	0, 5e-324, 0x1p-1074, 0x1p-1022, 0x1p-500, 0x1p-149, 0x1p-126, 0x1p-60, 0x1p-30, 0x1p-24, 0x1p-14, 0x1p-12, 0.25, 0.5, 0.75,
	1, 1.5, 2, 2.5, 3, 4, 5, 7, 8, 9, 10, 16, 24, 25, 27, 32, 33, 81, 88.5, 100, 127, 128, 170.5, 709.7, 745, 1000, 4096, 65504,
	0x1p23, 0x1p24, 0x1p31, 0x1p53, 0x1p60, 0x1p100, 0x1p127, math.MaxFloat32, 0x1p1000, math.MaxFloat64, math.Inf(1),
}

// inType rounds a number to a format.
func inType(bits int, x float64) float64 {
	switch bits {
	case 16:
		return fromHalf(toHalf(x))
	case 32:
		return float64(float32(x))
	}
	return x
}

// anyBits is a number of a format, each of them as likely as another.
func anyBits(r *rand.Rand, bits int) float64 {
	switch bits {
	case 16:
		return fromHalf(uint16(r.Uint32()))
	case 32:
		return float64(math.Float32frombits(r.Uint32()))
	}
	return math.Float64frombits(r.Uint64())
}

// draw returns a number: an edge or a neighbour of one, a small number, one near 1, or any.
func draw(r *rand.Rand, bits int) float64 {
	var x float64
	switch r.IntN(6) {
	case 0:
		x = inType(bits, edges[r.IntN(len(edges))])
		for range r.IntN(3) {
			x = nextAfter(bits, []float64{x, 0})
		}
	case 1:
		x = float64(r.IntN(4200)) / float64(int(1)<<r.IntN(4))
	case 2:
		x = 1 + r.NormFloat64()*math.Exp2(-float64(r.IntN(50)))
	case 3:
		x = math.Exp2(r.Float64()*30 - 20)
	case 4:
		x = r.Float64() * 20
	default:
		return anyBits(r, bits)
	}
	if r.IntN(3) == 0 {
		x = -x
	}
	return inType(bits, x)
}

// points returns arguments of a row, count times r.arity. They depend on nothing but the row and the format.
func points(row *row, bits, count int) []float64 {
	seed := uint64(bits)
	for _, c := range []byte(row.name) {
		seed = seed*131 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]float64, 0, count*row.arity)
	for len(list) < count*row.arity {
		p := make([]float64, row.arity)
		for k := range p {
			p[k] = draw(r, bits)
		}
		if row.integer {
			p[row.arity-1] = wholeNumber(r, row.name)
		}
		if row.vector {
			spread(r, bits, p)
		}
		switch row.name {
		case "fma", "mad":
			if r.IntN(2) == 0 { // a sum in which terms of about one size meet
				p[2] = inType(bits, -p[0]*p[1]*(1+r.NormFloat64()*math.Exp2(-float64(r.IntN(60)))))
			}
		case "max", "min", "clamp", "mix", "smoothstep": // OpenCL leaves infinities and NaN undefined
			for k := range p {
				if p[k]-p[k] != 0 {
					p[k] = 1
				}
			}
			switch { // bounds in the wrong order as well
			case row.name == "smoothstep" && p[1] < p[0]:
				p[0], p[1] = p[1], p[0]
			case row.name == "clamp" && p[2] < p[1]:
				p[1], p[2] = p[2], p[1]
			}
		}
		list = append(list, p...)
	}
	return list
}

// wholeNumber is an exponent.
func wholeNumber(r *rand.Rand, name string) float64 {
	n := int32(r.Uint32()) >> r.IntN(32)
	if name != "ldexp" && r.IntN(2) == 0 {
		n = int32(r.IntN(41) - 20)
	}
	return float64(max(n, -1<<30))
}

// spread makes a vector of finite components, of about one size or of many.
func spread(r *rand.Rand, bits int, p []float64) {
	wide := r.IntN(12)
	whole := r.IntN(4) == 0
	scale := 1.0
	if bits == 64 && r.IntN(4) == 0 {
		scale = math.Exp2(float64(r.IntN(1900) - 950))
	} else if bits == 32 && r.IntN(4) == 0 {
		scale = math.Exp2(float64(r.IntN(240) - 120))
	}
	for k := range p {
		x := r.Float64()*2 - 1
		if whole {
			x = float64(r.IntN(4096) - 2048)
		}
		p[k] = inType(bits, x*scale*math.Exp2(float64(r.IntN(wide*wide/4+1)-wide*wide/8)))
		if p[k]-p[k] != 0 {
			p[k] = 1
		}
	}
}

// excused says that OpenCL C, section 7.5.1, asks for something else than the judge gives at a point: special cases, which
// the tests of package clmath check.
func excused(judge string, a []float64) bool {
	x := a[0]
	switch judge {
	case "sinpi", "cospi", "tanpi":
		return 2*x == math.Trunc(2*x) // signs of zeros and infinities
	case "rsqrt", "tgamma":
		return x == 0 || math.IsInf(x, -1)
	case "rootn":
		return x == 0 || a[1] == 0
	case "powr":
		y := a[1]
		return x <= 0 || x != x || y != y || y == 0 || x == 1
	}
	return false
}

// published are doubles for which the results are known to lie next to the middle of two doubles: hard cases of Lefèvre
// and Muller ("Worst cases for correct rounding of the elementary functions in double precision", 2001) and of those who
// searched after them. The judge confirms each (see [hardest]).
var published = map[string][]float64{
	"exp":   {0x1.9e9cbbfd6080bp-31},
	"exp2":  {0x1.e4596526bf94dp-10},
	"exp10": {0x1.df760b2cdeed3p-49, 0x1.a83b1cf779890p-26},
	"sin":   {0x1.598bae9e632f6p-7},
	"cos":   {0x1.34ec2f9fc9c00p1},
	"tan":   {0x1.dffffffffff1fp-22, 0x1.50486b2f87014p-5},
	"atan":  {0x1.22e8d75e2bc7fp-11, 0x1.6298b5896ed3cp1},
	"log2":  {0x1.b4ebe40c95a01p0},
	"log10": {0x1.e12d66744ff81p429},
	"log1p": {0x1.8000000000003p-50},
	"cbrt":  {0x1.9b78223aa307cp1},
	// Neighbours of zeros on the negative axis.
	"lgamma": {-2.457024738220801, -2.7476826467274127, -3.143580888349980, -3.955294284858598, -4.039361839740537, -4.991544640560048},
}

// searched are the functions of one argument that need a search for hard cases, with the exponents of the arguments
// between which they are neither nearly linear nor constant.
var searched = map[string][2]int{
	"acos": {-12, -1}, "acosh": {1, 60}, "acospi": {-12, -1}, "asin": {-12, -1}, "asinh": {-12, 60}, "asinpi": {-30, -1}, "atan": {-12, 12},
	"atanh": {-12, -1}, "atanpi": {-30, 12}, "cbrt": {-60, 60}, "cos": {-10, 10}, "cosh": {-10, 8}, "cospi": {-10, 5}, "degrees": {-60, 60},
	"erf": {-12, 2}, "erfc": {-12, 4}, "exp": {-12, 8}, "exp2": {-12, 9}, "exp10": {-12, 7}, "expm1": {-12, 8}, "lgamma": {-10, 60},
	"log": {-60, 60}, "log10": {-60, 60}, "log1p": {-12, 60}, "log2": {-60, 60}, "radians": {-60, 60}, "rsqrt": {-60, 60}, "sin": {-10, 10},
	"sinh": {-10, 8}, "sinpi": {-30, 5}, "tan": {-10, 10}, "tanh": {-10, 4}, "tanpi": {-30, 5}, "tgamma": {-10, 7},
}

// hardArguments returns the arguments of a row's published hard cases and of those that a search finds, row.arity each.
func (s *survey) hardArguments(row *row) ([]float64, error) {
	judge := row.results[0].judge
	if row.arity != 1 || judge == "" {
		return nil, nil
	}
	list := slices.Clone(published[judge])
	for _, x := range list {
		list = append(list, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
	}
	if exponents, ok := searched[judge]; ok {
		found, err := s.search(judge, exponents)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}
