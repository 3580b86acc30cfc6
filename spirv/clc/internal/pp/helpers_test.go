package pp

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// run is a preprocessor with what it reports to.
type run struct {
	*Preprocessor
	bag   *diag.Bag
	files *source.Set
}

// start begins to preprocess a text; headers are those of Config.Open.
func start(text string, cfg Config) *run { return startWith(text, cfg, diag.DefaultOptions()) }

// startWith is start with options of warnings.
func startWith(text string, cfg Config, opts diag.Options) *run {
	if cfg.Lang == nil {
		o := lang.Default()
		cfg.Lang = &o
	}
	if cfg.Name == "" {
		cfg.Name = "test.cl"
	}
	cfg.Text = text
	files := source.NewSet()
	bag := diag.NewBag(files, opts)
	return &run{New(files, token.NewNames(), bag, cfg), bag, files}
}

// headers makes a Config with headers in memory.
func headers(pairs ...string) Config {
	m := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return Config{Open: func(name string) (string, bool) { s, ok := m[name]; return s, ok }}
}

// spellings returns all tokens that are left.
func (r *run) spellings() []string {
	var list []string
	for {
		t := r.Next()
		switch t.Kind {
		case token.EOF:
			return list
		case token.Pragma:
			list = append(list, "#pragma "+t.Text)
		default:
			list = append(list, t.Spelling())
		}
	}
}

// expand preprocesses a text and returns its tokens with blanks between.
func expand(t *testing.T, text string, cfg Config) string {
	t.Helper()
	r := start(text, cfg)
	s := strings.Join(r.spellings(), " ")
	if len(r.bag.List) > 0 {
		t.Errorf("%s\n%s", text, r.bag.Render(diag.Style{}))
	}
	return s
}

// raw returns the tokens of a text without preprocessing.
func raw(text string) []string {
	r := start("", Config{})
	l := newLexer(r.files.Add("raw", text, 0), nil)
	var list []string
	for {
		var t token.Token
		if r.lex(l, &t); t.Kind == token.EOF {
			return list
		}
		list = append(list, t.Spelling())
	}
}

// rawNext returns the spelling of the next token, characters that are none included; "" at the end.
func (r *run) rawNext() string {
	var t token.Token
	if r.next(&t); t.Kind == token.EOF {
		return ""
	}
	return t.Spelling()
}
