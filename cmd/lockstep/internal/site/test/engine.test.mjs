// Tests of the page's engine, without a browser: workers here answer when the test says so.
//
//	node --test cmd/lockstep/internal/site/test/engine.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Node.js takes a file for a module by its name.
const folder = mkdtempSync(join(tmpdir(), "lockstep-engine-"));
writeFileSync(join(folder, "engine.mjs"), readFileSync(new URL("../web/engine.js", import.meta.url)));
const { Engine } = await import(pathToFileURL(join(folder, "engine.mjs")));
rmSync(folder, { recursive: true });

// settled lets promises that are kept go on.
const settled = () => new Promise((done) => setImmediate(done));

// begun returns an engine that has begun, what it has said of work, and a function that answers the request that runs.
async function begun() {
  const said = [];
  let worker, asked;
  globalThis.Worker = class {
    constructor(file) {
      this.file = file;
      if (file === "loader.js") queueMicrotask(() => this.onmessage({ data: { module: {} } }));
      else worker = this;
    }
    postMessage(message) {
      if (message.module) queueMicrotask(() => this.onmessage({ data: { ready: true } }));
      else asked = message;
    }
    terminate() {}
  };
  const engine = new Engine({ changed: (busy) => said.push(busy), restarted: () => {} });
  await engine.load(() => {});
  const answer = async () => {
    await settled();
    const { id, request } = asked;
    worker.onmessage({ data: { id, response: JSON.stringify({ to: JSON.parse(request).op }) } });
    await settled();
  };
  return { engine, said, answer };
}

test("work that waits behind quiet work is work that the page shows", async () => {
  const { engine, said, answer } = await begun();
  const busy = () => said.at(-1);
  const quiet = engine.call({ op: "check" }, { quiet: true });
  assert.equal(busy(), false);
  const step = engine.call({ op: "debugStep" });
  assert.equal(busy(), true, "while the step waits");
  await answer();
  assert.deepEqual(await quiet, { to: "check" });
  assert.equal(busy(), true, "while the step runs");
  const later = engine.call({ op: "check" }, { quiet: true });
  await answer();
  assert.deepEqual(await step, { to: "debugStep" });
  assert.equal(busy(), false, "while quiet work runs");
  await answer();
  assert.deepEqual(await later, { to: "check" });
  assert.equal(busy(), false);
});

test("stopping ends what runs and what waits", async () => {
  const { engine, said } = await begun();
  const calls = [engine.call({ op: "check" }, { quiet: true }), engine.call({ op: "debugStep" })];
  engine.stop();
  for (const call of calls) await assert.rejects(call, { kind: "stopped" });
  assert.equal(said.at(-1), false);
});
