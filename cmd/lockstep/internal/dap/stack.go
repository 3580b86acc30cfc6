package dap

import (
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
)

// maxReferences is how many things a client may have asked for while the launch stands.
const maxReferences = 1 << 20

// thread is a wave.
type thread struct {
	launch int
	group  [3]uint64
	wave   int
}

// frame is a function in which a work-item is.
type frame struct {
	item, number int
	launch       int
	group        [3]uint64
}

// view is what a client has seen of a launch that stands. Frames and what has variables are forgotten when it
// moves.
type view struct {
	refs     []*container
	frames   []frame
	frameIDs map[frame]int
	ids      map[thread]int // of threads, which stay the same
	all      []thread       // by those
	chosen   map[thread]int // the work-item that a thread shows, where somebody chose it
	threads  []dap.Thread
	current  int // thread
}

func newView() view {
	return view{frameIDs: map[frame]int{}, ids: map[thread]int{}, chosen: map[thread]int{}}
}

// moved returns the view of a launch that moves.
func (v view) moved() view {
	next := view{frameIDs: map[frame]int{}, ids: v.ids, all: v.all, chosen: v.chosen, threads: v.threads, current: v.current}
	if len(next.all) > maxReferences {
		next.ids, next.all = map[thread]int{}, nil
	}
	return next
}

// id returns the number of a thread.
func (v *view) id(t thread) int {
	if v.ids[t] == 0 {
		v.all = append(v.all, t)
		v.ids[t] = len(v.all)
	}
	return v.ids[t]
}

// look notes the waves of the work-groups in progress.
func (v *view) look(s *emudebug.Session) {
	v.threads = nil
	it, ok := s.Current()
	if !ok || s.Ended() {
		v.current = v.id(thread{wave: -1})
		v.threads = []dap.Thread{{Id: v.current, Name: "the launch has ended"}}
		return
	}
	there := map[thread]bool{}
	for _, l := range s.Launches() {
		for _, g := range l.Groups {
			for n := range g.Waves {
				t := thread{l.Number, g.ID, n}
				name := fmt.Sprintf("group (%d,%d,%d) wave %d", g.ID[0], g.ID[1], g.ID[2], n)
				if s.Several() {
					name = "kernel " + l.Label + " " + name
				}
				there[t] = true
				v.threads = append(v.threads, dap.Thread{Id: v.id(t), Name: name})
			}
		}
	}
	maps.DeleteFunc(v.chosen, func(t thread, _ int) bool { return !there[t] })
	v.choose(s.CurrentLaunch(), it)
}

// choose makes a work-item the one that its thread shows, and the thread the present one.
func (v *view) choose(launch int, it emudebug.Item) {
	t := thread{launch, it.Group, it.Wave}
	v.chosen[t], v.current = it.Number, v.id(t)
}

func (s *server) currentThread() int { return s.view.current }

// itemOf returns the work-item that a thread shows: the one that was chosen, or the first active one.
func (s *server) itemOf(id int) (int, error) {
	if id < 1 || id > len(s.view.all) {
		return 0, fmt.Errorf("there is no thread %d; the request threads has those that there are", id)
	}
	t := s.view.all[id-1]
	if err := s.lookAtGroup(t.launch, t.group); err != nil || t.wave < 0 {
		return 0, fmt.Errorf("thread %d is a wave of a work-group that does not run now", id)
	}
	if item, ok := s.view.chosen[t]; ok {
		return item, nil
	}
	w := s.session.Waves()[t.wave]
	for lane, active := range w.Active {
		if active {
			return w.First + lane, nil
		}
	}
	return w.First, nil
}

func (s *server) threads(*struct{}) (any, error) {
	if s.session == nil {
		return hostThreads(), nil
	}
	if len(s.view.threads) == 0 {
		if s.op != nil {
			return dap.ThreadsResponseBody{Threads: []dap.Thread{}}, nil
		}
		s.view.look(s.session)
	}
	return dap.ThreadsResponseBody{Threads: s.view.threads}, nil
}

// frameID returns the number of a frame.
func (s *server) frameID(f frame) int {
	v := &s.view
	if v.frameIDs[f] == 0 {
		v.frames = append(v.frames, f)
		v.frameIDs[f] = len(v.frames)
	}
	return v.frameIDs[f]
}

// frameOf looks at a frame, by its number; 0 is where the present thread is.
func (s *server) frameOf(id int) (frame, error) {
	f := frame{}
	switch {
	case id == 0:
		it, ok := s.session.Current()
		if !ok {
			return f, emudebug.ErrEnded
		}
		number := it.Number
		if item, err := s.itemOf(s.view.current); err == nil {
			number = item
		}
		f = s.frame(number, 0)
	case id < 0 || id > len(s.view.frames):
		return f, fmt.Errorf("there is no frame %d; the request stackTrace has those that there are", id)
	default:
		f = s.view.frames[id-1]
	}
	return f, s.lookAt(f)
}

// lookAtGroup makes a work-group in progress the one that the session looks at.
func (s *server) lookAtGroup(launch int, group [3]uint64) error {
	if it, ok := s.session.Current(); ok && it.Group == group && s.session.CurrentLaunch() == launch {
		return nil
	}
	return s.session.SelectGroup(launch, &group)
}

// frame returns that of a work-item of the work-group that is looked at.
func (s *server) frame(item, number int) frame {
	return frame{item, number, s.session.CurrentLaunch(), s.session.Item(item).Group}
}

// lookAt makes a work-item and a frame those that the session looks at.
func (s *server) lookAt(f frame) error {
	if err := s.lookAtGroup(f.launch, f.group); err != nil {
		return err
	}
	if err := s.session.Select(f.item); err != nil {
		return err
	}
	s.session.SelectFrame(f.number)
	return nil
}

// id returns an id in the dimensions of the launch.
func (s *server) id(id [3]uint64) string {
	var list []string
	for _, x := range id[:max(s.session.Dim(), 1)] {
		list = append(list, strconv.FormatUint(x, 10))
	}
	return "(" + strings.Join(list, ",") + ")"
}

func (s *server) stackTrace(a *dap.StackTraceArguments) (any, error) {
	if s.session.Ended() {
		return dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}}, nil
	}
	item, err := s.itemOf(a.ThreadId)
	if err != nil {
		return nil, err
	}
	who := s.id(s.session.Item(item).Global)
	frames := s.session.FramesOf(item)
	body := dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}, TotalFrames: max(len(frames), 1)}
	for n, f := range frames {
		if n < a.StartFrame || a.Levels > 0 && n >= a.StartFrame+a.Levels {
			continue
		}
		x := dap.StackFrame{Id: s.frameID(s.frame(item, n)), Name: fmt.Sprintf("%s, work-item %s", f.Function, who)}
		if f.Place.Line > 0 {
			x.Source, x.Line, x.Column = s.sourceOf(f.Place.File), s.line(f.Place.Line), s.column(f.Place.Column)
		}
		if f.PC >= 0 {
			x.InstructionPointerReference = address(f.PC)
		}
		body.StackFrames = append(body.StackFrames, x)
	}
	if len(frames) == 0 && a.StartFrame == 0 {
		body.StackFrames = append(body.StackFrames, dap.StackFrame{
			Id: s.frameID(s.frame(item, 0)), Name: "work-item " + who + " has ended", PresentationHint: "label"})
	}
	return body, nil
}

// selectItem makes the thread of a work-item show it, and tells the client to look again.
func (s *server) selectItem(a *struct {
	Item []uint64 `json:"item"`
}) (any, error) {
	if len(a.Item) < 1 || len(a.Item) > 3 {
		return nil, fmt.Errorf("item has the global id of a work-item, as in [3, 0, 0]")
	}
	var id [3]uint64
	copy(id[:], a.Item)
	if err := s.session.SelectGlobal(id); err != nil {
		return nil, err
	}
	it, _ := s.session.Current()
	s.choose(it)
	return map[string]any{"threadId": s.view.current, "name": "work-item " + s.id(it.Global)}, nil
}

// choose makes a work-item the one that is shown. The launch does not move: frames and variables that the
// client knows stay.
func (s *server) choose(it emudebug.Item) {
	s.view.choose(s.session.CurrentLaunch(), it)
	s.later(func() { s.tellStop("pause", "work-item "+s.id(it.Global)+" is looked at", "", nil) })
}

// sourceOf returns a source by the name that the module has for it.
func (s *server) sourceOf(name string) *dap.Source {
	src := &dap.Source{Name: filepath.Base(filepath.FromSlash(name))}
	if s.target == nil || s.target.Path == nil {
		src.Path = name
		return src
	}
	path, ok := s.target.Path(name)
	if ok { // a host program's source has a file's contents, and no name
		src.Name, src.Path = filepath.Base(path), path
		return src
	}
	for i, f := range s.session.Files() {
		if f == name {
			src.SourceReference, src.Path = i+1, name
		}
	}
	return src
}

// pathIn returns the path by which a client names a source. A source that the client has from the request
// source may come with its number alone.
func (s *server) pathIn(source *dap.Source) string {
	if path := cmpOr(source.Path, source.Name); path != "" || s.session == nil {
		return path
	}
	if files := s.session.Files(); source.SourceReference >= 1 && source.SourceReference <= len(files) {
		return files[source.SourceReference-1]
	}
	return ""
}

// fileOf returns the name that the module has for a file of the client's.
func (s *server) fileOf(path string) string {
	if s.target.Match != nil {
		if name, ok := s.target.Match(path); ok {
			return name
		}
	}
	if s.target.Path != nil {
		for _, f := range s.session.Files() {
			if p, ok := s.target.Path(f); ok && filepath.Clean(p) == filepath.Clean(path) {
				return f
			}
		}
	}
	return path
}

func (s *server) loadedSources(*struct{}) (any, error) {
	body := dap.LoadedSourcesResponseBody{Sources: []dap.Source{}}
	if s.session == nil {
		return body, nil
	}
	for _, f := range s.session.Files() {
		body.Sources = append(body.Sources, *s.sourceOf(f))
	}
	return body, nil
}

func (s *server) source(a *dap.SourceArguments) (any, error) {
	files := s.session.Files()
	name := ""
	switch n := a.SourceReference; {
	case n >= 1 && n <= len(files):
		name = files[n-1]
	case a.Source != nil && a.Source.SourceReference >= 1 && a.Source.SourceReference <= len(files):
		name = files[a.Source.SourceReference-1]
	case a.Source != nil && a.Source.Path != "":
		if name = s.fileOf(a.Source.Path); name == a.Source.Path {
			known := false
			for _, f := range files {
				known = known || f == name
			}
			if !known {
				return nil, fmt.Errorf("%.200s is no source of the kernel; the request loadedSources has those that there are", name)
			}
		}
	default:
		return nil, fmt.Errorf("there is no source %d; the request loadedSources has those that there are", a.SourceReference)
	}
	text, err := s.target.Source(name)
	if err != nil {
		return nil, fmt.Errorf("the source %s is not there: %w", name, err)
	}
	return dap.SourceResponseBody{Content: string(text), MimeType: "text/x-opencl-src"}, nil
}
