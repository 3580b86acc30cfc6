package finding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// SARIFRun is what a SARIF log says of the run that made the findings.
type SARIFRun struct {
	// Version is lockstep's.
	Version string
	// Command is the command line that starts the run again.
	Command string
	// Completed says that no time limit and no interrupt ended the run, and
	// ExitCode is the exit status.
	Completed bool
	ExitCode  int
	// Module returns the file of a kernel's module, for findings without a place in
	// a source; "" where there is none. The function may be nil.
	Module func(kernel string) string
	// Rule describes a code that [Describe] does not know. The function may be nil.
	Rule func(Code) Description
}

// The version of SARIF, and the address of its schema.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// fingerprintName is the name of the fingerprints, with the version of the way in
// which they are made.
const fingerprintName = "lockstepFinding/v1"

// baseOfURIs is the symbol for the folder that names of files are relative to.
const baseOfURIs = "SRCROOT"

// The objects of SARIF that lockstep writes, with the names of its specification.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool            `json:"tool"`
		Invocations []sarifInvocation    `json:"invocations"`
		Bases       map[string]sarifBase `json:"originalUriBaseIds"`
		ColumnKind  string               `json:"columnKind"`
		Language    string               `json:"language"`
		Results     []sarifResult        `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string        `json:"id"`
		Short *sarifMessage `json:"shortDescription,omitempty"`
		Full  *sarifMessage `json:"fullDescription,omitempty"`
		Help  *sarifMessage `json:"help,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		CommandLine   string              `json:"commandLine,omitempty"`
		ExitCode      int                 `json:"exitCode"`
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifBase struct {
		Description sarifMessage `json:"description"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        Severity          `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Stacks       []sarifStack      `json:"stacks,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Occurrences  uint64            `json:"occurrenceCount,omitempty"`
		Properties   *sarifFacts       `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID         int             `json:"id,omitempty"`
		Physical   *sarifPhysical  `json:"physicalLocation,omitempty"`
		Logical    []sarifLogical  `json:"logicalLocations,omitempty"`
		Message    *sarifMessage   `json:"message,omitempty"`
		Properties *sarifPlaceFact `json:"properties,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   uint32        `json:"startLine"`
		StartColumn int           `json:"startColumn,omitempty"`
		EndColumn   int           `json:"endColumn,omitempty"`
		Snippet     *sarifContent `json:"snippet,omitempty"`
	}
	sarifContent struct {
		Text string `json:"text"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName,omitempty"`
		Kind string `json:"kind"`
	}
	sarifStack struct {
		Message sarifMessage `json:"message"`
		Frames  []sarifFrame `json:"frames"`
	}
	sarifFrame struct {
		Location sarifLocation `json:"location"`
	}
)

// sarifFacts is what SARIF has no field for, in the words of the JSON form.
type sarifFacts struct {
	Kernel    string    `json:"kernel,omitempty"`
	Object    *Object   `json:"object,omitempty"`
	Access    *Access   `json:"access,omitempty"`
	WorkItem  *WorkItem `json:"work_item,omitempty"`
	Groups    uint64    `json:"groups,omitempty"`
	Count     uint64    `json:"count,omitempty"` // of bytes; occurrences have a field
	Notes     []string  `json:"notes,omitempty"`
	Help      []string  `json:"help,omitempty"`
	Reproduce string    `json:"reproduce,omitempty"`
}

// sarifPlaceFact is what SARIF has no field for of a place, and of the party there.
type sarifPlaceFact struct {
	Word        uint32    `json:"word,omitempty"`
	Instruction string    `json:"instruction,omitempty"`
	Items       Spans     `json:"items,omitempty"`
	WorkItem    *WorkItem `json:"work_item,omitempty"`
}

// SARIF returns the findings as a log of SARIF 2.1.0, the format in which services and
// editors take the results of analyses: one line of JSON. The same findings give the same
// bytes.
func (l *List) SARIF(run SARIFRun) ([]byte, error) {
	codes := l.codes()
	out := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "lockstep", Version: run.Version, InformationURI: "https://github.com/lockstep-gpu/lockstep",
			Rules: make([]sarifRule, 0, len(codes))}},
		Invocations: []sarifInvocation{{CommandLine: run.Command, ExitCode: run.ExitCode, Successful: run.Completed}},
		Bases:       map[string]sarifBase{baseOfURIs: {sarifMessage{"The folder that the names of files are relative to."}}},
		ColumnKind:  "unicodeCodePoints", Language: "en", Results: make([]sarifResult, 0, len(l.Findings)),
	}
	for _, c := range codes {
		out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, run.rule(c))
	}
	if l.Omitted > 0 {
		out.Invocations[0].Notifications = []sarifNotification{{"warning", message(fmt.Sprintf("The limit on findings left out %d more.", l.Omitted))}}
	}
	for _, p := range l.Partial {
		out.Invocations[0].Notifications = append(out.Invocations[0].Notifications, sarifNotification{"warning", message(p.Text())})
	}
	same := make(map[string]int)
	for i := range l.Findings {
		f := &l.Findings[i]
		r := run.result(f)
		r.RuleIndex = slices.Index(codes, f.Code)
		hash := f.fingerprint()
		same[hash]++
		r.Fingerprints = map[string]string{fingerprintName: fmt.Sprintf("%s:%d", hash, same[hash])}
		out.Results = append(out.Results, r)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{out}}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// codes returns the codes that occur, in alphabetical order.
func (l *List) codes() []Code {
	var all []Code
	for i := range l.Findings {
		all = append(all, l.Findings[i].Code)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rule describes a code.
func (r *SARIFRun) rule(c Code) sarifRule {
	d, ok := Describe(c)
	if !ok && r.Rule != nil {
		d = r.Rule(c)
	}
	text := func(s string) *sarifMessage {
		if s == "" {
			return nil
		}
		return &sarifMessage{escapeMessage(s)}
	}
	return sarifRule{ID: string(c), Short: text(d.Title), Full: text(d.Text), Help: text(Help(c))}
}

// result is a finding without its fingerprint and the index of its rule.
func (r *SARIFRun) result(f *Finding) sarifResult {
	text := []string{f.Headline()}
	if f.WorkItem != nil {
		text = append(text, "work-item "+f.WorkItem.String())
	}
	for _, n := range f.Notes {
		text = append(text, clean(n, maxSource))
	}
	for _, h := range f.Help {
		text = append(text, "help: "+clean(h, maxSource))
	}
	out := sarifResult{RuleID: string(f.Code), Level: f.severity(), Message: message(strings.Join(text, "\n")), Occurrences: f.Count}
	out.Properties = &sarifFacts{f.Kernel, f.Object, f.Access, f.WorkItem, f.Groups, 0, f.Notes, f.Help, f.Reproduce}
	if d, _ := Describe(f.Code); d.Bytes {
		out.Occurrences, out.Properties.Count = 0, f.Count
	}
	if loc, ok := r.location(f.Kernel, &f.Place); ok {
		out.Locations = []sarifLocation{loc}
	}
	if s, ok := r.stack(f.Kernel, &f.Place, "calls to the place of the finding"); ok {
		out.Stacks = append(out.Stacks, s)
	}
	for i := range f.Parties {
		p := &f.Parties[i]
		loc := sarifLocation{}
		if p.Place.File != "" || p.Place.Word != 0 || p.Place.Instruction != "" {
			loc, _ = r.location(f.Kernel, &p.Place)
		}
		if loc.Properties == nil {
			loc.Properties = new(sarifPlaceFact)
		}
		loc.Properties.Items, loc.Properties.WorkItem = p.Items, p.WorkItem
		text := message(p.Text())
		loc.ID, loc.Message = i+1, &text
		out.Related = append(out.Related, loc)
		if s, ok := r.stack(f.Kernel, &p.Place, fmt.Sprintf("calls to related location %d", i+1)); ok {
			out.Stacks = append(out.Stacks, s)
		}
	}
	return out
}

// location is a place; ok is false where nothing is known about it.
func (r *SARIFRun) location(kernel string, p *Place) (loc sarifLocation, ok bool) {
	file := p.File
	if file == "" && r.Module != nil {
		file = r.Module(kernel)
	}
	if file != "" {
		loc.Physical = &sarifPhysical{Artifact: artifact(file)}
		if p.File != "" && p.Line > 0 {
			loc.Physical.Region = region(p.Line, p.Column, p.Source)
		}
	}
	function := p.Function
	if function == "" {
		function = kernel
	}
	loc.Logical = logical(kernel, function)
	if p.Word != 0 || p.Instruction != "" {
		loc.Properties = &sarifPlaceFact{Word: p.Word, Instruction: p.Instruction}
	}
	return loc, loc.Physical != nil || loc.Logical != nil
}

// stack is a place with the calls that were inlined around it; ok is false where there
// are none.
func (r *SARIFRun) stack(kernel string, p *Place, text string) (s sarifStack, ok bool) {
	if len(p.Calls) == 0 {
		return s, false
	}
	s.Message = message(text)
	frame := func(at *Place) {
		if loc, ok := r.location(kernel, at); ok {
			s.Frames = append(s.Frames, sarifFrame{loc})
		}
	}
	frame(p)
	for _, c := range p.Calls {
		frame(&Place{File: c.File, Line: c.Line, Column: c.Column, Source: c.Source, Function: c.Function})
	}
	return s, len(s.Frames) > 0
}

// logical is a function as a logical location.
func logical(kernel, function string) []sarifLogical {
	switch {
	case function == "":
		return nil
	case kernel == "" || function == kernel:
		return []sarifLogical{{Name: function, Full: function, Kind: "function"}}
	}
	return []sarifLogical{{Name: function, Full: kernel + "/" + function, Kind: "function"}}
}

// region is a place in a line. Findings count columns in bytes, SARIF in characters.
func region(line, column uint32, source string) *sarifRegion {
	out := &sarifRegion{StartLine: line, StartColumn: int(column)}
	if source == "" {
		return out
	}
	out.Snippet = &sarifContent{source}
	from := int(column) - 1
	if from < 0 || from >= len(source) || !utf8.RuneStart(source[from]) {
		out.StartColumn = 0
		return out
	}
	out.StartColumn = utf8.RuneCountInString(source[:from]) + 1
	out.EndColumn = out.StartColumn + utf8.RuneCountInString(source[from:from+extent(source[from:])])
	return out
}

// artifact is a file by its name, as debug information or a command line has it.
func artifact(name string) sarifArtifact {
	name = strings.ReplaceAll(name, `\`, "/")
	switch {
	case len(name) > 2 && name[1] == ':' && name[2] == '/':
		name = "/" + name // a drive of Windows
		fallthrough
	case strings.HasPrefix(name, "/"):
		return sarifArtifact{URI: "file://" + escaped(name)}
	}
	name = escaped(path.Clean(name))
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ":") {
		name = "./" + name // what stands before the colon is no scheme
	}
	return sarifArtifact{URI: name, Base: baseOfURIs}
}

// escaped returns a path as a URI has it. Package net/url, which does that, is large for the playground's page.
func escaped(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~$&+,/:;=@", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// fingerprint is what stays the same of a finding when the lines around it move, when
// its sources lie elsewhere, and on every machine.
func (f *Finding) fingerprint() string {
	h := sha256.New()
	add := func(file, function, source string) {
		file = strings.ReplaceAll(file, `\`, "/")
		fmt.Fprintf(h, "%q %q %q\n", path.Base(file), function, strings.Join(strings.Fields(source), " "))
	}
	fmt.Fprintf(h, "%q %q\n", f.Code, f.Kernel)
	if f.Place.Source == "" { // ids and words of instructions change with any line of the source
		fmt.Fprintf(h, "%d %d %q\n", f.Place.Line, f.Place.Word, f.Place.Instruction)
	}
	add(f.Place.File, f.Place.Function, f.Place.Source)
	for _, c := range f.Place.Calls {
		add(c.File, c.Function, c.Source)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// message is a text of SARIF.
func message(s string) sarifMessage { return sarifMessage{escapeMessage(s)} }

// escapeMessage writes a text so that SARIF sees neither placeholders nor links in it.
func escapeMessage(s string) string {
	s = strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
	if strings.Contains(s, "](") {
		s = strings.NewReplacer("[", `\[`, "]", `\]`).Replace(s)
	}
	return s
}
