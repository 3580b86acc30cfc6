// judge answers what the correctly rounded results of OpenCL's functions are, and how far from the true values they
// lie. Package judge compiles and runs it where the MPFR library is at hand:
//
//	gcc -O2 -o judge judge.c -lmpfr -lgmp -lm
//	judge NAME sweep START COUNT STRIDE   answers for COUNT float32 arguments with the bits START, START+STRIDE, ...,
//	    as two float32 each
//	judge NAME points BITS   reads the arguments of a point as doubles from standard input, and writes two doubles: the
//	    answer for a format of BITS (16, 32 or 64) bits
//
// An answer is the correctly rounded result, and the true value less that result in units of the last place: those of
// the format at the true value, of a denormal below the normal numbers.
//
// MPFR gives every answer of "points". A sweep asks the C library in double precision first and MPFR only where that
// result is within 2^-43 (relative) of the middle of two float32 neighbours, which is a thousand times what the C
// library's functions may be off.
#define _GNU_SOURCE
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ARGS = 8,
  WIDE = 6800, // bits in which sums and products of a few doubles are exact
};

// Precision and exponent range (in MPFR's terms) of the result format.
static int prec, emin, emax;

// X are the arguments, T numbers of WIDE bits, R the true value, rounded to odd, W the rounded result.
static mpfr_t X[ARGS], T[4], R, W;

// An exact function sets R, towards zero, and returns MPFR's ternary value.
typedef int (*exact)(void);

#define UNARY(name, function) \
  static int name(void) { return function(R, X[0], MPFR_RNDZ); }
#define BINARY(name, function) \
  static int name(void) { return function(R, X[0], X[1], MPFR_RNDZ); }

UNARY(acos_e, mpfr_acos)
UNARY(acosh_e, mpfr_acosh)
UNARY(acospi_e, mpfr_acospi)
UNARY(asin_e, mpfr_asin)
UNARY(asinh_e, mpfr_asinh)
UNARY(asinpi_e, mpfr_asinpi)
UNARY(atan_e, mpfr_atan)
UNARY(atanh_e, mpfr_atanh)
UNARY(atanpi_e, mpfr_atanpi)
UNARY(cbrt_e, mpfr_cbrt)
UNARY(cos_e, mpfr_cos)
UNARY(cosh_e, mpfr_cosh)
UNARY(cospi_e, mpfr_cospi)
UNARY(erf_e, mpfr_erf)
UNARY(erfc_e, mpfr_erfc)
UNARY(exp_e, mpfr_exp)
UNARY(exp2_e, mpfr_exp2)
UNARY(exp10_e, mpfr_exp10)
UNARY(expm1_e, mpfr_expm1)
UNARY(log_e, mpfr_log)
UNARY(log2_e, mpfr_log2)
UNARY(log10_e, mpfr_log10)
UNARY(log1p_e, mpfr_log1p)
UNARY(rsqrt_e, mpfr_rec_sqrt)
UNARY(sin_e, mpfr_sin)
UNARY(sinh_e, mpfr_sinh)
UNARY(sinpi_e, mpfr_sinpi)
UNARY(sqrt_e, mpfr_sqrt)
UNARY(tan_e, mpfr_tan)
UNARY(tanh_e, mpfr_tanh)
UNARY(tanpi_e, mpfr_tanpi)
UNARY(tgamma_e, mpfr_gamma)
BINARY(atan2_e, mpfr_atan2)
BINARY(atan2pi_e, mpfr_atan2pi)
BINARY(divide_e, mpfr_div)
BINARY(fdim_e, mpfr_dim)
BINARY(fmod_e, mpfr_fmod)
BINARY(hypot_e, mpfr_hypot)
BINARY(pow_e, mpfr_pow)
BINARY(powr_e, mpfr_powr)
BINARY(remainder_e, mpfr_remainder)

static int lgamma_e(void) {
  int sign;
  return mpfr_lgamma(R, &sign, X[0], MPFR_RNDZ);
}
static int recip_e(void) { return mpfr_ui_div(R, 1, X[0], MPFR_RNDZ); }
static int ceil_e(void) { return mpfr_ceil(R, X[0]) && 0; }
static int floor_e(void) { return mpfr_floor(R, X[0]) && 0; }
static int trunc_e(void) { return mpfr_trunc(R, X[0]) && 0; }
static int rint_e(void) { return mpfr_roundeven(R, X[0]) && 0; }
static int round_e(void) { return mpfr_round(R, X[0]) && 0; }
static int modf_e(void) { return mpfr_frac(R, X[0], MPFR_RNDZ); }
static int pown_e(void) { return mpfr_pow_si(R, X[0], mpfr_get_si(X[1], MPFR_RNDN), MPFR_RNDZ); }
static int rootn_e(void) { return mpfr_rootn_si(R, X[0], mpfr_get_si(X[1], MPFR_RNDN), MPFR_RNDZ); }
static int ldexp_e(void) { return mpfr_mul_2si(R, X[0], mpfr_get_si(X[1], MPFR_RNDN), MPFR_RNDZ); }
static int fma_e(void) { return mpfr_fma(R, X[0], X[1], X[2], MPFR_RNDZ); }

// fract is the difference from the integer below, but no more than the greatest number below 1.
static int fract_e(void) {
  if (mpfr_zero_p(X[0]) || mpfr_inf_p(X[0])) {
    mpfr_set_zero(R, mpfr_signbit(X[0]) ? -1 : 1);
    return 0;
  }
  mpfr_floor(T[0], X[0]);
  mpfr_sub(T[1], X[0], T[0], MPFR_RNDZ);
  mpfr_set_ui_2exp(T[2], 1, -prec, MPFR_RNDZ);
  mpfr_ui_sub(T[2], 1, T[2], MPFR_RNDZ);
  return mpfr_greater_p(T[1], T[2]) ? mpfr_set(R, T[2], MPFR_RNDZ) : mpfr_set(R, T[1], MPFR_RNDZ);
}

static int degrees_e(void) {
  mpfr_const_pi(T[0], MPFR_RNDZ);
  mpfr_mul_ui(T[1], X[0], 180, MPFR_RNDZ);
  return mpfr_div(R, T[1], T[0], MPFR_RNDZ);
}
static int radians_e(void) {
  mpfr_const_pi(T[0], MPFR_RNDZ);
  mpfr_mul(T[1], X[0], T[0], MPFR_RNDZ);
  return mpfr_div_ui(R, T[1], 180, MPFR_RNDZ);
}

static int mix_e(void) {
  mpfr_sub(T[0], X[1], X[0], MPFR_RNDZ);
  mpfr_mul(T[1], T[0], X[2], MPFR_RNDZ);
  return mpfr_add(R, T[1], X[0], MPFR_RNDZ);
}

static int smoothstep_e(void) {
  mpfr_sub(T[0], X[2], X[0], MPFR_RNDZ);
  mpfr_sub(T[1], X[1], X[0], MPFR_RNDZ);
  mpfr_div(T[2], T[0], T[1], MPFR_RNDZ);
  if (mpfr_nan_p(T[2]) || mpfr_sgn(T[2]) <= 0) return mpfr_set_ui(R, 0, MPFR_RNDZ);
  if (mpfr_cmp_ui(T[2], 1) >= 0) return mpfr_set_ui(R, 1, MPFR_RNDZ);
  mpfr_mul_si(T[0], T[2], -2, MPFR_RNDZ);
  mpfr_add_ui(T[0], T[0], 3, MPFR_RNDZ);
  mpfr_sqr(T[1], T[2], MPFR_RNDZ);
  return mpfr_mul(R, T[0], T[1], MPFR_RNDZ);
}

// squares sets T[0] to the sum of the squares of four arguments, or of the differences from four more.
static void squares(int differences) {
  mpfr_set_ui(T[0], 0, MPFR_RNDZ);
  for (int i = 0; i < 4; i++) {
    mpfr_set(T[1], X[i], MPFR_RNDZ);
    if (differences) mpfr_sub(T[1], T[1], X[i + 4], MPFR_RNDZ);
    mpfr_sqr(T[1], T[1], MPFR_RNDZ);
    mpfr_add(T[0], T[0], T[1], MPFR_RNDZ);
  }
}
static int length_e(void) {
  squares(0);
  return mpfr_sqrt(R, T[0], MPFR_RNDZ);
}
static int distance_e(void) {
  squares(1);
  return mpfr_sqrt(R, T[0], MPFR_RNDZ);
}
// normalize is the first component of the result.
static int normalize_e(void) {
  squares(0);
  if (mpfr_zero_p(T[0])) return mpfr_set(R, X[0], MPFR_RNDZ);
  mpfr_sqrt(T[1], T[0], MPFR_RNDZ);
  return mpfr_div(R, X[0], T[1], MPFR_RNDZ);
}
// cross is one component: the difference of two products.
static int cross_e(void) {
  mpfr_mul(T[0], X[0], X[1], MPFR_RNDZ);
  mpfr_mul(T[1], X[2], X[3], MPFR_RNDZ);
  return mpfr_sub(R, T[0], T[1], MPFR_RNDZ);
}

// The functions with pi are taken in simple forms by the filter.
static double rsqrt_d(double x) { return 1 / sqrt(x); }
static double reduced(double x, int *n) {
  double k = rint(2 * x);
  *n = (int)fmod(k, 4) & 3;
  return (x - k / 2) * M_PI;
}
static double sinpi_d(double x) {
  int n;
  double r = reduced(x, &n), s = n & 1 ? cos(r) : sin(r);
  return n & 2 ? -s : s;
}
static double cospi_d(double x) {
  int n;
  double r = reduced(x, &n), s = n & 1 ? sin(r) : cos(r);
  return n == 1 || n == 2 ? -s : s;
}
static double tanpi_d(double x) {
  int n;
  double r = reduced(x, &n);
  return n & 1 ? -1 / tan(r) : tan(r);
}
static double acospi_d(double x) { return acos(x) / M_PI; }
static double asinpi_d(double x) { return asin(x) / M_PI; }
static double atanpi_d(double x) { return atan(x) / M_PI; }
static double degrees_d(double x) { return x * (180 / M_PI); }
static double radians_d(double x) { return x * (M_PI / 180); }
static double recip_d(double x) { return 1 / x; }
// On the negative axis lgamma has zeros next to which the C library is
// inexact: leave all of it to MPFR.
static double lgamma_d(double x) { return x > 0 ? lgamma(x) : NAN; }

static const struct function {
  const char *name;
  int args;
  exact exact;
  double (*filter)(double);
} functions[] = {
    {"acos", 1, acos_e, acos},           {"acosh", 1, acosh_e, acosh},
    {"acospi", 1, acospi_e, acospi_d},   {"asin", 1, asin_e, asin},
    {"asinh", 1, asinh_e, asinh},        {"asinpi", 1, asinpi_e, asinpi_d},
    {"atan", 1, atan_e, atan},           {"atanh", 1, atanh_e, atanh},
    {"atanpi", 1, atanpi_e, atanpi_d},   {"cbrt", 1, cbrt_e, cbrt},
    {"ceil", 1, ceil_e, ceil},           {"cos", 1, cos_e, cos},
    {"cosh", 1, cosh_e, cosh},           {"cospi", 1, cospi_e, cospi_d},
    {"degrees", 1, degrees_e, degrees_d}, {"erf", 1, erf_e, erf},
    {"erfc", 1, erfc_e, erfc},           {"exp", 1, exp_e, exp},
    {"exp10", 1, exp10_e, exp10},        {"exp2", 1, exp2_e, exp2},
    {"expm1", 1, expm1_e, expm1},        {"floor", 1, floor_e, floor},
    {"fract", 1, fract_e, 0},            {"lgamma", 1, lgamma_e, lgamma_d},
    {"log", 1, log_e, log},              {"log10", 1, log10_e, log10},
    {"log1p", 1, log1p_e, log1p},        {"log2", 1, log2_e, log2},
    {"modf", 1, modf_e, 0},              {"radians", 1, radians_e, radians_d},
    {"recip", 1, recip_e, recip_d},      {"rint", 1, rint_e, rint},
    {"round", 1, round_e, round},        {"rsqrt", 1, rsqrt_e, rsqrt_d},
    {"sin", 1, sin_e, sin},              {"sinh", 1, sinh_e, sinh},
    {"sinpi", 1, sinpi_e, sinpi_d},      {"sqrt", 1, sqrt_e, sqrt},
    {"tan", 1, tan_e, tan},              {"tanh", 1, tanh_e, tanh},
    {"tanpi", 1, tanpi_e, tanpi_d},      {"tgamma", 1, tgamma_e, tgamma},
    {"trunc", 1, trunc_e, trunc},        {"atan2", 2, atan2_e, 0},
    {"atan2pi", 2, atan2pi_e, 0},        {"divide", 2, divide_e, 0},
    {"fdim", 2, fdim_e, 0},              {"fmod", 2, fmod_e, 0},
    {"hypot", 2, hypot_e, 0},            {"ldexp", 2, ldexp_e, 0},
    {"pow", 2, pow_e, 0},                {"pown", 2, pown_e, 0},
    {"powr", 2, powr_e, 0},              {"remainder", 2, remainder_e, 0},
    {"rootn", 2, rootn_e, 0},            {"fma", 3, fma_e, 0},
    {"mix", 3, mix_e, 0},                {"smoothstep", 3, smoothstep_e, 0},
    {"cross", 4, cross_e, 0},            {"length", 4, length_e, 0},
    {"normalize", 4, normalize_e, 0},    {"distance", 8, distance_e, 0},
};

static void die(const char *what) {
  fprintf(stderr, "judge: %s\n", what);
  exit(2);
}

static void format(int bits) {
  switch (bits) {
  case 16: prec = 11, emin = -23, emax = 16; break;
  case 32: prec = 24, emin = -148, emax = 128; break;
  case 64: prec = 53, emin = -1073, emax = 1024; break;
  default: die("the width must be 16, 32 or 64");
  }
}

// unit is the exponent of a unit of the last place for numbers below 2^e.
static int unit(int e) { return (e > emax ? emax : e - prec < emin - 1 ? emin - 1 + prec : e) - prec; }

// round_answer rounds R, which t says how it was rounded, and returns the result and how far R is from it.
static double round_answer(int t, double *off) {
  *off = 0;
  if (mpfr_nan_p(R)) return NAN;
  // Rounded to odd, R lies on the side of each middle where the true value does.
  if (t && mpfr_zero_p(R)) {
    int negative = mpfr_signbit(R);
    mpfr_set_si_2exp(R, negative ? -1 : 1, -100000, MPFR_RNDN);
  } else if (t && mpfr_regular_p(R) && mpfr_min_prec(R) < mpfr_get_prec(R)) {
    mpfr_sgn(R) < 0 ? mpfr_nextbelow(R) : mpfr_nextabove(R);
  }
  mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  t = mpfr_set(W, R, MPFR_RNDN);
  t = mpfr_check_range(W, t, MPFR_RNDN);
  mpfr_subnormalize(W, t, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  double result = mpfr_get_d(W, MPFR_RNDN);
  if (mpfr_regular_p(R) && mpfr_number_p(W)) {
    mpfr_sub(T[0], R, W, MPFR_RNDN);
    mpfr_mul_2si(T[0], T[0], -unit(mpfr_get_exp(R)), MPFR_RNDN);
    *off = mpfr_get_d(T[0], MPFR_RNDN);
  }
  return result;
}

static double answer(const struct function *f, const double *x, double *off) {
  for (int i = 0; i < f->args; i++) mpfr_set_d(X[i], x[i], MPFR_RNDN);
  return round_answer(f->exact(), off);
}

static void sweep(const struct function *f, uint64_t start, uint64_t count, uint64_t stride) {
  enum { CHUNK = 1 << 14 };
  static float out[2 * CHUNK];
  size_t n = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t b = start + i * stride;
    float single;
    memcpy(&single, &b, 4);
    double x = single, y = f->filter(x), off;
    float lo = y * (1 - 0x1p-43), hi = y * (1 + 0x1p-43);
    // Zeros and infinities are worth asking about, unless they come from a
    // result too small or too large even for a double.
    int plain = (y != 0 && isfinite(y)) || (isfinite(x) && fabs(x) > 1 && y == y);
    if (lo == hi && plain) {
      int e;
      frexp(y, &e);
      out[2 * n] = lo;
      out[2 * n + 1] = isfinite(lo) ? ldexp(y - lo, -unit(e)) : 0;
    } else {
      out[2 * n] = answer(f, &x, &off);
      out[2 * n + 1] = off;
    }
    if (++n == CHUNK || i + 1 == count) {
      if (fwrite(out, 8, n, stdout) != n) die("cannot write");
      n = 0;
    }
  }
}

static void points(const struct function *f) {
  double in[ARGS], out[2];
  while (fread(in, 8, f->args, stdin) == (size_t)f->args) {
    out[0] = answer(f, in, &out[1]);
    if (fwrite(out, 8, 2, stdout) != 2) die("cannot write");
  }
}

int main(int argc, char **argv) {
  if (argc < 4) die("usage: judge NAME sweep START COUNT STRIDE | judge NAME points BITS");
  const struct function *f = 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(argv[1], functions[i].name)) f = &functions[i];
  int sweeping = !strcmp(argv[2], "sweep");
  if (!f || (sweeping && (!f->filter || argc != 6))) die("no such function");
  format(sweeping ? 32 : atoi(argv[3]));
  for (int i = 0; i < ARGS; i++) mpfr_init2(X[i], 53);
  for (int i = 0; i < 4; i++) mpfr_init2(T[i], WIDE);
  mpfr_init2(R, prec + 110);
  mpfr_init2(W, prec);
  mpfr_set_emin(-200000);
  mpfr_set_emax(200000);
  if (sweeping)
    sweep(f, strtoull(argv[3], 0, 0), strtoull(argv[4], 0, 0), strtoull(argv[5], 0, 0));
  else
    points(f);
  return fflush(stdout) ? 2 : 0;
}
