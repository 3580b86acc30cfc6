// The worker that loads lockstep: it decodes the program while it comes, and the browser compiles it meanwhile.
// Hosts of static files may compress nothing, and DecompressionStream knows no method that is good enough.
//
// It posts {bytes} while they come, and then {module} or {failure: why}.

import { decompress, magic, XZError } from "./xz.js";

const file = "lockstep.wasm.xz";

// connected reads parts of the file, and tells the page how many bytes came.
function connected(body) {
  const reader = body.getReader();
  let bytes = 0;
  return async () => {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw new Error(`lockstep could not be loaded: the connection broke after ${bytes} bytes.`);
    }
    if (!part.done) {
      bytes += part.value.length;
      postMessage({ bytes });
    }
    return part;
  };
}

// after returns a function that reads what was read already, and then the rest.
function after(parts, read) {
  return async () => (parts.length > 0 ? { done: false, value: parts.shift() } : await read());
}

// program returns the stream of the program. lockstep serve does not compress it for the machine that it runs on; some
// hosts say how the file is compressed, and browsers may then decompress it on the way.
async function program(body) {
  const read = connected(body);
  const parts = [];
  for (let bytes = 0; bytes < magic.length;) {
    const part = await read();
    if (part.done) break;
    parts.push(part.value);
    bytes += part.value.length;
  }
  const begin = parts.flatMap((part) => [...part.subarray(0, magic.length)]);
  const next = after(parts, read);
  let failure;
  const stream = new ReadableStream({
    async start(controller) {
      try {
        if (magic.every((byte, i) => byte === begin[i])) {
          await decompress(next, (bytes) => controller.enqueue(bytes));
        } else {
          for (let part = await next(); !part.done; part = await next()) controller.enqueue(part.value);
        }
        controller.close();
      } catch (error) {
        failure = error;
        controller.error(error);
      }
    },
  });
  return { stream, failure: () => failure };
}

async function load() {
  let response;
  try {
    response = await fetch(file);
  } catch (error) {
    throw new Error(`lockstep could not be loaded: ${error.message}. Is there a connection?`);
  }
  if (!response.ok || !response.body) {
    throw new Error(
      `lockstep could not be loaded: the server says ${response.status} ${response.statusText} for ${file}.`,
    );
  }
  const { stream, failure } = await program(response.body);
  try {
    return await WebAssembly.compileStreaming(
      new Response(stream, { headers: { "Content-Type": "application/wasm" } }),
    );
  } catch (error) {
    const why = failure() ?? error;
    if (failure() && !(why instanceof XZError)) throw why;
    throw new Error(`What the server sent for ${file} is not lockstep: ${why.message}.`);
  }
}

load().then(
  (module) => postMessage({ module }),
  (error) => postMessage({ failure: error.message }),
);
