// printf prints what C's printf makes of a grid of flags, widths, precisions and conversions, for printf.golden:
//
//	cc -o printf printf.c && ./printf > printf.golden
//
// A line is a format and, behind bars, what it prints for each value of TestPrintfGrid. Combinations that C leaves
// undefined (# and 0 where a conversion has no use for them) are not in it. The golden file comes from glibc 2.36.
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int ints[] = {0, 255, -7};
static const double floats[] = {0, 100, -2.5, 1.234e-5, 1.99, 9999999.5, INFINITY};

int main(void) {
  const char *flags = "-+ #0", *widths[] = {"", "9"}, *precisions[] = {"", ".", ".1", ".4"};
  for (const char *conversion = "diouxXfFeEgGaA"; *conversion; conversion++)
    for (int set = 0; set < 32; set++)
      for (int w = 0; w < 2; w++)
        for (int p = 0; p < 4; p++) {
          if (set & 8 && strchr("diu", *conversion)) continue;
          char format[32], *f = format;
          *f++ = '%';
          for (int i = 0; i < 5; i++)
            if (set >> i & 1) *f++ = flags[i];
          sprintf(f, "%s%s%c", widths[w], precisions[p], *conversion);
          printf("%s", format);
          if (strchr("diouxX", *conversion))
            for (int i = 0; i < 3; i++) putchar('|'), printf(format, ints[i]);
          else
            for (int i = 0; i < 7; i++) putchar('|'), printf(format, floats[i]);
          putchar('\n');
        }
  return 0;
}
