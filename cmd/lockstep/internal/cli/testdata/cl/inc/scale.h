#define SCALE(x) ((x) * 10)
