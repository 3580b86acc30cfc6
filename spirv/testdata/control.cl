// Control flow that makes switches, phis and loops; a helper that is not inlined; a table in constant memory.
constant int table[5] = {3, 1, 4, 1, 5};

__attribute__((noinline)) int step(int x) { return x & 1 ? 3 * x + 1 : x / 2; }

kernel void control(global int *data, int limit, double scale) {
  size_t i = get_global_id(0);
  int x = data[i], trips = 0;
  while (x > 1 && trips < limit) {
    x = step(x);
    switch (x % 11) {
    case 0:
    case 1: trips += table[trips % 5]; break;
    case 5: trips++; /* fall through */
    case 3: trips += 2; break;
    default: trips++;
    }
  }
  char c = convert_char_sat((float)trips);
  data[i] = trips + (int)(scale * c) + (int)sin((float)x);
}
