package pp

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// The limits, so that no source makes the compiler run long or fill the memory.
const (
	maxIncludeDepth = 200
	maxIncludes     = 1 << 14 // in all
	maxIncluded     = 1 << 26 // bytes of headers, each as often as it is included
	maxNesting      = 256     // brackets and operators of #if
	maxCallDepth    = 512     // calls of macros in arguments of calls of macros …
	maxLive         = 1 << 20 // tokens of macros in memory at a time
	maxWork         = 1 << 22 // tokens that macros make, plus workPerByte for each byte of the texts
	workPerByte     = 16
	maxTokens       = 1 << 26 // tokens that come out
	maxPasted       = 1 << 16 // bytes of a token that ## makes
	maxString       = 1 << 22 // bytes of a string that # makes
)

// Define is a macro of the command line: "NAME", "NAME=VALUE" or "NAME(PARAMETERS)=VALUE", or one to undefine.
type Define struct {
	Text  string
	Undef bool
}

// Config is what a Preprocessor needs beside places for names and diagnostics.
type Config struct {
	Lang *lang.Options

	Name string // of the source, for messages and to find headers beside it
	Text string // of the source

	Defines []Define
	// Include has the folders in which #include looks, in order.
	Include []string
	// Open returns a header. It is called with a name as the source writes it, with the folder of the file that
	// includes it before it, and with each of Include before it. nil: there are no headers.
	Open func(name string) (text string, ok bool)
	// HasBuiltin answers __has_builtin. nil: there are none.
	HasBuiltin func(name string) bool
}

// Preprocessor turns texts into tokens. It is not safe for concurrent use.
type Preprocessor struct {
	files *source.Set
	names *token.Names
	diags *diag.Bag
	cfg   Config

	lx     *lexer   // the file at hand
	stack  []*lexer // the files that include it, the outermost first
	frames []frame  // the tokens of macros, the innermost last
	carry  token.Flags
	mute   int  // of the lexer's warnings, when it looks ahead
	dead   bool // after a fatal error there are no more tokens

	inArgs   int // arguments of macros are being collected
	barriers int // arguments of macros are being expanded

	// Arguments of calls: a stack, because calls nest.
	argToks   []token.Token
	args      []argument
	calls     int // that nest now
	live      int // tokens in frames
	buffers   [][]token.Token
	work      int
	workLimit int
	produced  int
	outerEnd  source.Pos // where the last use of a macro that stands in a file ends, for __LINE__

	headers  map[string]*header
	included int // headers
	bytes    int // of them
	counter  int // of __COUNTER__
	pushed   map[*token.Name][]*Macro
	buf      []byte
	special  specialNames
}

// frame is a stretch of tokens to read before those of the file.
type frame struct {
	toks    []token.Token
	i       int
	macro   *Macro // active while the frame is there; nil for none
	use     source.Pos
	first   token.Flags // of the first token, if lazy
	lazy    bool        // toks is the macro's body, and tokens get positions when they are read
	pooled  bool        // toks goes to buffers
	barrier bool        // an argument: nothing below is read
	space   bool        // white space follows the last token
}

// New returns a Preprocessor for a source. It adds the source to files, and sets what names do when they are made.
func New(files *source.Set, names *token.Names, bag *diag.Bag, cfg Config) *Preprocessor {
	p := &Preprocessor{files: files, names: names, diags: bag, cfg: cfg}
	p.workLimit = maxWork + workPerByte*len(cfg.Text)
	p.installNames()
	main := files.Add(cfg.Name, cfg.Text, 0)
	if main == nil {
		main = files.Add(cfg.Name, "", 0)
		p.fatal(main.Pos(0), "the source is too large: %d bytes", len(cfg.Text))
	}
	p.lx = newLexer(main, nil)
	if text := commandLine(cfg.Defines); text != "" {
		if f := files.Add("<command line>", text, 0); f != nil {
			p.stack = append(p.stack, p.lx)
			p.lx = newLexer(f, &header{})
		}
	}
	return p
}

// fatal reports an error behind which there are no more tokens.
func (p *Preprocessor) fatal(pos source.Pos, format string, args ...any) *diag.Diagnostic {
	p.dead = true
	return p.diags.Fatalf(pos, format, args...)
}

// Next returns the next token of the program: macros expanded, directives done, keywords told from identifiers. At the
// end it returns EOF for ever.
func (p *Preprocessor) Next() (t token.Token) {
	p.Read(&t)
	return t
}

// Read is Next into a place of the caller's: it saves copying the token.
func (p *Preprocessor) Read(t *token.Token) {
	for {
		p.read(t)
		if t.Kind == token.Ident && t.Name.Macro != nil && t.Flags&token.NoExpand == 0 &&
			p.expand(t, t.Name.Macro.(*Macro)) {
			continue
		}
		switch t.Kind {
		case token.Ident:
			t.Kind = t.Name.Keyword
		case token.Invalid:
			if !p.repair(t) {
				continue
			}
		}
		if p.produced++; p.produced > maxTokens {
			p.fatal(t.Pos, "the program has more than %d tokens", maxTokens)
			p.produced = 0
		}
		return
	}
}

// next reads a token and expands macros. Keywords are identifiers still.
func (p *Preprocessor) next(t *token.Token) {
	for {
		p.read(t)
		if t.Kind != token.Ident {
			return
		}
		if t.Name.Macro == nil || t.Flags&token.NoExpand != 0 || !p.expand(t, t.Name.Macro.(*Macro)) {
			return
		}
	}
}

// read returns the next token without expanding it. At the end of an argument that is being expanded, and of
// everything, that is EOF.
func (p *Preprocessor) read(t *token.Token) {
	for {
		if p.dead {
			*t = token.Token{Kind: token.EOF, Pos: p.lx.at(len(p.lx.text))}
			return
		}
		n := len(p.frames)
		if n == 0 {
			p.lex(p.lx, t)
			if t.Flags&token.FirstOnLine != 0 && t.Kind == token.Hash && !p.lx.directive {
				if p.directive(t) {
					return
				}
				continue
			}
			if t.Kind == token.EOF && p.endFile() {
				continue
			}
			if p.carry != 0 {
				t.Flags |= p.carry
				p.carry = 0
			}
			return
		}
		f := &p.frames[n-1]
		if f.i < len(f.toks) {
			*t = f.toks[f.i]
			if f.lazy {
				t.Pos = p.files.Expand(t.Pos, f.use, f.macro.id)
				t.Flags |= token.FromMacro
				if f.i == 0 {
					t.Flags = t.Flags&^spacing | f.first
				}
			}
			f.i++
			if p.carry != 0 {
				t.Flags |= p.carry
				p.carry = 0
			}
			return
		}
		if f.barrier {
			*t = token.Token{Kind: token.EOF, Pos: f.use}
			p.carry = 0
			return
		}
		if f.space {
			p.carry |= token.SpaceBefore
		}
		p.pop()
	}
}

// spacing is the flags that say what stands before a token.
const spacing = token.FirstOnLine | token.SpaceBefore

// push adds a frame of tokens that are ready.
func (p *Preprocessor) push(f frame) {
	if f.macro != nil {
		f.macro.active = true
	}
	if f.pooled {
		p.live += len(f.toks)
	}
	p.frames = append(p.frames, f)
}

// pop takes the innermost frame away.
func (p *Preprocessor) pop() {
	n := len(p.frames) - 1
	f := &p.frames[n]
	if f.macro != nil {
		f.macro.active = false
	}
	if f.pooled {
		p.live -= len(f.toks)
		if cap(f.toks) <= 1<<14 && len(p.buffers) < 64 {
			p.buffers = append(p.buffers, f.toks[:0])
		}
	}
	p.frames[n] = frame{}
	p.frames = p.frames[:n]
}

// buffer returns an empty slice for tokens.
func (p *Preprocessor) buffer() []token.Token {
	if n := len(p.buffers); n > 0 {
		b := p.buffers[n-1]
		p.buffers = p.buffers[:n-1]
		return b
	}
	return make([]token.Token, 0, 32)
}

// spend counts tokens that macros make, and reports whether there are not too many.
func (p *Preprocessor) spend(n int, pos source.Pos) bool {
	p.work += n
	return p.work <= p.workLimit && p.live+len(p.argToks) <= maxLive || p.tooMuch(pos, p.live+len(p.argToks))
}

// tooMuch reports that macros make too many tokens: in all, or at a time if more than maxLive are live. It returns
// false.
func (p *Preprocessor) tooMuch(pos source.Pos, live int) bool {
	if !p.dead {
		what := "the expansion of macros makes too many tokens"
		if live > maxLive {
			what = "a use of a macro expands to too many tokens"
		}
		p.fatal(p.files.Use(pos), "%s", what)
	}
	return false
}

// endFile leaves the file at hand, and reports whether there is one that includes it.
func (p *Preprocessor) endFile() bool {
	l := p.lx
	if p.inArgs > 0 {
		return false // a call of a macro does not go on in another file
	}
	for i := len(l.conds) - 1; i >= 0; i-- {
		p.diags.Errorf(l.conds[i].pos, "unterminated conditional directive")
	}
	l.conds = nil
	if len(p.stack) == 0 {
		return false
	}
	if l.guard != nil {
		l.header.guard = l.guard
	}
	p.lx = p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return true
}

// nextIsParen reports whether the next token is a left parenthesis, without reading it.
func (p *Preprocessor) nextIsParen() bool {
	for n := len(p.frames) - 1; n >= 0; n-- {
		f := &p.frames[n]
		if f.i < len(f.toks) {
			return f.toks[f.i].Kind == token.LParen
		}
		if f.barrier {
			return false
		}
	}
	l := p.lx
	i := l.pos
	for ; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '(':
			return true
		case class[c] == classSpace:
		case class[c] == classNewline && !l.directive:
		case c == '/' || c == '\\':
			ahead := *l
			ahead.pos = i
			var t token.Token
			p.mute++
			p.lex(&ahead, &t)
			p.mute--
			return t.Kind == token.LParen
		default:
			return false
		}
	}
	return false
}

// repair reports a token that is none, and reports whether something can be put in its place.
func (p *Preprocessor) repair(t *token.Token) bool {
	text := t.Text
	body := text
	if len(body) > 0 && body[0] == 'L' {
		body = body[1:]
	}
	switch {
	case body == "''":
		p.diags.Errorf(t.Pos, "empty character constant")
		t.Kind, t.Text = token.Char, `'\0'`
		return true
	case len(body) > 0 && (body[0] == '"' || body[0] == '\''):
		p.diags.Errorf(t.Pos, "missing terminating %c character", body[0])
		t.Kind, t.Text = token.String, text+body[:1]
		if body[0] == '\'' {
			t.Kind, t.Text = token.Char, `'\0'`
		} else if n := len(text) - len(trimBackslashes(text)); n%2 == 1 {
			t.Text = text[:len(text)-1] + `"`
		}
		return true
	}
	p.badCharacter(t)
	return false
}
