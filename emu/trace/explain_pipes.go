package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Limits of what WritePipes shows; what is left out is counted.
const (
	maxPipes   = 32 // pipes, and launches
	maxParties = 6  // launches at an end of a pipe
)

// WritePipes writes what went through the pipes of a set, for a terminal: what
// the launches did over time and how full the pipes were, as a picture; for each
// pipe who wrote and who read how many packets, and who waited for whom; and who
// held the others up. Of the options, Width counts.
func (r *Recorder) WritePipes(w io.Writer, opt TextOptions) error {
	t := &textWriter{r: r, w: bufio.NewWriterSize(w, 64<<10), opt: opt.withDefaults(), shown: make(map[string]bool)}
	t.header()
	if len(r.pipes.infos) == 0 {
		t.printf("\nthere is no pipe\n")
	} else {
		f := r.flow()
		t.printf("\n")
		t.pipePicture(f)
		for i := range r.pipes.infos {
			if i == maxPipes {
				t.printf("\n%s more\n", counted(len(r.pipes.infos)-i, "pipe"))
				break
			}
			t.pipe(f, i)
		}
		t.bottleneck(f)
	}
	if r.full {
		t.printf("\n%s\n", r.limitNotice())
	}
	return t.w.Flush()
}

// end is a pipe's end as a launch uses it.
type end struct {
	launch, pipe int
	write        bool
}

// flow is what WritePipes finds out of a trace.
type flow struct {
	ticks   uint64
	packets map[end]uint64
	waits   map[end]int        // that took time
	waited  map[end][]interval // a union
	runs    [][]interval       // by launch, unions
	idle    [][2][]interval    // by launch: the unions of waits for packets, and for room
	gave    [][]interval       // by launch: the union of what follows turns that gave way
	levels  [][]level          // by pipe
	sides   [][2][]int         // by pipe: the launches that read, and that write
}

// flow goes through the trace.
func (r *Recorder) flow() *flow {
	f := &flow{
		ticks: r.lastTick(), packets: make(map[end]uint64), waits: make(map[end]int), waited: make(map[end][]interval),
		runs: make([][]interval, len(r.launches)), idle: make([][2][]interval, len(r.launches)), gave: make([][]interval, len(r.launches)), levels: make([][]level, len(r.pipes.infos)),
	}
	for i := range r.groups {
		g := &r.groups[i]
		gave := make(map[int32]uint64) // by wave: since when
		for j := range g.events {
			e := &g.events[j]
			if e.kind != kindTurn {
				continue
			}
			f.runs[g.launch] = append(f.runs[g.launch], interval{e.from, e.to})
			if since, ok := gave[e.wave]; ok && since < e.from {
				f.gave[g.launch] = append(f.gave[g.launch], interval{since, e.from})
			}
			delete(gave, e.wave)
			if e.stop == engine.StopQuantum {
				gave[e.wave] = e.to
			}
		}
	}
	for i := range r.pipes.runs {
		run := &r.pipes.runs[i]
		f.packets[end{run.launch, run.pipe, run.write}] += run.n
	}
	for i := range r.pipes.waits {
		w := &r.pipes.waits[i]
		if v := (interval{w.from, w.until(f.ticks)}); v.from < v.to {
			at := end{w.launch, w.pipe, w.write}
			f.waits[at]++
			f.waited[at] = append(f.waited[at], v)
			side := &f.idle[w.launch][rankWrite(w.write)]
			*side = append(*side, v)
		}
	}
	for i := range f.runs {
		f.runs[i] = union(f.runs[i])
		f.idle[i] = [2][]interval{union(f.idle[i][0]), union(f.idle[i][1])}
		// While another of its waves runs, or waits, the launch does that.
		f.gave[i] = without(without(union(f.gave[i]), f.runs[i]), union(slices.Concat(f.idle[i][0], f.idle[i][1])))
	}
	for at, list := range f.waited {
		f.waited[at] = union(list)
	}
	for i, runs := range r.runsByPipe() {
		f.levels[i] = r.levelsOf(i, runs)
	}
	f.sides = make([][2][]int, len(r.pipes.infos))
	add := func(at end) {
		list := &f.sides[at.pipe][rankWrite(at.write)]
		*list = append(*list, at.launch)
	}
	for at := range f.packets {
		add(at)
	}
	for at := range f.waits {
		add(at)
	}
	for i := range f.sides {
		for j, list := range f.sides[i] {
			slices.Sort(list)
			f.sides[i][j] = slices.Compact(list)
		}
	}
	return f
}

// parties returns the launches that moved packets at an end, or waited there,
// the host first.
func (f *flow) parties(pipe int, write bool) []int { return f.sides[pipe][rankWrite(write)] }

// The signs of a picture of pipes. How full a pipe is, is a digit: tenths.
const (
	signWaitPackets = 'r'
	signWaitRoom    = 'w'
	signGave        = 'g'
	signFull        = '#'
)

// pipePicture draws what the launches do, and how full the pipes are.
func (t *textWriter) pipePicture(f *flow) {
	r := t.r
	label := 4
	for i := range min(len(r.launches), maxPipes) {
		label = max(label, len([]rune(r.label(i))))
	}
	for i := range min(len(r.pipes.infos), maxPipes) {
		label = max(label, len([]rune(pipeName(&r.pipes.infos[i]))))
	}
	label = min(label, t.opt.Width/3)
	c := newCanvas(&group{end: f.ticks}, t.opt.Width-label-2)
	draw := func(name string, signs []byte) {
		cut := []rune(name)
		if len(cut) > label {
			cut = append(cut[:label-1], '…')
		}
		t.printf("%-*s  %s\n", label, string(cut), strings.TrimRight(string(signs), " "))
	}
	t.printf("%s\n", c.axis(label+2))
	used := make(map[byte]bool)
	for i := range r.launches {
		if i == maxPipes {
			t.printf("%s more\n", countedAs(len(r.launches)-i, "launch", "launches"))
			break
		}
		signs := f.launchSigns(&c, i)
		for _, s := range signs {
			used[s] = true
		}
		draw(r.label(i), signs)
	}
	for i := range r.pipes.infos {
		if i == maxPipes {
			t.printf("%s more\n", counted(len(r.pipes.infos)-i, "pipe"))
			break
		}
		draw(pipeName(&r.pipes.infos[i]), f.levelSigns(&c, i, uint64(r.pipes.infos[i].Capacity)))
	}
	var legend []string
	for _, m := range []struct {
		sign    byte
		meaning string
	}{{signRun, "runs"}, {signWaitPackets, "waits for packets"}, {signWaitRoom, "waits for room"}, {signGave, "gave way"}, {signIdle, "not its turn"}} {
		if used[m.sign] {
			legend = append(legend, fmt.Sprintf("%c %s", m.sign, m.meaning))
		}
	}
	legend = append(legend, "a column is "+counted(c.scale, "tick"), "pipes: . empty, 0-9 tenths, # full")
	t.legend(legend, label+2)
}

func pipeName(p *PipeInfo) string {
	if name := strings.TrimSpace(clean(p.Name)); name != "" {
		return name
	}
	return "(no name)"
}

// launchSigns says what a launch does in each column: whatever takes most of it.
func (f *flow) launchSigns(c *canvas, launch int) []byte {
	does := []struct {
		sign byte
		list []interval
		sums []uint64
	}{{sign: signRun, list: f.runs[launch]}, {sign: signWaitPackets, list: f.idle[launch][0]}, {sign: signWaitRoom, list: f.idle[launch][1]}, {sign: signGave, list: f.gave[launch]}}
	var last uint64
	for i := range does {
		d := &does[i]
		d.sums = make([]uint64, c.columns)
		for _, v := range d.list {
			c.spread(d.sums, v.from, v.to)
			last = max(last, v.to)
		}
	}
	signs := make([]byte, c.columns)
	for i := range signs {
		signs[i] = signIdle
		if last <= c.start+uint64(i)*c.scale {
			signs[i] = signOver
		}
		most := uint64(0)
		for _, d := range does {
			if d.sums[i] > most {
				signs[i], most = d.sign, d.sums[i]
			}
		}
	}
	return signs
}

// levelSigns says how full a pipe is in each column: on average, over its ticks.
func (f *flow) levelSigns(c *canvas, pipe int, capacity uint64) []byte {
	signs := make([]byte, c.columns)
	levels := f.levels[pipe]
	for i := range signs {
		from := c.start + uint64(i)*c.scale
		sum, ticks := f.sum(levels, from, min(from+c.scale, max(c.end, from+1)))
		switch {
		case sum == 0:
			signs[i] = signIdle
		case sum >= capacity*ticks:
			signs[i] = signFull
		default:
			signs[i] = '0' + byte(sum*10/(capacity*ticks))
		}
	}
	return signs
}

// sum adds up how many packets a pipe holds in each tick of [from, to).
func (f *flow) sum(levels []level, from, to uint64) (sum, ticks uint64) {
	i, _ := slices.BinarySearchFunc(levels, from, func(l level, tick uint64) int { return cmp.Compare(l.tick, tick+1) })
	for i = max(i-1, 0); i < len(levels) && levels[i].tick < to; i++ {
		until := to
		if i+1 < len(levels) {
			until = min(until, levels[i+1].tick)
		}
		sum += levels[i].n * (until - max(levels[i].tick, from))
	}
	return sum, to - from
}

// times returns for how many ticks a pipe is empty and full.
func (f *flow) times(pipe int, capacity uint64) (empty, full uint64) {
	levels := f.levels[pipe]
	for i, l := range levels {
		until := f.ticks
		if i+1 < len(levels) {
			until = levels[i+1].tick
		}
		switch ticks := until - min(l.tick, until); l.n {
		case 0:
			empty += ticks
		case capacity:
			full += ticks
		}
	}
	return empty, full
}

// pipe says what went through a pipe.
func (t *textWriter) pipe(f *flow, i int) {
	r := t.r
	info := &r.pipes.infos[i]
	t.printf("\npipe %s: packets of %s, capacity %d", pipeName(info), counted(uint64(info.PacketBytes), "byte"), info.Capacity)
	if n := info.before(); n > 0 {
		t.printf(", %s in it before", counted(n, "packet"))
	}
	t.printf("\n")
	for _, side := range []struct {
		write bool
		did   string
	}{{true, "written"}, {false, "read"}} {
		var total uint64
		var names []string
		parties := f.parties(i, side.write)
		for k, launch := range parties {
			n := f.packets[end{launch, i, side.write}]
			total += n
			if k < maxParties {
				name := r.label(launch)
				if len(parties) > 1 {
					name += fmt.Sprintf(" %d", n)
				}
				names = append(names, name)
			}
		}
		if k := len(parties) - maxParties; k > 0 {
			names = append(names, fmt.Sprintf("%d more", k))
		}
		who := "nobody"
		if len(names) > 0 {
			who = strings.Join(names, ", ")
		}
		t.printf("  %-8s %s by %s\n", side.did, counted(total, "packet"), who)
	}
	if n := f.levels[i][len(f.levels[i])-1].n; n > 0 {
		t.printf("  %-8s %s\n", "left", counted(n, "packet"))
	}
	empty, full := f.times(i, uint64(info.Capacity))
	sum, ticks := f.sum(f.levels[i], 0, max(f.ticks, 1))
	t.printf("  %-8s %d.%d packets on average; empty for %d %% of the time, full for %d %%\n", "holds", sum/ticks, sum*10/ticks%10, percent(empty, f.ticks), percent(full, f.ticks))
	label := "waits"
	for _, write := range []bool{true, false} {
		for k, launch := range f.parties(i, write) {
			at := end{launch, i, write}
			if f.waits[at] == 0 {
				continue
			}
			if k >= maxParties {
				t.printf("  %-8s and more\n", "")
				break
			}
			what := "packets"
			if write {
				what = "room"
			}
			ticks := length(f.waited[at])
			t.printf("  %-8s %s waited for %s: %s, %s (%d %% of the time)\n", label, r.label(launch), what, counted(f.waits[at], "time"), counted(ticks, "tick"), percent(ticks, f.ticks))
			label = ""
		}
	}
	if label != "" {
		t.printf("  %-8s none\n", label)
	}
}

// blame is how long the others waited for a launch, and it for others.
type blame struct {
	launch         int
	caused, waited uint64
}

// blames finds out who waits for whom: who waits for packets waits for those
// that write the pipe, who waits for room for those that read it, each for as much
// as it moved of the packets.
func (r *Recorder) blames(f *flow) []blame {
	list := make([]blame, len(r.launches)+1)
	for i := range list {
		list[i].launch = i - 1 // the host first
	}
	for i := range r.launches {
		list[i+1].waited = length(union(slices.Concat(f.idle[i][0], f.idle[i][1])))
	}
	for i := range r.pipes.infos {
		for _, write := range []bool{false, true} {
			others := f.parties(i, !write)
			var total uint64
			for _, other := range others {
				total += f.packets[end{other, i, !write}]
			}
			if total == 0 {
				continue
			}
			for _, launch := range f.parties(i, write) {
				ticks := length(f.waited[end{launch, i, write}])
				for _, other := range others {
					if other != launch {
						hi, lo := bits.Mul64(ticks, f.packets[end{other, i, !write}])
						share, _ := bits.Div64(hi, lo, total)
						list[other+1].caused += share
					}
				}
			}
		}
	}
	return list
}

// bottleneck says who held the others up: for whom they waited most, beyond what
// it waited itself. A launch in the middle of a chain that is held up is waited
// for, too, but waits as long.
func (t *textWriter) bottleneck(f *flow) {
	var worst *blame
	list := t.r.blames(f)
	for i := range list {
		b := &list[i]
		if b.caused > b.waited && (worst == nil || b.caused-b.waited > worst.caused-worst.waited) {
			worst = b
		}
	}
	t.printf("\nsummary of %s\n", counted(f.ticks, "tick"))
	for i := range t.r.launches {
		if i == maxPipes {
			t.printf("  %s more\n", countedAs(len(t.r.launches)-i, "launch", "launches"))
			break
		}
		runs := length(f.runs[i])
		t.printf("  %s ran for %s (%d %%), waited for packets for %d and for room for %d", t.r.label(i), counted(runs, "tick"), percent(runs, f.ticks),
			length(f.idle[i][0]), length(f.idle[i][1]))
		if n := length(f.gave[i]); n > 0 {
			t.printf(", gave way for %d", n)
		}
		t.printf("\n")
	}
	switch {
	case len(f.waits) == 0:
		t.printf("  bottleneck: none, for nobody waited; a kernel that tries again and again does not wait, but gives way\n")
	case worst == nil:
		t.printf("  bottleneck: none; nobody was waited for longer than it waited itself\n")
	default:
		t.printf("  bottleneck: %s; the others waited for it for %s, and it waited for %d\n", t.r.label(worst.launch), counted(worst.caused, "tick"), worst.waited)
	}
}

// countedAs is counted for a noun with a plural of its own.
func countedAs[N int | uint64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
