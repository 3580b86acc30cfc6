package builtin

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// header returns the declarations of clang's header of built-in functions for a version of OpenCL C.
func header(t *testing.T, version string) []string {
	t.Helper()
	clang, err := exec.LookPath("clang-15")
	if err != nil {
		t.Skip("clang-15 is not installed")
	}
	cmd := exec.Command(clang, "-x", "cl", "-cl-no-stdinc", "-cl-std=CL"+version, "-target",
		"spir64-unknown-unknown", "-E", "-P", "-")
	cmd.Stdin = strings.NewReader("#include <opencl-c.h>\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("clang-15: %v\n%s", err, &stderr)
	}
	var list []string
	for _, line := range strings.Split(string(out), "\n") {
		if !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return strings.Split(dropBraces(dropAttributes(strings.Join(list, " "))), ";")
}

// dropAttributes takes __attribute__((...)) out of a text.
func dropAttributes(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "__attribute__")
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		depth, j := 0, i+len("__attribute__")
		for ; ; j++ {
			if s[j] == '(' {
				depth++
			} else if s[j] == ')' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		s = s[j+1:]
	}
}

// dropBraces takes what is between braces out of a text.
func dropBraces(s string) string {
	var b strings.Builder
	depth := 0
	for _, c := range s {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// headerTypes are the names that the header has for types.
func headerTypes(t *types.Table, version lang.Version) map[string]types.Qual {
	m := map[string]types.Qual{}
	add := func(name string, x *types.Type) { m[name] = types.Qual{Type: x} }
	for name, f := range fixedTypes {
		add(name, f(t))
		for _, n := range laneCounts[1:] {
			add(fmt.Sprintf("%s%d", name, n), t.Vector(f(t), n))
		}
		m["atomic_"+name] = types.Qual{Type: f(t), Q: types.Atomic}
	}
	for _, n := range []string{"size", "ptrdiff", "intptr", "uintptr", "event"} {
		m[n+"_t"] = m[n]
		m["atomic_"+n+"_t"] = m["atomic_"+n]
	}
	m["sampler_t"], m["reserve_id_t"] = m["sampler"], m["reserve"]
	m["cl_mem_fence_flags"], m["memory_order"], m["memory_scope"], m["atomic_flag"] = m["flags"], m["order"],
		m["scope"], m["atomic_int"]
	return m
}

// declaration reads "uint4 abs(int4 x)".
func declaration(t *types.Table, names map[string]types.Qual, version lang.Version, text string) (*Sig,
	error) {
	head, list, ok := strings.Cut(text, "(")
	list, ok2 := strings.CutSuffix(strings.TrimSpace(list), ")")
	if !ok || !ok2 {
		return nil, fmt.Errorf("no declaration")
	}
	f := strings.Fields(head)
	s := &Sig{Name: f[len(f)-1]}
	var err error
	if s.Result, err = headerType(t, names, version, strings.Join(f[:len(f)-1], " ")); err != nil {
		return nil, err
	}
	for _, p := range strings.Split(list, ",") {
		if p = strings.TrimSpace(p); p == "..." {
			s.Variadic = true
			continue
		}
		x, err := headerType(t, names, version, p)
		if err != nil {
			return nil, err
		}
		if x.Kind != types.VoidKind {
			s.Params = append(s.Params, x)
		}
	}
	return s, nil
}

// headerType reads the type of a parameter, which may have a name.
func headerType(t *types.Table, names map[string]types.Qual, version lang.Version, text string) (types.Qual,
	error) {
	text, _, pointer := strings.Cut(text, "*")
	var x types.Qual
	q, space := types.Quals(0), types.Private
	if version >= lang.CL20 {
		space = types.Generic
	}
	a := types.ReadOnly
	for _, w := range strings.Fields(text) {
		switch w {
		case "const":
			q |= types.Const
		case "volatile":
			q |= types.Volatile
		case "__global":
			space = types.Global
		case "__local":
			space = types.Local
		case "__constant":
			space = types.Constant
		case "__private":
			space = types.Private
		case "read_only", "__read_only":
		case "write_only", "__write_only":
			a = types.WriteOnly
		case "read_write", "__read_write":
			a = types.ReadWrite
		default:
			y, ok := names[w]
			switch {
			case x.Type != nil: // the parameter's name
			case ok:
				x = y
			case strings.HasPrefix(w, "image"):
				for i, name := range []string{"image1d_t", "image1d_buffer_t", "image1d_array_t", "image2d_t", "image2d_array_t", "image3d_t",
					"image2d_depth_t", "image2d_array_depth_t", "image2d_msaa_t", "image2d_array_msaa_t",
					"image2d_msaa_depth_t", "image2d_array_msaa_depth_t"} {
					if w == name {
						im := imageTypes[i]
						im.Access = a
						x.Type = t.ImageType(im)
					}
				}
			}
			if x.Type == nil {
				return x, fmt.Errorf("no type: %s", w)
			}
		}
	}
	if pointer {
		return types.Qual{Type: t.Pointer(x.With(q).In(space))}, nil
	}
	return x.Unqual(), nil
}

// vendors have functions in the header that lockstep does not: the prefixes of their names, and why.
var vendors = map[string]string{
	"amd_":                 "media operations of AMD: nothing runs them",
	"intel_sub_group_avc_": "motion estimation of Intel: there is no such device",
	"intel_sub_group_ime_": "motion estimation of Intel",
}

// refused reports whether a name is known and refused.
func refused(name string) bool { return len(defsOf(name)) > 0 && defsOf(name)[0].Refused != "" }

func blockWrite(s *Sig) bool { return strings.HasPrefix(s.Name, "intel_sub_group_block_write_u") }

// lacking are overloads of the header that the table leaves out, and why.
func lacking(s *Sig) string {
	switch {
	case blockWrite(s) && len(s.Params) == 3 && s.Params[0].Image.Access == types.ReadOnly:
		return "the header has read_only for an image that is written"
	}
	return ""
}

// beyond are overloads of the table that the header lacks, and why.
func beyond(s *Sig, version lang.Version) string {
	switch ext := s.Def.Ext; {
	case strings.HasPrefix(s.Name, "__builtin_"):
		return "built into clang"
	case ext == "cl_intel_subgroups_char", ext == "cl_intel_subgroups_long", ext == "cl_intel_media_block_io":
		return "the header does not have the extension"
	case strings.HasPrefix(s.Name, "intel_sub_group_shuffle") && s.Params[0].Component().Kind == types.HalfKind &&
		s.Params[0].Lanes() > 1:
		return "the header has the shuffles of half without vectors, which programs use"
	case ext == copies, ext == "cl_intel_bfloat16_conversions", ext == "cl_intel_split_work_group_barrier",
		strings.HasPrefix(ext, "__opencl_c_kernel_clock_"):
		return "the header does not have the extension"
	case strings.HasPrefix(s.Name, "intel_sub_group_block_") && version < lang.CL20 && s.Def.Over.Images != 0:
		return "the header asks for a feature macro of OpenCL C 3.0"
	case blockWrite(s) && s.Params[0].Image != nil && s.Params[0].Image.Access == types.WriteOnly:
		return "the header has read_only for an image that is written"
	}
	return ""
}

// TestHeader compares the table with clang's header: each overload of the one is in the other, for each version of
// the language, but for the exceptions above, each of which there must be.
func TestHeader(t *testing.T) {
	used := map[string]bool{}
	for _, v := range []struct {
		name    string
		version lang.Version
	}{{"1.0", lang.CL10}, {"1.1", lang.CL11}, {"1.2", lang.CL12}, {"2.0", lang.CL20}, {"3.0", lang.CL30}} {
		ty := types.NewTable(types.Config{AddressBits: 64})
		opts := lang.Default()
		opts.Version = v.version
		tab := NewTable(ty, &opts)
		names := headerTypes(ty, v.version)
		want, sigs := map[string]string{}, map[string]*Sig{}
		for _, text := range header(t, v.name) {
			text = strings.TrimSpace(text)
			if text == "" || strings.HasPrefix(text, "typedef") {
				continue
			}
			f := strings.Fields(strings.SplitN(text, "(", 2)[0])
			name, skip := f[len(f)-1], ""
			for p := range vendors {
				if strings.HasPrefix(name, p) {
					skip = p
				}
			}
			if skip != "" || refused(name) {
				used[skip] = true
				continue
			}
			s, err := declaration(ty, names, v.version, text)
			if err != nil {
				t.Errorf("%s: %v: %s", v.name, err, text)
				continue
			}
			if why := lacking(s); why != "" {
				used[why] = true
				continue
			}
			want[s.String()] = text
			sigs[s.String()] = s
		}
		have := map[string]*Sig{}
		for _, n := range Names() {
			for _, s := range tab.Overloads(n) {
				if have[s.String()] != nil {
					t.Errorf("%s: twice: %s", v.name, s)
				}
				have[s.String()] = s
				if want[s.String()] == "" {
					why := beyond(s, v.version)
					if why == "" {
						t.Errorf("%s: not in the header: %s", v.name, s)
					}
					used[why] = true
				}
			}
		}
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if have[k] == nil {
				t.Errorf("%s: not in the table: %s", v.name, k)
			}
		}
		// The fast path finds each overload, in a table that has made none.
		fresh := NewTable(ty, &opts)
		for _, k := range slices.Sorted(maps.Keys(have)) {
			if s := fresh.Exact(have[k].Name, have[k].Params); !have[k].Variadic && (s == nil || s.String() != k) {
				t.Errorf("%s: Exact does not find %s, but %v", v.name, k, s)
			}
		}
		t.Logf("OpenCL C %s: %d overloads in the header, %d in the table", v.name, len(want), len(have))
	}
	for p, why := range vendors {
		if !used[p] {
			t.Errorf("no function has the prefix %s (%s) any more", p, why)
		}
	}
}
