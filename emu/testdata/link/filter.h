#ifndef FILTER_H
#define FILTER_H

typedef struct stage stage;
struct stage {
  int weight;
  float scale;
  __global stage *next;
};

// Defined in library.cl.
extern __constant float taps[4];
extern __global int calls;
float apply(__global stage *first, float x);
int clamp_index(int i, int n);

// Defined in every module that uses it, the same everywhere.
inline float mix_in(float a, float b) { return a + 0.5f * b; }

#endif
