package hostcall

import (
	"debug/dwarf"
	"path"
)

// lines returns the places of an address from the debug information; none without it.
func (m *module) lines(at uint64) (list []foundPlace) {
	defer m.guard()
	d := m.information()
	if d == nil {
		return nil
	}
	unit, err := d.Reader().SeekPC(at)
	if err != nil {
		return nil
	}
	lines, err := d.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	line, ok := lineAt(lines, at)
	if !ok {
		return nil
	}
	u := unitWalk{data: d, at: at, names: map[dwarf.Offset]string{}}
	if err := u.walk(unit); err != nil {
		return nil
	}
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	absolute := func(f *dwarf.LineFile) string {
		if path.IsAbs(f.Name) {
			return f.Name
		}
		return path.Join(dir, f.Name)
	}
	file, number := absolute(line.File), line.Line
	files := lines.Files()
	for i := len(u.chain) - 1; i >= 0; i-- {
		name := u.name(u.chain[i], 0)
		list = append(list, foundPlace{Place{Function: name, File: file, Line: number}, wrapperFunction(name, file)})
		// The function around it has the call that was inlined.
		index, ok := u.chain[i].Val(dwarf.AttrCallFile).(int64)
		called, _ := u.chain[i].Val(dwarf.AttrCallLine).(int64)
		if !ok || index < 0 || index >= int64(len(files)) || files[index] == nil {
			break
		}
		file, number = absolute(files[index]), int(called)
	}
	if len(list) == 0 { // of assembly, which has lines and no functions
		name, _ := m.symbol(at)
		list = append(list, foundPlace{Place{Function: name, File: file, Line: number}, wrapperFunction(name, file)})
	}
	return list
}

// lineAt returns the line of an address. (SeekPC wants the parts of a table in the order of their addresses.)
func lineAt(lines *dwarf.LineReader, at uint64) (dwarf.LineEntry, bool) {
	var before, e dwarf.LineEntry
	for inside := false; lines.Next(&e) == nil; inside = !e.EndSequence {
		if inside && before.Address <= at && at < e.Address {
			return before, before.File != nil && before.Line != 0
		}
		before = e
	}
	return dwarf.LineEntry{}, false
}

// unitWalk reads a unit of debug information.
type unitWalk struct {
	data  *dwarf.Data
	at    uint64
	names map[dwarf.Offset]string // of functions, with what they are in
	chain []*dwarf.Entry          // the function at the address, and what was inlined there, the outermost first
}

// walk reads the unit that an entry begins.
func (u *unitWalk) walk(unit *dwarf.Entry) error {
	r := u.data.Reader()
	r.Seek(unit.Offset)
	if _, err := r.Next(); err != nil || !unit.Children {
		return err
	}
	scopes := []string{""} // of namespaces and classes, each with "::" at its end
	for len(scopes) != 0 {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			scopes = scopes[:len(scopes)-1]
			continue
		}
		scope := scopes[len(scopes)-1]
		name, _ := e.Val(dwarf.AttrName).(string)
		switch e.Tag {
		case dwarf.TagSubprogram:
			if name != "" {
				u.names[e.Offset] = scope + name
			}
			u.enter(e)
		case dwarf.TagInlinedSubroutine:
			u.enter(e)
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType:
			if name != "" {
				scope += name + "::"
			}
		}
		if e.Children {
			scopes = append(scopes, scope)
		}
	}
	return nil
}

// enter adds a function to the chain if it has the address.
func (u *unitWalk) enter(e *dwarf.Entry) {
	ranges, err := u.data.Ranges(e)
	if err != nil {
		return
	}
	for _, r := range ranges {
		if r[0] <= u.at && u.at < r[1] {
			u.chain = append(u.chain, e)
			return
		}
	}
}

// name returns the name of a function, which may be that of its declaration.
func (u *unitWalk) name(e *dwarf.Entry, depth int) string {
	if name, ok := u.names[e.Offset]; ok {
		return name
	}
	if name, ok := e.Val(dwarf.AttrName).(string); ok {
		return name
	}
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		offset, ok := e.Val(a).(dwarf.Offset)
		if !ok || depth > 8 {
			continue
		}
		if name, ok := u.names[offset]; ok {
			return name
		}
		r := u.data.Reader()
		r.Seek(offset)
		if of, err := r.Next(); err == nil && of != nil {
			return u.name(of, depth+1)
		}
	}
	return ""
}
