package builtin

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The conversions are many names that follow a rule, so that they are in no index.

const conversionSection = "6.4.3"

const (
	intNames   = "{char,uchar,short,ushort,int,uint,long,ulong}"
	realNames  = "{half,float,double}"
	laneNames  = "{,2,3,4,8,16}"
	roundNames = "{,_rte,_rtz,_rtp,_rtn}"
)

var conversionRows = []Def{
	{Name: "convert_" + intNames + laneNames + "{,_sat}" + roundNames, Sig: "V(Tn)", Over: Over{Of: scalars,
		N: n1}, Emit: code(), Section: conversionSection,
		Help: "Converts numbers to integers: towards 0 or as the name says, and to the nearest limit with _sat."},
	{Name: "convert_" + realNames + laneNames + roundNames, Sig: "V(Tn)", Over: Over{Of: scalars, N: n1},
		Emit: code(), Section: conversionSection,
		Help: "Converts numbers to floats: to nearest even or as the name says."},
	{Name: "as_" + intNames + laneNames + " as_" + realNames + laneNames + " as_{size_t,ptrdiff_t,intptr_t,uintptr_t}", Sig: "V(T)", Special: true,
		Emit: code(), Section: conversionSection, Help: "The same bits as another type of the same size."},
}

// Conversion is what a name of the form convert_TYPE says.
type Conversion struct {
	Kind  types.Kind // of the components
	Lanes int
	Sat   bool
	Round string // "rte", "rtz", "rtp", "rtn"; empty for none
}

// kindNames are the names of scalar types that vectors may have.
var kindNames = map[string]types.Kind{
	"char": types.CharKind, "uchar": types.UCharKind, "short": types.ShortKind, "ushort": types.UShortKind,
	"int":  types.IntKind,
	"uint": types.UIntKind, "long": types.LongKind, "ulong": types.ULongKind, "half": types.HalfKind,
	"float":  types.FloatKind,
	"double": types.DoubleKind,
}

// vectorName reads the name of a scalar or vector type: "float4".
func vectorName(s string) (types.Kind, int, bool) {
	base := strings.TrimRight(s, "0123456789")
	k, ok := kindNames[base]
	if !ok {
		return 0, 0, false
	}
	switch s[len(base):] {
	case "":
		return k, 1, true
	case "2", "3", "4", "8", "16":
		return k, number(s[len(base):]), true
	}
	return 0, 0, false
}

// ParseConversion reads the name of a conversion; false if it is none.
func ParseConversion(name string) (Conversion, bool) {
	rest, ok := strings.CutPrefix(name, "convert_")
	if !ok {
		return Conversion{}, false
	}
	name, rest, more := strings.Cut(rest, "_")
	var c Conversion
	if c.Kind, c.Lanes, ok = vectorName(name); !ok {
		return c, false
	}
	if more && (rest == "sat" || strings.HasPrefix(rest, "sat_")) {
		if c.Kind >= types.HalfKind {
			return c, false
		}
		c.Sat = true
		rest = rest[3:]
		if rest == "" {
			return c, true
		}
		rest = rest[1:]
	}
	switch rest {
	case "rte", "rtz", "rtp", "rtn":
		c.Round = rest
	default:
		return c, !more
	}
	return c, true
}

// conversion returns the row of a conversion or reinterpretation, nil if the name is none.
func conversion(name string) *Def {
	if c, ok := ParseConversion(name); ok {
		if c.Kind >= types.HalfKind {
			return &conversionRows[1]
		}
		return &conversionRows[0]
	}
	if _, ok := asType(nil, name); ok {
		return &conversionRows[2]
	}
	return nil
}

// asType returns the type that as_TYPE gives, which is nil without a table.
func asType(t *types.Table, name string) (*types.Type, bool) {
	rest, ok := strings.CutPrefix(name, "as_")
	if !ok {
		return nil, false
	}
	switch rest {
	case "size_t", "ptrdiff_t", "intptr_t", "uintptr_t":
		if t == nil {
			return nil, true
		}
		return fixedTypes[strings.TrimSuffix(rest, "_t")](t), true
	}
	k, n, ok := vectorName(rest)
	if !ok || t == nil {
		return nil, ok
	}
	return t.Vector(t.Scalar(k), n), true
}

// AsType returns the type that a reinterpretation such as as_float4 gives, nil if the name is none.
func (t *Table) AsType(name string) *types.Type {
	x, _ := asType(t.types, name)
	return x
}
