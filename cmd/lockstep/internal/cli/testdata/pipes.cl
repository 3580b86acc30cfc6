// Kernels with pipes for the sessions of the command line. pipes.spv is made of this with
//
//   clang-15 -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 -gline-tables-only \
//     -fno-discard-value-names -cl-kernel-arg-info -fdebug-compilation-dir=. \
//     -Xclang -finclude-default-header pipes.cl -o pipes.bc
//   llvm-spirv-15 --spirv-ext=+SPV_INTEL_blocking_pipes --preserve-ocl-kernel-arg-type-metadata-through-string pipes.bc -o pipes.spv

int __read_pipe_2_bl(read_only pipe int p, generic void *packet, uint size, uint align);
int __write_pipe_2_bl(write_only pipe int p, generic void *packet, uint size, uint align);

// Sends 0, 1, 2 …, and waits where there is no room.
kernel void source(write_only pipe int out, int count)
{
  for (int i = 0; i < count; i++)
    __write_pipe_2_bl(out, &i, 4, 4);
}

// Doubles what comes.
kernel void twice(read_only pipe int in, write_only pipe int out, int count)
{
  for (int i = 0; i < count; i++) {
    int v;
    __read_pipe_2_bl(in, &v, 4, 4);
    v *= 2;
    __write_pipe_2_bl(out, &v, 4, 4);
  }
}

// One packet a work-item.
kernel void sink(read_only pipe int in, global int *y)
{
  int v;
  __read_pipe_2_bl(in, &v, 4, 4);
  y[get_global_id(0)] = v;
}

// Tries once, and says what came of it.
kernel void try(write_only pipe int out, global int *ok)
{
  int v = get_global_id(0);
  ok[v] = write_pipe(out, &v);
}

// Packets of four floats.
kernel void scale(read_only pipe float4 in, write_only pipe float4 out, float by)
{
  float4 v;
  while (read_pipe(in, &v) == 0) {
    v *= by;
    write_pipe(out, &v);
  }
}

// Leaves a reservation open.
kernel void forget(write_only pipe int out)
{
  int v = 7;
  reserve_id_t r = reserve_write_pipe(out, 2);
  if (is_valid_reserve_id(r))
    write_pipe(out, r, 0, &v);
}

kernel void talk(read_only pipe int in)
{
  int v;
  __read_pipe_2_bl(in, &v, 4, 4);
  printf("%d\n", v);
}
