package pp

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// builtin says what a macro without a body stands for.
type builtin uint8

const (
	_ builtin = iota
	builtinLine
	builtinFile
	builtinFileName
	builtinBaseFile
	builtinDate
	builtinTime
	builtinTimestamp
	builtinCounter
	builtinLevel
	builtinEvalMethod
	builtinPragma
	builtinHasInclude
	builtinHasBuiltin
	builtinHasFeature
	builtinHasAttribute
	builtinHasNone
	builtinHasWarning
	builtinIsIdentifier
)

// builtins are the macros that are made anew at each use.
var builtins = map[string]builtin{
	"__LINE__": builtinLine, "__FILE__": builtinFile, "__FILE_NAME__": builtinFileName, "__BASE_FILE__": builtinBaseFile,
	"__DATE__": builtinDate, "__TIME__": builtinTime, "__TIMESTAMP__": builtinTimestamp, "__COUNTER__": builtinCounter,
	"__INCLUDE_LEVEL__": builtinLevel, "__FLT_EVAL_METHOD__": builtinEvalMethod, "_Pragma": builtinPragma,
	"__has_include": builtinHasInclude, "__has_include_next": builtinHasInclude, "__has_builtin": builtinHasBuiltin,
	"__has_feature": builtinHasFeature, "__has_extension": builtinHasFeature, "__has_attribute": builtinHasAttribute,
	"__has_c_attribute": builtinHasNone, "__has_declspec_attribute": builtinHasNone, "__has_warning": builtinHasWarning,
	"__is_identifier": builtinIsIdentifier,
}

// The results of __has_feature and __has_attribute: what the parser takes. Names may have underscores around them.
var features = map[string]bool{
	"attribute_overloadable": true, "attribute_ext_vector_type": true, "c_static_assert": true, "c_alignas": true,
	"c_alignof": true, "attribute_unavailable_with_message": true, "attribute_deprecated_with_message": true,
}

var attributes = map[string]bool{
	"address_space": false, "aligned": true, "always_inline": true, "cold": true, "const": true, "convergent": true,
	"deprecated": true, "endian": true, "ext_vector_type": true, "fallthrough": true, "flatten": true, "format": true,
	"hot": true, "intel_reqd_sub_group_size": true, "may_alias": true, "noinline": true, "nonnull": true, "noreturn": true,
	"nosvm": true, "nothrow": true, "opencl_unroll_hint": true, "overloadable": true, "packed": true, "pure": true,
	"reqd_work_group_size": true, "unused": true, "used": true, "vec_type_hint": true, "vector_size": true,
	"warn_unused_result": true, "weak": true, "work_group_size_hint": true,
}

// __DATE__ and __TIME__ are the same at every compilation, so that the same source makes the same module.
const (
	dateText      = `"Jan  1 1980"`
	timeText      = `"00:00:00"`
	timestampText = `"Tue Jan  1 00:00:00 1980"`
)

// expandBuiltin replaces the name of a builtin macro. The result is as that of expand.
func (p *Preprocessor) expandBuiltin(t *token.Token, m *Macro) bool {
	text, kind := "", token.Int
	switch m.builtin {
	case builtinLine:
		pos := t.Pos
		if pos.IsMacro() {
			pos = p.outerEnd
		}
		text = number(p.files.Position(pos).Line)
	case builtinFile:
		kind, text = token.String, quote(p.files.Position(t.Pos).File)
	case builtinFileName:
		name := p.files.Position(t.Pos).File
		kind, text = token.String, quote(name[strings.LastIndexByte(name, '/')+1:])
	case builtinBaseFile:
		kind, text = token.String, quote(p.cfg.Name)
	case builtinDate:
		kind, text = token.String, dateText
	case builtinTime:
		kind, text = token.String, timeText
	case builtinTimestamp:
		kind, text = token.String, timestampText
	case builtinCounter:
		text = number(p.counter)
		p.counter++
	case builtinLevel:
		text = number(len(p.stack))
	case builtinEvalMethod:
		text = "0"
	case builtinPragma:
		if p.barriers > 0 || p.inArgs > 0 {
			return false // it is done when the argument is in its place
		}
		return !p.pragmaOperator(t)
	case builtinHasInclude:
		p.diags.Errorf(t.Pos, "%s must be used within a preprocessing directive", m.name.Text)
		text = "0"
	default:
		n, ok := p.query(t, m)
		if !ok {
			return true
		}
		text = number(n)
	}
	t.Kind, t.Name, t.Text = kind, nil, text
	t.Flags |= token.FromMacro
	return false
}

// quote makes a string literal of a file's name.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// query does the builtin macros with an argument, __has_builtin and the like.
func (p *Preprocessor) query(name *token.Token, m *Macro) (int, bool) {
	var t token.Token
	if p.read(&t); t.Kind != token.LParen {
		p.diags.Errorf(name.Pos, "missing '(' after '%s'", m.name.Text)
		p.giveBack(&t)
		return 0, true
	}
	result := -1
	depth := 0
	for {
		p.read(&t)
		switch t.Kind {
		case token.EOF, token.Newline:
			p.diags.Errorf(name.Pos, "unterminated function-like macro invocation")
			p.giveBack(&t)
			return 0, true
		case token.LParen:
			depth++
			continue
		case token.RParen:
			if depth--; depth >= 0 {
				continue
			}
			if result < 0 {
				p.diags.Errorf(t.Pos, "builtin feature check macro requires a parenthesized identifier")
				result = 0
			}
			return result, true
		}
		if result < 0 {
			result = p.answer(&t, m)
		}
	}
}

// giveBack puts a token back in front of what follows.
func (p *Preprocessor) giveBack(t *token.Token) {
	p.push(frame{toks: []token.Token{*t}})
}

// answer says what a query macro gives for an argument; -1 if the argument is of no use.
func (p *Preprocessor) answer(t *token.Token, m *Macro) int {
	if m.builtin == builtinHasWarning {
		if t.Kind != token.String {
			return -1
		}
		flag, ok := strings.CutPrefix(unquote(t.Text), "-W")
		return int(truth(ok && diag.KnownWarning(flag)).bits)
	}
	if t.Kind != token.Ident {
		if m.builtin == builtinIsIdentifier {
			return 0
		}
		return -1
	}
	name := t.Name.Text
	plain := name
	if len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		plain = name[2 : len(name)-2]
	}
	yes := false
	switch m.builtin {
	case builtinHasBuiltin:
		yes = p.cfg.HasBuiltin != nil && p.cfg.HasBuiltin(name)
	case builtinHasFeature:
		yes = features[plain]
	case builtinHasAttribute:
		yes = attributes[plain]
	case builtinIsIdentifier:
		yes = t.Name.Keyword == token.Ident
	}
	return int(truth(yes).bits)
}
