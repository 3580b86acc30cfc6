// A tokenizer of OpenCL C for colours. It knows words and comments, and no grammar.

const words = (text) => new Set(text.trim().split(/\s+/));

const keywords =
  words(`break case continue default do else enum for goto if return sizeof struct switch typedef
  union while inline static extern volatile const restrict register signed unsigned __attribute__ attribute`);

const spaces =
  words(`kernel __kernel global __global local __local constant __constant private __private generic
  __generic read_only __read_only write_only __write_only read_write __read_write pipe __pipe uniform`);

const types = words(`void bool char short int long float double half uchar ushort uint ulong size_t ptrdiff_t
  intptr_t uintptr_t event_t sampler_t queue_t ndrange_t clk_event_t reserve_id_t cl_mem_fence_flags
  memory_order memory_scope
  atomic_int atomic_uint atomic_long atomic_ulong atomic_float atomic_double atomic_flag atomic_size_t
  image1d_t image2d_t image3d_t image1d_array_t image2d_array_t image1d_buffer_t image2d_depth_t
  image2d_array_depth_t`);

const vector = /^(?:u?(?:char|short|int|long)|float|double|half)(?:2|3|4|8|16)$/;

const pattern = new RegExp(
  [
    "(?<comment>//(?:[^\\n\\\\]|\\\\[^])*|/\\*[^]*?(?:\\*/|$))",
    "(?<text>\"(?:[^\"\\\\\\n]|\\\\[^])*\"?|'(?:[^'\\\\\\n]|\\\\[^])*'?)",
    "(?<directive>(?<=^[ \\t]*)#(?:[^\\n\\\\/]|\\\\[^]|/(?![/*]))*)",
    "(?<number>\\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)",
    "(?<word>[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)",
  ].join("|"),
  "gm",
);

function kindOf(word, text, end) {
  if (spaces.has(word)) return "space";
  if (types.has(word) || vector.test(word)) return "type";
  if (keywords.has(word)) return "keyword";
  if (/^[A-Z][A-Z0-9_]+$/.test(word)) return "macro";
  return /^\s*\(/.test(text.slice(end, end + 20)) ? "call" : "";
}

// tokens returns the coloured parts of a text, in their order: {start, end, kind}.
export function tokens(text) {
  const list = [];
  for (const match of text.matchAll(pattern)) {
    const start = match.index,
      end = start + match[0].length;
    const groups = match.groups;
    let kind;
    if (groups.comment !== undefined) kind = "comment";
    else if (groups.text !== undefined) kind = "text";
    else if (groups.directive !== undefined) kind = "directive";
    else if (groups.number !== undefined) kind = "number";
    else kind = kindOf(match[0], text, end);
    if (kind) list.push({ start, end, kind });
  }
  return list;
}

// tokensByLine returns, for each line of a text, its parts with columns from 0.
export function tokensByLine(text) {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  const lines = starts.map(() => []);
  let line = 0;
  for (const token of tokens(text)) {
    while (line + 1 < starts.length && starts[line + 1] <= token.start) line++;
    for (let at = line; at < starts.length && starts[at] < token.end; at++) {
      const end = at + 1 < starts.length ? starts[at + 1] - 1 : text.length;
      const from = Math.max(token.start, starts[at]),
        to = Math.min(token.end, end);
      if (to > from) lines[at].push({ start: from - starts[at], end: to - starts[at], kind: token.kind });
    }
  }
  return lines;
}

const encoder = new TextEncoder();

// columnOf turns a column in bytes from 1, as messages have it, into an index of a line.
export function columnOf(line, bytes) {
  let index = 0,
    at = 1;
  for (const char of line) {
    if (at >= bytes) break;
    at += char < "\x80" ? 1 : encoder.encode(char).length;
    index += char.length;
  }
  return Math.min(index, line.length);
}
