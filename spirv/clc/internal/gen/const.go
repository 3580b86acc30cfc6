package gen

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// intConst returns a constant of an integer type; of bool, OpConstantTrue or OpConstantFalse.
func (m *module) intConst(t *types.Type, v uint64) spirv.ID {
	t = t.Base()
	if t.Kind == types.BoolKind {
		return m.boolConst(v != 0)
	}
	return m.bitsConst(t.Bits(), v)
}

// bitsConst returns a constant of the integers of a width.
func (m *module) bitsConst(bits int, v uint64) spirv.ID {
	typ := uint32(m.intType(bits))
	switch {
	case bits == 64:
		return m.once(spirv.OpConstant, true, typ, uint32(v), uint32(v>>32))
	case bits < 32:
		v &= 1<<bits - 1
	}
	return m.once(spirv.OpConstant, true, typ, uint32(v))
}

func (m *module) boolConst(v bool) spirv.ID {
	op := spirv.OpConstantFalse
	if v {
		op = spirv.OpConstantTrue
	}
	return m.once(op, true, uint32(m.boolType(1)))
}

// floatConst returns a constant of a floating type, to which v is rounded already.
func (m *module) floatConst(t *types.Type, v float64) spirv.ID {
	typ := uint32(m.typeOf(t))
	switch t.Kind {
	case types.HalfKind:
		return m.once(spirv.OpConstant, true, typ, uint32(halfBits(v)))
	case types.FloatKind:
		return m.once(spirv.OpConstant, true, typ, math.Float32bits(float32(v)))
	}
	b := math.Float64bits(v)
	return m.once(spirv.OpConstant, true, typ, uint32(b), uint32(b>>32))
}

// halfBits returns the bits of a value that half can hold.
func halfBits(v float64) uint16 {
	b := math.Float64bits(v)
	sign := uint16(b >> 63 << 15)
	switch {
	case v != v:
		return sign | 0x7e00
	case math.IsInf(v, 0):
		return sign | 0x7c00
	case v == 0:
		return sign
	}
	exp, frac := int(b>>52&0x7ff)-1023, b&(1<<52-1)
	if exp < -14 {
		return sign | uint16((frac|1<<52)>>(42-14-exp))
	}
	return sign | uint16(exp+15)<<10 | uint16(frac>>42)
}

// null returns the zero of a type of SPIR-V.
func (m *module) null(typ spirv.ID) spirv.ID { return m.once(spirv.OpConstantNull, true, uint32(typ)) }

// undef returns a value of a type that is not defined.
func (m *module) undef(typ spirv.ID) spirv.ID { return m.once(spirv.OpUndef, true, uint32(typ)) }

// composite returns a constant of parts.
func (m *module) composite(typ spirv.ID, parts []spirv.ID) spirv.ID {
	w := make([]uint32, 0, len(parts)+1)
	w = append(w, uint32(typ))
	for _, p := range parts {
		w = append(w, uint32(p))
	}
	return m.list(spirv.OpConstantComposite, true, w)
}

// splatConst returns a constant vector of one value; of one component, the value.
func (m *module) splatConst(typ, v spirv.ID, n int) spirv.ID {
	if n == 1 {
		return v
	}
	parts := make([]spirv.ID, n)
	for i := range parts {
		parts[i] = v
	}
	return m.composite(typ, parts)
}

// stringVar returns the variable of a string literal.
func (m *module) stringVar(s *tree.StringLit) spirv.ID {
	if id := m.literals[string(s.Value)]; id != 0 {
		return id
	}
	init := m.bytesConst(s.Value, int64(len(s.Value)))
	typ := m.pointerType(m.bytesType(int64(len(s.Value))), spirv.StorageClassUniformConstant)
	id := m.id()
	m.globals.op(spirv.OpVariable, uint32(typ), uint32(id), uint32(spirv.StorageClassUniformConstant), uint32(init))
	m.name(id, ".str")
	m.decorate(id, spirv.DecorationConstant)
	m.decorate(id, spirv.DecorationAlignment, 1)
	m.literals[string(s.Value)] = id
	return id
}

// bytesConst returns a constant array of n bytes: those of b, cut off or filled up with zeros.
func (m *module) bytesConst(b []byte, n int64) spirv.ID {
	if int64(len(b)) > n {
		b = b[:n]
	}
	parts := make([]spirv.ID, n)
	for i := range parts {
		var c byte
		if i < len(b) {
			c = b[i]
		}
		parts[i] = m.bitsConst(8, uint64(c))
	}
	return m.composite(m.bytesType(n), parts)
}

// maxParts is the number of parts that a constant composite can have: its instruction has 16 bits for its length.
const maxParts = spirv.MaxInstWords - 3

// isConstant reports whether an expression is something that constant makes without code.
func isConstant(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.NullLit:
		return true
	case *tree.VectorLit:
		for _, x := range e.Elems {
			if !isConstant(x) {
				return false
			}
		}
		return true
	case *tree.StringLit:
		return !e.LValue
	case *tree.InitList:
		for _, it := range e.Items {
			if !isConstant(it.Value) {
				return false
			}
		}
		return true
	case *tree.Convert:
		switch e.Kind {
		case tree.NoOp:
			return isConstant(e.X)
		case tree.Splat:
			return isConstant(e.X)
		}
	}
	return false
}

// constant returns the constant of an initializer, in the type that objects have in memory if memory is set, else in
// that of values. Initializers of variables at program scope may hold addresses.
func (m *module) constant(e tree.Expr, memory bool) spirv.ID {
	t := e.Info().Type.Type
	switch e := e.(type) {
	case *tree.IntLit:
		if memory && t.Base().Kind == types.BoolKind {
			return m.bitsConst(8, e.Value&1)
		}
		return m.intConst(t, e.Value)
	case *tree.FloatLit:
		return m.floatConst(t, e.Value)
	case *tree.NullLit:
		return m.null(m.typeOf(t))
	case *tree.StringLit:
		if t.IsArray() {
			return m.bytesConst(e.Value, t.Len)
		}
	case *tree.VectorLit:
		return m.constantVector(t, e)
	case *tree.InitList:
		return m.constantList(t, e)
	case *tree.Convert:
		switch e.Kind {
		case tree.NoOp:
			return m.constant(e.X, memory)
		case tree.Splat:
			return m.splatConst(m.typeOf(t), m.constant(e.X, false), t.Lanes())
		}
	}
	return m.constantAddress(e)
}

func (m *module) constantVector(t *types.Type, v *tree.VectorLit) spirv.ID {
	var parts []spirv.ID
	var add func(e tree.Expr)
	add = func(e tree.Expr) {
		switch x := e.(type) {
		case *tree.VectorLit:
			for _, e := range x.Elems {
				add(e)
			}
		case *tree.Convert:
			n := x.Type.Lanes()
			if x.Kind == tree.Splat {
				c := m.constant(x.X, false)
				for range n {
					parts = append(parts, c)
				}
				return
			}
			add(x.X)
		default:
			parts = append(parts, m.constant(e, false))
		}
	}
	add(v)
	return m.composite(m.typeOf(t), parts)
}

// constantList returns the constant of an array, structure or union.
func (m *module) constantList(t *types.Type, l *tree.InitList) spirv.ID {
	typ := m.memoryType(t)
	if len(l.Items) == 0 {
		return m.null(typ)
	}
	if t.IsArray() {
		n := max(t.Len, 1)
		if n > maxParts {
			m.fail(l.Pos, "an initialized array of %d elements is longer than a SPIR-V constant can be (%d)", n, maxParts)
			return m.null(typ)
		}
		zero := m.null(m.memoryType(t.Elem.Type))
		parts := make([]spirv.ID, n)
		for i := range parts {
			parts[i] = zero
		}
		for _, it := range l.Items {
			c := m.constant(it.Value, true)
			for i := it.Index; i <= it.Last; i++ {
				parts[i] = c
			}
		}
		return m.composite(typ, parts)
	}
	lay := m.structs[t.Struct]
	parts := make([]spirv.ID, len(lay.members))
	raw := map[int][]byte{} // members of bit-fields, and of unions whose first member is not the one initialized
	for _, it := range l.Items {
		p := lay.fields[it.Index]
		switch {
		case p.bits >= 0:
			v, ok := it.Value.(*tree.IntLit)
			if !ok {
				m.fail(l.Pos, "the initializer of a bit-field is not a constant")
				continue
			}
			k := max(p.member, 0)
			if raw[k] == nil {
				raw[k] = make([]byte, lay.members[k].size)
			}
			setBits(raw[k], 8*int(p.from)+p.shift, p.bits, v.Value)
		case p.member >= 0:
			parts[p.member] = m.constant(it.Value, true)
		default:
			return m.constantUnion(t, l)
		}
	}
	for i := range parts {
		switch {
		case parts[i] != 0:
		case raw[i] != nil:
			parts[i] = m.bytesMember(lay.members[i], raw[i])
		default:
			parts[i] = m.null(lay.members[i].typ)
		}
	}
	return m.composite(typ, parts)
}

// bytesMember returns the constant of a member from its bytes: an integer if its type is one.
func (m *module) bytesMember(x spirvMember, b []byte) spirv.ID {
	if n := len(b); (n == 1 || n == 2 || n == 4 || n == 8) && x.typ == m.intType(8*n) {
		var v uint64
		for i := range b {
			v |= uint64(b[i]) << (8 * i)
		}
		return m.bitsConst(8*n, v)
	}
	return m.bytesConst(b, x.size)
}

// setBits sets bits of little-endian bytes.
func setBits(b []byte, from, n int, v uint64) {
	for i := 0; i < n && (from+i)/8 < len(b); i++ {
		b[(from+i)/8] |= byte(v>>i&1) << ((from + i) % 8)
	}
}

// constantUnion returns the constant of a union whose initialized member is not the one that its type has, by its
// bytes, which are known unless it holds addresses.
func (m *module) constantUnion(t *types.Type, l *tree.InitList) spirv.ID {
	b := make([]byte, t.Struct.Size)
	if !m.constantBytes(b, l) {
		m.fail(l.Pos, "a constant union that is initialized by an address, through a member that is not the largest, "+
			"is not supported")
		return m.null(m.memoryType(t))
	}
	return m.fromBytes(t, b, l.Pos)
}

// fromBytes returns the constant of a union with known bytes, member by member.
func (m *module) fromBytes(t *types.Type, b []byte, pos source.Pos) spirv.ID {
	lay := m.structs[t.Struct]
	parts := make([]spirv.ID, 0, len(lay.members))
	for i, x := range lay.members {
		part := b[x.offset : x.offset+x.size]
		var id spirv.ID
		for k, p := range lay.fields {
			if p.member == i && p.bits < 0 {
				id = m.valueFromBytes(t.Struct.Fields[k].Type.Type, part, pos)
			}
		}
		if id == 0 {
			id = m.bytesMember(x, part)
		}
		parts = append(parts, id)
	}
	return m.composite(m.memoryType(t), parts)
}

// valueFromBytes returns the constant of any type that has these bytes.
func (m *module) valueFromBytes(t *types.Type, b []byte, pos source.Pos) spirv.ID {
	var parts []spirv.ID
	switch t.Kind {
	case types.ArrayKind, types.VectorKind:
		n := m.types.SizeOf(t.Elem.Type)
		for i := int64(0); i < max(t.Len, 1); i++ {
			parts = append(parts, m.valueFromBytes(t.Elem.Type, b[i*n:(i+1)*n], pos))
		}
		return m.composite(m.memoryType(t), parts)
	case types.StructKind:
		if t.Struct.Union {
			return m.fromBytes(t, b, pos)
		}
		m.memoryType(t)
		lay := m.structs[t.Struct]
		for i, x := range lay.members {
			part := b[x.offset : x.offset+x.size]
			var id spirv.ID
			for k, p := range lay.fields {
				if p.member == i && p.bits < 0 {
					id = m.valueFromBytes(t.Struct.Fields[k].Type.Type, part, pos)
				}
			}
			if id == 0 {
				id = m.bytesMember(x, part)
			}
			parts = append(parts, id)
		}
		return m.composite(m.memoryType(t), parts)
	}
	var v uint64
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	switch t.Base().Kind {
	case types.HalfKind:
		return m.once(spirv.OpConstant, true, uint32(m.typeOf(t)), uint32(v))
	case types.FloatKind:
		return m.once(spirv.OpConstant, true, uint32(m.typeOf(t)), uint32(v))
	case types.DoubleKind:
		return m.once(spirv.OpConstant, true, uint32(m.typeOf(t)), uint32(v), uint32(v>>32))
	case types.BoolKind:
		return m.bitsConst(8, v)
	}
	if t.IsInteger() {
		return m.intConst(t, v)
	}
	if v != 0 {
		m.fail(pos, "a constant %s whose bits come from another member of a union is not supported", t)
	}
	return m.null(m.typeOf(t))
}

// constantBytes writes the bytes of a constant, and reports whether it is one without addresses.
func (m *module) constantBytes(b []byte, e tree.Expr) bool {
	t := e.Info().Type.Type
	put := func(v uint64, n int64) {
		for i := int64(0); i < n && i < int64(len(b)); i++ {
			b[i] = byte(v >> (8 * i))
		}
	}
	switch e := e.(type) {
	case *tree.IntLit:
		put(e.Value, m.types.SizeOf(t))
	case *tree.FloatLit:
		switch t.Kind {
		case types.HalfKind:
			put(uint64(halfBits(e.Value)), 2)
		case types.FloatKind:
			put(uint64(math.Float32bits(float32(e.Value))), 4)
		default:
			put(math.Float64bits(e.Value), 8)
		}
	case *tree.NullLit:
	case *tree.StringLit:
		copy(b, e.Value)
	case *tree.Convert:
		switch {
		case e.Kind == tree.NoOp:
			return m.constantBytes(b, e.X)
		case e.Kind == tree.Splat:
			n := m.types.SizeOf(e.X.Info().Type.Type)
			for i := int64(0); i < int64(t.Lanes()); i++ {
				if !m.constantBytes(b[i*n:], e.X) {
					return false
				}
			}
		default:
			return false
		}
	case *tree.VectorLit:
		for _, x := range e.Elems {
			if !m.constantBytes(b, x) {
				return false
			}
			b = b[int64(x.Info().Type.Lanes())*m.types.SizeOf(t.Component()):]
		}
	case *tree.InitList:
		return m.listBytes(b, t, e)
	default:
		return false
	}
	return true
}

func (m *module) listBytes(b []byte, t *types.Type, l *tree.InitList) bool {
	for _, it := range l.Items {
		if t.IsArray() {
			n := m.types.SizeOf(t.Elem.Type)
			for i := it.Index; i <= it.Last; i++ {
				if !m.constantBytes(b[i*n:(i+1)*n], it.Value) {
					return false
				}
			}
			continue
		}
		f := t.Struct.Fields[it.Index]
		if f.Bits >= 0 {
			v, ok := it.Value.(*tree.IntLit)
			if !ok {
				return false
			}
			setBits(b[f.Offset:], f.Shift, f.Bits, v.Value)
			continue
		}
		if !m.constantBytes(b[f.Offset:f.Offset+m.types.SizeOf(f.Type.Type)], it.Value) {
			return false
		}
	}
	return true
}

// constantAddress returns the constant of an address: a variable, moved, converted.
func (m *module) constantAddress(e tree.Expr) spirv.ID {
	info := e.Info()
	spec := func(op spirv.Op, t *types.Type, operands ...spirv.ID) spirv.ID {
		w := []uint32{uint32(m.typeOf(t)), uint32(op)}
		for _, x := range operands {
			w = append(w, uint32(x))
		}
		return m.list(spirv.OpSpecConstantOp, true, w)
	}
	switch e := e.(type) {
	case *tree.VarRef:
		if e.Var.Gen != 0 && e.Var.Storage != tree.AutoVar && e.Var.Storage != tree.ParamVar {
			m.named = append(m.named, m.vars[e.Var.Gen-1])
			return m.vars[e.Var.Gen-1]
		}
	case *tree.StringLit:
		m.named = append(m.named, m.stringVar(e))
		return m.stringVar(e)
	case *tree.Unary:
		if e.Op == tree.Addr || e.Op == tree.Deref {
			return m.constantAddress(e.X)
		}
	case *tree.Member:
		m.memoryType(e.X.Info().Type.Type)
		p := m.structs[e.X.Info().Type.Struct].fields[e.Field]
		if p.member >= 0 && p.bits < 0 {
			ptr := m.types.Pointer(info.Type)
			return spec(spirv.OpInBoundsAccessChain, ptr, m.constantAddress(e.X), m.bitsConst(32, uint64(p.member)))
		}
	case *tree.Binary:
		i, ok := e.R.(*tree.IntLit)
		if ok && (e.Op == tree.PtrAdd || e.Op == tree.PtrSub) {
			v := i.Value
			if e.Op == tree.PtrSub {
				v = -v
			}
			return spec(spirv.OpInBoundsPtrAccessChain, info.Type.Type, m.constant(e.L, false), m.intConst(m.types.Size, v))
		}
	case *tree.Convert:
		switch e.Kind {
		case tree.Decay:
			return spec(spirv.OpInBoundsAccessChain, info.Type.Type, m.constantAddress(e.X), m.bitsConst(32, 0))
		case tree.NoOp:
			return m.constant(e.X, false)
		case tree.Pointer:
			if m.typeOf(info.Type.Type) == m.typeOf(e.X.Info().Type.Type) {
				return m.constant(e.X, false)
			}
			return spec(spirv.OpBitcast, info.Type.Type, m.constant(e.X, false))
		case tree.Space:
			return spec(spirv.OpPtrCastToGeneric, info.Type.Type, m.constant(e.X, false))
		case tree.PointerToInt:
			return spec(spirv.OpConvertPtrToU, info.Type.Type, m.constant(e.X, false))
		case tree.IntToPointer:
			return spec(spirv.OpConvertUToPtr, info.Type.Type, m.constant(e.X, false))
		}
	}
	m.fail(info.Pos, "this initializer is not a constant that SPIR-V can hold")
	return m.null(m.typeOf(info.Type.Type))
}
