// Timelines: what waves, copies, barriers and pipes did on the logical clock. A timeline of a debug session
// has a playhead, and a click goes to a tick.
//
// Each timeline is a slider: the pointer, or the arrow keys, choose a tick, and a text below says what
// happens there. A table has all of it.

import { byId, h, s, plural, table } from "./dom.js";

const activities = {
  run: "runs",
  issue: "begins a copy",
  mark: "sets a mark",
  "copy-wait": "waits for a copy",
  "barrier-wait": "waits at a barrier",
  "pipe-wait": "waits at a pipe",
  waits: "waits for other lanes",
  idle: "not its turn",
  barrier: "the barrier opens",
  copy: "a copy moves",
  copies: "copies move",
  "waits-packets": "waits for packets",
  "waits-room": "waits for room",
  "gave-way": "gave way",
  level: "packets in the pipe",
  group: "work-group",
  write: "packets go into the pipe",
  read: "packets come out",
};

const top = 24; // pixels for the ticks
const mostRows = 1000; // of a table

// covers says whether a tick is in a span or a note.
const covers = (part, tick) => part.from <= tick && tick < Math.max(part.to, part.from + 1);

// shape draws a span or a note of a row that begins at y and is so many pixels high.
function shape(part, kind, x, y, room) {
  const from = x(part.from),
    wide = Math.max(1.5, x(part.to) - from);
  if (kind === "write" || kind === "read") {
    // Packets fall in from above, and out below.
    const [base, tip] = kind === "write" ? [y - 3, y + 4] : [y + room - 1, y + room + 6];
    return s("path", { d: `M${from - 4} ${base}h8l-4 ${tip - base}z`, class: `tl-${kind}` });
  }
  let share = 1; // of the room
  if (kind === "level") share = (part.tenths ?? 0) / 10;
  else if (kind === "run" && part.size) share = Math.max(0.2, (part.lanes ?? 0) / part.size);
  return s("rect", {
    x: from.toFixed(2),
    y: (y + room * (1 - share)).toFixed(2),
    width: wide.toFixed(2),
    height: (room * share).toFixed(2),
    class: `tl-${kind}`,
  });
}

// axis draws lines at round ticks.
function axis(timeline, x, width, height) {
  const ticks = Math.max(1, timeline.end - timeline.start);
  let unit = 10 ** Math.floor(Math.log10(ticks / (width / 70)) + 1);
  if (ticks / unit < width / 140) unit /= 2;
  unit = Math.max(1, Math.round(unit));
  const marks = [];
  for (let tick = Math.ceil(timeline.start / unit) * unit; tick <= timeline.end; tick += unit) {
    marks.push(
      s("line", { x1: x(tick), x2: x(tick), y1: top - 6, y2: height, class: "tl-grid" }),
      s("text", { x: x(tick), y: 12, class: "tl-tick" }, String(tick)),
    );
  }
  return marks;
}

// happens says what happens in a row at a tick.
function happens(row, tick) {
  const texts = (row.notes ?? []).filter((note) => covers(note, tick)).map((note) => note.text);
  const span = row.spans.find((one) => covers(one, tick));
  // A note about a wait or a level says what the span says, and more.
  if (span && !(row.notes ?? []).some((note) => covers(note, tick) && !/^(write|read)$/.test(note.kind)))
    texts.unshift(span.text);
  if (span?.activity === "group") return texts.join(", ");
  return texts.length ? `${row.name}: ${texts.join(", ")}` : "";
}

export class Timeline {
  #head = null; // the tick at which the debugger stands
  #at; // the tick that the slider has

  // goto(tick), where there is one, goes to a tick that somebody chooses.
  constructor(timeline, { zoom = 1, goto = null, title = timeline.name, compact = false } = {}) {
    Object.assign(this, { timeline, goto, title });
    this.#at = timeline.start;
    const row = compact ? 18 : 26;
    this.room = row - 6;
    const ticks = Math.max(1, timeline.end - timeline.start);
    // A timeline is as wide as the view, unless somebody wants it wider.
    const view = byId("results").clientWidth || 720;
    const names = view < 500 ? 96 : 150; // pixels for the names of rows
    const width = Math.min(12000, Math.max(160, Math.min(900, view - names - 90)) * zoom);
    this.names = names;
    this.x = (tick) => names + ((tick - timeline.start) / ticks) * width;
    this.tick = (x) => {
      const step = timeline.step || 1;
      const tick = timeline.start + Math.floor(((x - names) / width) * ticks);
      return Math.min(
        Math.max(timeline.start, tick - ((tick - timeline.start) % step)),
        Math.max(timeline.start, timeline.end - 1),
      );
    };
    const height = top + timeline.rows.length * row + 8;
    this.cursor = s("line", { y1: top - 4, y2: height, class: "tl-cursor", visibility: "hidden" });
    this.mark = s(
      "g",
      { class: "tl-head", visibility: "hidden" },
      s("path", { d: `M-5 ${top - 9}h10l-5 7z` }),
      s("line", { y1: top - 4, y2: height }),
    );
    this.says = h("p", { class: "small tl-says" }, this.#hint());
    this.svg = s(
      "svg",
      {
        width: names + width + 16,
        height,
        role: "slider",
        tabindex: "0",
        class: `picture timeline${goto ? " goes" : ""}`,
        "aria-label": `Timeline of ${title}`,
        "aria-valuemin": timeline.start,
        "aria-valuemax": Math.max(timeline.start, timeline.end - 1),
      },
      axis(timeline, this.x, width, height),
      timeline.rows.map((line, i) => this.#row(line, top + i * row, width)),
      this.cursor,
      this.mark,
    );
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.svg.addEventListener("pointermove", (event) => this.#point(this.#tickOf(event)));
    this.svg.addEventListener("pointerleave", () => {
      if (document.activeElement !== this.svg) this.#rest();
    });
    this.svg.addEventListener("focus", () => this.#point(this.#head ?? this.#at));
    this.svg.addEventListener("blur", () => this.#rest());
    if (goto) this.svg.addEventListener("click", (event) => goto(this.#tickOf(event)));
    this.scroll = h("div", { class: "scroll" }, this.svg);
    this.#describe(this.#at);
    this.element = h(
      "section",
      { class: "card", "aria-label": `Timeline of ${title}` },
      h("h4", {}, title),
      this.scroll,
      this.says,
      this.#legend(),
      timeline.more > 0 && h("p", { class: "small" }, `${plural(timeline.more, "row")} more`),
      !compact && this.#table(),
    );
  }

  #hint() {
    const goes = this.goto ? " A click, or Enter, goes there." : "";
    return `Point at a tick, or use the arrow keys in the picture, to read what happens there.${goes}`;
  }

  #short(name) {
    const most = Math.floor(this.names / 7);
    return name.length > most ? `${name.slice(0, most - 1)}…` : name;
  }

  #row(line, y, width) {
    return s(
      "g",
      {},
      s("text", { x: this.names - 8, y: y + this.room - 5, class: "tl-name" }, this.#short(line.name)),
      s("rect", { x: this.names, y, width, height: this.room, class: "tl-track" }),
      line.spans.map((span) => shape(span, span.activity, this.x, y, this.room)),
      (line.notes ?? [])
        .filter((note) => note.kind === "write" || note.kind === "read")
        .map((note) => shape(note, note.kind, this.x, y, this.room)),
    );
  }

  #tickOf(event) {
    return this.tick(event.clientX - this.svg.getBoundingClientRect().left);
  }

  // text says what happens at a tick, in all rows.
  text(tick) {
    if (tick >= this.timeline.end) return `Tick ${tick}. The timeline ends here.`;
    // Those that only wait for their turn are counted.
    const idle = (row) => row.spans.find((span) => covers(span, tick))?.activity === "idle";
    const all = this.timeline.rows;
    const rows = all
      .filter((row) => !idle(row))
      .map((row) => happens(row, tick))
      .filter(Boolean);
    const waits = all.filter(idle);
    if (waits.length === 1) rows.push(happens(waits[0], tick));
    else if (waits.length > 1) rows.push(`${waits.length} others: not their turn`);
    // Of several ticks, the first was looked at.
    const near = (tick - this.timeline.start) % (this.timeline.step || 1) ? "Near tick" : "Tick";
    return `${near} ${tick}. ${rows.join("; ") || "Nothing happens"}.`;
  }

  #describe(tick) {
    this.svg.setAttribute("aria-valuenow", tick);
    this.svg.setAttribute("aria-valuetext", this.text(tick));
  }

  #point(tick) {
    this.#at = tick;
    const x = this.x(tick);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.cursor.setAttribute("visibility", "visible");
    this.says.textContent = this.text(tick);
    this.#describe(tick);
  }

  #rest() {
    this.cursor.setAttribute("visibility", "hidden");
    if (this.#head === null) this.says.textContent = this.#hint();
    else {
      this.#at = this.#head;
      this.says.textContent = this.text(this.#head);
      this.#describe(this.#head);
    }
  }

  #key(event) {
    const { start, end, step = 1 } = this.timeline;
    const page = Math.max(step, Math.round((end - start) / 10 / step) * step);
    const by = { ArrowLeft: -step, ArrowRight: step, PageDown: page, PageUp: -page }[event.key];
    let to = this.#at;
    if (by) to += by;
    else if (event.key === "Home") to = start;
    else if (event.key === "End") to = end - 1;
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.goto?.(this.#at);
    else {
      this.#point(Math.min(Math.max(start, to), Math.max(start, end - 1)));
      this.#reveal(this.#at);
    }
  }

  // #reveal scrolls a tick into sight.
  #reveal(tick) {
    const x = this.x(tick),
      box = this.scroll;
    if (x < box.scrollLeft + this.names || x > box.scrollLeft + box.clientWidth - 20)
      box.scrollLeft = x - box.clientWidth / 2;
  }

  // head puts the playhead to a tick; null takes it away.
  head(tick) {
    this.#head = tick;
    const { start, end } = this.timeline;
    const there = tick !== null && tick >= start && tick <= end;
    this.mark.setAttribute("visibility", there ? "visible" : "hidden");
    if (!there) return;
    this.mark.setAttribute("transform", `translate(${this.x(tick)} 0)`);
    this.#reveal(tick);
    if (document.activeElement !== this.svg) this.#rest();
    else this.#point(Math.min(tick, Math.max(start, end - 1)));
  }

  #legend() {
    const kinds = new Set(this.timeline.rows.flatMap((line) => line.spans.map((span) => span.activity)));
    for (const line of this.timeline.rows)
      for (const note of line.notes ?? []) if (/^(write|read)$/.test(note.kind)) kinds.add(note.kind);
    return h(
      "ul",
      { class: "legend" },
      [...kinds].map((kind) =>
        h(
          "li",
          {},
          s(
            "svg",
            { width: 14, height: 14, "aria-hidden": "true" },
            kind === "write" || kind === "read"
              ? s("path", { d: "M2 3h10l-5 8z", class: `tl-${kind}` })
              : s("rect", { width: 14, height: 14, class: `tl-${kind}` }),
          ),
          activities[kind] ?? kind,
        ),
      ),
      this.goto && h("li", {}, "The lower a wave's bar, the fewer of its lanes are active."),
    );
  }

  // #table is filled when it is opened: it may be long.
  #table() {
    const details = h("details", {}, h("summary", {}, "As a table"));
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      const rows = this.timeline.rows.flatMap((line) =>
        [...line.spans, ...(line.notes ?? [])]
          .sort((a, b) => a.from - b.from || a.to - b.to)
          .map((part) => [line.name, String(part.from), String(part.to), part.text]),
      );
      details.append(
        table(`Timeline of ${this.title}`, ["Row", "From tick", "To tick", "What"], rows.slice(0, mostRows)),
      );
      if (rows.length > mostRows)
        details.append(h("p", { class: "small" }, `${plural(rows.length - mostRows, "row")} more`));
    });
    return details;
  }
}
