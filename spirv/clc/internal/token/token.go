// Package token has the tokens of OpenCL C and the table of names.
package token

import "github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"

// Kind is the kind of a token.
type Kind uint8

// The kinds. Keywords that only name a type of OpenCL C (float4, image2d_t, uint …) are identifiers: package
// sema declares these types by name, as typedefs are.
const (
	EOF     Kind = iota
	Newline      // ends a directive; only the preprocessor sees it
	Invalid      // a character that begins no token
	Ident
	Int    // integer constant
	Float  // floating constant
	Char   // character constant
	String // string literal, of one piece
	Header // <name> in #include; only the preprocessor sees it
	Pragma // a #pragma that the parser handles; Text is what stands behind the word pragma

	// Punctuation.
	LParen
	RParen
	LBrack
	RBrack
	LBrace
	RBrace
	Dot
	Arrow
	Inc
	Dec
	And
	Star
	Plus
	Minus
	Tilde
	Not
	Slash
	Percent
	Shl
	Shr
	Lt
	Gt
	Le
	Ge
	EqEq
	NotEq
	Caret
	Or
	AndAnd
	OrOr
	Question
	Colon
	Semi
	Ellipsis
	Assign
	MulAssign
	DivAssign
	RemAssign
	AddAssign
	SubAssign
	ShlAssign
	ShrAssign
	AndAssign
	XorAssign
	OrAssign
	Comma
	Hash
	HashHash

	// Keywords of C99 and of OpenCL C, in any of their spellings (kernel and __kernel are one kind).
	Auto
	Break
	Case
	CharKw
	Const
	Continue
	Default
	Do
	Double
	Else
	Enum
	Extern
	FloatKw
	For
	Goto
	If
	Inline
	IntKw
	Long
	Register
	Restrict
	Return
	Short
	Signed
	Sizeof
	Static
	Struct
	Switch
	Typedef
	Union
	Unsigned
	Void
	Volatile
	While
	Bool
	Half
	Kernel
	Global
	Local
	Constant
	Private
	Generic
	ReadOnly
	WriteOnly
	ReadWrite
	Pipe
	Attribute
	Alignof
	Typeof
	Atomic
	Complex
	Imaginary
	Asm
	StaticAssert
	Noreturn
	Alignas
	GenericSelection // _Generic
	Extension        // __extension__
	AddressSpace     // reserved

	NumKinds
)

// Flags say how a token stands in its line.
type Flags uint8

// The flags.
const (
	FirstOnLine Flags = 1 << iota // nothing but white space precedes it in its line
	SpaceBefore                   // white space precedes it
	NoExpand                      // the name of a macro in its own expansion: it is never expanded
	FromMacro                     // a macro made it
)

// Token is one token. Its position may be in a macro.
type Token struct {
	Kind  Kind
	Flags Flags
	Pos   source.Pos
	Len   uint32 // bytes as spelled
	Name  *Name  // of identifiers and keywords
	Text  string // the spelling of constants, strings and pragmas
}

// End returns the position behind the token, for ranges. A token that a macro made ends where it begins: what
// prints a range finds its length itself.
func (t *Token) End() source.Pos {
	if t.Pos.IsMacro() {
		return t.Pos
	}
	return t.Pos + source.Pos(t.Len)
}

// Spelling returns the token as it is written in a source.
func (t *Token) Spelling() string {
	switch {
	case t.Text != "":
		return t.Text
	case t.Name != nil:
		return t.Name.Text
	}
	return t.Kind.String()
}

// Name is a spelling of an identifier or keyword. There is one Name for each spelling, so that pointers compare.
type Name struct {
	Text    string
	Keyword Kind // Ident unless the spelling is a keyword in the language version at hand

	// Macro is the preprocessor's: the definition that the name has now.
	Macro any
	// Decl is the parser's: the innermost declaration of the name in the scope at hand, and Tag that of a struct,
	// union or enum. DeclDepth and TagDepth are the depths of the scopes that they are declared in.
	Decl, Tag           any
	DeclDepth, TagDepth int32
	// Looked says that the parser has asked whether the spelling is that of a built-in type.
	Looked bool
}
