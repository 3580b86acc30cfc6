#define X(a,b) a
#define Y+3
#define Z 1
#define Z 2
#define A(x,x) x
#define B(x y) x
#define C(1) x
#define D(x, #x
#define E(x) #y
#define F ## a
#define G a ##
#define defined 1
#define M_PI 3
#undef __LINE__
#define __FILE__ 1
#undef __LINE__ foo
int a = X(1);
int b = X(1,2,3);
#define F(x...
#define G(x,
#define H(x y...) z
#define I(x..., y) z
#define J(__VA_ARGS__) x
#define K __VA_ARGS__
#define L(x) # x ## x
#define L(x) # x##x
#define int long
#define don't "x
#define O don't
#define F1(x, ...) x
F1(1)
O
F1
#define VO1(x) __VA_OPT__(x)
#define VO2(x, ...) __VA_OPT__
#define VO3(x, ...) __VA_OPT__ x
#define VO4(x, ...) __VA_OPT__(x
#define VO5(x, ...) __VA_OPT__(## x)
#define VO6(x, ...) __VA_OPT__(x ##)
#define VO7(x, ...) __VA_OPT__(__VA_OPT__(x))
