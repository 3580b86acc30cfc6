package tree

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// leftOut are the fields that packed bodies do not have, by type: what sema alone looks at, and what gen sets.
var leftOut = map[string][]string{
	"Base":    {"From", "To", "Paren", "Folded"},
	"Convert": {"Explicit"},
	"Block":   {"End"},
	"Null":    {"Fallthrough"},
	"Loop":    {"End"},
	"Switch":  {"Cases"}, // Body has them
	"Var": {"Func", "TypeName", "Gen", "ID", "num", "Storage", "Static", "SizeDependent", "MaybeUnused", "WasArray", "Used",
		"Assigned"},
}

// filler sets all other fields of nodes to values that are not zero and differ, so that a field that is new and not
// packed is found.
type filler struct {
	n     int
	table *types.Table
	fn    *Func
	sig   *builtin.Sig
	name  *types.Typedef
}

func (f *filler) next() int {
	f.n++
	return f.n
}

// fill sets a value. What is deep inside is small.
func (f *filler) fill(t *testing.T, v reflect.Value, depth int) {
	switch v.Addr().Interface().(type) {
	case *types.Qual:
		all := []*types.Type{f.table.Int, f.table.Float, f.table.ULong, f.table.Vector(f.table.Short, 4)}
		v.Set(reflect.ValueOf(types.Qual{Type: all[f.next()%len(all)], Q: types.Const}))
		return
	case *Expr:
		f.pointer(t, v, &IntLit{}, depth)
		return
	case *Stmt:
		f.pointer(t, v, &ExprStmt{}, depth)
		return
	case **Func:
		v.Set(reflect.ValueOf(f.fn))
		return
	case **builtin.Sig:
		v.Set(reflect.ValueOf(f.sig))
		return
	case **types.Typedef:
		v.Set(reflect.ValueOf(f.name))
		return
	case *source.Pos:
		v.SetUint(uint64(100 + 7*f.next()%50)) // some are before others
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(300 + f.next()))
	case reflect.Uint8:
		v.SetUint(uint64(1 + f.next()%4))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(300 + f.next()))
	case reflect.Float64:
		v.SetFloat(0.1 + float64(f.next()))
	case reflect.String:
		v.SetString(fmt.Sprint("name", f.next()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			f.fill(t, v.Index(i), depth+1)
		}
	case reflect.Pointer:
		f.pointer(t, v, reflect.New(v.Type().Elem()).Interface(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(leftOut[v.Type().Name()], v.Type().Field(i).Name) {
				f.fill(t, v.Field(i), depth)
			}
		}
	default:
		t.Fatalf("a field of type %v", v.Type())
	}
}

// pointer sets a pointer or an interface to a node and fills that.
func (f *filler) pointer(t *testing.T, v reflect.Value, node any, depth int) {
	if depth > 8 {
		t.Fatalf("nodes of type %v have no end", v.Type())
	}
	f.fill(t, reflect.ValueOf(node).Elem(), depth+1)
	v.Set(reflect.ValueOf(node))
}

// TestPack packs and unpacks a node of each kind with all its fields.
func TestPack(t *testing.T) {
	table := types.NewTable(types.Config{AddressBits: 64})
	local := &Var{Name: "v", Type: types.Qual{Type: table.Int, Q: types.Const}, Pos: 120}
	read := func(pos source.Pos) Expr {
		return &Convert{Base: Base{Type: local.Type.Unqual(), Pos: pos}, Kind: Load,
			X: &VarRef{Base{Type: local.Type, Pos: pos, LValue: true}, local}}
	}
	global := &Var{Name: "g", Type: local.Type, Storage: StaticVar}
	label := &Label{At: At{110}, Name: "l", Stmt: &Break{At{111}}}
	cases := []*Case{{At: At{130}, Low: ^uint64(4), High: 9}, {At: At{131}, Default: true, Stmt: &Continue{At{132}}}}
	cases[0].Stmt = cases[1]
	// Values of variables that are not what the variable says.
	var others []Expr
	for range 5 {
		others = append(others, read(107))
	}
	others[0].Info().Pos = 109
	others[1].Info().Type.Type = table.Float
	others[2].(*Convert).X.Info().Type.Q = types.Volatile
	others[3].(*Convert).Kind = Void
	others[4].(*Convert).X.Info().LValue = false
	for _, s := range []Stmt{
		&ExprStmt{At{106}, &VectorLit{Base{Type: local.Type}, others}},
		&Block{At: At{105}, NoContract: true, List: []Stmt{&Null{At: At{106}}, label, &Goto{At{112}, label}}},
		&Block{At: At{105}, List: []Stmt{&Goto{At{112}, label}, label}},
		&Switch{At: At{107}, X: &IntLit{Base: Base{Type: local.Type}}, Body: &Block{At: At{108}, List: []Stmt{cases[0]}},
			Cases: cases},
		&Block{At: At{105}, List: []Stmt{&DeclStmt{At{106}, []*Var{local, global}}, &ExprStmt{At{107}, read(107)},
			&ExprStmt{At{107}, read(90)}, &Return{At: At{140}}}},
	} {
		checkPack(t, table, s)
	}
	for _, node := range []any{&If{}, &Loop{}, &Return{}, &DeclStmt{}, &IntLit{}, &FloatLit{}, &StringLit{}, &NullLit{},
		&VarRef{}, &FuncRef{}, &Unary{}, &Binary{}, &Assign{}, &CompoundAssign{}, &Cond{}, &Select{}, &Convert{}, &Member{},
		&Swizzle{}, &VectorIndex{}, &VectorLit{}, &InitList{}, &CompoundLit{}, &Call{}, &CallBuiltin{}, &StmtExpr{}, &Bad{}} {
		f := &filler{table: table, fn: &Func{Name: "called"}, sig: &builtin.Sig{Name: "sig"}, name: &types.Typedef{Name: "name"}}
		f.fill(t, reflect.ValueOf(node).Elem(), 0)
		s, ok := node.(Stmt)
		if !ok {
			s = &ExprStmt{At{3}, node.(Expr)}
		}
		if l, ok := node.(*Loop); ok {
			l.Post.Info().From = 77
		}
		checkPack(t, table, s)
	}
}

// checkPack packs a statement and compares what comes out of it.
func checkPack(t *testing.T, table *types.Table, s Stmt) {
	t.Helper()
	u := &Unit{Types: table}
	u.Arena.Mark()
	fn := &Func{Pos: 100, Body: &Block{At: At{101}, List: []Stmt{s}}}
	want := fn.Body
	u.Pack(fn)
	if !fn.Defined() || fn.Body != nil {
		t.Fatal("the body is not packed")
	}
	for range 2 { // again in the same memory
		got := u.Unpack(fn)
		number(want)
		if number(got); !reflect.DeepEqual(got, want) {
			t.Errorf("%T is unpacked as something else:\n%+v\nwant\n%+v", s, got.List[0], s)
		}
	}
}

// number gives the variables of a tree the numbers that packing gives them.
func number(b *Block) {
	seen := map[any]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem())
		case reflect.Pointer:
			if v.IsNil() || seen[v.Interface()] {
				return
			}
			seen[v.Interface()] = true
			if x, ok := v.Interface().(*Var); ok && x.Storage == AutoVar {
				x.num = 0
			}
			switch v.Interface().(type) {
			case *types.Type, *builtin.Sig, *Func:
			default:
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(b))
}
