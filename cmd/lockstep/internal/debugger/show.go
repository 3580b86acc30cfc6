package debugger

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// mostElements is how many elements of an array are shown in a line.
const mostElements = 16

// print shows the value of an expression.
func (c *Console) print(args string) error {
	format := ""
	if strings.HasPrefix(args, "/") {
		format, args, _ = strings.Cut(args[1:], " ")
	}
	if format != "" && format != "x" {
		return usagef("print takes /x, not /%s", format)
	}
	if strings.TrimSpace(args) == "" {
		return usagef("an expression is missing")
	}
	return c.show(strings.TrimSpace(args), format)
}

// show shows an expression with its value, and what a pointer leads to.
func (c *Console) show(expr, format string) error {
	s := c.Session
	v, err := s.Evaluate(expr)
	if err != nil {
		c.printf("%s: %v\n", expr, err)
		return nil
	}
	c.printf("%s = %s\n", expr, c.text(v, format))
	return nil
}

// text returns a value, with what a pointer leads to.
func (c *Console) text(v debug.Value, format string) string {
	s := c.Session
	if format == "x" {
		return hex(v.Bytes)
	}
	text := s.Text(v, mostElements)
	if kids := s.Children(v, 0, 1); len(kids) == 1 && kids[0].Name == "*" {
		if kids[0].Err != nil {
			return fmt.Sprintf("%s (%v)", text, kids[0].Err)
		}
		return fmt.Sprintf("%s -> %s", text, s.Text(kids[0].Value, mostElements))
	}
	return text
}

// hex returns bytes as a number, the highest first.
func hex(p []byte) string {
	if len(p) > 8 {
		return fmt.Sprintf("bytes % x", p)
	}
	var b [8]byte
	copy(b[:], p)
	return fmt.Sprintf("0x%0*x", 2*len(p), binary.LittleEndian.Uint64(b[:]))
}

// ptype shows the type of an expression, or one that is named.
func (c *Console) ptype(args string, all bool) error {
	t := c.Session.TypeOf(args)
	if v, err := c.Session.Evaluate(args); err == nil {
		t = v.Type
	} else if t == nil {
		return err
	}
	c.printf("%s: %s, %s\n", args, t, counted(int(t.Size), "byte"))
	if all {
		for _, line := range t.Describe() {
			c.printf("%s\n", line)
		}
	}
	return nil
}

func (c *Console) addDisplay(_ context.Context, args string) error {
	if args == "" {
		for _, d := range c.displays {
			c.printf("%d: %s\n", d.number, d.expr)
		}
		return nil
	}
	c.numbers++
	c.displays = append(c.displays, display{c.numbers, args})
	return c.show(args, "")
}

func (c *Console) undisplay(_ context.Context, args string) error {
	if args == "" {
		c.displays = nil
		return nil
	}
	for i, d := range c.displays {
		if strconv.Itoa(d.number) == args {
			c.displays = append(c.displays[:i:i], c.displays[i+1:]...)
			return nil
		}
	}
	return usagef("there is no display %s", args)
}

// grid shows an expression for all work-items of the group.
func (c *Console) grid(args string) error {
	if args == "" {
		return usagef("an expression is missing")
	}
	g, err := c.Session.All(args, 4)
	if err != nil {
		return err
	}
	width, shown, differ := 1, 0, 0
	for i := range g.Cells {
		width = max(width, len([]rune(g.Cells[i].Text)))
		if g.Cells[i].Err == nil {
			shown++
		}
		if g.Cells[i].Differs {
			differ++
		}
	}
	if shown == 0 {
		return fmt.Errorf("no work-item has a value: %w", g.Cells[0].Err)
	}
	switch {
	case g.Count == 1 && shown > 1:
		c.printf("%s: the values of %s are all different\n", args, counted(shown, "work-item"))
	case differ == 0:
		c.printf("%s: all of %s have %s\n", args, counted(shown, "work-item"), g.Most)
	default:
		c.printf("%s: %d of %s have %s, %d differ (*)\n", args, g.Count, counted(shown, "work-item"), g.Most, differ)
	}
	perLine := min(max(1, 64/(width+2)), int(g.Size[0]))
	row := 0
	for i := 0; i < len(g.Cells); {
		n := min(perLine, len(g.Cells)-i, int(g.Size[0])-row)
		c.printf("%-10s", c.id(g.Cells[i].Item.Local))
		line := ""
		for _, cell := range g.Cells[i : i+n] {
			text, mark := cell.Text, " "
			if cell.Err != nil {
				text = "-"
			}
			if cell.Differs {
				mark = "*"
			}
			line += fmt.Sprintf(" %*s%s", width, text, mark)
		}
		c.printf("%s\n", strings.TrimRight(line, " "))
		i += n
		if row += n; row == int(g.Size[0]) {
			row = 0
		}
	}
	return nil
}

// examine shows memory: x/8f p.
func (c *Console) examine(args string) error {
	count, format, size := 8, byte('x'), 4
	if strings.HasPrefix(args, "/") {
		var f string
		f, args, _ = strings.Cut(args[1:], " ")
		digits := f
		if i := strings.IndexAny(f, "duxfcb"); i >= 0 {
			digits, format = f[:i], f[i]
			if f[i+1:] != "" {
				n, err := strconv.Atoi(f[i+1:])
				if err != nil || n != 1 && n != 2 && n != 4 && n != 8 {
					return usagef("elements have 1, 2, 4 or 8 bytes, not %s", f[i+1:])
				}
				size = n
			} else if format == 'c' || format == 'b' {
				size = 1
			}
		}
		if digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil || n < 1 || n > 4096 {
				return usagef("%q is no count from 1 to 4096", digits)
			}
			count = n
		}
	}
	s := c.Session
	v, err := s.Evaluate(strings.TrimSpace(args))
	if err != nil {
		return err
	}
	p, ok := s.Pointer(v)
	if !ok {
		return usagef("%s is neither a pointer nor in memory", args)
	}
	perLine := max(1, 16/size)
	for i := 0; i < count; i += perLine {
		n := min(perLine, count-i)
		at := p.Add(int64(i * size))
		data, err := s.ReadMemory(at, n*size)
		if err != nil {
			return err
		}
		c.printf("%s:", strings.TrimPrefix(s.PointerText(at), "&"))
		for j := range n {
			c.printf(" %s", number(data[j*size:(j+1)*size], format))
		}
		c.printf("\n")
	}
	return nil
}

// number returns bytes as a number in a format.
func number(p []byte, format byte) string {
	var b [8]byte
	copy(b[:], p)
	x := binary.LittleEndian.Uint64(b[:])
	signed := int64(x<<(64-8*len(p))) >> (64 - 8*len(p))
	switch format {
	case 'd':
		return strconv.FormatInt(signed, 10)
	case 'u':
		return strconv.FormatUint(x, 10)
	case 'c':
		return strconv.QuoteRune(rune(x))
	case 'f':
		switch len(p) {
		case 4:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(x))), 'g', -1, 32)
		case 8:
			return strconv.FormatFloat(math.Float64frombits(x), 'g', -1, 64)
		}
	}
	return fmt.Sprintf("%0*x", 2*len(p), x)
}

func (c *Console) set(_ context.Context, args string) error {
	args = strings.TrimPrefix(args, "var ")
	i := assignment(args)
	if i < 0 {
		return usagef("set takes EXPRESSION = EXPRESSION")
	}
	to := strings.TrimSpace(args[:i])
	v, err := c.Session.Set(to, args[i+1:])
	if err != nil {
		return err
	}
	c.printf("%s = %s\n", to, c.text(v, ""))
	return nil
}

// assignment finds the = of an assignment.
func assignment(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '=' {
			i++
			continue
		}
		if i > 0 && strings.IndexByte("!<>", text[i-1]) >= 0 {
			continue
		}
		return i
	}
	return -1
}

func (c *Console) backtrace(context.Context, string) error {
	frames := c.Session.Frames()
	if len(frames) == 0 {
		c.printf("the work-item has ended\n")
	}
	for i, f := range frames {
		mark := " "
		if i == c.Session.Frame() {
			mark = ">"
		}
		c.printf("%s%d  %s at %s\n", mark, i, f.Function, placeOf(f.Place))
	}
	return nil
}

func (c *Console) selectFrame(_ context.Context, args string) error {
	if args != "" {
		n, err := strconv.Atoi(args)
		if err != nil || !c.Session.SelectFrame(n) {
			return usagef("there is no frame %s", args)
		}
	}
	c.where()
	return nil
}

func (c *Console) moveFrame(by int) error {
	if !c.Session.SelectFrame(c.Session.Frame() + by) {
		return usagef("there is no frame there")
	}
	c.where()
	return nil
}

// list shows ten lines of the source.
func (c *Console) list(_ context.Context, args string) error {
	file, from := c.listFile, c.listed-5
	frames := c.Session.Frames()
	here := 0
	if len(frames) > 0 {
		here = frames[min(c.Session.Frame(), len(frames)-1)].Place.Line
	}
	switch {
	case args != "":
		b, err := c.breakpoint(args)
		if err != nil {
			return err
		}
		_ = c.Session.Delete(b.Number)
		file, from = b.File, b.Line-5
	case c.listed == here && here > 0:
	case c.listed > 0:
		from = c.listed + 6
	}
	if file == "" {
		if files := c.Session.Files(); len(files) > 0 {
			file = files[0]
		}
	}
	from = max(from, 1)
	shown := false
	for n := from; n < from+11; n++ {
		mark := ""
		if n == here && len(frames) > 0 && file == frames[min(c.Session.Frame(), len(frames)-1)].Place.File {
			mark = ">"
		}
		shown = c.line(file, n, mark) || shown
	}
	if !shown {
		return usagef("there are no more lines, or the source of %s is not there", file)
	}
	c.listed, c.listFile = from+5, file
	return nil
}

func (c *Console) disas(_ context.Context, args string) error {
	it, _ := c.Session.Current()
	from, count := max(it.PC-5, 0), 16
	words := strings.Fields(args)
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || i > 1 || n < 0 {
			return usagef("disas takes the number of an instruction, and a count")
		}
		if i == 0 {
			from = n
		} else {
			count = n
		}
	}
	last := debug.Place{}
	for _, in := range c.Session.Disassemble(from, count) {
		if in.Start {
			c.printf("b%d:\n", in.Block)
		}
		if in.Place.Line != 0 && (in.Place.Line != last.Line || in.Place.File != last.File) {
			c.printf("  ; %s:%d\n", in.Place.File, in.Place.Line)
			last = in.Place
		}
		mark := " "
		if in.PC == it.PC {
			mark = ">"
		}
		c.printf("%s%5d  %s\n", mark, in.PC, in.Text)
	}
	return nil
}

func (c *Console) item(_ context.Context, args string) error {
	if args != "" {
		id, err := ids(args)
		if err != nil {
			return err
		}
		if err := c.Session.SelectGlobal(id); err != nil {
			return err
		}
	}
	c.where()
	return nil
}

func (c *Console) lane(_ context.Context, args string) error {
	it, ok := c.Session.Current()
	if !ok {
		return debug.ErrEnded
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 0 || n >= c.Session.Waves()[it.Wave].Lanes {
		return usagef("%q is no lane of wave %d", args, it.Wave)
	}
	if err := c.Session.Select(it.Number - it.Lane + n); err != nil {
		return err
	}
	c.where()
	return nil
}

func (c *Console) wave(_ context.Context, args string) error {
	if args == "" {
		return c.info("waves")
	}
	n, err := strconv.Atoi(args)
	if err != nil {
		return usagef("%q is no number of a wave", args)
	}
	if err := c.Session.SelectWave(n); err != nil {
		return err
	}
	c.where()
	return nil
}

// group goes on until a work-group begins.
func (c *Console) group(ctx context.Context, args string) error {
	if args == "" {
		return c.info("groups")
	}
	id, err := ids(args)
	if err != nil {
		return err
	}
	if all := c.Session.Launch().Groups; id[0] >= all[0] || id[1] >= all[1] || id[2] >= all[2] {
		return usagef("there is no work-group %s: the launch has %d by %d by %d", c.id(id), all[0], all[1], all[2])
	}
	b, err := c.Session.BreakInstruction(0)
	if err != nil {
		return err
	}
	b.Group = &id
	return c.goOnTo(ctx, b)
}
