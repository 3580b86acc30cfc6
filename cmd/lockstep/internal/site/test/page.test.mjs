// Tests of the playground in a real browser. They need the variables LOCKSTEP, the program, and, where it is
// not called chromium, CHROMIUM. .ci/run starts them:
//
//	LOCKSTEP=/path/to/lockstep node --test cmd/lockstep/internal/site/test/page.test.mjs
//
// LOCKSTEP_SERVER is the address of a server that is to be tested in the place of lockstep serve.
// LOCKSTEP_UPDATE=1 writes testdata/missing-barrier.txt anew.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as inside from "./inside.mjs";
import { serveFolder } from "./folder.mjs";
import { choose, resultOf, settled, start, write } from "./start.mjs";

const program = process.env.LOCKSTEP;
const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../../../../..");
const golden = join(here, "testdata/missing-barrier.txt");

let browser, open, end, work;

before(async () => {
  work = mkdtempSync(join(tmpdir(), "lockstep-page-"));
  ({ browser, open, end } = await start(program));
});

after(async () => {
  await end?.();
  if (work) rmSync(work, { recursive: true, force: true });
});

test("each example of the course prints what the command line prints", async () => {
  cpSync(join(root, "docs/course"), join(work, "docs/course"), { recursive: true });
  mkdirSync(join(work, "out"), { recursive: true });
  const page = await open();
  const lessons = await page.run("[...document.querySelector('#lesson').options].map((o) => o.value)");
  assert.equal(lessons.length, 12);
  let count = 0;
  for (const lesson of lessons) {
    await choose(page, "#lesson", lesson);
    const examples = await page.run(`[...document.querySelectorAll("[data-run]")].map((button) => ({
      id: button.dataset.run, line: button.closest(".shell").querySelector("pre").textContent }))`);
    assert.ok(examples.length > 0, `lesson ${lesson} has no examples`);
    for (const { id, line } of examples) {
      await resultOf(page, () => page.click(`[data-run="${id}"]`));
      const words = line
        .trim()
        .split(/\s+/)
        .slice(1)
        .map((word) => word.replace(/^'(.*)'$/, "$1"));
      // The page prints what a terminal with Unicode does.
      const env = { ...process.env, LC_ALL: "C.UTF-8" };
      const native = spawnSync(program, words, { cwd: work, encoding: "utf8", env });
      const shown = {
        stdout: await page.text("#stdout"),
        stderr: await page.text("#stderr"),
        exit: Number(await page.text("#exit")),
      };
      assert.deepEqual(
        shown,
        { stdout: native.stdout, stderr: native.stderr, exit: native.status },
        `${id}: ${line}`,
      );
      count++;
    }
  }
  assert.deepEqual(page.errors, []);
  assert.ok(count > 60, `only ${count} examples`);
  await page.close();
});

test("stepping in the page finds the missing barrier of lesson 4", async () => {
  const page = await open({}, "#example=4-1");
  const log = [];
  // note records what a person reads: the status, the grid and what is where.
  const note = async (what) => {
    log.push(
      `> ${what}`,
      (await page.text("#status")).replace(/[\u200b\u200c]/g, ""),
      await page.call(inside.grid),
    );
    log.push(await page.call(inside.texts, ".part-waves li"), "");
  };
  const stepped = async (f) => {
    const old = await page.text("#clock");
    await f();
    await page.until(
      `document.querySelector("#clock")?.textContent !== ${JSON.stringify(old)}`,
      "another tick",
    );
    await page.until("!document.body.classList.contains('busy')");
  };
  await page.click("#step");
  await page.until("document.querySelector('.items [role=gridcell]')", "the grid");
  // A breakpoint where neighbours are read, by the key F9 in the editor.
  await page.call(inside.caret, "out[get_global_id");
  await page.key("F9");
  await page.until("document.querySelector('.part-stops .condition')", "the breakpoint");
  await stepped(() => page.click("#step-continue"));
  await note("a breakpoint at line 6, and continue");
  // What does each work-item read?
  await page.run("document.querySelector('#step-all').focus()");
  await page.type("tile[(place + 1) % size]");
  await page.key("Enter");
  await page.until(
    "/tile/.test(document.querySelector('.items [role=gridcell]').getAttribute('aria-label'))",
  );
  await note("show tile[(place + 1) % size]");
  // tile[4] is still 0. Who writes it, and when?
  await page.run("document.querySelector('#step-stop').focus()");
  await page.type("tile[4]");
  await page.key("Enter");
  await page.until("/writes of tile\\[4\\]/.test(document.querySelector('.part-stops').textContent)");
  await page.run("document.querySelector('#step-continue').focus()");
  const hit = "/was 0 and is 14/.test(document.querySelector('.part-stops').textContent)";
  for (let i = 0; i < 12 && !(await page.run(hit)); i++) await stepped(() => page.key("c"));
  log.push(await page.call(inside.texts, ".part-stops p"));
  await note("continue until tile[4] is written");
  await stepped(() => page.key("Shift+C"));
  await note("back to the stop before");
  const text = log.join("\n");
  if (process.env.LOCKSTEP_UPDATE) {
    mkdirSync(join(here, "testdata"), { recursive: true });
    writeFileSync(golden, text);
  }
  assert.ok(existsSync(golden), `${golden} is missing: LOCKSTEP_UPDATE=1 writes it`);
  assert.equal(text, readFileSync(golden, "utf8"));
  assert.match(text, /work-item \(3\), tile\[\(place \+ 1\) % size\] is 0/);
  assert.match(text, /was 0 and is 14, by work-item 4/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the keyboard alone runs a kernel, steps, and chooses work-items", async () => {
  const page = await open({}, "#example=4-1");
  await page.run("document.body.focus()");
  await page.tabTo("#run");
  await resultOf(page, () => page.key("Enter"));
  assert.match(await page.text("#stdout"), /^0: 11 12 13 {2}0 15 16 17 10\n/);
  // Into the editor, which keeps Tab, and out of it by Escape.
  await page.tabTo("#source");
  const before = await page.run("document.querySelector('#source').value");
  await page.key("Tab");
  assert.notEqual(await page.run("document.activeElement.id"), "source", "Tab goes through the editor");
  await page.key("Shift+Tab");
  await page.key("ArrowDown");
  await page.key("Tab");
  assert.notEqual(await page.run("document.querySelector('#source').value"), before, "Tab writes a tab");
  await page.key("Control+z");
  assert.equal(await page.run("document.querySelector('#source').value"), before, "undo takes it back");
  await page.key("Escape");
  await page.key("Tab");
  assert.notEqual(await page.run("document.activeElement.id"), "source", "Escape and Tab leave the editor");
  await page.key("Shift+Tab");
  await page.tabTo("#run", { key: "Shift+Tab" });
  await resultOf(page, () => page.key("Control+Shift+Enter"));
  assert.match(await page.text("#stderr"), /E-RACE/);
  // To the button Step, and from there to the grid.
  await page.tabTo("#step");
  await page.key("Enter");
  await page.until("document.querySelector('.items [role=gridcell]')", "the grid");
  await page.until("document.activeElement.id === 'step-over'", "the focus on the first button");
  const tick = await page.text("#clock");
  await page.key("n");
  await page.until(
    `document.querySelector("#clock").textContent !== ${JSON.stringify(tick)}`,
    "a step by the key n",
  );
  await page.until("!document.body.classList.contains('busy')");
  const next = await page.text("#clock");
  await page.key("n");
  await page.until(`document.querySelector("#clock").textContent !== ${JSON.stringify(next)}`);
  await page.until("!document.body.classList.contains('busy')");
  const here = await page.text("#clock");
  await page.key("Shift+N");
  await page.until(
    `document.querySelector("#clock").textContent !== ${JSON.stringify(here)}`,
    "a step back by the key N",
  );
  await page.until("!document.body.classList.contains('busy')");
  await page.tabTo("#scrubber");
  const now = await page.text("#clock");
  await page.key("ArrowRight");
  await page.until(
    `document.querySelector("#clock").textContent !== ${JSON.stringify(now)}`,
    "another tick by the scrubber",
  );
  await page.until("!document.body.classList.contains('busy')");
  await page.tabTo("[role=gridcell]");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("Enter");
  await page.until(
    "document.querySelector('[data-item=\"2\"]')?.getAttribute('aria-selected') === 'true'",
    "work-item 2 to be chosen",
  );
  // Nothing keeps the focus: Tab goes on from the grid to the end of the page.
  await page.key("Tab");
  assert.ok(!(await page.run("document.activeElement.matches('[role=gridcell]')")), "the grid is one stop");
  // Arrow keys move between the tabs of the results.
  await page.tabTo("[role=tab]", { key: "Shift+Tab" });
  const tab = await page.run("document.activeElement.id");
  await page.key("ArrowRight");
  assert.notEqual(await page.run("document.activeElement.id"), tab);
  assert.equal(await page.run("document.activeElement.getAttribute('aria-selected')"), "true");
  assert.deepEqual(page.errors, []);
  await page.close();
});

const interactive = new Set([
  "button",
  "link",
  "textbox",
  "combobox",
  "checkbox",
  "slider",
  "tab",
  "gridcell",
  "spinbutton",
  "menuitem",
  "radio",
  "switch",
  "searchbox",
  "listbox",
  "grid",
  "image",
  "img",
  "dialog",
  "tabpanel",
  "region",
]);

async function checkTree(page, where, modal = false) {
  const nodes = await page.accessibility();
  const nameless = nodes.filter((node) => interactive.has(node.role) && !node.name.trim());
  assert.deepEqual(nameless, [], `${where}: elements without a name`);
  // Behind a window that is modal, nothing else is there.
  for (const role of modal ? ["dialog"] : ["banner", "main", "status"]) {
    assert.ok(
      nodes.some((node) => node.role === role),
      `${where}: no ${role}`,
    );
  }
  if (modal) return nodes;
  const status = nodes.find((node) => node.role === "status");
  assert.equal(status.properties.live, "polite", `${where}: the status is read aloud`);
  const ids = await page.run("[...document.querySelectorAll('[id]')].map((e) => e.id)");
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
    `${where}: ids that stand twice`,
  );
  return nodes;
}

test("every element has a name, in every view", async () => {
  const page = await open();
  const nodes = await checkTree(page, "lesson");
  assert.ok(nodes.some((node) => node.role === "heading" && /Lesson 1/.test(node.name)));
  assert.ok(nodes.filter((node) => node.role === "tab").length >= 6);
  for (const [lesson, example] of [
    ["4", "4-1"],
    ["7", "7-4"],
    ["11", "11-2"],
    ["5", "5-1"],
  ]) {
    await choose(page, "#lesson", lesson);
    await checkTree(page, `lesson ${lesson}`);
    await resultOf(page, () => page.click(`[data-run="${example}"]`));
    for (const view of ["output", "timeline", "memory", "divergence"]) {
      await page.click(`#tab-${view}`);
      await page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
      await checkTree(page, `${view} of ${example}`);
    }
  }
  await choose(page, "#lesson", "4");
  await page.click('[data-open="4-1"]');
  await page.until("document.querySelector('#status').textContent.includes('4-1')");
  await page.click("#check");
  await page.until("document.querySelector('.finding')", "the finding");
  await checkTree(page, "a finding");
  await page.click("#step");
  await page.until("document.querySelector('.items [role=gridcell]')", "the grid");
  const stepping = await checkTree(page, "stepping");
  assert.equal(stepping.filter((node) => node.role === "gridcell").length, 8);
  await page.click("#keys");
  await checkTree(page, "help", true);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("both schemes of colours, and telephones of 360 pixels, show everything", async () => {
  for (const options of [
    { scheme: "light" },
    { scheme: "dark" },
    { scheme: "dark", width: 360, height: 740, mobile: true },
  ]) {
    const page = await open(options);
    const where = JSON.stringify(options);
    const check = async (view) => {
      await page.until("!document.body.classList.contains('busy')");
      assert.deepEqual(await page.call(inside.contrasts), [], `${where}, ${view}: contrast`);
      const wide = await page.run("[document.documentElement.scrollWidth, innerWidth]");
      assert.ok(wide[0] <= wide[1], `${where}, ${view}: ${wide[0]} pixels of ${wide[1]}`);
      // On a large screen the parts scroll, and the page does not.
      const tall = await page.run("[document.documentElement.scrollHeight, innerHeight]");
      if (!options.mobile)
        assert.ok(tall[0] <= tall[1], `${where}, ${view}: ${tall[0]} pixels of ${tall[1]}`);
    };
    await check("lesson");
    for (const example of ["4-5", "7-6", "11-2"]) {
      await choose(page, "#lesson", example.split("-")[0]);
      await resultOf(page, () => page.click(`[data-run="${example}"]`));
      for (const view of ["output", "timeline", "memory", "divergence"]) {
        await page.click(`#tab-${view}`);
        await check(`${view} of ${example}`);
      }
    }
    await page.click("#step");
    await page.until("document.querySelector('.items [role=gridcell]')", "the grid");
    await page.until("document.querySelector('.step .timeline')", "the timeline");
    await choose(page, "#step-scope", "group");
    // The table of memory has texts for screen readers beside what an access has touched.
    for (let i = 0; i < 20 && !(await page.run("document.querySelector('.memory .hidden')")); i++) {
      await page.click("#step-over");
      await page.until("!document.body.classList.contains('busy')");
    }
    assert.ok(
      await page.run("Boolean(document.querySelector('.memory .hidden'))"),
      "an access that is shown",
    );
    await check("step");
    for (const pane of ["code", "arguments"]) {
      await page.click(`#tab-pane-${pane}`);
      await check(pane);
    }
    await page.click("#keys");
    await check("help");
    assert.deepEqual(page.errors, []);
    await page.close();
  }
  // The switch wins over the system.
  const page = await open({ scheme: "dark", fresh: true });
  const dark = await page.run("getComputedStyle(document.body).backgroundColor");
  await choose(page, "#theme", "light");
  assert.notEqual(await page.run("getComputedStyle(document.body).backgroundColor"), dark);
  await page.close();
});

test("motion is off for those who want less of it", async () => {
  const page = await open();
  await page.send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-reduced-motion", value: "reduce" }],
  });
  assert.equal(await page.run("getComputedStyle(document.querySelector('#run')).transitionDuration"), "0s");
  await page.run("document.body.classList.add('busy')");
  assert.equal(
    await page.run("getComputedStyle(document.querySelector('#status'), '::before').animationName"),
    "none",
  );
  await page.close();
});

test("a link holds kernel and arguments, and runs nothing by itself", async () => {
  const page = await open();
  await write(
    page,
    "kernel void twice(global int *out, int by)\n{\n\tout[get_global_id(0)] = by * get_global_id(0);\n}\n",
  );
  await page.until("document.querySelector('#f-arg-1')", "the parameters of the new kernel");
  await choose(page, "#f-global", "4");
  await choose(page, "#f-arg-0", "zero:i32:4");
  await choose(page, "#f-arg-1", "i32:21");
  await page.click("#link");
  const fragment = await page.until("location.hash.startsWith('#k=') && location.hash");
  await page.close();
  const other = await open({}, fragment);
  assert.match(await other.run("document.querySelector('#source').value"), /^kernel void twice/);
  assert.equal(await other.run("document.querySelector('#f-arg-1').value"), "i32:21");
  assert.equal(await other.run("document.body.dataset.done ?? ''"), "", "nothing has run");
  await resultOf(other, () => other.click("#run"));
  assert.equal(await other.text("#stdout"), "0:  0 21 42 63\n");
  assert.deepEqual(other.errors, []);
  await other.close();
  const broken = await open({}, "#k=AAAA");
  assert.match(await broken.text("#notices"), /The link cannot be opened/);
  await broken.close();
});

test("diagnostics come while one writes, and lead to their places", async () => {
  const page = await open();
  await write(page, "kernel void k(global int *out)\n{\n\tout[0] = nothing;\n}\n");
  await page.until("document.querySelector('#problems .error')", "an error");
  assert.match(await page.text("#problems"), /line 3 error: .*nothing/);
  assert.ok(
    await page.run("document.querySelector('.layer .wave-error')?.textContent === 'nothing'"),
    "the squiggle",
  );
  await page.click("#problems button");
  assert.equal(
    await page.run("(() => { const e = document.activeElement; return e.value.slice(e.selectionStart); })()"),
    "nothing;\n}\n",
  );
  await write(page, "kernel void k(global int *out)\n{\n\tout[0] = 1;\n}\n");
  await page.until("document.querySelector('#problem-count').textContent === 'No problems.'");
  await page.close();
});

const endless = `kernel void k(global int *out)
{
	for (volatile int i = 0; i >= 0; i = (i + 1) % 1000)
		out[0] = i;
}
`;

test("what does not end is stopped, by the button and by the time limit", async () => {
  const page = await open();
  await write(page, endless);
  await page.until("document.querySelector('#f-arg-0') && document.querySelector('#f-kernel').value === 'k'");
  await settled(page);
  await page.click("#run");
  await page.until("!document.querySelector('#stop').disabled", "the button Stop");
  await page.click("#stop");
  await page.until("/Stopped/.test(document.querySelector('#status').textContent)");
  await choose(page, "#f-limit", "0.5");
  await page.click("#run");
  await page.until("/E-TIMEOUT|time limit/i.test(document.body.textContent)", "the time limit");
  // It goes on afterwards.
  await write(page, "kernel void k(global int *out)\n{\n\tout[get_global_id(0)] = 7;\n}\n");
  await page.until("document.querySelector('#problem-count').textContent === 'No problems.'");
  await choose(page, "#f-limit", "10");
  await choose(page, "#f-global", "2");
  await choose(page, "#f-arg-0", "zero:i32:2");
  await resultOf(page, () => page.click("#run"));
  assert.equal(await page.text("#stdout"), "0: 7 7\n");
  await page.close();
});

test("exercises are graded", async () => {
  const page = await open();
  await choose(page, "#lesson", "4");
  await choose(page, "#kernelfile", "tiles.cl");
  await page.until(
    "!document.querySelector('#grade').hidden && document.querySelector('#source').value.includes('4.1')",
  );
  await resultOf(page, () => page.click("#grade"));
  assert.match(await page.text("#stdout"), /^4\.1 tiles: racy/);
  await page.close();
});

test("explore runs many orders", async () => {
  const page = await open({}, "#example=4-1");
  await resultOf(page, () => page.click("#explore"));
  assert.match(await page.text("#stdout"), /^kernel early: 60 runs, \d+ outcomes/);
  await page.close();
});

// Bytes that a cold load takes, as they are sent by a host that compresses nothing: of the page itself, and with the
// program.
const mostOfPage = 250e3;
const mostOfAll = 4e6;

test("the files of lockstep site work on any host, load little, and ask nobody else", async (t) => {
  const folder = join(work, "site");
  const made = spawnSync(program, ["site", "-o", folder], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const host = await serveFolder(folder);
  try {
    const page = await browser.page({ fresh: true });
    const begin = performance.now();
    await page.open(host.address);
    await page.until("document.body?.dataset.ready === 'yes'");
    await resultOf(page, () => page.click("#run"));
    const cold = performance.now() - begin;
    const times = [];
    for (let i = 0; i < 9; i++) {
      const from = performance.now();
      await resultOf(page, () => page.click("#run"));
      times.push(performance.now() - from);
    }
    assert.equal(
      await page.text("#stdout"),
      " 0:   0   1   4   9  16  25  36  49  64  81 100 121 144 169 196 225\n",
    );
    // The host counts: what a worker asks for is not among the page's requests.
    const bytes = host.sent.reduce((sum, file) => sum + file.bytes, 0);
    t.diagnostic(`${host.sent.length} files, ${bytes} bytes`);
    const median = times.sort((a, b) => a - b)[4];
    t.diagnostic(`first kernel ${Math.round(cold)} ms after a cold load`);
    t.diagnostic(`later runs ${Math.round(median)} ms, the median of ${times.length}`);
    const programs = host.sent.filter(({ path }) => path.endsWith(".wasm.xz"));
    assert.equal(programs.length, 1, "the program is loaded once");
    const own = bytes - programs[0].bytes;
    t.diagnostic(`${own} of them are the page without the program`);
    assert.ok(own < mostOfPage, `${own} bytes are loaded besides the program`);
    assert.ok(bytes < mostOfAll, `${bytes} bytes are loaded`);
    const others = page.requests.filter(
      ({ url }) => !url.startsWith(host.address) && !/^(data|blob):/.test(url),
    );
    assert.deepEqual(others, [], "requests to others");
    assert.deepEqual(page.errors, []);
    await page.close();
  } finally {
    host.close();
  }
});

test("a page that cannot load lockstep says so", async () => {
  const folder = join(work, "site-broken");
  spawnSync(program, ["site", "-o", folder]);
  const file = join(folder, "lockstep.wasm.xz");
  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  damaged[whole.length >> 1] ^= 16;
  const host = await serveFolder(folder);
  try {
    for (const [data, notice] of [
      [damaged, "is not lockstep: the file is damaged: "],
      [whole.subarray(0, whole.length >> 1), "is not lockstep: the file is cut off"],
      [Buffer.from("<!doctype html><title>Not found</title>"), "is not lockstep: "],
      [null, "could not be loaded: the server says 404 "],
    ]) {
      if (data) writeFileSync(file, data);
      else rmSync(file);
      const page = await browser.page({ fresh: true });
      await page.open(host.address);
      await page.until(
        `document.querySelector("#notices")?.textContent.includes(${JSON.stringify(notice)})`,
        notice,
      );
      await page.close();
    }
  } finally {
    host.close();
  }
});
