package asm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// The tests of this file compare with spirv-as and spirv-dis of SPIRV-Tools. They
// are skipped where the tools are not installed, or are of a version for which no
// list of differences is committed; with LOCKSTEP_SPIRV_TOOLS=require in the
// environment they fail instead, and compare over more: every module in the
// repository. A list is made with go test -run Tools -update.

// requireTools reports whether the environment asks for the comparison.
func requireTools() bool { return os.Getenv("LOCKSTEP_SPIRV_TOOLS") == "require" }

// toolList holds the names in which the tools of some version differ from the
// grammar, since that is newer. It is made from what the tools answer.
type toolList struct {
	version string
	// unknown holds the keys of items that the tools refuse.
	unknown map[string]bool
	// short holds the keys of instructions whose optional operands, or some of
	// them, the tools refuse.
	short map[string]bool
	// differs holds the keys of items that the tools take but print by number.
	differs map[string]bool
	// generators holds the numbers of the generators whose names the tools do not
	// know or spell otherwise.
	generators map[string]bool
	// renamed maps names as they are printed here to those that the tools print.
	renamed map[string]string
	// numbers maps the names of extended instructions that the tools print by
	// number to that number.
	numbers map[string]string
}

// avoid gives the keys of everything that cannot be compared.
func (l *toolList) avoid() map[string]bool {
	avoid := maps.Clone(l.unknown)
	maps.Copy(avoid, l.differs)
	return avoid
}

func (l *toolList) path() string { return filepath.Join("testdata", "spirv-tools-"+l.version+".txt") }

func (l *toolList) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Names of the grammar that SPIRV-Tools %s does not know or knows under another\n", l.version)
	fmt.Fprintf(&b, "# name, as its answers tell. Made by go test -run Tools -update.\n")
	for _, part := range []struct {
		word string
		keys map[string]bool
	}{{"unknown", l.unknown}, {"short", l.short}, {"differs", l.differs}, {"generator", l.generators}} {
		for _, key := range slices.Sorted(maps.Keys(part.keys)) {
			fmt.Fprintf(&b, "%s %s\n", part.word, key)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.renamed)) {
		fmt.Fprintf(&b, "renamed %s %s\n", name, l.renamed[name])
	}
	return b.String()
}

func newToolList(version string) *toolList {
	set := func() map[string]bool { return map[string]bool{} }
	return &toolList{version, set(), set(), set(), set(), map[string]string{}, map[string]string{}}
}

func parseToolList(version, text string) (*toolList, error) {
	l := newToolList(version)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "unknown":
			l.unknown[rest] = true
		case "short":
			l.short[rest] = true
		case "differs":
			l.differs[rest] = true
			if setName, name, ok := strings.Cut(rest, "/"); ok {
				set, _ := spirv.LookupExtInstSet(setName)
				e, ok := set.InstNamed(name)
				if !ok {
					return nil, fmt.Errorf("no instruction %s", rest)
				}
				l.numbers[name] = fmt.Sprint(e.Number)
			}
		case "generator":
			l.generators[rest] = true
		case "renamed":
			from, to, _ := strings.Cut(rest, " ")
			l.renamed[from] = to
		default:
			return nil, fmt.Errorf("line %q", line)
		}
	}
	return l, nil
}

// rename puts the names that the tools print in place of those of the grammar, but
// in strings and comments.
func (l *toolList) rename(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case inWord(c):
			for i < len(text) && inWord(text[i]) {
				i++
			}
			b.WriteString(l.renameWord(text[start:i]))
			continue
		default:
			i++
		}
		b.WriteString(text[start:i])
	}
	return b.String()
}

// inWord says whether c may be part of a name.
func inWord(c byte) bool {
	return c == '_' || c-'0' < 10 || c|0x20-'a' < 26
}

// renameWord is rename for a word.
func (l *toolList) renameWord(s string) string {
	if to, ok := l.renamed[s]; ok {
		return to
	}
	if number, ok := l.numbers[s]; ok {
		return number
	}
	// Friendly names of pointers hold storage classes.
	parts := strings.Split(s, "_ptr_")
	for i, part := range parts[1:] {
		class, rest, _ := strings.Cut(part, "_")
		if to, ok := l.renamed[class]; ok {
			parts[i+1] = to + "_" + rest
		}
	}
	return strings.Join(parts, "_ptr_")
}

// tools runs spirv-as and spirv-dis.
type tools struct {
	t   *testing.T
	dir string
	*toolList
}

// findTools returns the tools, for a test that runs beside others of them: most of its
// time goes into waiting for programs.
func findTools(t *testing.T) *tools {
	t.Helper()
	t.Parallel()
	require := requireTools()
	if testing.Short() && !require {
		t.Skip("runs other programs")
	}
	out, err := exec.Command("spirv-as", "--version").Output()
	if err != nil {
		if require {
			t.Fatal(err)
		}
		t.Skip("spirv-as is not installed")
	}
	fields := strings.Fields(string(out)) // SPIRV-Tools v2023.1 …
	if len(fields) < 2 {
		t.Fatalf("spirv-as --version says %q", out)
	}
	tl := &tools{t, t.TempDir(), &toolList{version: fields[1]}}
	if *update {
		return tl
	}
	text, err := os.ReadFile(tl.path())
	if err != nil {
		if require {
			t.Fatal(err)
		}
		t.Skipf("no list of differences for SPIRV-Tools %s; go test -run Tools -update makes one", fields[1])
	}
	if tl.toolList, err = parseToolList(fields[1], string(text)); err != nil {
		t.Fatalf("%s: %v", tl.path(), err)
	}
	return tl
}

// file writes data to a file and gives its path.
func (tl *tools) file(name string, data []byte) string {
	tl.t.Helper()
	path := filepath.Join(tl.dir, name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tl.t.Fatal(err)
	}
	return path
}

// dis runs spirv-dis. What was printed before an error is given too.
func (tl *tools) dis(m *spirv.Module, args ...string) (string, error) {
	tl.t.Helper()
	cmd := exec.Command("spirv-dis", append([]string{"--no-color", tl.file("in.spv", m.Encode())}, args...)...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("spirv-dis: %w: %s", err, &messages)
	}
	return out.String(), nil
}

// as runs spirv-as.
func (tl *tools) as(text string, args ...string) ([]byte, error) {
	tl.t.Helper()
	result := filepath.Join(tl.dir, "out.spv")
	cmd := exec.Command("spirv-as", append([]string{tl.file("in.spvasm", []byte(text)), "-o", result}, args...)...)
	if messages, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("spirv-as: %w: %s", err, messages)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		tl.t.Fatal(err)
	}
	return data, nil
}

// Sets of options for compareText, one bit each.
var (
	someOptions = []int{0b00000, 0b00001, 0b11000, 0b00111}
	allOptions  = func() (all []int) {
		for bits := range 32 {
			all = append(all, bits)
		}
		return all
	}()
)

// compareText compares the disassembly of a module with that of spirv-dis, with
// some sets of options.
func (tl *tools) compareText(name string, m *spirv.Module, options []int) {
	t := tl.t
	t.Helper()
	for _, bits := range options {
		var args []string
		flag := func(bit int, arg string) bool {
			on := bits>>bit&1 != 0
			if on {
				args = append(args, arg)
			}
			return on
		}
		opts := DisassembleOptions{
			RawIDs:   flag(0, "--raw-id"),
			NoIndent: flag(1, "--no-indent"),
			NoHeader: flag(2, "--no-header"),
			Offsets:  flag(3, "--offsets"),
			Comments: flag(4, "--comment"),
		}
		want, err := tl.dis(m, args...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		got := tl.rename(Disassemble(m, opts))
		if got != want {
			t.Errorf("%s %q (-spirv-dis +Disassemble):\n%s", name, args, lineDiff(want, got))
			return
		}
	}
}

// lineDiff shows the first lines in which texts differ.
func lineDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			return cmp.Diff(w[i:min(i+5, len(w))], g[i:min(i+5, len(g))])
		}
	}
	return ""
}

// compareBytes compares what a text assembles to with what spirv-as makes of it.
func (tl *tools) compareBytes(name, text string) {
	t := tl.t
	t.Helper()
	for _, preserve := range []bool{false, true} {
		var args []string
		opts := Options{PreserveNumericIDs: preserve}
		if preserve {
			args = append(args, "--preserve-numeric-ids", "--target-env", "vulkan1.3")
			opts.Version, _ = TargetEnv("vulkan1.3")
		}
		want, err := tl.as(tl.rename(text), args...)
		got, gotErr := Assemble(text, opts)
		if err != nil || gotErr != nil {
			t.Errorf("%s %q: spirv-as: %v, Assemble: %v", name, args, err, gotErr)
			return
		}
		if older, err := Assemble(tl.rename(text), opts); err != nil || !bytes.Equal(older, got) {
			t.Errorf("%s %q: not the same with older names: %v", name, args, err)
		}
		if !bytes.Equal(got, want) {
			a, _ := spirv.Decode(want)
			b, _ := spirv.Decode(got)
			t.Errorf("%s %q (-spirv-as +Assemble):\n%s", name, args,
				lineDiff(Disassemble(a, DisassembleOptions{RawIDs: true}), Disassemble(b, DisassembleOptions{RawIDs: true})))
			return
		}
	}
}

// TestToolsList finds out what the tools do not know. It compares that with the
// committed list, so that the list can hold no name that need not be there.
func TestToolsList(t *testing.T) {
	tl := findTools(t)
	found := tl.findDifferences()
	if *update {
		if err := os.WriteFile(found.path(), []byte(found.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(tl.String(), "\n"), strings.Split(found.String(), "\n")); diff != "" {
		t.Errorf("%s (-list +tools):\n%s", tl.path(), diff)
	}
}

// probe is an item in a module of many.
type probe struct {
	item
	insts []spirv.Inst
}

// findDifferences asks the tools about everything of the grammar. spirv-dis stops
// at the first thing that it does not know, so every unknown item takes a run.
func (tl *tools) findDifferences() *toolList {
	t := tl.t
	found := newToolList(tl.version)
	for tool := range uint32(len(generators) + 2) {
		m := &spirv.Module{Version: spirv.Version10, Generator: tool<<16 | 77}
		if text, err := tl.dis(m); err != nil || text != Disassemble(m, DisassembleOptions{}) {
			found.generators[fmt.Sprint(tool)] = true
		}
	}
	for set := range spirv.ExtInstSets() {
		g := newGenerator(0, minimal, map[string]bool{}, nil)
		m := &spirv.Module{Version: spirv.Version16}
		for _, in := range g.m.Insts {
			if in.Op() == spirv.OpExtInstImport && in.StringOperand(0) == importName(set) {
				m.Insts = append(m.Insts, in)
			}
		}
		if _, err := tl.dis(m); err != nil {
			found.unknown[setKey(set)] = true
		}
	}
	items, _ := grammarItems()
	for _, shape := range []shape{minimal, full} {
		// Instructions first: enumerants need instructions that are known.
		for _, instructions := range []bool{true, false} {
			g := newGenerator(uint64(shape), shape, found.unknown, found.short)
			preamble := len(g.m.Insts)
			var probes []probe
			for _, it := range items {
				if strings.HasPrefix(it.key, "Op") != instructions || found.unknown[it.key] || shape == full && !instructions {
					continue
				}
				start := len(g.m.Insts)
				if it.add(g) {
					probes = append(probes, probe{it, slices.Clone(g.m.Insts[start:])})
				} else {
					found.unknown[it.key] = true
				}
			}
			g.m.Insts = g.m.Insts[:preamble]
			tl.ask(g.m, probes, shape, found)
		}
	}
	for name := range found.renamed {
		if found.renamed[name] == name {
			delete(found.renamed, name)
		}
	}
	if len(found.unknown) > len(items)/2 {
		t.Errorf("%d of %d items are not known", len(found.unknown), len(items))
	}
	return found
}

// ask puts probes after a preamble and notes which the tools refuse or print
// otherwise.
func (tl *tools) ask(m *spirv.Module, probes []probe, shape shape, found *toolList) {
	preamble := m.Insts
	for len(probes) > 0 {
		m.Insts = slices.Clone(preamble)
		for _, p := range probes {
			m.Insts = append(m.Insts, p.insts...)
		}
		text, err := tl.dis(m, "--raw-id", "--no-header")
		want := instructionLines(text)[len(preamble):]
		got := instructionLines(Disassemble(m, DisassembleOptions{RawIDs: true, NoHeader: true}))[len(preamble):]
		n := 0
		for len(probes) > 0 && n+len(probes[0].insts) <= len(want) {
			for range probes[0].insts {
				compareLine(probes[0], want[n], got[n], found)
				n++
			}
			probes = probes[1:]
		}
		if err == nil {
			return
		}
		if shape == minimal {
			found.unknown[probes[0].key] = true
		} else {
			found.short[probes[0].key] = true
		}
		probes = probes[1:]
	}
}

// instructionLines cuts text into one string an instruction: strings in it may
// hold line breaks.
func instructionLines(text string) []string {
	var out []string
	open := false
	for line := range strings.Lines(text) {
		if open {
			out[len(out)-1] += line
		} else {
			out = append(out, line)
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				open = !open
			}
		}
	}
	return out
}

// compareLine notes how the line of the tool differs from that of the package.
func compareLine(p probe, want, got string, found *toolList) {
	wantWords, gotWords := strings.Fields(want), strings.Fields(got)
	if len(wantWords) != len(gotWords) {
		found.differs[p.key] = true
		return
	}
	for i, w := range wantWords {
		g := gotWords[i]
		gotNames, wantNames := strings.Split(g, "|"), strings.Split(w, "|")
		if len(gotNames) != len(wantNames) || w[0] == '%' && w != g {
			found.differs[p.key] = true
			return
		}
		for k, name := range gotNames {
			if name != wantNames[k] && isDigit(wantNames[k][0]) {
				found.differs[p.key] = true
				return
			}
			if before, dup := found.renamed[name]; dup && before != wantNames[k] {
				found.differs[p.key] = true // the name means two things
				return
			}
			if name != wantNames[k] {
				found.renamed[name] = wantNames[k]
			}
		}
	}
}

// TestToolsWholeGrammar compares over modules that have everything of the grammar
// that the tools know.
func TestToolsWholeGrammar(t *testing.T) {
	tl := findTools(t)
	if *update {
		t.Skip("the list is being made")
	}
	seeds := uint64(1)
	if requireTools() {
		seeds = 6
	}
	for seed := range seeds {
		m := wholeGrammar(seed, tl.avoid(), tl.short)
		tl.compareText("whole grammar", m, someOptions)
		for _, opts := range []DisassembleOptions{{RawIDs: true}, {}} {
			tl.compareBytes("whole grammar", Disassemble(m, opts))
		}
	}
}

// TestToolsOptions compares with every set of options.
func TestToolsOptions(t *testing.T) {
	tl := findTools(t)
	for name, m := range readModules(t, "testdata/kernels/tree.g.spv") {
		tl.compareText(name, m, allOptions)
	}
}

// TestToolsNames compares friendly names.
func TestToolsNames(t *testing.T) {
	tl := findTools(t)
	for _, test := range nameTests {
		m, err := AssembleModule(test.text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		tl.compareText(test.text, m, someOptions[:1])
	}
}

// TestToolsTargetEnvs compares the versions that the environments stand for.
func TestToolsTargetEnvs(t *testing.T) {
	tl := findTools(t)
	for _, env := range TargetEnvs() {
		version, _ := TargetEnv(env)
		// OpModuleProcessed came with 1.1, OpDecorateString with 1.4 or an extension.
		for _, text := range []string{"OpCapability Kernel", "OpModuleProcessed \"a\"", "OpDecorateString %a UserSemantic \"a\""} {
			want, err := tl.as(text, "--target-env", env)
			got, gotErr := Assemble(text, Options{Version: version})
			if (err == nil) != (gotErr == nil) || !bytes.Equal(got, want) {
				t.Errorf("%s in %s: % x, %v, want % x, %v", text, env, got, gotErr, want, err)
			}
		}
	}
}

// TestToolsNumbers compares over literals of every type.
func TestToolsNumbers(t *testing.T) {
	tl := findTools(t)
	sets := map[string]bool{}
	for set := range spirv.ExtInstSets() {
		sets[setKey(set)] = true
	}
	g := newGenerator(7, random, sets, nil)
	for _, op := range []spirv.Op{spirv.OpConstant, spirv.OpSpecConstant, spirv.OpSwitch} {
		info, _ := op.Info()
		for range 3000 {
			g.op(info)
		}
	}
	tl.toolList, _ = parseToolList(tl.version, "")
	tl.compareText("numbers", g.m, someOptions)
	tl.compareBytes("numbers", Disassemble(g.m, DisassembleOptions{}))

	// Bits that no text can express: above a narrow number, after a string.
	for _, in := range g.m.Insts {
		if in.Op() == spirv.OpConstant {
			i := slices.Index(g.numberIDs, uint32(in.ResultType()))
			if width := g.numbers[i].Width; width < 32 {
				in.Words[3] ^= g.rng.Uint32() << width
			}
		}
	}
	g.add(spirv.OpExtension, 0x62000061)
	tl.compareText("unused bits", g.m, someOptions)
}

// TestToolsFiles compares over every module in the repository.
func TestToolsFiles(t *testing.T) {
	tl := findTools(t)
	if *update {
		t.Skip("the list is being made")
	}
	// Text that the tools cannot read, each file with what they say to it.
	refused := map[string]string{
		"newer.spvasm": "Expected <result-id> at the beginning of an instruction",
		// A set by its name without the prefix that gets it past the tools.
		"group-copy-3d-32.spvasm": "Invalid extended instruction import 'Codeplay.GroupAsyncCopies'",
	}
	// Modules that have raw words where the tools expect something else.
	onlyAssemble := map[string]string{
		"raw.spvasm": "Invalid instruction",
	}
	// Older tools give the instructions of SPV_INTEL_blocking_pipes a result, which
	// they do not have, and later ones another name.
	_, err := tl.as("OpReadPipeBlockingALTERA %1 %2 %3 %3\n")
	knowsBlocking := err == nil
	skip := func(m *spirv.Module) bool {
		return !knowsBlocking && slices.ContainsFunc(m.Insts, func(in spirv.Inst) bool {
			return in.Op() == spirv.OpReadPipeBlockingALTERA || in.Op() == spirv.OpWritePipeBlockingALTERA
		})
	}
	root := "testdata"
	if requireTools() {
		root = filepath.Join("..", "..")
	}
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() != ".." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		name := filepath.Base(path)
		switch filepath.Ext(path) {
		case ".spvasm":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if want, ok := refused[name]; ok {
				if _, err := tl.as(string(data)); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", path, err, want)
				}
				return nil
			}
			m, err := AssembleModule(string(data), Options{})
			if err != nil {
				if _, toolErr := tl.as(string(data)); toolErr == nil {
					t.Errorf("%s: %v, but spirv-as takes it", path, err)
				}
				return nil
			}
			if skip(m) {
				return nil
			}
			tl.compareBytes(path, string(data))
			if want, ok := onlyAssemble[name]; ok {
				if _, err := tl.dis(m); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", path, err, want)
				}
				return nil
			}
			tl.compareText(path, m, someOptions)
		case ".spv":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m, err := spirv.Decode(data)
			if err != nil {
				var de *spirv.DecodeError
				if !errors.As(err, &de) {
					t.Errorf("%s: %v", path, err)
				}
				return nil // a test of the decoder
			}
			if skip(m) {
				return nil
			}
			m.ByteOrder = nil // the tools read strings of big-endian modules wrongly
			tl.compareText(path, m, someOptions)
			tl.compareBytes(path, Disassemble(m, DisassembleOptions{}))
			tl.compareBytes(path, Disassemble(m, DisassembleOptions{RawIDs: true}))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
