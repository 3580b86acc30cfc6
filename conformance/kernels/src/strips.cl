// The filter of the examples, whose strips come and go beside the arithmetic.
#include "../../../examples/stencil/stencil.cl"
