// Tests of what is hard on the page: kernels that do not end, that want too much memory or print too much,
// sources that are too long, and a worker that ends. The page says what has happened and works on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as inside from "./inside.mjs";
import { choose, resultOf, settled, start, write } from "./start.mjs";

let open, end, browser;

before(async () => {
  ({ browser, open, end } = await start(process.env.LOCKSTEP));
});

after(() => end?.());

const sevens = "kernel void k(global int *out)\n{\n\tout[get_global_id(0)] = 7;\n}\n";

// fill fills the whole source at once, as a paste does.
const fill = (page, text) =>
  page.call((value) => {
    const element = document.querySelector("#source");
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);

const noProblems = "document.querySelector('#problem-count').textContent === 'No problems.'";

// ready opens a page with a kernel of one argument.
async function ready(text = sevens) {
  const page = await open({ fresh: true });
  await write(page, text);
  await page.until("document.querySelector('#f-kernel').value === 'k' && document.querySelector('#f-arg-0')");
  await page.until(noProblems);
  await choose(page, "#f-global", "4");
  await choose(page, "#f-arg-0", "zero:i32:4");
  await settled(page);
  return page;
}

// works runs a small kernel: whatever was before, it prints what it should.
async function works(page) {
  await fill(page, sevens);
  await page.until(
    `document.querySelector('#f-arg-0') && !document.querySelector('#f-arg-1') && ${noProblems}`,
  );
  await choose(page, "#f-flags", "");
  await choose(page, "#f-limit", "10");
  await choose(page, "#f-global", "4");
  await choose(page, "#f-arg-0", "zero:i32:4");
  await page.run(
    "document.querySelector('#f-arg-0-out').checked || document.querySelector('#f-arg-0-out').click()",
  );
  await resultOf(page, () => page.click("#run"));
  assert.equal(await page.text("#stdout"), "0: 7 7 7 7\n");
}

test("a launch that wants more memory than there is says so, and the page works on", async () => {
  const page = await ready();
  // The device of lockstep has a limit.
  await choose(page, "#f-arg-0", "zero:i32:500000000");
  await resultOf(page, () => page.click("#run"));
  assert.match(await page.text("#stderr"), /2000000000 bytes needed, and 1073741824 of 1073741824 are left/);
  assert.match(await page.text("#status"), /did not run: the output says why/);
  // WebAssembly has one, too: the one that no allocation can pass, and the one of all allocations together.
  await choose(page, "#f-flags", "-device global-mem-size=8000000000");
  await choose(page, "#f-arg-0", "zero:i32:1200000000");
  await page.click("#run");
  await page.until("/WebAssembly has 4 GB in all/.test(document.querySelector('#notices').textContent)");
  await works(page);
  const half = "kernel void k(global int *out, global int *more)\n{\n\tout[0] = more[0];\n}\n";
  await fill(page, half);
  await page.until("document.querySelector('#f-arg-1')");
  await page.until(noProblems);
  await choose(page, "#f-flags", "-device global-mem-size=8000000000");
  await choose(page, "#f-arg-0", "zero:i32:600000000");
  await choose(page, "#f-arg-1", "zero:i32:600000000");
  await choose(page, "#f-limit", "60");
  await page.click("#run");
  await page.until(
    "/took more memory than the browser gives.*fewer work-items or smaller buffers/.test(document.querySelector('#notices').textContent)",
    "the notice about memory",
  );
  await works(page);
  await page.close();
});

test("when the worker ends, the page says so and starts it again", async () => {
  const page = await ready();
  await page.click("#step");
  // Nothing runs any more when the timeline is there.
  await page.until("document.querySelector('.step .timeline')", "the timeline");
  const attached = new Promise((done) => {
    browser.listen(page.session, (method, params) => {
      if (method === "Target.attachedToTarget" && params.targetInfo.type === "worker") done(params.sessionId);
    });
  });
  await page.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  const worker = await attached;
  await browser.send(
    "Runtime.evaluate",
    { expression: "setTimeout(() => { throw new Error('struck by a test'); })" },
    worker,
  );
  await page.until(
    "/started again|could not run/.test(document.querySelector('#notices').textContent)",
    "the notice",
  );
  assert.match(await page.text("#notices"), /struck by a test/);
  // The session is lost, and the view of it says how to begin another one.
  await page.until("document.querySelector('#step-start')");
  await works(page);
  await page.close();
});

test("a damaged link is refused with a reason, whatever is wrong with it", async () => {
  for (const [fragment, why] of [
    ["#k=AAAA", /damaged/],
    ["#k=%%%", /damaged/],
    ["#k=" + "A".repeat(40000), /too long/],
    // {"v":1,"launch":{"source":{"text":1}}} and {"v":2}
    ["#k=q1YqU7Iy1FHKSSzNS85QsqpWKs4vLUpOBbFKUitKgJK1tbUA", /no launch/],
    ["#k=q1YqU7IyqgUA", /another version/],
  ]) {
    const page = await open({}, fragment);
    const text = await page.text("#notices");
    assert.match(text, /The link cannot be opened/, fragment.slice(0, 60));
    assert.match(text, why);
    await resultOf(page, () => page.click("#run"));
    await page.close();
  }
});

test("a source of thousands of lines is drawn where one looks, and a longer one is refused", async () => {
  const page = await ready();
  const long = "// filler\n".repeat(30000) + sevens;
  await fill(page, long);
  await page.until("document.querySelectorAll('.layer .line').length > 0");
  assert.ok((await page.run("document.querySelectorAll('.layer .line, .gutter .place').length")) < 2000);
  await page.until(noProblems);
  await settled(page);
  await page.run("document.querySelector('.editor').scrollTop = 1e7");
  await page.until("/kernel void k/.test(document.querySelector('.layer').textContent)", "the last lines");
  // What stands in the layer and the gutter stands where the text area has it.
  await page.call(inside.caret, "out[get_global_id");
  await page.key("F9");
  await page.until("document.querySelector('.gutter .set')");
  const at =
    await page.run(`[...document.querySelectorAll(".layer .line")].filter((l) => /out\\[get_global/.test(l.textContent))
    .map((l) => l.getBoundingClientRect().top - document.querySelector("#source").getBoundingClientRect().top)[0]`);
  const row = await page.run(`document.querySelector(".gutter .set").getBoundingClientRect().top -
    document.querySelector("#source").getBoundingClientRect().top`);
  assert.ok(Math.abs(at - row) < 2, `line at ${at}, its breakpoint at ${row}`);
  assert.equal(await page.text(".gutter .set .number"), "30003");
  const pasted = await page.call(
    (data) =>
      document.querySelector("#source").dispatchEvent(
        new InputEvent("beforeinput", {
          inputType: "insertFromPaste",
          data,
          bubbles: true,
          cancelable: true,
        }),
      ),
    "x".repeat(600000),
  );
  assert.equal(pasted, false, "the paste is refused");
  assert.match(await page.text("#notices"), /the editor takes 500,000/);
  await works(page);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("of a thousand errors the first are shown", async () => {
  const page = await ready();
  const lines = Array.from({ length: 1000 }, (_, i) => `\tout[${i}] = missing${i};`);
  await fill(page, `kernel void k(global int *out)\n{\n${lines.join("\n")}\n}\n`);
  await page.until("/\\d+ errors/.test(document.querySelector('#problem-count').textContent)");
  const count = await page.run("document.querySelectorAll('#problems > li').length");
  assert.ok(count >= 20 && count <= 60, `${count} problems in the list`);
  assert.match(await page.text("#problems"), /line 3 error: .*missing0/);
  await works(page);
  await page.close();
});

test("large outputs are shown in part, and can be saved", async () => {
  const page = await ready(
    'kernel void k(global int *out)\n{\n\tfor (int i = 0; i < 30000; i++)\n\t\tprintf("line %d\\n", i);\n\tout[0] = 1;\n}\n',
  );
  await choose(page, "#f-arg-0", "zero:i32:200000");
  await page.run(
    "document.querySelector('#f-arg-0-out').checked || document.querySelector('#f-arg-0-out').click()",
  );
  await choose(page, "#f-limit", "60");
  await resultOf(page, () => page.click("#run"));
  assert.equal((await page.text("#stdout")).length, 200000);
  assert.match(await page.text(".cut"), /characters more are not shown/);
  assert.match(await page.text("#output-view"), /200,000 elements of i32, the first 1024/);
  assert.ok((await page.run("document.querySelectorAll('*').length")) < 12000, "elements of the page");
  await works(page);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the timeline of the debugger has a playhead, and a click goes to a tick", async () => {
  const page = await open({}, "#example=11-2");
  await page.click("#step");
  const drawn = ".step .timeline";
  await page.until(`document.querySelector("${drawn}")`, "the timeline");
  const head = () =>
    page.run(
      `Number(/translate\\(([\\d.]+)/.exec(document.querySelector("${drawn} .tl-head").getAttribute("transform"))[1])`,
    );
  const idle = () => page.until("!document.body.classList.contains('busy')");
  const first = await head();
  await page.run("document.querySelector('#step-scope').value = 'group'");
  for (let i = 0; i < 8; i++) {
    await page.click("#step-over");
    await idle();
  }
  assert.ok((await head()) > first, "steps move the playhead");
  const box =
    await page.run(`(() => { const e = document.querySelector("${drawn}"); e.scrollIntoView({ block: "center" });
    const r = e.getBoundingClientRect(); return { x: r.x + 450, y: r.y + 40 }; })()`);
  const old = await page.text("#clock");
  for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
    await page.send("Input.dispatchMouseEvent", {
      type,
      ...box,
      button: type === "mouseMoved" ? "none" : "left",
      clickCount: 1,
    });
  await page.until(`document.querySelector("#clock").textContent !== ${JSON.stringify(old)}`, "another tick");
  await idle();
  const clicked = await head();
  assert.ok(Math.abs(clicked - 450) < 4, `the playhead is at ${clicked}, and not at 450`);
  // By the keyboard, in the view of timelines: a tick to read, and Enter to go there.
  await page.click("#tab-timeline");
  await page.run("document.querySelector('.tracked .timeline').focus()");
  const name = "document.querySelector('.tracked .timeline').getAttribute('aria-valuetext')";
  await page.key("Home");
  assert.match(await page.run(name), /^Tick 0\. work-group \(0,0,0\); wave 0: runs line \d+/);
  await page.key("ArrowRight");
  const there = Number(/^Tick (\d+)/.exec(await page.run(name))[1]);
  assert.ok(there > 0);
  await page.key("Enter");
  await page.until(`document.querySelector("#clock").textContent.startsWith("tick ${there} ")`, "the tick");
  // The scrubber moves it, too, and with the session it goes.
  await choose(page, "#scrubber", "100");
  await page.until("/tick 100 /.test(document.querySelector('#clock').textContent)");
  await idle();
  assert.notEqual(await head(), clicked);
  await page.click("#tab-step");
  await page.run(
    "[...document.querySelectorAll('.controls button')].find((b) => b.textContent === 'Close').click()",
  );
  await page.until("!document.querySelector('.tracked .timeline')");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("kernels that run together are stepped through, with their pipes", async () => {
  const page = await open({}, "#example=12-1");
  await page.click("#step");
  await page.until("document.querySelector('.step .timeline')", "the timeline");
  const idle = () => page.until("!document.body.classList.contains('busy')");
  const names = await page.call(inside.texts, ".step .tl-name");
  assert.match(names, /source wave 0\nsquare\nsquare wave 0\nsink\nsink wave 0\npipe x\npipe y/);
  await page.run("document.querySelector('#step-stop').focus()");
  await page.type("y");
  await page.key("Enter");
  await page.until("/writes of y/.test(document.querySelector('.part-stops').textContent)");
  await page.click("#step-continue");
  await page.until("/pipe y by work-item/.test(document.querySelector('#step-text').textContent)");
  await idle();
  assert.match(await page.text(".part-pipes"), /y1 of 2 packets of int; 1 written, 0 read/);
  await page.run(
    "[...document.querySelectorAll('.part-launches button')].find((b) => /of source/.test(b.ariaLabel)).click()",
  );
  await page.until(
    "/source line/.test(document.querySelector('.part-frames').textContent)",
    "the other kernel",
  );
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("timelines show pipes, and stages that run one behind the other", async () => {
  const page = await open({}, "#example=12-1");
  await resultOf(page, () => page.click("#run"));
  await page.click("#tab-timeline");
  await page.run("document.querySelector('.timeline').focus()");
  await page.key("Home");
  const texts = [];
  for (let i = 0; i < 40; i++) {
    await page.key("ArrowRight");
    texts.push(await page.run("document.activeElement.getAttribute('aria-valuetext')"));
  }
  const text = texts.join("\n");
  assert.match(text, /source: waits for room in x \(line 11\)/);
  assert.match(text, /pipe x: .*square reads packets? .* of x \(line 18\)/);
  assert.match(text, /2 of 2 packets/);
  await page.run("document.querySelector('.timeline').closest('.card').querySelector('details').open = true");
  await page.until(
    "/source writes packets/.test(document.querySelector('#timeline-view table')?.textContent)",
  );
  await write(page, sevens);
  await page.until("document.querySelector('#f-kernel').value === 'k'");
  await page.until(noProblems);
  await choose(page, "#f-global", "8");
  await choose(page, "#f-local", "4");
  await choose(page, "#f-arg-0", "buffer:b");
  await choose(page, "#f-flags", "-buffer b=zero:i32:8 -then -global 4 -local 4 -arg buffer:b");
  await resultOf(page, () => page.click("#run"));
  assert.equal(await page.text("#stdout"), "0: 7 7 7 7 7 7 7 7\n");
  const heads = await page.call(inside.texts, "#timeline-view .drawn h3, #timeline-view .drawn h4");
  assert.equal(
    heads,
    "Stage 1\ngroup (0,0,0)\ngroup (1,0,0)\nStage 2, when the one before has ended\ngroup (0,0,0)",
  );
  assert.match(await page.text("#divergence-view"), /All lanes take the same path/);
  assert.ok(
    await page.run("[...document.querySelectorAll('.gutter .count')].some((c) => c.textContent === '3')"),
  );
  assert.deepEqual(page.errors, []);
  await page.close();
});
