package argspec

// Help returns the description of all SPEC forms that users read.
func Help() string { return helpText }

const helpText = `Kernel arguments: one -arg SPEC a kernel parameter, in order.

By value
  TYPE:V[,V…]            a scalar, a vector, or a structure of equal members
                         i32:-7   f32:1,0,0,1   u64:0xdeadbeef
  TYPE:V,TYPE:V[,…]      a structure of different members; each is placed at a
                         multiple of its size, as C does: i32:5,f64:2.5,u8:1
  bytes:HEX              the bytes as they are in memory: bytes:00ff_7f80

Buffers in global or constant memory
  buf:TYPE:V[,V…]        the values given
  zero:TYPE:COUNT        zeros
  undef:TYPE:COUNT       what nobody has written: zeros, or those of -poison
  iota:TYPE:COUNT[:START[:STEP]]
                         START, START+STEP, …; 0, 1, 2 … when left out; integers
                         wrap around, floating point is START + i×STEP, each
                         operation rounded to f64 and the result to TYPE
  fill:TYPE:COUNT:V      COUNT times V
  rand:TYPE:COUNT:SEED   integers over the whole range of TYPE, floating point
                         in [0, 1)
  rand:TYPE:COUNT:SEED:LO:HI
                         integers from LO to HI, both included; floating point
                         in [LO, HI)
  in:PATH[:TYPE]         the contents of a file; a .npy file brings its own type
                         (booleans as u8, complex numbers as pairs); a .csv
                         file is numbers, and needs TYPE; anything
                         else is raw bytes; TYPE reads the bytes as that type
  …:as-bytes             at the end of one of these forms: any pointer parameter
                         takes the bytes as they are. Without it, TYPE must be
                         the type of the parameter's elements, signed or
                         unsigned; pointers to char, void and structures take
                         all types

  ro:SPEC, wo:SPEC       one of the forms above, as a buffer that the kernel may
                         only read, or only write: anything else is a fault

  buffer:NAME            the buffer that a flag -buffer NAME=SPEC makes, for
                         kernels that share it; SPEC is one of the forms above,
                         ro: and wo: among them
  buffer:NAME+BYTES      a pointer into a buffer that has an address, which
                         -buffer NAME=at:ADDRESS:SPEC gives it: it is shared
                         virtual memory, whose pointers kernels find in memory

  resource:STRIDE:RECORDS:SPEC
                         a buffer resource, as AMDGPU's buffer operations take
                         it, over the buffer of SPEC, one of the forms above:
                         RECORDS records of STRIDE bytes, or RECORDS bytes when
                         STRIDE is 0. A pointer parameter gets the handle; a
                         parameter of 16 bytes by value gets the four words:
                         resource:0:64:zero:u32:16

Images
  image:WIDTHxHEIGHT:ORDER:TYPE[:SPEC]
                         zeros, or the bytes of SPEC, one of the buffers above,
                         row by row: image:4x2:rg:u8:iota:u8:16
  image:WIDTHxHEIGHT@PITCH[+ORIGIN]:ORDER:TYPE[:SPEC]
                         the same, as a view of a buffer: PITCH bytes from row
                         to row, the first one at byte ORIGIN
  image:WIDTHxHEIGHT[@PITCH[+ORIGIN]]:ORDER:TYPE:buffer:NAME
                         a view of the buffer that a flag -buffer NAME=SPEC
                         makes; images of all kinds can be such views
  image:WIDTHxHEIGHT/LEVELS:ORDER:TYPE[:SPEC]
                         a mipmap; the bytes of SPEC are those of all levels
  image1d:WIDTH image1d_array:WIDTHxLAYERS image1d_buffer:WIDTH
  image2d_array:WIDTHxHEIGHTxLAYERS image3d:WIDTHxHEIGHTxDEPTH
                         images of other kinds, each followed by
                         [/LEVELS]:ORDER:TYPE[:SPEC]. For image2d_depth_t and
                         image2d_array_depth_t ORDER is depth
  image:PATH.png[:ORDER:TYPE]
                         a picture. Without ORDER:TYPE: rgba:unorm8, or
                         rgba:unorm16 for a picture of 16 bits
  image:PATH.npy[:ORDER:TYPE], image3d:PATH.npy and so on
                         an array with the extents of the image, the outermost
                         first, so that an image: has rows and columns, and
                         then, where there are several, the channels in the
                         order of memory. Without ORDER:TYPE: r, rg or rgba of
                         its own type; u8 and u16 become unorm8 and unorm16
  ORDER  r a rg ra rgba bgra argb abgr intensity luminance rx rgx; rgb rgbx with
         the types of one word; srgb srgbx srgba sbgra with unorm8; depth with
         unorm16 and f32
  TYPE   unorm8 unorm16 snorm8 snorm16 i8 i16 i32 u8 u16 u32 f16 f32; of one
         word: unorm565 unorm555 unorm101010 unorm101010_2

Samplers
  sampler:WORD[,WORD…]   words in any order, one of each line, of which the
                         first is the one that is left out:
                           nearest linear
                           clamp_to_edge clamp none repeat mirrored_repeat
                           unnormalized normalized (with repeat and
                           mirrored_repeat always normalized)
                           mip_nearest mip_linear
                         sampler:linear,repeat,normalized

Pipes
  pipe:PACKET:CAPACITY   an empty pipe that holds CAPACITY packets. PACKET is
                         the size of one in bytes, or TYPE, or TYPExN for N
                         elements, as which packets are printed: pipe:4:16
                         pipe:f32x4:16
  pipe:PACKET:CAPACITY:SPEC
                         the same, with the bytes of SPEC, one of the buffers
                         above, as packets: pipe:i32:8:iota:i32:5. Packets
                         beyond the capacity follow as the kernels read. A file
                         (in:PATH, or in:- for standard input) may therefore be
                         of any length, and may be empty
  pipe:NAME              the pipe that a flag -pipe NAME=PACKET:CAPACITY[:SPEC]
                         makes, for kernels that share it; lockstep help pipes

Other
  local:BYTES            local memory for a local pointer
  null                   a null pointer

TYPE   i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
V      an integer: 42 -7 4k 0x2a 0o52 0b101010 (a leading 0 is octal, _
       separates digits, k, m, g as in COUNT), within the range of its type;
       a number of floating point: 1 -2.5 1e-3 0x1.8p-3 inf -inf nan, rounded
       to nearest even; nan(BITS) is the NaN with these bits. V*N stands for
       N times V.
COUNT  a whole number; k, m and g stand for ×1024, ×1024² and ×1024³. BYTES too.

How rand numbers are made. Element i (from 0) comes from x, the output i of the
SplitMix64 generator seeded with SEED: z = SEED + (i+1)×0x9e3779b97f4a7c15, then
z = (z xor z>>30)×0xbf58476d1ce4e5b9, z = (z xor z>>27)×0x94d049bb133111eb, and
x = z xor z>>31, all modulo 2^64.
  integers       the highest bits of x, as many as TYPE has
  with LO:HI     LO + ((x × (HI-LO+1)) >> 64)
  f16 f32 f64    the highest 11, 24 or 53 bits of x, times 2^-11, 2^-24 or 2^-53
  with LO:HI     LO×(1-u) + HI×u in f64, where u is the highest 53 bits of x
                 times 2^-53, rounded to TYPE; a result not below HI becomes the
                 largest value below HI
`
