package lower_test

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestWords says with which loads and stores vectors of small elements are moved.
func TestWords(t *testing.T) {
	for _, x := range []struct{ name, body, want string }{
		{"uchar4", `((global uchar4 *)out)[g] = ((global const uchar4 *)in)[g] + (uchar4)1;`, "load i32, store i32"},
		{"char8", `((global char8 *)out)[g] = ((global const char8 *)in)[g] + (char8)1;`, "load i32, load i32, store i32, store i32"},
		{"short2", `((global short2 *)out)[g] = ((global const short2 *)in)[g] + (short2)1;`, "load i32, store i32"},
		{"uchar3", `((global uchar3 *)out)[g] = ((global const uchar3 *)in)[g] + (uchar3)1;`,
			"load i8, load i8, load i8, store i8, store i8, store i8"},
		{"uchar2", `((global uchar2 *)out)[g] = ((global const uchar2 *)in)[g] + (uchar2)1;`, "load i8, load i8, store i8, store i8"},
		{"LDS", `((local uchar4 *)l)[g] = ((global const uchar4 *)in)[g];`, "load i32, store i32"},
		{"one component", `((global uchar4 *)out)[g].y = ((global const uchar4 *)in)[g].z;`, "load i32, store i8"},
	} {
		k, got := kernelOf(t, x.body+" return;"), ""
		for i := range k.Code {
			in := &k.Code[i]
			name := map[isa.Op]string{isa.OpLoad: "load", isa.OpStore: "store"}[in.Op]
			if name == "" {
				continue
			}
			if got != "" {
				got += ", "
			}
			got += fmt.Sprint(name, " ", in.Type)
		}
		if got != x.want {
			t.Errorf("%s: %s, expected %s", x.name, got, x.want)
		}
	}
}
