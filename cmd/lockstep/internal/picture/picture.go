package picture

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
)

// Kinds are what -picture can draw. All but the first are figures of the page of -report.
var Kinds = []string{"work-items", "timeline", "lanes", "idle", "bytes", "conflicts", "banks", "accesses"}

// OfKind returns the figures of a picture.
func OfKind(all []*Figure, kind string, launches int) (list []*Figure) {
	for _, f := range all {
		if f.Kind == kind {
			list = append(list, f)
		}
	}
	if kind == "timeline" && launches > 1 {
		list = list[:min(len(list), 1)] // the one of all launches and pipes
	}
	return list
}

// picture is a file of -picture: figures one below the other, with what stands beside them on a page.
type picture struct {
	Title, Desc   string
	Width, Height int
	Parts         []picturePart
}

// picturePart is a figure at its place in a picture.
type picturePart struct {
	Figure    *Figure
	TitleY    int
	Y         int // of the shapes
	Keys      []pictureKey
	KeyY      int
	Notes     []pictureNote
	KeySquare int // y of the squares of the keys
}

type pictureKey struct {
	X, TextX int
	figureKey
}

type pictureNote struct {
	Y    int
	Text string
}

// Sizes of what stands beside the figures of a picture, in units.
const (
	pictureLine   = 17
	pictureColumn = 150 // characters of a line of a note
	keyWidth      = 7   // of a character, at most
)

// New puts figures one below the other.
func New(list []*Figure) *picture {
	p := &picture{Title: list[0].Title}
	var descriptions []string
	y := 8
	for _, f := range list {
		descriptions = append(descriptions, f.Desc)
		p.Width = max(p.Width, f.Width+10)
		one := picturePart{Figure: f, TitleY: y + 14, Y: y + 24}
		y += 24 + f.Height + 4
		if len(f.Keys) > 0 {
			one.KeySquare, one.KeyY = y, y+10
			x := 10
			for _, k := range f.Keys {
				one.Keys = append(one.Keys, pictureKey{x, x + 14, k})
				x += 34 + keyWidth*utf8.RuneCountInString(k.Text)
			}
			y += pictureLine + 2
		}
		for _, n := range f.Notes {
			for line := range strings.SplitSeq(cmdline.Wrap(n, pictureColumn), "\n") {
				one.Notes = append(one.Notes, pictureNote{y + 11, line})
				y += pictureLine
			}
		}
		y += 10
		p.Parts = append(p.Parts, one)
	}
	p.Desc, p.Height = strings.Join(descriptions, " "), y
	return p
}

// Limits of the picture of work-items.
const (
	itemColumns = 64
	itemRows    = 32
)

// ItemsFigure draws the work-items of a launch, in their groups and sub-groups: dimension 0 to the right,
// dimension 1 downwards. Of dimension 2, the first layer is shown.
func ItemsFigure(kernel string, global, offset []uint64, res *emu.Result) *Figure {
	size, first, local := [3]uint64{1, 1, 1}, [3]uint64{}, [3]uint64{1, 1, 1}
	copy(size[:], global)
	copy(first[:], offset)
	for i := range local {
		local[i] = max(uint64(res.Local[i]), 1) // a launch that did not begin has none
	}
	columns, rows := int(min(size[0], itemColumns)), int(min(size[1], itemRows))
	f := &Figure{Kind: "work-items", Title: "Work-items of kernel " + cmdline.Printable(kernel), Width: figureWidth / unit}
	f.Desc = fmt.Sprintf("A grid of %d by %d work-items, in work-groups of %s. Each square is a work-item with its global id.", columns, rows, cmdline.Dims(res.Local[:max(res.Dim, 1)]))
	cell := min((figureWidth-40*unit)/columns, 36*unit)
	subgroup := uint64(max(res.SubgroupSize, 1))
	for row := range rows {
		for column := range columns {
			x, y := uint64(column), uint64(row)
			group, place := [2]uint64{x / local[0], y / local[1]}, [2]uint64{x % local[0], y % local[1]}
			// The number in the group, whose sub-groups are consecutive numbers. The last group may be narrower.
			number := place[1]*min(local[0], size[0]-group[0]*local[0]) + place[0]
			class := "even"
			if (group[0]+group[1])%2 == 1 {
				class = "odd"
			}
			if number/subgroup%2 == 1 {
				class += " other"
			}
			id := fmt.Sprint(x + first[0])
			tip := fmt.Sprintf("global id %s, local id %d, group %d", id, place[0], group[0])
			if res.Dim > 1 {
				id = fmt.Sprintf("%d,%d", x+first[0], y+first[1])
				tip = fmt.Sprintf("global id (%s), local id (%d,%d), group (%d,%d)", id, place[0], place[1], group[0], group[1])
			}
			left, top := 20*unit+column*cell, 4*unit+row*cell
			f.rect(left+unit, top+unit, cell-2*unit, cell-2*unit, class, tip+fmt.Sprintf(", sub-group %d, lane %d", number/subgroup, number%subgroup))
			if cell >= 24*unit || res.Dim == 1 && cell >= 18*unit {
				f.text(left+cell/2, top+cell/2+4*unit, "middle small", id)
			}
		}
	}
	f.ends(4*unit + rows*cell + 6*unit)
	f.note("A square is a work-item, with its global id: dimension 0 to the right%s. Squares that touch and share a colour are one work-group of %s.",
		map[bool]string{true: ", dimension 1 downwards"}[res.Dim > 1], cmdline.Dims(local[:max(res.Dim, 1)]))
	if local[0]*local[1]*local[2] > subgroup {
		f.note("Light and dark squares of a group are its sub-groups of %d.", subgroup)
	}
	if uint64(columns) < size[0] || uint64(rows) < size[1] || size[2] > 1 {
		f.note("The launch has more work-items; the first are shown.")
	}
	return f
}
