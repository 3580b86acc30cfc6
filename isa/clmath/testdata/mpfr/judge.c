// judge answers what the correctly rounded results of OpenCL's functions are.
// clmath's tests compile and run it where the MPFR library is at hand:
//
//	gcc -O2 -o judge judge.c -lmpfr -lgmp -lm
//	judge NAME sweep START COUNT STRIDE   results of COUNT float32 arguments
//	    with the bits START, START+STRIDE, ... as float32 on standard output
//	judge NAME points BITS   reads records of two doubles from standard input
//	    and writes a double for each: the result rounded to a format of BITS
//	    (16, 32 or 64) bits
//
// MPFR gives every answer of "points". A sweep asks the C library in double
// precision first and MPFR only where that result is within 2^-43 (relative)
// of the middle of two float32 neighbours, which is a thousand times what the
// C library's functions may be off.
#define _GNU_SOURCE
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*unary)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int rec_sqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_rec_sqrt(r, x, m); }
static int lgamma_abs(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
  int sign;
  return mpfr_lgamma(r, &sign, x, m);
}
static int pown(mpfr_t r, const mpfr_t x, const mpfr_t n, mpfr_rnd_t m) {
  return mpfr_pow_si(r, x, mpfr_get_si(n, MPFR_RNDN), m);
}
static int rootn(mpfr_t r, const mpfr_t x, const mpfr_t n, mpfr_rnd_t m) {
  return mpfr_rootn_si(r, x, mpfr_get_si(n, MPFR_RNDN), m);
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
// On the negative axis lgamma has zeros next to which the C library is
// inexact: leave all of it to MPFR.
static double lgamma_d(double x) { return x > 0 ? lgamma(x) : NAN; }

static const struct {
  const char *name;
  unary exact;
  double (*filter)(double);
} unaries[] = {
    {"acos", mpfr_acos, acos},       {"acosh", mpfr_acosh, acosh},
    {"acospi", mpfr_acospi, acospi_d}, {"asin", mpfr_asin, asin},
    {"asinh", mpfr_asinh, asinh},    {"asinpi", mpfr_asinpi, asinpi_d},
    {"atan", mpfr_atan, atan},       {"atanh", mpfr_atanh, atanh},
    {"atanpi", mpfr_atanpi, atanpi_d}, {"cbrt", mpfr_cbrt, cbrt},
    {"cos", mpfr_cos, cos},          {"cosh", mpfr_cosh, cosh},
    {"cospi", mpfr_cospi, cospi_d},  {"erf", mpfr_erf, erf},
    {"erfc", mpfr_erfc, erfc},       {"exp", mpfr_exp, exp},
    {"exp2", mpfr_exp2, exp2},       {"exp10", mpfr_exp10, exp10},
    {"expm1", mpfr_expm1, expm1},    {"lgamma", lgamma_abs, lgamma_d},
    {"log", mpfr_log, log},          {"log2", mpfr_log2, log2},
    {"log10", mpfr_log10, log10},    {"log1p", mpfr_log1p, log1p},
    {"rsqrt", rec_sqrt, rsqrt_d},    {"sin", mpfr_sin, sin},
    {"sinh", mpfr_sinh, sinh},       {"sinpi", mpfr_sinpi, sinpi_d},
    {"sqrt", mpfr_sqrt, sqrt},       {"tan", mpfr_tan, tan},
    {"tanh", mpfr_tanh, tanh},       {"tanpi", mpfr_tanpi, tanpi_d},
    {"tgamma", mpfr_gamma, tgamma},
};

static const struct {
  const char *name;
  binary exact;
} binaries[] = {
    {"atan2", mpfr_atan2},   {"atan2pi", mpfr_atan2pi}, {"fmod", mpfr_fmod},
    {"hypot", mpfr_hypot},   {"pow", mpfr_pow},         {"powr", mpfr_powr},
    {"pown", pown},          {"rootn", rootn},          {"remainder", mpfr_remainder},
};

static void die(const char *what) {
  fprintf(stderr, "judge: %s\n", what);
  exit(2);
}

// Precision and exponent range (in MPFR's terms) of the result format.
static int prec, emin, emax;

static void format(int bits) {
  switch (bits) {
  case 16: prec = 11, emin = -23, emax = 16; break;
  case 32: prec = 24, emin = -148, emax = 128; break;
  case 64: prec = 53, emin = -1073, emax = 1024; break;
  default: die("the width must be 16, 32 or 64");
  }
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
}

static double finish(mpfr_t r, int t) {
  mpfr_subnormalize(r, t, MPFR_RNDN);
  return mpfr_get_d(r, MPFR_RNDN);
}

static mpfr_t X, Y, R;

static double exact1(unary f, double x) {
  mpfr_set_d(X, x, MPFR_RNDN);
  return finish(R, f(R, X, MPFR_RNDN));
}

static double exact2(binary f, double x, double y) {
  mpfr_set_d(X, x, MPFR_RNDN);
  mpfr_set_d(Y, y, MPFR_RNDN);
  return finish(R, f(R, X, Y, MPFR_RNDN));
}

static void sweep(int u, uint64_t start, uint64_t count, uint64_t stride) {
  enum { CHUNK = 1 << 14 };
  static float out[CHUNK];
  size_t n = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t b = start + i * stride;
    float x;
    memcpy(&x, &b, 4);
    double y = unaries[u].filter(x);
    float lo = y * (1 - 0x1p-43), hi = y * (1 + 0x1p-43);
    // Zeros and infinities are worth asking about, unless they come from a
    // result too small or too large even for a double.
    int plain = y != 0 && isfinite(y) || isfinite(x) && fabs(x) > 1 && y == y;
    out[n] = lo == hi && plain ? lo : exact1(unaries[u].exact, x);
    if (++n == CHUNK || i + 1 == count) {
      if (fwrite(out, 4, n, stdout) != n) die("cannot write");
      n = 0;
    }
  }
}

static void points(int u, int b) {
  double in[2], out;
  while (fread(in, 8, 2, stdin) == 2) {
    out = u >= 0 ? exact1(unaries[u].exact, in[0]) : exact2(binaries[b].exact, in[0], in[1]);
    if (fwrite(&out, 8, 1, stdout) != 1) die("cannot write");
  }
}

int main(int argc, char **argv) {
  if (argc < 4) die("usage: judge NAME sweep START COUNT STRIDE | judge NAME points BITS");
  int u = -1, b = -1;
  for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
    if (!strcmp(argv[1], unaries[i].name)) u = i;
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (!strcmp(argv[1], binaries[i].name)) b = i;
  int sweeping = !strcmp(argv[2], "sweep");
  if (sweeping ? u < 0 || argc != 6 : u < 0 && b < 0) die("no such function");
  format(sweeping ? 32 : atoi(argv[3]));
  mpfr_init2(X, 53);
  mpfr_init2(Y, 53);
  mpfr_init2(R, prec);
  if (sweeping)
    sweep(u, strtoull(argv[3], 0, 0), strtoull(argv[4], 0, 0), strtoull(argv[5], 0, 0));
  else
    points(u, b);
  return fflush(stdout) ? 2 : 0;
}
