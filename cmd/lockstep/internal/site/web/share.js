// Links that hold a kernel and its arguments: JSON, compressed (deflate-raw), as base64url, in the fragment
// of the address, which browsers do not send to servers. A link fills the page and runs nothing.

export const longest = 30000; // characters of a link's fragment
const most = 1 << 20; // bytes that a link may expand to

async function collect(stream, limit) {
  const parts = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > limit) {
      await reader.cancel();
      throw new Error("the link holds more than a megabyte");
    }
    parts.push(part.value);
  }
  return new Blob(parts).arrayBuffer();
}

// pack returns the fragment of a link to a launch.
export async function pack(launch) {
  const text = new Blob([JSON.stringify({ v: 1, launch })]);
  const bytes = new Uint8Array(
    await collect(text.stream().pipeThrough(new CompressionStream("deflate-raw")), most),
  );
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const fragment = "#k=" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (fragment.length > longest) {
    throw new Error(
      `the link would have ${fragment.length} characters, and at most ${longest} are taken: ` +
        "make the source or the values of buffers shorter",
    );
  }
  return fragment;
}

const isText = (value) => value === undefined || typeof value === "string";
const isCount = (value) => value === undefined || (Number.isSafeInteger(value) && value >= 0);
const isSwitch = (value) => value === undefined || typeof value === "boolean";

// judge returns a launch with the fields that a launch has, or throws: links come from anybody.
function judge(launch) {
  const source = launch?.source;
  const right =
    source &&
    typeof source.text === "string" &&
    isText(source.name) &&
    isText(source.options) &&
    Array.isArray(launch.args) &&
    launch.args.length < 256 &&
    launch.args.every((arg) => typeof arg?.spec === "string" && isSwitch(arg.out)) &&
    ["kernel", "global", "local", "offset", "schedule"].every((name) => isText(launch[name])) &&
    ["subgroup", "wave", "seed"].every((name) => isCount(launch[name])) &&
    ["check", "keep_going"].every((name) => isSwitch(launch[name])) &&
    (launch.flags === undefined ||
      (Array.isArray(launch.flags) && launch.flags.every((f) => typeof f === "string")));
  if (!right) throw new Error("it holds no launch");
  const { kernel, args, global, local, offset, subgroup, wave, schedule, seed, check, keep_going, flags } =
    launch;
  return {
    source: { name: source.name, text: source.text, options: source.options },
    kernel,
    global: global ?? "",
    local,
    offset,
    subgroup,
    wave,
    schedule,
    seed,
    check,
    keep_going,
    flags,
    args: args.map(({ spec, out }) => ({ spec, out })),
  };
}

// unpack returns the launch of a fragment, null when it is none of a launch, and throws when it is broken.
export async function unpack(fragment) {
  if (!fragment.startsWith("#k=")) return null;
  if (fragment.length > longest) throw new Error("it is too long");
  let data;
  try {
    const binary = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    data = JSON.parse(new TextDecoder().decode(await collect(stream, most)));
  } catch (error) {
    throw new Error(`it is damaged (${error.message})`, { cause: error });
  }
  if (data?.v !== 1) throw new Error("it is of another version of this page");
  return judge(data.launch);
}
