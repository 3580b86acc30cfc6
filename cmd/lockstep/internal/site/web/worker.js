// The worker in which lockstep runs, so that the page stays alive, and can end it.
//
// The page sends {module} once, and then {id, request}; it gets {ready: true}, {id, response}, and, when
// lockstep has ended of its own, {crash: what it wrote}.
"use strict";

importScripts("wasm_exec.js");

const decoder = new TextDecoder();
let last = "";

// Go's standard output and standard error. lockstep writes nothing there; what is there says why Go has ended, in
// its first line, and where its goroutines were, in hundreds of others.
globalThis.fs.writeSync = (fd, bytes) => {
  if (last.length < 4096) last = (last + decoder.decode(bytes)).slice(0, 4096);
  return bytes.length;
};
globalThis.fs.write = (fd, buffer, offset, length, position, callback) => {
  callback(null, globalThis.fs.writeSync(fd, buffer.subarray(offset, offset + length)));
};

let ended = false;

function crash(text) {
  if (ended) return;
  ended = true;
  postMessage({ crash: text || last || "no reason given" });
}

async function start(module) {
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance).then(
    () => crash(""),
    (error) => crash(`${last}\n${error}`),
  );
  for (let wait = 0; typeof globalThis.lockstepCall !== "function"; wait++) {
    if (ended) return;
    if (wait > 1000) throw new Error("lockstep has not begun");
    await new Promise((done) => setTimeout(done, 5));
  }
  postMessage({ ready: true });
}

onmessage = async ({ data }) => {
  try {
    if (data.module) await start(data.module);
    else postMessage({ id: data.id, response: await globalThis.lockstepCall(data.request) });
  } catch (error) {
    crash(`${last}\n${error}`);
  }
};
