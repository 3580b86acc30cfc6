// Tests of the playground in a real browser. They need the variables LOCKSTEP, the program, and, where it is not
// called chromium, CHROMIUM. .ci/run starts them:
//
//	LOCKSTEP=/path/to/lockstep node --test cmd/lockstep/internal/site/test
//
// LOCKSTEP_UPDATE=1 writes testdata/missing-barrier.txt anew.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./browser.mjs";
import { serveFolder } from "./folder.mjs";

const program = process.env.LOCKSTEP;
const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../../../../..");
const golden = join(here, "testdata/missing-barrier.txt");

let browser, address, served, work;

before(async () => {
  assert.ok(program, "LOCKSTEP is not set: the path of the program lockstep");
  work = mkdtempSync(join(tmpdir(), "lockstep-page-"));
  served = spawn(program, ["serve", "-listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
  address = await new Promise((done, failed) => {
    let text = "";
    const read = (data) => {
      text += data;
      const found = /http:\/\/[\w.:[\]]+\//.exec(text);
      if (found) done(found[0]);
    };
    served.stdout.on("data", read);
    served.stderr.on("data", read);
    served.on("exit", () => failed(new Error(`lockstep serve has ended: ${text}`)));
  });
  browser = await Browser.start();
});

after(async () => {
  await browser?.close();
  served?.kill();
  if (work) rmSync(work, { recursive: true, force: true });
});

async function open(options, fragment = "") {
  const page = await browser.page(options);
  await page.open((options?.address ?? address) + fragment);
  await page.until("document.body?.dataset.ready === 'yes'", "the page to be ready");
  return page;
}

// count waits for the next result after what f does.
async function resultOf(page, f) {
  const old = await page.run("Number(document.body.dataset.done ?? 0)");
  await f();
  await page.until(`Number(document.body.dataset.done ?? 0) > ${old}`, "a result");
}

const choose = (page, selector, value) =>
  page.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.value = ${JSON.stringify(value)};
    e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); })()`);

const write = (page, text) => page.run(`(() => { const e = document.querySelector("#source"); e.focus(); e.select();
  document.execCommand("insertText", false, ${JSON.stringify(text)}); })()`);

const settled = (page) => page.until("document.querySelector('#f-line').textContent.startsWith('lockstep run')");

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
      const words = line.trim().split(/\s+/).slice(1).map((word) => word.replace(/^'(.*)'$/, "$1"));
      const native = spawnSync(program, words, { cwd: work, encoding: "utf8" });
      const shown = { stdout: await page.text("#stdout"), stderr: await page.text("#stderr"),
        exit: Number(await page.text("#exit")) };
      assert.deepEqual(shown, { stdout: native.stdout, stderr: native.stderr, exit: native.status }, `${id}: ${line}`);
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
    log.push(`> ${what}`, await page.text("#status"));
    log.push(await page.run(`[...document.querySelectorAll(".items [role=gridcell]")].map((cell) =>
      cell.getAttribute("aria-label") + (cell.getAttribute("aria-selected") === "true" ? "  <" : "")).join("\\n")`));
    log.push(await page.run(`[...document.querySelectorAll(".part-waves li")].map((e) => e.textContent).join("\\n")`), "");
  };
  const stepped = async (f) => {
    const old = await page.text("#clock");
    await f();
    await page.until(`document.querySelector("#clock")?.textContent !== ${JSON.stringify(old)}`, "another tick");
    await page.until("!document.body.classList.contains('busy')");
  };
  await page.click("#step");
  await page.until("document.querySelector('.items [role=gridcell]')", "the grid");
  // A breakpoint where neighbours are read, by the key F9 in the editor.
  await page.run("document.querySelector('#source').focus()");
  await page.run(`(() => { const e = document.querySelector("#source"), at = e.value.indexOf("out[get_global_id");
    e.setSelectionRange(at, at); })()`);
  await page.key("F9");
  await page.until("document.querySelector('.part-stops .condition')", "the breakpoint");
  await stepped(() => page.click("#step-continue"));
  await note("a breakpoint at line 6, and continue");
  // What does each work-item read?
  await page.run("document.querySelector('#step-all').focus()");
  await page.type("tile[(place + 1) % size]");
  await page.key("Enter");
  await page.until("/tile/.test(document.querySelector('.items [role=gridcell]').getAttribute('aria-label'))");
  await note("show tile[(place + 1) % size]");
  // tile[4] is still 0. Who writes it, and when?
  await page.run("document.querySelector('#step-stop').focus()");
  await page.type("tile[4]");
  await page.key("Enter");
  await page.until("/writes of tile\\[4\\]/.test(document.querySelector('.part-stops').textContent)");
  await page.run("document.querySelector('#step-continue').focus()");
  const hit = "/was 0 and is 14/.test(document.querySelector('.part-stops').textContent)";
  for (let i = 0; i < 12 && !(await page.run(hit)); i++) await stepped(() => page.key("c"));
  log.push(await page.run(`[...document.querySelectorAll(".part-stops p")].map((p) => p.textContent).join("\\n")`));
  await note("continue until tile[4] is written");
  await stepped(() => page.key("C"));
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
