@ ` \ 
''
'a
"abc
/* /* */
// foo \
bar
"ends with
x = “a”; y − 3; z
 \ \u00zz \u0041
_Pragma("foo")
_Pragma(foo)
#define X(a,b) a
#define PST(a,b) a##b
PST(+,-)
PST(/,/)
X(1,
#define Q 1
#include "x"
)

#define FOO(x) BAR(x)
#define BAR(y) y # @ y
#define CALL(f, a) f(a)
#define M1(x) M2(x)
#define M2(x) M3(x)
#define M3(x) M4(x)
#define M4(x) M5(x)
#define M5(x) M6(x)
#define M6(x) M7(x)
#define M7(x) x@
	M1(`) int tab = FOO(`);	int 漢字 = CALL(`, 1);
X(1,
`x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + ` + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + 
/* unterminated