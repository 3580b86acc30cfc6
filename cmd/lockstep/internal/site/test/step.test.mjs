// Tests of the step view: kernels that run together and wait for each other, what variables of the source's own
// types look like, and the whole of it by the keyboard and for screen readers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as inside from "./inside.mjs";
import { choose, resultOf, start, write } from "./start.mjs";

let open, end;

before(async () => {
  ({ open, end } = await start(process.env.LOCKSTEP));
});

after(() => end?.());

const idle = (page) => page.until("!document.body.classList.contains('busy')");
const status = async (page) => (await page.text("#status")).replace(/[\u200b\u200c]/g, "");

// stepping opens the debugger, and waits for its timeline, behind which nothing more comes.
async function stepping(page) {
  await page.click("#step");
  await page.until("document.querySelector('.step .timeline')", "the timeline");
}

// moved does something that goes to another tick.
async function moved(page, f) {
  const old = await page.text("#clock");
  await f();
  await page.until(`document.querySelector("#clock").textContent !== ${JSON.stringify(old)}`, "another tick");
  await idle(page);
}

test("kernels that wait for each other for ever are found by stepping, with the keyboard alone", async () => {
  const page = await open({}, "#example=12-3");
  await page.tabTo("#step");
  await page.key("Enter");
  await page.until("document.querySelector('.step .timeline')", "the timeline");
  assert.match(await status(page), /, kernel source, line \d+, work-item \(0\)$/);
  await moved(page, () => page.key("c"));
  // What a screen reader reads of the step names the kernel; the finding and the pipes say the rest.
  assert.match(await status(page), /^stopped at a finding; .*, kernel square, line 18, work-item \(0\)$/);
  assert.match(await page.text(".part-findings"), /E-PIPEDEADLOCK.*endless wait to read from pipe x/);
  assert.doesNotMatch(await page.text(".part-findings"), /unknown place/);
  assert.match(await page.text(".part-launches"), /source 1 of 1 group over/);
  assert.match(await page.text(".step .tl-says"), /^Tick 411\. The timeline ends here\.$/);
  assert.equal(await page.text("#step-group"), " of group (0,0,0) of kernel square");
  const changed = await page.run("document.querySelectorAll('.variables .changed').length");
  assert.equal(changed, 0, "another kernel's variables are no changes");
  const pipes = await page.call(inside.texts, ".part-pipes .pipe");
  assert.match(pipes, /x.*0 of 2 packets of int; 7 written, 7 read/);
  assert.match(pipes, /writers: source \(ended\); readers: square/);
  assert.match(pipes, /square, group \(0,0,0\): 1 work-item waits for packets, line 18/);
  assert.match(pipes, /sink, group \(0,0,0\): 1 work-item waits for packets, line 28/);
  const nodes = await page.accessibility();
  const named = (role, name) => nodes.filter((node) => node.role === role && name.test(node.name)).length;
  for (const [role, name] of [
    ["progressbar", /^x: 0 of 2 packets$/],
    ["progressbar", /^y: 0 of 2 packets$/],
    ["button", /^Look at group \(0,0,0\) of square$/],
    ["button", /^Look at group \(0,0,0\) of sink$/],
    ["slider", /^Logical clock$/],
    ["slider", /^Timeline of Where the debugger stands$/],
    ["heading", /^Kernels$/],
    ["heading", /^Pipes$/],
  ])
    assert.equal(named(role, name), 1, `${role} ${name}`);
  // The other kernel: its button keeps the focus.
  await page.tabTo("[aria-label='Look at group (0,0,0) of sink']");
  await page.key("Enter");
  await page.until("/sink line 28/.test(document.querySelector('.part-frames').textContent)", "sink");
  await idle(page);
  assert.match(await status(page), /kernel sink, line 28/);
  assert.equal(await page.run("document.activeElement.ariaLabel"), "Look at group (0,0,0) of sink");
  assert.equal(await page.run("document.activeElement.getAttribute('aria-pressed')"), "true");
  // Back to the last packet that went through x. A list that loses a line keeps the focus.
  await page.tabTo("#step-stop");
  await page.type("x");
  await page.key("Enter");
  await page.until("/writes of x/.test(document.querySelector('.part-stops').textContent)");
  await idle(page);
  await page.run("document.querySelector('#step-continue').focus()");
  await moved(page, () => page.key("Shift+C"));
  const hit = "packet 6, 6, was read from pipe x by work-item (0) of kernel square";
  assert.ok((await status(page)).startsWith(`watchpoint 1: ${hit}, kernel square, line 18`));
  assert.match(await page.text(".part-stops"), /packet 6, 6, was read from pipe x by .* line 18/);
  await page.tabTo("[aria-label='Do not stop at x']");
  await page.key("Enter");
  await page.until("!/writes of x/.test(document.querySelector('.part-stops').textContent)");
  await idle(page);
  assert.equal(await page.run("document.activeElement.id"), "step-stop");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("steps go through kernels that run together, forwards and back the same way", async () => {
  const page = await open({}, "#example=12-1");
  await stepping(page);
  await choose(page, "#step-scope", "wave");
  const seen = async () => `${await page.text("#clock")} ${await page.call(inside.texts, ".part-frames li")}
${await page.call(inside.texts, ".part-launches li, .part-pipes .pipe")}`;
  const way = [await seen()];
  for (let i = 0; i < 5; i++) {
    await moved(page, () => page.click("#step-over"));
    way.push(await seen());
  }
  // The first step goes from the beginning to the first line; behind it is nothing to step to.
  for (let i = 4; i > 0; i--) {
    await moved(page, () => page.click("#step-over-back"));
    assert.equal(await seen(), way[i], `step ${i}`);
  }
  await moved(page, () => page.run("document.querySelector('[aria-label=\"Run to the end\"]').click()"));
  assert.match(await status(page), /the launch has ended/);
  assert.match(await page.text(".part-output"), /0 {2}1 {2}4 {2}9 16 25 36 49/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

const types = `typedef enum color { RED, GREEN = 5 } color;
typedef struct pair { color c; float2 at; } pair;
typedef uint word;

kernel void k(global word *out, global color *seen)
{
	local word sums[4];
	color c = GREEN;
	pair both = { RED, (float2)(1.5f, 2.0f) };
	sums[0] = 3000000000u;
	out[0] = sums[0] + (word)both.at.x;
	seen[0] = c;
}
`;

test("variables and memory of the source's own types show what they mean", async () => {
  const page = await open();
  await write(page, types);
  await page.until("document.querySelector('#f-kernel').value === 'k' && document.querySelector('#f-arg-1')");
  await page.until("document.querySelector('#problem-count').textContent === 'No problems.'");
  await choose(page, "#f-global", "1");
  await choose(page, "#f-local", "");
  await choose(page, "#f-arg-0", "zero:u32:2");
  await choose(page, "#f-arg-1", "zero:u32:1");
  await stepping(page);
  await page.call(inside.caret, "seen[0] =");
  await page.key("F9");
  await page.until("document.querySelector('.part-stops .condition')", "the breakpoint");
  await moved(page, () => page.click("#step-continue"));
  await page.run(
    "[...document.querySelectorAll('.variables button')].find((b) => /both/.test(b.textContent)).click()",
  );
  await page.until("document.querySelector('.variables ul')", "the members");
  await idle(page);
  const shown = (await page.call(inside.texts, ".variables .variable")).replaceAll(" (changed)", "");
  for (const text of [
    "c GREEN color",
    "▾ both {c = RED, at = (1.5, 2)} pair",
    "c RED color",
    "at (1.5, 2) float2",
    "sums {3000000000, 0, 0, 0} word[4]",
  ])
    assert.ok(shown.includes(text), `${text} is not in\n${shown}`);
  assert.match(await page.text(".part-memory table"), /sums: elements 0 to 3 of 4.*3000000000/);
  await choose(page, "[aria-label='Memory to show']", "out");
  await page.until(
    "/out: elements 0 to 1 of 2.*3000000001/.test(document.querySelector('.part-memory table').textContent)",
  );
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a run shows coalescing, divergence and heat, and the grid has colours by value", async () => {
  const page = await open({}, "#example=5-1");
  await resultOf(page, () => page.click("#run"));
  assert.match(await page.text("#memory-view"), /Not coalesced: 2 cache lines move for what fits in 1/);
  assert.match(await page.text("#divergence-view"), /line 11 to 16 32 of 32 lanes, 5 instructions/);
  assert.ok(await page.run("document.querySelectorAll('.gutter .count').length > 10"), "heat by line");
  // Values of the grid have colours, from the least to the greatest.
  await stepping(page);
  await page.run("document.querySelector('#step-all').focus()");
  await page.type("get_global_id(0)");
  await page.key("Enter");
  await page.until("document.querySelector('.items .shade-0') && document.querySelector('.items .shade-8')");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a run shows which banks have conflicts, and local memory has a column for each bank", async () => {
  const page = await open({}, "#example=7-1");
  await resultOf(page, () => page.click("#run"));
  const good = /words.*Good: each lane has a bank of its own in each turn/s;
  assert.match(await page.text("#memory-view"), good);
  assert.doesNotMatch(await page.text("#memory-view"), /Bank conflict/);
  await page.close();

  const conflicts = await open({}, "#example=7-4");
  await resultOf(conflicts, () => conflicts.click("#run"));
  assert.match(
    await conflicts.text("#memory-view"),
    /Bank conflict: 32 lanes want 32 different words of bank 0.*32 turns where 1 turn would do/s,
  );
  await stepping(conflicts);
  await conflicts.until("/a column for each bank/.test(document.querySelector('.part-memory').textContent)");
  assert.equal(await conflicts.run("document.querySelectorAll('.part-memory thead th').length"), 32);
  assert.deepEqual(conflicts.errors, []);
  await conflicts.close();
});
