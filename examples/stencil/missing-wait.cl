// The kernel of stencil.cl with a mistake: nobody waits until a result has gone
// out before the next one is written to its place.
#define MISSING_WAIT
#include "stencil.cl"
