// The view that steps through a launch, forwards and backwards.

import { h, button, byId, plural, say, triple } from "./dom.js";
import { Grid, memoryTable } from "./grid.js";
import { accessesView } from "./pictures.js";
import { findingCard, placeLink } from "./results.js";
import { launchesPart, pipesPart } from "./several.js";
import { Track } from "./track.js";

const kinds = [
  ["over", "Over", "n"],
  ["into", "Into", "s"],
  ["out", "Out", "f"],
  ["instruction", "Instr", "i"],
  ["continue", "Continue", "c"],
];

const pageSize = 256; // elements of a table of memory

export class Stepper {
  #session = 0;
  #state = null;
  #expand = new Set();
  #watches = []; // expressions whose memory stops
  #expressions = []; // that are shown
  #conditions = new Map(); // by line
  #memory = { name: "", first: 0 };
  #wanted = null; // the tick that the scrubber waits for
  #busy = false;
  #locals = new Set();
  #last = Promise.resolve();

  // call(request) asks the engine; editor shows places; begin() asks for a new session.
  // tracked(element) is called with the timeline of the session, and null when there is none.
  constructor({ view, call, editor, begin, failed, tracked }) {
    Object.assign(this, { view, call, editor, begin, failed });
    this.track = new Track({ call, goto: (tick) => this.goto(tick), drawn: tracked });
    this.context = { file: "", goto: (line, column) => editor.goto(line, column) };
    this.#build();
    this.reset();
  }

  get open() {
    return this.#session !== 0;
  }

  #build() {
    this.grid = new Grid({ select: (item) => this.#ask({ op: "debugSelect", item }) });
    const row = (back) =>
      h(
        "div",
        { class: "row", role: "group", "aria-label": back ? "Backwards" : "Forwards" },
        h("span", { class: "small way", "aria-hidden": "true" }, back ? "◀ back" : "forth ▶"),
        kinds.map(([kind, name, key]) =>
          button(name, () => this.step(kind, back), {
            id: `step-${kind}${back ? "-back" : ""}`,
            title: `Key: ${back ? key.toUpperCase() : key}`,
            "aria-label": `${name}${kind === "instruction" ? "uction" : ""}${back ? ", backwards" : ""}`,
            "aria-keyshortcuts": back ? `Shift+${key}` : key,
          }),
        ),
      );
    this.scope = h(
      "select",
      { id: "step-scope" },
      [
        ["lane", "work-item"],
        ["wave", "wave"],
        ["group", "work-group"],
      ].map(([value, text]) => h("option", { value }, text)),
    );
    this.range = h("input", {
      type: "range",
      id: "scrubber",
      min: "0",
      max: "1",
      value: "0",
      step: "1",
      "aria-label": "Logical clock",
      on: { input: () => this.#scrub(Number(this.range.value)) },
    });
    this.clock = h("output", { for: "scrubber", id: "clock" });
    this.text = h("p", { id: "step-text", class: "where" });
    this.expression = h("input", {
      type: "text",
      id: "step-all",
      spellcheck: "false",
      placeholder: "tile[i]",
      on: { change: () => this.#ask({ op: "debugSelect" }) },
    });
    this.parts = {};
    for (const name of [
      "findings",
      "launches",
      "pipes",
      "waves",
      "variables",
      "frames",
      "memory",
      "access",
      "copies",
      "stops",
      "output",
    ]) {
      this.parts[name] = h("section", { class: `card part-${name}` });
    }
    this.parts.access.classList.remove("card");
    this.timeline = this.track.small;
    const p = this.parts;
    this.controls = h(
      "div",
      { class: "controls" },
      row(false),
      row(true),
      h(
        "div",
        { class: "row" },
        h("label", { for: "step-scope", class: "small" }, "A step is one of a"),
        this.scope,
        button("End", () => this.step("finish", false), { "aria-label": "Run to the end" }),
        button("Start again", () => this.begin()),
        button("Close", () => this.close()),
      ),
      h("div", { class: "row scrub" }, this.range, this.clock),
    );
    this.body = h(
      "div",
      { class: "step" },
      this.controls,
      this.text,
      p.findings,
      h("div", { class: "two" }, p.launches, p.pipes),
      h(
        "section",
        { class: "card", "aria-label": "Work-items" },
        h("h4", {}, "Work-items", h("span", { id: "step-group", class: "small" })),
        h(
          "div",
          { class: "row" },
          h("label", { for: "step-all" }, "show"),
          this.expression,
          h("span", { class: "small", id: "step-all-error" }),
        ),
        h("div", { class: "scroll" }, this.grid.element),
        this.grid.legend,
      ),
      this.timeline,
      h("div", { class: "two" }, p.waves, p.frames),
      h("div", { class: "two" }, p.variables, p.stops),
      p.memory,
      p.access,
      p.copies,
      p.output,
    );
    this.body.addEventListener("keydown", (event) => this.#key(event));
    this.empty = h(
      "div",
      { class: "empty" },
      h(
        "p",
        {},
        "Step through the kernel, line by line, forwards and backwards: what each work-item does, who " +
          "waits at a barrier, what memory holds.",
      ),
      button("Start", () => this.begin(), { id: "step-start", class: "main" }),
    );
  }

  #key(event) {
    if (
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
    )
      return;
    const found = kinds.find(([, , key]) => key === event.key.toLowerCase());
    if (!found) return;
    event.preventDefault();
    this.step(found[0], event.shiftKey);
  }

  // reset shows that there is no session.
  reset() {
    this.#session = 0;
    this.#state = null;
    this.#wanted = null;
    this.track.close();
    this.editor.mark({ now: 0, waves: new Map() });
    this.view.replaceChildren(this.empty);
  }

  async close() {
    const session = this.#session;
    this.reset();
    this.empty.querySelector("button").focus();
    if (session) await this.call({ op: "debugClose", session }).catch(() => {});
  }

  // start opens a session for a launch. locals are the parameters that point to local memory.
  async start(launch, file, locals) {
    this.context.file = file;
    this.#locals = new Set(locals);
    this.track.close();
    this.#expand.clear();
    this.#memory = { name: "", first: 0 };
    const response = await this.call({ op: "debugOpen", launch, view: this.#view() });
    if (!response.state) throw new Error(response.error || "the launch cannot be stepped through");
    this.#session = response.state.session;
    this.view.replaceChildren(this.body);
    this.#show(response.state);
    byId("step-over").focus();
    if (this.editor.breakpoints.length || this.#watches.length) await this.setBreakpoints();
    else if (!this.#memory.name && this.#chooseMemory()) await this.#ask({ op: "debugSelect" });
    this.track.begin(response.state).catch((failure) => this.track.fail(failure.message));
  }

  // #memories are pairs of a memory and whether it is local; local ones come first.
  #memories(state) {
    const buffers = (state.buffers ?? []).map((memory) => [memory, this.#locals.has(memory.name)]);
    const all = [...(state.lds ?? []).map((memory) => [memory, true]), ...buffers];
    return all.sort((a, b) => b[1] - a[1]);
  }

  #chooseMemory() {
    const state = this.#state;
    if (!state) return false;
    const names = this.#memories(state).map(([memory]) => memory.name);
    if (names.includes(this.#memory.name) || !names.length) return false;
    this.#memory = { name: names[0], first: 0 };
    return true;
  }

  #view() {
    const { name, first } = this.#memory;
    return {
      all: this.expression.value.trim() || undefined,
      watch: this.#expressions,
      expand: [...this.#expand],
      tables: name ? [{ name, first, count: pageSize }] : undefined,
      disassembly: 0,
    };
  }

  // #ask sends a request of the session and shows the state that comes. Requests go one after the other;
  // steps that come while one is under way, as of a key that is held down, are left out.
  #ask(request, { quiet = false } = {}) {
    if (!this.#session || (this.#busy && request.op === "debugStep")) return this.#last;
    this.#last = this.#last.then(() => this.#send(request, quiet));
    return this.#last;
  }

  async #send(request, quiet) {
    if (!this.#session) return;
    this.#busy = true;
    try {
      const response = await this.call({ ...request, session: this.#session, view: this.#view() });
      if (response.error) say(response.error);
      if (response.state) {
        this.#show(response.state, quiet);
        if (this.#chooseMemory()) {
          const again = await this.call({ op: "debugSelect", session: this.#session, view: this.#view() });
          if (again.state) this.#show({ ...again.state, text: response.state.text }, true);
        }
      }
    } catch (failure) {
      this.failed(failure);
    } finally {
      this.#busy = false;
    }
    if (this.#wanted !== null && this.#session) {
      const tick = this.#wanted;
      this.#wanted = null;
      await this.#send({ op: "debugGoto", tick }, true);
    }
  }

  // goto goes to a tick that somebody has chosen in the timeline.
  goto(tick) {
    return this.#ask({ op: "debugGoto", tick });
  }

  step(kind, back) {
    return this.#ask({ op: "debugStep", step: { kind, scope: this.scope.value, back: back || undefined } });
  }

  #scrub(tick) {
    this.clock.textContent = this.#clockText(tick);
    this.#wanted = tick;
    if (this.#busy) return;
    this.#wanted = null;
    this.#ask({ op: "debugGoto", tick }, { quiet: true });
  }

  // changed says that the source is no longer the one that runs here.
  changed() {
    if (!this.open) return;
    this.text.replaceChildren("The source has changed since: Start again steps through the new one.");
  }

  // setBreakpoints sends those of the editor and the watchpoints.
  async setBreakpoints() {
    const lines = this.editor.breakpoints;
    const breakpoints = [
      ...lines.map((line) => ({ line, condition: this.#conditions.get(line) || undefined })),
      ...this.#watches.map((watch) => ({ watch })),
    ];
    await this.#ask({ op: "debugBreakpoints", breakpoints }, { quiet: true });
    const set = (this.#state?.breakpoints ?? []).slice(0, lines.length);
    if (set.length !== lines.length || set.some((b) => !b.line)) return;
    lines.forEach((line, i) => {
      const condition = this.#conditions.get(line);
      if (condition && set[i].line !== line) {
        this.#conditions.delete(line);
        this.#conditions.set(set[i].line, condition);
      }
    });
    this.editor.setBreakpoints(set.map((b) => b.line));
  }

  #clockText(tick) {
    const end = this.#state?.end;
    return end ? `tick ${tick} of ${end}` : `tick ${tick}`;
  }

  #show(state, quiet = false) {
    state.text ||= `tick ${state.tick}`;
    // The debugger calls the memory that a pointer leads to &tile.
    for (const access of state.accesses ?? []) access.memory = access.memory?.replace(/^&/, "");
    const focused = this.body.contains(document.activeElement) && document.activeElement;
    const card = focused && focused.closest(".card");
    this.#state = state;
    this.range.max = String(Math.max(state.end || state.end_limit || 1, state.tick));
    this.range.value = String(state.tick);
    this.range.setAttribute("aria-valuetext", this.#clockText(state.tick));
    this.clock.textContent = this.#clockText(state.tick);
    this.track.head(state.tick);
    const place = state.frames?.[0]?.place;
    // Where several kernels run, a step may go from one to another.
    const kernel = state.launches?.length && !state.ended ? `kernel ${state.kernel}` : "";
    this.text.replaceChildren(
      [state.text, kernel].filter(Boolean).join(", "),
      " ",
      place?.line ? placeLink(place, this.context) : "",
    );
    const item = state.items?.[state.current];
    byId("step-group").textContent =
      state.begun && !state.ended
        ? ` of group ${triple(state.group)}` +
          (kernel ? ` of ${kernel}` : `, ${state.groups_over} of ${plural(state.groups, "group")} over`)
        : "";
    byId("step-all-error").textContent = state.all?.error ?? "";
    this.grid.show(state);
    for (const [name, part] of Object.entries(this.parts)) {
      const content = this[`_${name}`](state);
      part.hidden = !content;
      part.replaceChildren(...(content ?? []));
    }
    const waves = new Map();
    for (const wave of state.waves ?? []) {
      if (!wave.next?.line) continue;
      waves.set(
        wave.next.line,
        [waves.get(wave.next.line), `wave ${wave.number}`].filter(Boolean).join(", "),
      );
    }
    this.editor.mark({ now: place?.line ?? 0, waves });
    if (place?.line) this.editor.show(place.line);
    // What had the focus may have been drawn anew, or be gone: then its card has it.
    if (focused && !focused.isConnected) {
      const { key } = focused.dataset;
      (
        (key && this.body.querySelector(`[data-key="${CSS.escape(key)}"]`)) ||
        (card && !card.hidden && (card.querySelector("input") ?? card.querySelector("button"))) ||
        byId("step-over")
      ).focus();
    }
    if (!quiet) {
      say(
        [
          state.text,
          kernel,
          place?.line && `line ${place.line}`,
          item && `work-item ${triple(item.global.slice(0, state.dim))}`,
        ]
          .filter(Boolean)
          .join(", "),
      );
    }
  }

  _findings(state) {
    return state.findings?.length
      ? [h("h4", {}, "Found here"), ...state.findings.map((finding) => findingCard(finding, this.context))]
      : null;
  }

  _launches(state) {
    return launchesPart(state, (launch, id) => this.#ask({ op: "debugSelect", group: { launch, id } }));
  }

  _pipes(state) {
    return pipesPart(state, this.context);
  }

  _waves(state) {
    if (!state.waves?.length) return null;
    return [
      h("h4", {}, "Waves"),
      h(
        "ul",
        { class: "plain waves" },
        state.waves.map((wave) => {
          const counts = {};
          for (const lane of wave.mask) counts[lane] = (counts[lane] ?? 0) + 1;
          const words = {
            "#": "active",
            w: "waiting for others",
            b: "at a barrier",
            p: "at a pipe",
            h: "held",
            ".": "ended",
          };
          const says = Object.entries(counts)
            .map(([lane, n]) => `${n} ${words[lane] ?? lane}`)
            .join(", ");
          const mask = wave.mask.length > 64 ? wave.mask.slice(0, 64) + "…" : wave.mask;
          return h(
            "li",
            { class: wave.turn ? "turn" : null },
            `${wave.turn ? "▶ " : ""}wave ${wave.number} `,
            h("code", { class: "mask", role: "img", "aria-label": says }, mask),
            " ",
            wave.next?.line ? h("span", { class: "small" }, "next ", placeLink(wave.next, this.context)) : "",
          );
        }),
      ),
      (state.barriers ?? []).map((barrier) =>
        h(
          "p",
          { class: "small" },
          `At the barrier of the ${barrier.scope}, `,
          placeLink(barrier.place, this.context),
          `: ${plural(barrier.items.length, "work-item")} ${barrier.items.length === 1 ? "waits" : "wait"}` +
            (barrier.missing.length
              ? `, ${barrier.missing.length} have not come: ${barrier.missing.slice(0, 12).join(", ")}` +
                (barrier.missing.length > 12 ? " …" : "")
              : ""),
        ),
      ),
    ].flat();
  }

  _frames(state) {
    if (!state.frames?.length) return null;
    return [
      h("h4", {}, "Calls"),
      h(
        "ol",
        { class: "plain" },
        state.frames.map((frame, i) =>
          h(
            "li",
            {},
            button(frame.function || "kernel", () => this.#ask({ op: "debugSelect", frame: i }), {
              class: "link",
              "aria-current": i === state.frame || null,
              data: { key: `frame-${i}` },
            }),
            " ",
            placeLink(frame.place, this.context),
          ),
        ),
      ),
    ];
  }

  #variable(variable) {
    const open = this.#expand.has(variable.path);
    const name =
      variable.parts > 0
        ? button(
            `${open ? "▾" : "▸"} ${variable.name}`,
            () => {
              if (!this.#expand.delete(variable.path)) this.#expand.add(variable.path);
              this.#ask({ op: "debugSelect" }, { quiet: true });
            },
            { class: "link", "aria-expanded": open, data: { key: `var-${variable.path}` } },
          )
        : variable.name;
    return h(
      "li",
      {},
      h(
        "div",
        { class: variable.changed ? "variable changed" : "variable" },
        h("span", { class: "name" }, name),
        " ",
        variable.error ? h("span", { class: "small" }, variable.error) : h("code", {}, variable.value),
        variable.changed && h("span", { class: "hidden" }, " (changed)"),
        " ",
        h("span", { class: "small type" }, variable.type),
        button(
          "grid",
          () => {
            this.expression.value = variable.path;
            this.#ask({ op: "debugSelect" });
          },
          {
            class: "tiny",
            "aria-label": `Show ${variable.path} for all work-items`,
            data: { key: `grid-${variable.path}` },
          },
        ),
      ),
      open &&
        variable.children?.length > 0 &&
        h(
          "ul",
          { class: "plain" },
          variable.children.map((child) => this.#variable(child)),
        ),
    );
  }

  _variables(state) {
    if (!state.begun || state.ended) return null;
    const input = h("input", {
      type: "text",
      id: "step-watch",
      placeholder: "tile[place + 1]",
      spellcheck: "false",
      "aria-label": "Expression to show",
      data: { key: "watch" },
    });
    const add = (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      this.#expressions.push(input.value.trim());
      this.#ask({ op: "debugSelect" }, { quiet: true });
    };
    const item = state.items?.[state.current];
    return [
      h(
        "h4",
        {},
        "Variables",
        item && h("span", { class: "small" }, ` of work-item ${triple(item.global.slice(0, state.dim))}`),
      ),
      h(
        "ul",
        { class: "plain variables" },
        (state.variables ?? []).map((variable) => this.#variable(variable)),
      ),
      h(
        "ul",
        { class: "plain variables" },
        (state.watch ?? []).map((value, i) =>
          h(
            "li",
            {},
            h(
              "div",
              { class: "variable" },
              h("span", { class: "name" }, value.expression),
              " ",
              value.error ? h("span", { class: "small" }, value.error) : h("code", {}, value.value),
              " ",
              h("span", { class: "small type" }, value.type ?? ""),
              button(
                "×",
                () => {
                  this.#expressions.splice(i, 1);
                  this.#ask({ op: "debugSelect" }, { quiet: true });
                },
                { class: "tiny", "aria-label": `Show ${value.expression} no more` },
              ),
            ),
          ),
        ),
      ),
      h("form", { class: "row", on: { submit: add } }, input, h("button", {}, "Show")),
    ];
  }

  _stops(state) {
    const input = h("input", {
      type: "text",
      id: "step-stop",
      placeholder: "tile[4]",
      spellcheck: "false",
      "aria-label": "Memory that stops when it is written",
      data: { key: "stop" },
    });
    const add = (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      this.#watches.push(input.value.trim());
      this.setBreakpoints();
    };
    const hits = new Set(state.hit ?? []);
    const lines = this.editor.breakpoints.length;
    return [
      h("h4", {}, "Where it stops"),
      h(
        "ul",
        { class: "plain" },
        (state.breakpoints ?? []).map((b, i) =>
          h(
            "li",
            { class: hits.has(b.number) ? "hit" : null },
            b.watch ? `writes of ${b.watch}` : placeLink({ line: b.line }, this.context),
            h("span", { class: "small" }, ` ${b.hits ? plural(b.hits, "hit") : ""} ${b.error ?? ""}`),
            !b.watch &&
              h("input", {
                type: "text",
                value: b.condition ?? "",
                placeholder: "if …",
                spellcheck: "false",
                "aria-label": `Condition of the breakpoint on line ${b.line}`,
                class: "condition",
                on: {
                  change: (event) => {
                    this.#conditions.set(b.line, event.target.value.trim());
                    this.setBreakpoints();
                  },
                },
              }),
            button(
              "×",
              () => {
                if (b.watch) {
                  this.#watches.splice(i - lines, 1);
                  this.setBreakpoints();
                } else this.editor.toggleBreakpoint(b.line);
              },
              {
                class: "tiny",
                "aria-label": b.watch
                  ? `Do not stop at ${b.watch}`
                  : `Remove the breakpoint on line ${b.line}`,
              },
            ),
          ),
        ),
      ),
      (state.watchpoints ?? []).map((hit) =>
        h(
          "p",
          { class: "small" },
          !hit.old
            ? `${hit.new} `
            : `${hit.text} was ${hit.old} and is ${hit.new}, by work-item ${hit.item}` +
                `${hit.kernel ? ` of kernel ${hit.kernel}` : ""}, `,
          placeLink(hit.place, this.context),
        ),
      ),
      h("p", { class: "small" }, "A click on a line number, or F9 in the editor, stops at a line."),
      h("form", { class: "row", on: { submit: add } }, input, h("button", {}, "Stop at writes")),
    ].flat();
  }

  _memory(state) {
    const all = this.#memories(state);
    if (!all.length) return null;
    const table = (state.tables ?? [])[0];
    const local = all.some(([memory, lds]) => lds && memory.name === table?.name);
    const move = (by) =>
      button(
        by < 0 ? "◀" : "▶",
        () => {
          this.#memory.first = Math.max(0, this.#memory.first + by * pageSize);
          this.#ask({ op: "debugSelect" }, { quiet: true });
        },
        {
          "aria-label": by < 0 ? "Elements before these" : "Elements after these",
          data: { key: `page${by}` },
        },
      );
    return [
      h("h4", {}, "Memory"),
      h(
        "div",
        { class: "row" },
        h(
          "select",
          {
            "aria-label": "Memory to show",
            data: { key: "memory" },
            on: {
              change: (event) => {
                this.#memory = { name: event.target.value, first: 0 };
                this.#ask({ op: "debugSelect" }, { quiet: true });
              },
            },
          },
          all.map(([memory, lds]) =>
            h(
              "option",
              { value: memory.name, selected: memory.name === this.#memory.name },
              `${memory.name} (${lds ? "local, " : ""}${plural(memory.bytes, "byte")})`,
            ),
          ),
        ),
        table && table.count > pageSize && [move(-1), move(1)],
      ),
      table && memoryTable(table, { local, accesses: state.accesses ?? [] }),
    ].filter(Boolean);
  }

  _access(state) {
    const accesses = (state.accesses ?? []).filter((access) => access.lanes?.length);
    return accesses.length
      ? [h("h4", {}, "The access to memory that has just happened"), ...accessesView(accesses, this.context)]
      : null;
  }

  _copies(state) {
    if (!state.copies?.length && !state.marks?.length) return null;
    return [
      h("h4", {}, "Copies in flight"),
      h(
        "ul",
        { class: "plain" },
        (state.copies ?? []).map((copy) =>
          h(
            "li",
            {},
            copy.text,
            " ",
            placeLink(copy.place, this.context),
            h("progress", {
              max: copy.bytes,
              value: copy.moved,
              "aria-label": `${copy.moved} of ${copy.bytes} bytes`,
            }),
            h("span", { class: "small" }, ` ${copy.moved} of ${plural(copy.bytes, "byte")}`),
          ),
        ),
        (state.marks ?? []).map((mark) =>
          h("li", {}, `wave ${mark.wave}: ${mark.text} `, placeLink(mark.place, this.context)),
        ),
      ),
    ];
  }

  _output(state) {
    const text = [state.output, state.outputs].filter(Boolean).join("");
    const cut = text.length > 20000 ? `… ${text.slice(-20000)}` : text;
    return text ? [h("h4", {}, "Printed"), h("pre", { tabindex: "0" }, cut)] : null;
  }
}
