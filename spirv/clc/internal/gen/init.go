package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// initialize gives the object at a place its first value.
func (f *fn) initialize(p place, e tree.Expr) {
	switch x := e.(type) {
	case *tree.InitList:
		f.initList(p, x)
	case *tree.StringLit:
		if p.typ.IsArray() {
			f.storeWhole(&p, f.bytesConst(x.Value, p.typ.Len))
			return
		}
		f.storeTo(p, f.value(e))
	default:
		f.storeTo(p, f.value(e))
	}
}

// storeWhole stores a constant of the type that an object has in memory.
func (f *fn) storeWhole(p *place, v spirv.ID) {
	f.pointer(p)
	f.do(spirv.OpStore, p.base, v, spirv.ID(spirv.MemoryAccessAligned), spirv.ID(p.align))
}

// maxStored is the number of bytes of a constant that is stored at once; longer ones are copied from a constant
// variable.
const maxStored = 256

// initList initializes an array, structure or union: as a whole where the value is constant, else part by part,
// after what no part sets has been made zero.
func (f *fn) initList(p place, l *tree.InitList) {
	t := p.typ.Type
	size := f.types.SizeOf(t)
	if size == 0 {
		return
	}
	f.pointer(&p)
	p.first, p.n = 0, 0
	switch {
	case len(l.Items) == 0:
		f.storeWhole(&p, f.null(f.memoryType(t)))
		return
	case isConstant(l) && size <= maxStored:
		f.storeWhole(&p, f.constant(l, true))
		return
	case isConstant(l) && (t.Len <= maxParts || !t.IsArray()) && !sparse(t, l):
		f.copyStruct(&p, f.constantVariable(t, l))
		return
	case !f.complete(t, l):
		f.storeWhole(&p, f.null(f.memoryType(t)))
	}
	for _, it := range l.Items {
		for i := it.Index; i <= it.Last; i++ {
			part := p
			if t.IsArray() {
				f.into(&part, f.intConst(f.types.Size, uint64(i)), t.Elem, f.elementAlign(p.align, t.Elem.Type))
			} else {
				part = f.fieldOf(part, t.Struct, int(i))
			}
			f.initialize(part, it.Value)
		}
	}
}

// sparse reports whether an array has few items for its length.
func sparse(t *types.Type, l *tree.InitList) bool {
	return t.IsArray() && t.Len > 1024 && int64(len(l.Items)) < t.Len/16
}

// complete reports whether a list sets all elements of an array, or all members of a structure.
func (f *fn) complete(t *types.Type, l *tree.InitList) bool {
	n := t.Len
	if !t.IsArray() {
		if t.Struct.Union {
			return f.types.SizeOf(t.Struct.Fields[l.Items[0].Index].Type.Type) == t.Struct.Size
		}
		for _, x := range t.Struct.Fields {
			if x.Bits >= 0 {
				return false
			}
		}
		n = int64(len(t.Struct.Fields))
	}
	var count int64
	for _, it := range l.Items {
		count += it.Last - it.Index + 1
	}
	return count >= n
}

// constantVariable makes a variable at program scope of a constant.
func (f *fn) constantVariable(t *types.Type, l *tree.InitList) spirv.ID {
	c := f.constant(l, true)
	if id := f.initials[c]; id != 0 {
		f.use(id)
		return id
	}
	id := f.module.id()
	f.globals.op(spirv.OpVariable, uint32(f.pointerTo(types.Qual{Type: t}.In(types.Constant))), uint32(id),
		uint32(spirv.StorageClassUniformConstant), uint32(c))
	f.decorate(id, spirv.DecorationConstant)
	f.decorate(id, spirv.DecorationAlignment, uint32(f.types.AlignOf(t)))
	if f.initials == nil {
		f.initials = map[spirv.ID]spirv.ID{}
	}
	f.initials[c] = id
	f.use(id)
	return id
}

// fieldOf returns where a field of the structure at a place is.
func (f *fn) fieldOf(p place, s *types.Struct, i int) place {
	field := &s.Fields[i]
	return f.fieldPlaceOf(p, s, i, field.Type)
}
