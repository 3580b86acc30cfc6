package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sarifTypes are the objects of SARIF 2.1.0 that lockstep writes: their properties with
// the types of the specification, and ! behind the names of those that must be there. "[]"
// is before the type of elements, and "map" is an object with any names.
var sarifTypes = map[string]string{
	"sarifLog":            `$schema:uri version!:2.1.0 runs!:[]run`,
	"run":                 `tool!:tool invocations:[]invocation originalUriBaseIds:map artifactLocation columnKind:utf16CodeUnits|unicodeCodePoints language:text results:[]result`,
	"tool":                `driver!:toolComponent`,
	"toolComponent":       `name!:text version:text informationUri:uri rules:[]reportingDescriptor`,
	"reportingDescriptor": `id!:text shortDescription:message fullDescription:message help:message`,
	"message":             `text!:message text`,
	"artifactContent":     `text!:string`,
	"invocation":          `commandLine:text exitCode:count executionSuccessful!:bool toolExecutionNotifications:[]notification`,
	"notification":        `level:level message!:message`,
	"result":              `ruleId:text ruleIndex:count level:level message!:message locations:[]location relatedLocations:[]location stacks:[]stack partialFingerprints:map text occurrenceCount:positive properties:any`,
	"location":            `id:count physicalLocation:physicalLocation logicalLocations:[]logicalLocation message:message properties:any`,
	"physicalLocation":    `artifactLocation!:artifactLocation region:region`,
	"artifactLocation":    `uri:uri uriBaseId:text description:message`,
	"region":              `startLine!:positive startColumn:positive endColumn:positive snippet:artifactContent`,
	"logicalLocation":     `name:text fullyQualifiedName:text kind:function`,
	"stack":               `message:message frames!:[]stackFrame`,
	"stackFrame":          `location:location`,
}

// uriPattern is what RFC 3986 lets stand in a URI reference.
var uriPattern = regexp.MustCompile(`^(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-F]{2})+$`)

// wrongSARIF returns what is wrong with a value of that type, or "".
func wrongSARIF(kind string, v any) string {
	if element, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			return "not a list"
		}
		for i, e := range list {
			if wrong := wrongSARIF(element, e); wrong != "" {
				return fmt.Sprintf("[%d]%s", i, wrong)
			}
		}
		return ""
	}
	if element, ok := strings.CutPrefix(kind, "map "); ok {
		object, ok := v.(map[string]any)
		if !ok || len(object) == 0 {
			return ": not an object with properties"
		}
		for name, e := range object {
			if wrong := wrongSARIF(element, e); wrong != "" {
				return "." + name + wrong
			}
		}
		return ""
	}
	if table, ok := sarifTypes[kind]; ok {
		return wrongObject(table, v)
	}
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	good := false
	switch kind {
	case "any":
		_, good = v.(map[string]any)
	case "string":
		good = isText
	case "text":
		good = isText && text != ""
	case "message text": // without placeholders
		rest := strings.NewReplacer("{{", "", "}}", "").Replace(text)
		good = isText && text != "" && !strings.ContainsAny(rest, "{}") && !regexp.MustCompile(`(?:^|[^\\])\[[^\]]*[^\\\]]\]\(`).MatchString(text)
	case "uri":
		good = uriPattern.MatchString(text)
	case "bool":
		_, good = v.(bool)
	case "count", "positive":
		n, err := number.Int64()
		good = isNumber && err == nil && n >= 0 && (n > 0 || kind == "count")
	case "level":
		good = slices.Contains([]string{"none", "note", "warning", "error"}, text)
	default:
		good = slices.Contains(strings.Split(kind, "|"), text)
	}
	if !good {
		return fmt.Sprintf(": %v is not %s", v, kind)
	}
	return ""
}

// wrongObject returns what is wrong with an object that has these properties, or "".
func wrongObject(table string, v any) string {
	object, ok := v.(map[string]any)
	if !ok {
		return ": not an object"
	}
	known := map[string]bool{}
	for _, p := range regexp.MustCompile(`(\S+?)(!?):((?:map )?(?:message text|\S+))`).FindAllStringSubmatch(table, -1) {
		name, must, kind := p[1], p[2] != "", p[3]
		known[name] = true
		value, ok := object[name]
		if !ok {
			if must {
				return "." + name + " is missing"
			}
			continue
		}
		if wrong := wrongSARIF(kind, value); wrong != "" {
			return "." + name + wrong
		}
	}
	for name := range object {
		if !known[name] {
			return "." + name + ": there is no such property"
		}
	}
	return ""
}

// checkSARIF reports what a log breaks of the specification, beyond the types: indices lead to
// rules, ids of locations are unique, and columns are in order.
func checkSARIF(t *testing.T, data []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if wrong := wrongSARIF("sarifLog", v); wrong != "" {
		t.Errorf("log%s", wrong)
	}
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := &log.Runs[0]
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if ids[r.ID] {
			t.Errorf("rule %s is there twice", r.ID)
		}
		ids[r.ID] = true
	}
	prints := map[string]bool{}
	for i, r := range run.Results {
		if r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %d: rule %d is not %s", i, r.RuleIndex, r.RuleID)
		}
		if p := r.Fingerprints[fingerprintName]; p == "" || prints[p] {
			t.Errorf("result %d: fingerprint %q is missing, or there twice", i, p)
		} else {
			prints[p] = true
		}
		for j, loc := range r.Related {
			if loc.ID != j+1 || loc.Message == nil {
				t.Errorf("result %d: related location %d has id %d and message %v", i, j, loc.ID, loc.Message)
			}
		}
		for _, loc := range slices.Concat(r.Locations, r.Related) {
			if p := loc.Physical; p != nil && p.Region != nil && p.Region.EndColumn != 0 && p.Region.EndColumn <= p.Region.StartColumn {
				t.Errorf("result %d: the region ends at column %d, before %d", i, p.Region.EndColumn, p.Region.StartColumn)
			}
			if p := loc.Physical; p != nil && p.Artifact.Base != "" {
				if _, ok := run.Bases[p.Artifact.Base]; !ok || strings.HasPrefix(p.Artifact.URI, "/") {
					t.Errorf("result %d: %s is not relative to %s", i, p.Artifact.URI, p.Artifact.Base)
				}
			}
		}
	}
}

// sarifOf returns the log of a list, which the specification allows.
func sarifOf(t *testing.T, l *List) []byte {
	t.Helper()
	data, err := l.SARIF(SARIFRun{Version: "1.2.3", Command: "lockstep run k.cl -check", Completed: true, ExitCode: 1,
		Module: func(kernel string) string { return "some folder/" + kernel + ".spv" }})
	if err != nil {
		t.Fatal(err)
	}
	checkSARIF(t, data)
	return data
}

func TestSARIF(t *testing.T) {
	l := List{Findings: samples(), Omitted: 3, Partial: []Partial{{Race, "{there} was too much"}}}
	var b bytes.Buffer
	if err := json.Indent(&b, sarifOf(t, &l), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "findings.sarif", b.String())
	if again := sarifOf(t, &l); !bytes.Equal(again, sarifOf(t, &l)) {
		t.Error("the same findings give different logs")
	}
	sarifOf(t, new(List))
}

// TestSARIFRules holds that every code has the texts of a rule.
func TestSARIFRules(t *testing.T) {
	for _, c := range Codes() {
		r := (&SARIFRun{}).rule(c)
		if r.Short == nil || r.Full == nil || r.Help == nil && Help(c) != "" {
			t.Errorf("%s: the rule is %+v", c, r)
		}
	}
	own := SARIFRun{Rule: func(c Code) Description { return Description{Code: c, Title: "of " + string(c)} }}
	if r := own.rule("operand"); r.Short == nil || r.Short.Text != "of operand" || r.Full != nil {
		t.Errorf("a rule of the caller is %+v", r)
	}
}

// TestSARIFChecker holds that the check of logs finds mistakes.
func TestSARIFChecker(t *testing.T) {
	l := List{Findings: samples()[:1]}
	good := string(sarifOf(t, &l))
	for _, c := range []struct{ old, new string }{
		{`"version":"2.1.0"`, `"version":"2.0.0"`},
		{`"driver":`, `"drivers":`},
		{`"startLine":4`, `"startLine":0`},
		{`"level":"error"`, `"level":"fatal"`},
		{`"uri":"vecadd.cl"`, `"uri":"vec add.cl"`},
		{`"text":"out-of-bounds`, `"text":"{0} out-of-bounds`},
		{`"text":"out-of-bounds`, `"text":"[out](1) of-bounds`},
		{`"executionSuccessful":true`, `"executionSuccessful":1`},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		var v any
		d := json.NewDecoder(strings.NewReader(bad))
		d.UseNumber()
		if err := d.Decode(&v); err != nil || bad == good {
			t.Fatalf("%s: %v", c.new, err)
		}
		if wrongSARIF("sarifLog", v) == "" {
			t.Errorf("%s is not found", c.new)
		}
	}
}

// TestFingerprint holds what a fingerprint depends on: not on folders, line numbers and ids.
func TestFingerprint(t *testing.T) {
	of := func(change func(*Finding)) string {
		f := samples()[1]
		f.Place.Calls = slices.Clone(f.Place.Calls)
		if change != nil {
			change(&f)
		}
		return f.fingerprint()
	}
	want := of(nil)
	for name, change := range map[string]func(*Finding){
		"folder": func(f *Finding) { f.Place.File = `C:\work\load.h` }, "line": func(f *Finding) { f.Place.Line++; f.Place.Calls[7].Line++ },
		"id": func(f *Finding) { f.Place.Instruction = "%9 = OpLoad %uint %8"; f.Place.Word = 20 }, "space": func(f *Finding) { f.Place.Source = "\t\t" + strings.TrimSpace(f.Place.Source) },
		"work-item": func(f *Finding) { f.WorkItem = &WorkItem{Lane: 3}; f.Count = 77 },
	} {
		if got := of(change); got != want {
			t.Errorf("another %s gives another fingerprint", name)
		}
	}
	for name, change := range map[string]func(*Finding){
		"code": func(f *Finding) { f.Code = OutOfBounds }, "kernel": func(f *Finding) { f.Kernel = "k2" }, "file": func(f *Finding) { f.Place.File = "store.h" },
		"source": func(f *Finding) { f.Place.Source = "return 0;" }, "caller": func(f *Finding) { f.Place.Calls[7].Source = "load(p, 2);" },
		"word": func(f *Finding) { f.Place.Source = "" },
	} {
		if got := of(change); got == want {
			t.Errorf("another %s gives the same fingerprint", name)
		}
	}
}

// TestSARIFArtifacts holds how names of files become URIs.
func TestSARIFArtifacts(t *testing.T) {
	for name, want := range map[string]sarifArtifact{
		"k.cl":            {"k.cl", baseOfURIs},
		"./a b/k%.cl":     {"a%20b/k%25.cl", baseOfURIs},
		"a:b.cl":          {"./a:b.cl", baseOfURIs},
		`src\k.cl`:        {"src/k.cl", baseOfURIs},
		"/src/größe.cl":   {"file:///src/gr%C3%B6%C3%9Fe.cl", ""},
		`C:\work\k.cl`:    {"file:///C:/work/k.cl", ""},
		"../include/k.cl": {"../include/k.cl", baseOfURIs},
	} {
		if got := artifact(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestEscaped compares with package net/url.
func TestEscaped(t *testing.T) {
	for c := range 256 {
		name := "/a" + string([]byte{byte(c)}) + "b"
		if got, want := escaped(name), (&url.URL{Path: name}).String(); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// FuzzSARIF holds that any text of a module gives a valid log.
func FuzzSARIF(f *testing.F) {
	f.Add("k.cl", "\tc[i] = a[i](1) + {b};", "a message", uint32(3), uint32(4))
	f.Add("\xff:/\\", "größe\x00\xff", "[x](1) {0}", uint32(0), uint32(1<<31))
	f.Fuzz(func(t *testing.T, file, source, text string, line, column uint32) {
		p := Place{File: file, Source: source, Line: line, Column: column, Function: text, Instruction: text}
		sarifOf(t, &List{Findings: []Finding{{Code: Race, Message: "m" + text, Detail: source, Kernel: text, Place: p, Count: 1,
			Parties: []Party{{Does: "d" + source, Place: p}}, Notes: []string{text}, Help: []string{source}}}})
	})
}
