package pp

import (
	"strings"
	"testing"
)

// TestExpand has the rules of C99 6.10.3, and those of GNU C beside them.
func TestExpand(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		// 6.10.3: definitions.
		{"object", "#define N 16\nN", "16"},
		{"empty", "#define E\na E b", "a b"},
		{"chain", "#define A B\n#define B C\n#define C 1\nA", "1"},
		{"function", "#define F(x, y) y x\nF(1, 2)", "2 1"},
		{"space before the parenthesis is an object", "#define F (x) x\nF", "( x ) x"},
		{"name without parenthesis", "#define F(x) [x]\nF + F(1) F", "F + [ 1 ] F"},
		{"no parameters", "#define F() f\nF() F( ) F", "f f F"},
		{"one empty argument", "#define F(x) [x]\nF()", "[ ]"},
		{"empty arguments", "#define F(x, y) [x|y]\nF(,) F(a,) F(,b)", "[ | ] [ a | ] [ | b ]"},
		{"parentheses in arguments", "#define F(x, y) x-y\nF((a, b), c(d, e))", "( a , b ) - c ( d , e )"},
		{"several lines", "#define F(x, y) x y\nF(a\n, // comment\nb\n)", "a b"},
		{"brackets do not nest", "#define F(x, y) x;y\nF([a, b])", "[ a ; b ]"},
		{"parenthesis in the next line", "#define F(x) <x>\nF\n(1)", "< 1 >"},
		{"parenthesis behind a comment", "#define F(x) <x>\nF /* ( */ (1)", "< 1 >"},
		{"directive before the parenthesis", "#define F(x) <x>\nF\n#define G\n(1)", "F ( 1 )"},
		{"redefinition of the same", "#define F(x)  x /* */ + 1\n#define F(x) x + 1\nF(2)", "2 + 1"},
		{"undef", "#define A 1\n#undef A\n#undef B\nA", "A"},
		{"names in strings stay", "#define a 1\n\"a\" 'a' a", "\"a\" 'a' 1"},
		{"keywords can be macros", "#define int long\nint x", "long x"},

		// 6.10.3.1: arguments are expanded on their own.
		{"argument expanded", "#define A 1, 2\n#define F(x, y) x|y\nF(A, 3)", "1 , 2 | 3"},
		{"arguments rescanned", "#define G(x) F x\n#define F(a, b) a+b\nG((1, 2))", "1 + 2"},
		{"argument ends with a function", "#define F(x) x(1)\n#define G(y) <y>\nF(G)", "< 1 >"},
		{"parenthesis from the rest of the source", "#define F(x) x\n#define G(y) <y>\nF(G)(2)", "< 2 >"},
		{"argument cannot take the parenthesis before it is in place", "#define F(x) x(x\n#define G(y) y\nF(G))", "G"},

		// 6.10.3.2: #.
		{"string", "#define S(x) #x\nS(a + b)", `"a + b"`},
		{"string of nothing", "#define S(x) #x\nS()", `""`},
		{"white space in strings", "#define S(x) #x\nS(  a \t +\n  b/**/c  )", `"a + b c"`},
		{"no white space in strings", "#define S(x) #x\nS(a+b(c))", `"a+b(c)"`},
		{"quotes in strings", "#define S(x) #x\nS(\"a\\n\" '\\0' '\"')", `"\"a\\n\" '\\0' '\"'"`},
		{"backslash in strings", "#define S(x) #x\nS(@\\n)", `"@\n"`},
		{"argument of # is not expanded", "#define A 1\n#define S(x) #x\n#define T(x) S(x)\nS(A) T(A)", `"A" "1"`},
		{"# in an object is a token", "#define H # x\nH", "# x"},
		{"string of commas", "#define S(...) #__VA_ARGS__\nS(a, b ,c)", `"a, b ,c"`},

		// 6.10.3.3: ##.
		{"paste", "#define P(a, b) a##b\nP(x, 1) P(1, 2) P(<, <=) P(, x) P(x, ) P(,)", "x1 12 <<= x x"},
		{"paste in objects", "#define A x ## 1 ## y\nA", "x1y"},
		{"operands are not expanded", "#define A 1\n#define P(a, b) a##b\nP(A, A)", "AA"},
		{"result is expanded", "#define AB 7\n#define P(a, b) a##b\nP(A, B)", "7"},
		{"only the tokens at the ## are pasted", "#define P(a, b) a##b\nP(1 2, 3 4)", "1 23 4"},
		{"## from an argument is a token", "#define F(x) a x b\nF(##)", "a ## b"},
		{"hash_hash of the standard", "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n" +
			"#define join(c, d) in_between(c hash_hash d)\njoin(x, y)", `"x ## y"`},
		{"optional tokens", "#define E\n#define F(x, ...) f(x __VA_OPT__(,) __VA_ARGS__)\nF(1) F(1, 2, 3) F(1, ) F(1, E) F(1, E 2)",
			"f ( 1 ) f ( 1 , 2 , 3 ) f ( 1 ) f ( 1 ) f ( 1 , 2 )"},
		{"optional tokens beside ##", "#define P(x, ...) x ## __VA_OPT__(a b) ## x\nP(1) P(1,2) P(q,2) P(q)", "11 1a b1 qa bq qq"},
		{"string of optional tokens", "#define S(x, ...) #__VA_OPT__(x - __VA_ARGS__)\nS(1) S(1, 2)", `"" "1 - 2"`},
		{"## in optional tokens", "#define Q(x, ...) x __VA_OPT__(a ## x (x)) end\nQ(1) Q(1,2)", "1 end 1 a1 ( 1 ) end"},
		{"optional nothing", "#define M(x, y...) [__VA_OPT__()] x##__VA_OPT__()##x __VA_OPT__(;)\nM(1,2) M(1)", "[ ] 11 ; [ ] 11"},
		{"placemarkers", "#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,)",
			"123 45 67 89 10 11 12"},
		{"paste before a string", "#define W(x) L ## #x\nW(a)", `L"a"`},
		{"pasted names of macros with arguments", "#define F1(x) <x>\n#define F(n, x) F##n(x)\nF(1, 2)", "< 2 >"},

		// 6.10.3.4: rescanning.
		{"itself", "#define f f + 1\nf", "f + 1"},
		{"itself with arguments", "#define f(x) x + f(x)\nf(f(1))", "1 + f ( 1 ) + f ( 1 + f ( 1 ) )"},
		{"each other", "#define a b\n#define b a\na b", "a b"},
		{"marked for ever", "#define f(x) x f\nf(f)(1)", "f f ( 1 )"},
		{"unspecified nesting as others do it", "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"},
		{"the standard's example 3", "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n" +
			"#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n" +
			"#define str(x) # x\n" +
			"f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n\t(f)^m(m);\n" +
			"p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };",
			"f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; " +
				"f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; " +
				"int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;"},
		{"the standard's example 4", "#define str(s) # s\n#define xstr(s) str(s)\n#define glue(a, b) a ## b\n" +
			"#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n#define INCFILE(n) vers ## n\n" +
			"xstr(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n) xstr(INCFILE(2).h) glue(HIGH, LOW); xglue(HIGH, LOW)",
			`"strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n" "vers2.h" "hello" ; "hello" ", world"`},
		{"the standard's example 7", "#define debug(...) f(e, __VA_ARGS__)\n#define show(...) p(#__VA_ARGS__)\n" +
			"#define report(test, ...) ((test)?p(#test): f(__VA_ARGS__))\ndebug(\"X = %d\\n\", x); show(a, b.); report(x>y, \"%d\", x);",
			`f ( e , "X = %d\n" , x ) ; p ( "a, b." ) ; ( ( x > y ) ? p ( "x>y" ) : f ( "%d" , x ) ) ;`},

		// GNU C.
		{"named variable arguments", "#define F(a, r...) a|r\nF(1) F(1, 2) F(1, 2, 3)", "1 | 1 | 2 1 | 2 , 3"},
		{"comma goes", "#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1) F(1, 2) F(1, 2, 3) F(1,)", "f ( 1 ) f ( 1 , 2 ) f ( 1 , 2 , 3 ) f ( 1 , )"},
		{"comma stays without other parameters", "#define F(...) f(a, ##__VA_ARGS__)\nF() F(1)", "f ( a , ) f ( a , 1 )"},
		{"counter", "__COUNTER__ __COUNTER__ __COUNTER__", "0 1 2"},

		// The lexer.
		{"splices in tokens", "in\\\nt x\\\r\n1 = 1\\\n2 <\\\n<\\\n= \"a\\\nb\" 'c\\\n' /\\\n/ comment\ny", "int x1 = 12 <<= \"ab\" 'c' y"},
		{"splices in comments", "a // b \\\n c\nd /\\\n* e *\\\n/ f", "a d f"},
		{"splice behind a punctuator", "#define F(x) (x);\\\n[x]\nF(1)", "( 1 ) ; [ 1 ]"},
		{"splice with white space", "a\\  \nb", "ab"},
		{"comments", "a/**/b /* c // */ d // e /* f\ng/*\n*/h", "a b d g h"},
		{"CRLF", "#define A 1\r\nA\r\nb\r\n", "1 b"},
		{"mark of byte order", "\uFEFF#define A 1\nA", "1"},
		{"numbers", "1.e+5f .5 0x1.8p-3 1e-2 0xe+1 1..2 08u 0b101", "1.e+5f .5 0x1.8p-3 1e-2 0xe+1 1..2 08u 0b101"},
		{"longest", "a+++++b x->y ... . .. >>= % : ::", "a ++ ++ + b x -> y ... . . . >>= % : : :"},
		{"digraphs", "<: :> <% %> %:%:", "<: :> <% %> %:%:"},
		{"directive by a digraph", "%:define A 1\nA", "1"},
		{"names beyond ASCII", "größe \\u00e4b x\\u00e4", "größe äb xä"},
		{"dollar", "a$b $", "a$b $"},
		{"wide", `L"a" L'b' L u8"c" u"d"`, `L"a" L'b' L u8 "c" u "d"`},
		{"comment before a directive", "/* a\n b */ #define A 1\nA", "1"},
		{"# behind a comment that begins in a line of text", "a /*\n*/ # b", "a # b"},
		{"# behind an empty macro is a token", "#define E\nE # define A", "# define A"},
		{"null directive", "#\n # // x\n#/* */\na", "a"},
		{"no line end at the end", "#define A 1", ""},
		{"backslash at the end", "a \\\n", "a"},
		{"question marks are no trigraphs", "a ??= b", "a ? ? = b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := expand(t, c.in, Config{}); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

// TestDirectivesInArguments has directives between the arguments of a use.
func TestDirectivesInArguments(t *testing.T) {
	in := "#define F(x) [x]\n#define A 1\nF(\n#ifdef A\nyes\n#else\nno\n#endif\n#undef A\n#define A 2\n+ A)"
	if got := expand(t, in, Config{}); got != "[ yes + 2 ]" {
		t.Error(got)
	}
	r := start("#define F(x) [x]\nF(\n#include \"a\"\n1\n#pragma once\n)", Config{})
	if got := strings.Join(r.spellings(), " "); got != "[ 1 ]" || r.bag.Errors() != 2 {
		t.Error(got, r.bag.Errors())
	}
}

// TestLine has __LINE__, __FILE__ and #line.
func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "__LINE__\n\n__LINE__ __FILE__", `1 3 "test.cl"`},
		{"in a macro", "#define L __LINE__\n#define M L\n\nM", "4"},
		{"end of the call", "#define F(x) __LINE__ x\nF(\n1\n)", "4 1"},
		{"argument", "#define F(x) x\nF(\n__LINE__\n)", "3"},
		{"macro in an argument", "#define L() __LINE__\n#define F(x) x __LINE__\nF(\nL(\n)\n)", "5 6"},
		{"#line", "#line 100\n__LINE__\n#line 7 \"other.cl\"\n__LINE__ __FILE__ __FILE_NAME__ __BASE_FILE__", `100 7 "other.cl" "other.cl" "test.cl"`},
		{"#line keeps the name", "#line 7 \"other.cl\"\n#line 20\n__LINE__ __FILE__", `20 "other.cl"`},
		{"#line with macros", "#define N 50\n#define F \"f.cl\"\n#line N F\n__LINE__ __FILE__", `50 "f.cl"`},
		{"marker", "# 12 \"a/b.cl\" 1 3\n__LINE__ __FILE__ __FILE_NAME__", `12 "a/b.cl" "b.cl"`},
		{"splices count", "a\\\nb __LINE__\n__LINE__", "ab 2 3"},
		{"time stands still", "__DATE__ __TIME__", `"Jan  1 1980" "00:00:00"`},
	} {
		if got := expand(t, c.in, Config{}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPragmas has what the parser gets to see.
func TestPragmas(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\na", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable a"},
		{"#  pragma   OPENCL EXTENSION all:disable", "#pragma OPENCL EXTENSION all : disable"},
		{"#pragma OPENCL FP_CONTRACT OFF\n#pragma STDC FP_CONTRACT ON", "#pragma OPENCL FP_CONTRACT OFF #pragma OPENCL FP_CONTRACT ON"},
		{"#define N 4\n#pragma unroll N\n#pragma unroll(N)\n#pragma unroll\n#pragma nounroll", "#pragma unroll 4 #pragma unroll(4) #pragma unroll #pragma nounroll"},
		{"#pragma clang loop unroll(full) // x", "#pragma clang loop unroll(full)"},
		{"#pragma pack(push, 1)\n#pragma pack(pop)", "#pragma pack(push, 1) #pragma pack(pop)"},
		{"a _Pragma(\"unroll 2\") b", "a #pragma unroll 2 b"},
		{"#define P(x) _Pragma(#x) y\nP(unroll 3)", "#pragma unroll 3 y"},
		{"#define P _Pragma(\"unroll 3\")\n#define F(x) <x>\nF(P z)", "< #pragma unroll 3 z >"},
		{"_Pragma(\"OPENCL EXTENSION cl_khr_fp16 : enable\")", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"},
		{"#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 2\nA\n#pragma pop_macro(\"A\")\nA", "2 1"},
		{"#pragma region x y\n#pragma endregion\na", "a"},
		{"#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wunknown-pragmas\"\n#pragma nonsense\n#pragma clang diagnostic pop", ""},
	} {
		if got := expand(t, c.in, Config{}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}
