package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Difference is where two outcomes part.
type Difference struct {
	// Runs are the two that were compared.
	Runs [2]Run `json:"runs"`
	// Object is the memory, Name what it is called, and Index the element of it; nil, "" and 0 where memory
	// is the same. Of all elements that differ in the end it is the one that got its last value first, in the
	// first of the runs.
	Object *finding.Object `json:"object,omitempty"`
	Name   string          `json:"name,omitempty"`
	Index  uint64          `json:"index"`
	// Values are what the element holds in the end, and Stores who wrote that; the zero Storing is for one
	// that no store has written: its value is that from before the launch, or comes from an asynchronous copy
	// or an image write.
	Values [2]string  `json:"values"`
	Stores [2]Storing `json:"stores"`
	// Elements is how many elements of the object differ, of how many.
	Elements uint64 `json:"elements"`
	Of       uint64 `json:"of"`
	// First is the first access at which the runs part; nil where all work-items make the same accesses: then they get
	// something else from images, pipes, copies that are no accesses of theirs, or operations of sub-groups.
	First *Parting `json:"first_access,omitempty"`
	// Lines are, where memory is the same, the first lines of output that only one of the runs has printed;
	// "" for none.
	Lines [2]string `json:"lines"`
}

// Swapped returns the difference with the runs the other way round.
func (d *Difference) Swapped() *Difference {
	s := *d
	s.Runs = [2]Run{d.Runs[1], d.Runs[0]}
	s.Values = [2]string{d.Values[1], d.Values[0]}
	s.Stores = [2]Storing{d.Stores[1], d.Stores[0]}
	s.Lines = [2]string{d.Lines[1], d.Lines[0]}
	if d.First != nil {
		first := *d.First
		first.Accesses = [2]PartedAccess{first.Accesses[1], first.Accesses[0]}
		s.First = &first
	}
	return &s
}

// Storing is a store of a run.
type Storing struct {
	WorkItem *finding.WorkItem `json:"work_item,omitempty"`
	Place    finding.Place     `json:"place"`
	// Order counts the stores of the run, from 1.
	Order uint64 `json:"order"`
}

// Part finds out where the outcomes of two runs part, by making them again. It is nil when they do not.
func (e *Explorer) Part(ctx context.Context, a, b Run) (*Difference, error) {
	d := &Difference{Runs: [2]Run{a, b}}
	var sides [2]*side
	for i := range sides {
		s, err := e.rerun(ctx, d.Runs[i].Config, nil)
		if err != nil {
			return nil, err
		}
		sides[i] = s
	}
	differ := differing(sides[0], sides[1])
	if len(differ) == 0 {
		d.Lines = uncommon(sides[0].output, sides[1].output)
		if d.Lines == [2]string{} && sides[0].left == sides[1].left {
			return nil, nil
		}
	}
	log := newAccessLog()
	for i := range sides {
		order := uint64(0)
		writers := map[element]writer{}
		log.second = i == 1
		s, err := e.rerun(ctx, d.Runs[i].Config, func(launch int, a emu.Access) {
			log.note(launch, &a)
			if !a.Writes() {
				return
			}
			order++
			for j := range differ {
				if r := &differ[j]; r.allocation == a.Allocation {
					r.touched(a.Offset, a.Bytes, func(index uint64) { writers[element{r.allocation, index}] = writer{a, order} })
				}
			}
		})
		if err != nil {
			return nil, err
		}
		// Who watches must not change what happens.
		if differing(s, sides[i]) == nil {
			sides[i].writers = writers
		}
	}
	log.ended()
	var err error
	if d.First, err = e.parting(ctx, d.Runs, log); err != nil {
		return nil, err
	}
	if len(differ) > 0 {
		d.locate(sides, differ)
	}
	return d, nil
}

// side is what one of two runs left behind.
type side struct {
	memory  []emu.Contents // copies
	objects []object       // of them
	output  []byte
	left    string // a digest of what is left elsewhere
	writers map[element]writer
}

// object is what a piece of memory is called, and the size of its elements.
type object struct {
	*finding.Object
	name string
	size uint64
}

// element is an element of a piece of memory.
type element struct {
	allocation uint32
	index      uint64
}

// writer is the last store to an element, and its number among all.
type writer struct {
	store emu.Access
	order uint64
}

// rerun makes a run again. It tells watch, unless that is nil, of all accesses and of the launches that make them.
func (e *Explorer) rerun(ctx context.Context, c Config, watch func(launch int, a emu.Access)) (s *side, err error) {
	engine := e.engine()
	if watch != nil {
		engine = "interp" // which announces accesses
	}
	l, err := e.prepare(ctx, c, engine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.dev.Close()) }()
	s = &side{}
	if watch != nil {
		for i := range l.launches {
			l.launches[i].Accesses = func(a emu.Access) { watch(i, a) }
		}
	}
	res, err := e.run(ctx, l, nil)
	if err != nil {
		return nil, err
	}
	s.output = res.output
	held, err := l.dev.Contents()
	if err != nil {
		return nil, err
	}
	if s.left, err = memoryDigest(nil, l.left); err != nil {
		return nil, err
	}
	for _, m := range held {
		o, name, err := l.object(m)
		if err != nil {
			return nil, err
		}
		s.objects = append(s.objects, object{o, name, elementSize(o, len(m.Data))})
		m.Data = bytes.Clone(m.Data)
		s.memory = append(s.memory, m)
	}
	return s, nil
}

// elementSize returns the size of an object's elements; where it is not known they are words.
func elementSize(o *finding.Object, size int) uint64 {
	switch {
	case o.ElementBytes != 0:
		return o.ElementBytes
	case size%4 == 0:
		return 4
	}
	return 1
}

// region is the elements of an allocation that differ, those of the lowest indices.
type region struct {
	allocation uint32
	at         int // in the list of contents
	size       uint64
	indices    []uint64
	count      uint64 // of all that differ
}

// maxWatched bounds the elements of an allocation that are watched.
const maxWatched = 1 << 16

// touched calls f for the watched elements that an access touches.
func (r *region) touched(offset int64, n uint64, f func(index uint64)) {
	if offset < 0 || n == 0 {
		return
	}
	first, last := uint64(offset)/r.size, (uint64(offset)+n-1)/r.size
	i, _ := slices.BinarySearch(r.indices, first)
	for ; i < len(r.indices) && r.indices[i] <= last; i++ {
		f(r.indices[i])
	}
}

// differing returns what differs in the memory of two runs.
func differing(a, b *side) (list []region) {
	for i := range min(len(a.memory), len(b.memory)) {
		x, y := a.memory[i].Data, b.memory[i].Data
		if bytes.Equal(x, y) || len(x) != len(y) {
			continue
		}
		r := region{allocation: a.memory[i].Allocation, at: i, size: a.objects[i].size}
		size := int(r.size)
		for at := 0; at < len(x); at += size {
			end := min(at+size, len(x))
			if bytes.Equal(x[at:end], y[at:end]) {
				continue
			}
			if r.count++; len(r.indices) < maxWatched {
				r.indices = append(r.indices, uint64(at)/r.size)
			}
		}
		list = append(list, r)
	}
	return list
}

// locate chooses the element to tell of, and says who wrote it.
func (d *Difference) locate(sides [2]*side, differ []region) {
	at, index, best := differ[0].at, differ[0].indices[0], [3]uint64{3}
	for _, r := range differ {
		for _, i := range r.indices {
			el := element{r.allocation, i}
			a, wrote := sides[0].writers[el]
			b, wroteToo := sides[1].writers[el]
			// Best is one that both have written, and of these the one that the first run wrote first.
			rank := [3]uint64{0, a.order, b.order}
			switch {
			case !wrote && !wroteToo:
				rank[0] = 2
			case !wrote || !wroteToo:
				rank[0] = 1
			}
			if slices.Compare(rank[:], best[:]) < 0 {
				at, index, best = r.at, i, rank
			}
		}
		if r.at == at {
			d.Elements = r.count
		}
	}
	m, o := &sides[0].memory[at], sides[0].objects[at]
	d.Object, d.Name, d.Index = o.Object, o.name, index
	if d.Name == "" {
		d.Name = "a buffer without a name"
	}
	d.Of = (uint64(len(m.Data)) + o.size - 1) / o.size
	for i, s := range sides {
		data := s.memory[at].Data[index*o.size:]
		d.Values[i] = valueText(o.Element, data[:min(o.size, uint64(len(data)))])
		if w, ok := s.writers[element{m.Allocation, index}]; ok {
			d.Stores[i] = Storing{WorkItem: w.store.WorkItem(), Place: w.store.Place(), Order: w.order}
		}
	}
}

// maxValue bounds the bytes of an element that are shown.
const maxValue = 64

// valueText is an element as its type says: a number, those of a vector, or its bytes as words.
func valueText(typ string, data []byte) string {
	name := strings.TrimRight(typ, "0123456789")
	t, ok := map[string]argspec.Type{
		"char": argspec.I8, "uchar": argspec.U8, "bool": argspec.U8, "short": argspec.I16, "ushort": argspec.U16, "half": argspec.F16, "int": argspec.I32,
		"uint": argspec.U32, "long": argspec.I64, "ulong": argspec.U64, "float": argspec.F32, "double": argspec.F64,
	}[name]
	if !ok || len(data)%t.Size() != 0 {
		text := fmt.Sprintf("%x", data[:min(len(data), maxValue)])
		if len(data) > maxValue {
			text += "…"
		}
		return "bytes " + text
	}
	var texts []string
	for ; len(data) > 0; data = data[t.Size():] {
		texts = append(texts, string(argspec.AppendValue(nil, t, data)))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// maxLine bounds a line of output that is shown, in bytes.
const maxLine = 200

// uncommon returns, of each of two outputs, the least of the lines that the other one does not have as often.
func uncommon(a, b []byte) (lines [2]string) {
	x, y := sortedLines(a), sortedLines(b)
	note := func(i int, line string) {
		if lines[i] == "" {
			lines[i] = strings.ToValidUTF8(line[:min(len(line), maxLine)], "\ufffd")
		}
	}
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			note(0, x[0])
			x = x[1:]
		case len(x) == 0 || y[0] < x[0]:
			note(1, y[0])
			y = y[1:]
		default:
			x, y = x[1:], y[1:]
		}
	}
	return lines
}

// sortedLines returns the lines of an output, with their ends, in order.
func sortedLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	slices.Sort(lines)
	return lines
}
