// The page: what is in the editor, what runs, and where results go.

import { byId, h, button, later, plural, say, tabs } from "./dom.js";
import { Editor, longestText } from "./editor.js";
import { Engine, Failure } from "./engine.js";
import { Form } from "./form.js";
import { buildHelp, openHelp } from "./help.js";
import { Lessons } from "./lessons.js";
import { accessesView, banksView, divergenceView } from "./pictures.js";
import {
  filesView,
  findingCard,
  heatOf,
  heatTable,
  outputView,
  outputViews,
  picturesView,
  placeLink,
} from "./results.js";
import { pack, unpack } from "./share.js";
import { Stepper } from "./stepper.js";
import { Timeline } from "./timeline.js";

const theFile = { name: "kernel.cl", exercise: null, lesson: null };
let example = null; // that is in the editor and the form as it stands in its lesson
let written = {}; // files that commands of the lesson have written
let ready = false;
let zoom = 1;
let lastTimelines = [],
  groupsLeft = 0,
  track = null; // the timeline of the debugger

const views = ["lesson", "output", "step", "timeline", "memory", "divergence"];
const nothing = "There is nothing of it in this run.";
let ranOnce = false;
const hints = {
  output: "Run a kernel to see what it prints and finds.",
  timeline: "Run a kernel to see when its waves, copies, barriers and pipes did what.",
  memory: "Run a kernel to see which lanes touch which cache lines and banks.",
  divergence: "Run a kernel to see how the lanes of a sub-group part at branches.",
};

const engine = new Engine({
  changed: (busy) => {
    byId("stop").disabled = !busy;
    document.body.classList.toggle("busy", busy);
  },
  restarted: (failure) => {
    if (stepper.open) stepper.reset();
    if (failure) failed(failure);
  },
});

const call = (request, options) => engine.call(request, { limit: form.limit, ...options });

function notice(text, kind = "error") {
  const element = h(
    "p",
    { class: `notice ${kind}` },
    text,
    " ",
    button("Dismiss", () => element.remove(), { class: "tiny" }),
  );
  byId("notices").replaceChildren(element);
}

function failed(failure) {
  if (failure instanceof Failure && failure.kind === "stopped") say(failure.message);
  else {
    notice(failure.message);
    say("It did not work: see the notice.");
  }
}

const resultTabs = tabs(document.querySelector(".tabs"), {
  panel: (tab, on) => {
    byId(tab.getAttribute("aria-controls")).hidden = !on;
  },
});
const paneTabs = tabs(document.querySelector(".panes"), {
  panel: (tab, on) => {
    if (on) document.body.dataset.pane = tab.dataset.pane;
  },
});

const show = (view) => {
  resultTabs.choose(`tab-${view}`);
  paneTabs.choose("tab-pane-results");
};

const editor = new Editor(byId("editor"), {
  changed: () => {
    example = null;
    stepper.changed();
    keepSoon();
    compileSoon();
  },
  breakpoints: () => {
    if (stepper.open) stepper.setBreakpoints().catch(failed);
  },
  refused: (length) =>
    notice(
      `The source would have ${length.toLocaleString("en")} characters, and the editor takes ` +
        `${longestText.toLocaleString("en")}: paste the part that has the kernel.`,
    ),
});

const form = new Form(byId("form"), {
  changed: () => {
    example = null;
    if (form.options !== compiledOptions) compileSoon();
    showLineSoon();
  },
});

const context = () => ({
  file: theFile.name,
  line: (number) => editor.value.split("\n")[number - 1] ?? "",
  goto: (line, column) => {
    paneTabs.choose("tab-pane-code");
    editor.goto(line, column);
  },
});

const stepper = new Stepper({
  view: byId("step-view"),
  call,
  editor,
  begin: () => startStepping(),
  failed,
  tracked: (element) => {
    track = element;
    drawTimelines();
  },
});
stepper.context.goto = (line, column) => context().goto(line, column);

const source = () => ({ name: theFile.name, text: editor.value, options: form.options || undefined });
const launch = () => ({ ...form.launch(), source: source() });

// Compiling, while somebody writes.

let compiledOptions = "";
let compiling = null;

function showProblems(result) {
  const list = result.diagnostics ?? [];
  editor.mark({ diagnostics: list.filter((d) => !d.file || d.file === theFile.name) });
  const errors = list.filter((d) => d.severity !== "warning").length + (result.options_error ? 1 : 0);
  byId("problem-count").textContent =
    list.length || errors
      ? [
          errors && plural(errors, "error"),
          list.length - errors > 0 && plural(list.length - errors, "warning"),
        ]
          .filter(Boolean)
          .join(", ")
      : "No problems.";
  byId("problems").replaceChildren(
    ...(result.options_error
      ? [h("li", { class: "error" }, `Options of the compiler: ${result.options_error}`)]
      : []),
    ...list.slice(0, 50).map((d) =>
      h(
        "li",
        { class: d.severity === "warning" ? "warning" : "error" },
        placeLink(d, context()),
        ` ${d.severity}: ${d.message}${d.flag ? ` [-W${d.flag}]` : ""}`,
        (d.notes ?? []).map((note) =>
          h("span", { class: "small note" }, " ", placeLink(note, context()), ` ${note.message}`),
        ),
      ),
    ),
  );
}

async function compile() {
  compiledOptions = form.options;
  const response = await call({ op: "compile", source: source() }, { quiet: true });
  if (!response.compile) throw new Error(response.error || "no answer");
  showProblems(response.compile);
  if (response.compile.kernels?.length) form.setKernels(response.compile.kernels);
  return response.compile;
}

const compileNow = () => {
  compiling = compile()
    .then(showLine)
    .catch((failure) => {
      if (failure.kind !== "stopped") failed(failure);
    });
  return compiling;
};
const compileSoon = later(() => {
  if (ready) compileNow();
}, 300);

async function showLine() {
  if (!ready) return;
  try {
    const response = await call({ op: "commandOf", launch: launch() }, { quiet: true });
    form.showLine(response.line ?? response.error ?? "");
  } catch (failure) {
    if (failure.kind !== "stopped") throw failure;
  }
}
const showLineSoon = later(() => showLine().catch(failed), 150);

// What somebody has written outlives a reload of the page.

const draft = "lockstep-draft";

const keepSoon = later(() => {
  const { name, lesson, exercise } = theFile;
  try {
    const text = editor.value;
    sessionStorage.setItem(draft, JSON.stringify({ name, text, lesson: lesson?.id, exercise: exercise?.id }));
  } catch {
    // There is no storage, or no room in it.
  }
}, 300);

async function restore() {
  let kept;
  try {
    kept = JSON.parse(sessionStorage.getItem(draft) ?? "null");
  } catch {
    return false;
  }
  if (typeof kept?.text !== "string" || typeof kept.name !== "string") return false;
  const lesson = lessons.all.find((l) => l.id === kept.lesson) ?? null;
  const exercise = lesson?.exercises.find((e) => e.id === kept.exercise) ?? null;
  load(kept.name, kept.text, { lesson, exercise });
  await compileNow();
  return true;
}

// Opening files and examples.

function load(name, text, { lesson = null, exercise = null } = {}) {
  Object.assign(theFile, { name, lesson, exercise });
  if (stepper.open) stepper.close();
  editor.value = text;
  byId("grade").hidden = !exercise;
  byId("grade").textContent = exercise ? `Grade ${exercise.id}` : "Grade";
  lessons.shown(name);
}

async function takeOver(words) {
  const response = await call(
    {
      op: "launchOf",
      ...(Array.isArray(words) ? { args: words } : { line: words }),
      files: { ...written, [theFile.name]: editor.value },
    },
    { quiet: false },
  );
  if (!response.launch) throw new Error(response.error || "the arguments were not understood");
  byId("f-options").value = response.launch.source?.options ?? "";
  if (form.options !== compiledOptions) await compileNow();
  form.setLaunch(response.launch);
  await showLine();
}

async function openExample({ lesson, example: wanted, run }) {
  const name = wanted.source;
  if (name && name !== theFile.name) {
    const file = name.split("/").pop();
    const exercise = lesson.exercises.find((e) => e.path === name);
    load(name, lesson.sources[file] ?? exercise?.start ?? "", { lesson, exercise });
    await compileNow();
  }
  if (wanted.args[0] === "run") await takeOver(wanted.args).catch((failure) => say(failure.message));
  example = wanted;
  if (!run) {
    paneTabs.choose("tab-pane-code");
    say(`Example ${wanted.id} is in the editor.`);
    return;
  }
  await execute("run");
}

async function openFile({ lesson, name, text, exercise, example: first }) {
  load(name, text, { lesson, exercise });
  paneTabs.choose("tab-pane-code");
  await compileNow();
  if (exercise?.launches?.length) {
    await takeOver(`run ${name} ${exercise.launches[0].flags}`).catch((failure) => say(failure.message));
  } else if (first) {
    await takeOver(first.args).catch((failure) => say(failure.message));
    example = first;
  }
  say(exercise ? `Exercise ${exercise.id} is in the editor: ${exercise.name}.` : `${name} is in the editor.`);
}

const lessons = new Lessons({
  view: byId("lesson-view"),
  open: (what) => (what.example && !what.name ? openExample(what) : openFile(what)).catch(failed),
  moved: (lesson) => {
    show("lesson");
    if (!location.hash.startsWith("#k=")) history.replaceState(null, "", `#lesson=${lesson.id}`);
  },
});

// Running.

// plain returns a launch without the flags that ask lockstep run for more output, which other commands do not
// have. A flag and its value are one word or two.
function plain(launch) {
  const words = launch.flags ?? [];
  const more = /^-(picture|explain|trace|report|sarif|stats|json|v|q)(=|$)/;
  const flags = words.filter((word, i) => {
    const value = i > 0 && /^-(picture|explain|trace|report|sarif)$/.test(words[i - 1]);
    return !value && !more.test(word);
  });
  return { ...launch, flags: flags.length ? flags : undefined };
}

const wordOf = { run: "Ran", check: "Checked", explore: "Explored", grade: "Graded" };

async function command(args, line) {
  const response = await call({
    op: "command",
    args,
    line,
    files: { ...written, [theFile.name]: editor.value },
  });
  if (!response.command) throw new Error(response.error || "no answer");
  keep(response.command.files);
  return response.command;
}

// keep keeps the files that a command has written, for those behind it.
function keep(files) {
  if (Object.keys(files ?? {}).length < 100) Object.assign(written, files);
}

async function explore() {
  const what = plain(launch());
  what.args = what.args.map(({ spec }) => ({ spec }));
  const { line, error } = await call({ op: "commandOf", launch: what });
  if (!line) throw new Error(error || "no answer");
  const text = line.replace(/^lockstep run /, "lockstep explore ") + " -runs 60";
  return { line: text, result: await command(undefined, text) };
}

// perform does what a button says and returns {line, result, run}: the text, and what is there to draw.
async function perform(kind) {
  if (kind === "explore") return explore();
  if (kind === "grade") {
    const args = ["grade", theFile.exercise.id, theFile.name];
    return { line: `lockstep ${args.join(" ")}`, result: await command(args) };
  }
  const exact = kind === "run" && example;
  if (exact && exact.args[0] !== "run") return { line: exact.line, result: await command(exact.args) };
  const what = exact ? null : launch();
  if (kind === "check") what.check = true;
  const response = await call({
    op: "run",
    ...(exact ? { args: exact.args, files: { ...written, [theFile.name]: editor.value } } : { launch: what }),
  });
  const run = response.run;
  if (!run) throw new Error(response.error || "no answer");
  if (exact) keep(run.files);
  return { line: exact ? exact.line : run.line, result: run, run };
}

async function execute(kind) {
  if (!ready) return;
  const begin = performance.now();
  say(kind === "explore" ? "Exploring …" : "Running …");
  try {
    const done = await perform(kind);
    hideWelcome();
    const time = Math.round(performance.now() - begin);
    present(kind, done);
    const found = done.run?.findings?.length;
    say(
      `${wordOf[kind]} in ${time} ms. ` +
        (kind === "grade"
          ? done.result.exit === 0
            ? "Your kernel is right."
            : "Not yet: read the verdict."
          : found
            ? `${plural(found, "finding")}.`
            : done.result.exit === 0
              ? "Nothing found."
              : done.run && !done.run.ran
                ? "The kernel did not run: the output says why."
                : "See what it prints."),
    );
    document.body.dataset.done = String(Number(document.body.dataset.done ?? 0) + 1);
  } catch (failure) {
    failed(failure);
  }
}

// takeOvers are buttons for the command lines of lockstep run that a verdict or an exploration names.
function takeOvers(text) {
  const lines = [...new Set(text.match(/lockstep run [^\n]+/g) ?? [])].slice(0, 12);
  return (
    lines.length > 0 &&
    h(
      "section",
      { class: "card", "aria-label": "Launches that are named" },
      h("h4", {}, "Launches that are named"),
      h(
        "ul",
        { class: "plain" },
        lines.map((line) =>
          h(
            "li",
            {},
            button(
              "Use it",
              () =>
                takeOver(line)
                  .then(() => {
                    example = null;
                    paneTabs.choose("tab-pane-code");
                    say("The arguments are those of the line: run it, or step through it.");
                  })
                  .catch(failed),
              { class: "tiny", "aria-label": `Use ${line}` },
            ),
            " ",
            h("code", {}, line),
          ),
        ),
      ),
    )
  );
}

function present(kind, { line, result, run }) {
  const findings = run?.findings ?? [];
  const stepTo = button("Step to it", () => startStepping({ check: true }), {});
  byId("output-view").replaceChildren(
    ...[
      outputView({ line, result }),
      (kind === "explore" || kind === "grade") && takeOvers(result.stdout),
      findings.length > 0 &&
        h(
          "section",
          { "aria-label": "Findings" },
          h("h3", {}, plural(findings.length, "finding"), " ", stepTo),
          findings.map((finding) => findingCard(finding, context())),
        ),
      ...outputViews(run?.document),
      ...filesView(result.files),
      heatTable(run?.lines, context()),
      ...picturesView(run?.pictures, [["work-items", "Work-items"]]),
    ].filter(Boolean),
  );
  if (run) {
    const own = findings.filter((f) => !f.place?.file || f.place.file === theFile.name);
    const marks = new Map();
    for (const finding of own) {
      const sides = [finding.place, ...(finding.parties ?? []).map((party) => party.place)];
      for (const place of sides)
        if (place?.line) marks.set(place.line, `${finding.code}: ${finding.message}`);
    }
    editor.mark({ findings: marks, heat: heatOf(run.lines, theFile.name) });
    presentPictures(run);
  }
  if (["lesson", "step"].includes(resultTabs.now()?.slice(4)) || !run) show("output");
  else paneTabs.choose("tab-pane-results");
}

// drawTimelines draws that of the debugger and those of the last run, each on a clock of its own.
function drawTimelines() {
  const view = byId("timeline-view");
  if (!track && !lastTimelines.length) {
    view.replaceChildren(h("p", { class: "empty" }, ranOnce ? nothing : hints.timeline));
    return;
  }
  let drawn = view.querySelector(".drawn");
  if (!drawn) {
    const by = (factor) => () => {
      zoom = Math.min(20, Math.max(1, zoom * factor));
      drawTimelines();
    };
    drawn = h("div", { class: "drawn" });
    view.replaceChildren(
      h("div", { class: "tracked" }),
      h(
        "div",
        { class: "row zoom" },
        h("h3", {}, "The last run"),
        button("Wider", by(2)),
        button("Narrower", by(0.5)),
      ),
      drawn,
    );
  }
  view.querySelector(".tracked").replaceChildren(...(track ? [track] : []));
  view.querySelector(".zoom").hidden = !lastTimelines.length;
  let stage = 0;
  drawn.replaceChildren(
    ...lastTimelines.flatMap((timeline) => {
      const begins = timeline.stage && timeline.stage !== stage;
      stage = timeline.stage ?? 0;
      const { element } = new Timeline(timeline, { zoom });
      return begins
        ? [h("h3", {}, `Stage ${stage}${stage > 1 ? ", when the one before has ended" : ""}`), element]
        : [element];
    }),
    groupsLeft
      ? h("p", { class: "small" }, `${plural(groupsLeft, "work-group")} more have no timeline.`)
      : "",
  );
}

function presentPictures(run) {
  const fill = (view, parts) =>
    byId(`${view}-view`).replaceChildren(
      ...(parts.filter(Boolean).length ? parts.filter(Boolean) : [h("p", { class: "empty" }, nothing)]),
    );
  lastTimelines = run.timelines ?? [];
  groupsLeft = run.groups_left ?? 0;
  ranOnce = true;
  drawTimelines();
  fill("memory", [
    ...banksView(run.banks, run.conflicts),
    ...accessesView(run.accesses ?? [], context()),
    ...picturesView(run.pictures, [
      ["accesses", "Which work-item accesses which part"],
      ["bytes", "Bytes asked for and moved"],
      ["conflicts", "Accesses by their conflicts"],
    ]),
  ]);
  fill("divergence", [
    ...(run.divergence ?? []).map((one) => divergenceView(one, context())),
    ...picturesView(run.pictures, [
      ["lanes", "Active lanes over time"],
      ["idle", "Idle lanes by line"],
    ]),
  ]);
}

async function startStepping({ check = false } = {}) {
  if (!ready) return;
  show("step");
  say("Opening the debugger …");
  try {
    const what = plain(launch());
    if (check) what.check = true;
    await stepper.start(what, theFile.name, form.locals);
    if (check) await stepper.step("continue", false);
  } catch (failure) {
    failed(failure);
  }
}

// Links.

async function copyLink() {
  try {
    const fragment = await pack(launch());
    history.replaceState(null, "", fragment);
    await navigator.clipboard.writeText(location.href).then(
      () => say("The link is in the clipboard."),
      () => say("The link is in the address of this page: copy it from there."),
    );
  } catch (failure) {
    notice(failure.message);
  }
}

async function openFragment(fragment = location.hash) {
  try {
    const linked = await unpack(fragment);
    if (linked) {
      load(linked.source.name || "kernel.cl", linked.source.text);
      byId("f-options").value = linked.source.options ?? "";
      await compileNow();
      form.setLaunch(linked);
      await showLine();
      notice("This kernel comes from a link. Nothing has run: read it, then press Run.", "info");
      paneTabs.choose("tab-pane-code");
      return true;
    }
  } catch (failure) {
    notice(`The link cannot be opened: ${failure.message}.`);
  }
  const [, name, value] = /^#(lesson|example)=([\w-]+)/.exec(fragment) ?? [];
  if (name === "example") {
    const found = lessons.byExample(value);
    if (found) {
      lessons.show(found.lesson.id);
      await openExample(found);
      return true;
    }
  }
  if (name === "lesson") lessons.show(value);
  return name === "lesson" && lessons.now?.id !== lessons.all[0]?.id;
}

// The frame of the page.

// welcome shows how to begin to those who come for the first time.
const welcomed = "lockstep-welcomed";

function hideWelcome() {
  byId("welcome").hidden = true;
  try {
    localStorage.setItem(welcomed, "yes");
  } catch {
    // It is shown again.
  }
}

function welcome() {
  let known = false;
  try {
    known = localStorage.getItem(welcomed) === "yes";
  } catch {
    // As for somebody new.
  }
  byId("welcome").hidden = known;
  byId("welcomed").addEventListener("click", () => {
    hideWelcome();
    byId("run").focus();
  });
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("lockstep-theme", theme);
  } catch {
    // Browsers without storage forget it.
  }
}

function wire() {
  for (const kind of ["run", "check", "explore", "grade"])
    byId(kind).addEventListener("click", () => execute(kind));
  byId("step").addEventListener("click", () => startStepping());
  byId("stop").addEventListener("click", () => engine.stop());
  byId("link").addEventListener("click", copyLink);
  byId("keys").addEventListener("click", openHelp);
  byId("theme").addEventListener("change", (event) => setTheme(event.target.value));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      execute(event.shiftKey ? "check" : "run");
    } else if (event.key === "." && !byId("stop").disabled) {
      event.preventDefault();
      engine.stop();
    }
  });
  window.addEventListener("hashchange", () => {
    if (ready) openFragment();
  });
}

async function begin() {
  let theme = "";
  try {
    theme = localStorage.getItem("lockstep-theme") ?? "";
  } catch {
    // As above.
  }
  byId("theme").value = theme;
  document.documentElement.dataset.theme = theme;
  wire();
  welcome();
  buildHelp();
  for (const view of views) {
    if (hints[view]) byId(`${view}-view`).replaceChildren(h("p", { class: "empty" }, hints[view]));
  }
  resultTabs.choose("tab-lesson");
  paneTabs.choose("tab-pane-results");
  try {
    await engine.load((bytes) => say(`Loading lockstep … ${(bytes / 1e6).toFixed(1)} MB`));
    const { lessons: list } = await engine.call({ op: "lessons" });
    lessons.set(list ?? []);
    ready = true;
    const fragment = location.hash;
    for (const id of ["run", "check", "explore", "step", "grade"]) byId(id).disabled = false;
    lessons.show(/^#lesson=(\w+)/.exec(fragment)?.[1] ?? list[0]?.id);
    if (!(await openFragment(fragment)) && !(await restore())) {
      const first = lessons.now?.examples.find((e) => e.source && e.args?.[0] === "run");
      if (first) await openExample({ lesson: lessons.now, example: first });
      show("lesson");
    }
    say("Ready: press Run, or Ctrl Enter.");
    document.body.dataset.ready = "yes";
    const { version } = await engine.call({ op: "version" }, { quiet: true });
    byId("version").textContent = version?.text ?? "";
  } catch (failure) {
    failed(failure);
  }
}

begin();
