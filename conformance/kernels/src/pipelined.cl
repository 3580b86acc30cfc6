// The matrix products of the examples, with copies in two dimensions and with
// asynchronous loads and marks.
#include "../../../examples/pipelined-matmul/matmul.cl"
