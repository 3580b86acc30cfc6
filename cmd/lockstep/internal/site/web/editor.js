// The editor: a text area, which brings undo, selection and the habits of each system, over a layer that
// shows the same text with colours, and beside a gutter with breakpoints, counts and marks.

import { h, later, rove } from "./dom.js";
import { columnOf, tokensByLine } from "./tokens.js";

// Lines beyond these are shown without colours, so that a text of a megabyte does not hang the page.
const colouredLines = 4000;

// Of a text of more lines, those in sight and some around them are drawn.
const drawnLines = 1000;
const linesAround = 100;

// A text that would be longer is refused: the text area of a browser is slow with more.
export const longestText = 500000; // characters

// inWindow makes a list of what stands for lines, from the first one on, one for the lines from a number to
// another. Elements of lines that stay are kept, as is their focus.
function inWindow(list, first, from, to) {
  const kept = new Map();
  list.forEach((entry, i) => {
    const line = first + i;
    if (entry && line >= from && line < to) kept.set(line, entry);
    else entry?.element.remove();
  });
  return Array.from({ length: to - from }, (_, i) => kept.get(from + i));
}

// insert puts the element of entry i of a list to its place in a container.
function insert(container, list, i, element) {
  let next = i + 1;
  while (next < list.length && !list[next]) next++;
  container.insertBefore(element, list[next]?.element ?? null);
}

export class Editor {
  #lines = []; // of the layer: {key, element}
  #rows = []; // of the gutter: {key, element}
  #from = 0; // the first line that is drawn, from 0
  #marks = { diagnostics: [], findings: new Map(), heat: new Map(), now: 0, waves: new Map() };
  #breakpoints = new Set();
  // Tab goes through the editor until somebody has pressed another key or a button of the mouse in it.
  #entered = false;

  // changed() is called when somebody has written, breakpoints() when these have changed, and refused() for a
  // text that is too long.
  constructor(place, { changed, breakpoints, refused }) {
    this.changed = changed;
    this.breakpointsChanged = breakpoints;
    this.layer = h("div", { class: "layer", "aria-hidden": "true" });
    this.text = h("textarea", {
      id: "source",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      autocorrect: "off",
      wrap: "off",
      "aria-label": "Source in OpenCL C",
      "aria-describedby": "editor-keys problem-count",
      on: {
        beforeinput: (event) => {
          const more = (event.data ?? event.dataTransfer?.getData("text/plain") ?? "").length;
          const { selectionStart, selectionEnd, value } = this.text;
          const length = value.length - (selectionEnd - selectionStart) + more;
          if (more < 2 || length <= longestText) return;
          event.preventDefault();
          refused(length);
        },
        input: () => this.#input(),
        focus: () => (this.#entered = false),
        pointerup: () => (this.#entered = true),
        keydown: (event) => this.#key(event),
        click: () => this.#caret(),
        keyup: () => this.#caret(),
      },
    });
    this.gutter = h("div", {
      class: "gutter",
      role: "group",
      "aria-label": "Lines: breakpoints, counts and marks",
    });
    this.scroller = h(
      "div",
      { class: "editor" },
      this.gutter,
      h("div", { class: "sheet" }, this.layer, this.text),
    );
    place.append(
      this.scroller,
      h(
        "p",
        { id: "editor-keys", class: "small hint" },
        "Tab indents. Escape, then Tab, leaves the editor. F9: breakpoint. F8: next problem.",
      ),
      (this.heatHint = h(
        "p",
        { class: "small hint heat-hint", hidden: true },
        "Bars beside the lines: where the instructions of the last run went. Numbers: how often sub-groups came.",
      )),
    );
    rove(this.gutter, () => this.#rows.map((row) => row.element));
    this.redraw = later(() => this.#draw(), 0);
    this.scroller.addEventListener("scroll", () => {
      const [from, to] = this.#window(this.count);
      if (this.count > drawnLines && (from !== this.#from || to - from !== this.#lines.length)) this.redraw();
    });
    this.#draw();
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.#breakpoints.clear();
    this.clear();
    this.text.setSelectionRange(0, 0);
    this.scroller.scrollTop = 0;
    this.#draw();
  }

  // clear takes away what is about a run of an older text.
  clear() {
    Object.assign(this.#marks, { findings: new Map(), heat: new Map(), now: 0, waves: new Map() });
    this.redraw();
  }

  get breakpoints() {
    return [...this.#breakpoints].sort((a, b) => a - b);
  }

  // Debuggers move breakpoints to lines with code.
  setBreakpoints(lines) {
    this.#breakpoints = new Set(lines);
    this.redraw();
  }

  toggleBreakpoint(line) {
    if (!this.#breakpoints.delete(line)) this.#breakpoints.add(line);
    this.redraw();
    this.breakpointsChanged(this.breakpoints);
  }

  // mark shows some of: diagnostics, a list; findings, texts by line; heat, {part, text} by line; now, a
  // line; waves, texts by line.
  mark(marks) {
    Object.assign(this.#marks, marks);
    this.text.setAttribute(
      "aria-invalid",
      this.#marks.diagnostics.some((d) => d.severity !== "warning"),
    );
    this.redraw();
  }

  // goto puts the caret to a line and column, from 1, and shows it.
  goto(line, column = 1, { focus = true } = {}) {
    const lines = this.value.split("\n");
    const at = Math.min(Math.max(line, 1), lines.length);
    let offset = columnOf(lines[at - 1], column);
    for (let i = 0; i < at - 1; i++) offset += lines[i].length + 1;
    if (focus) {
      this.text.focus({ preventScroll: true });
      this.text.setSelectionRange(offset, offset);
      this.#entered = true;
    }
    this.show(at);
  }

  // show scrolls a line into sight.
  show(line) {
    if (line < 1 || line > this.count) return;
    const top = 8 + (line - 1) * this.#lineHeight(),
      box = this.scroller;
    if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 40) {
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    }
  }

  #lineHeight() {
    return Number.parseFloat(getComputedStyle(this.text).lineHeight) || 23;
  }

  // #window is which of so many lines are drawn, from 0: [from, to). It moves by a hundred lines at a time.
  #window(count) {
    if (count <= drawnLines) return [0, count];
    const height = this.#lineHeight(),
      { scrollTop, clientHeight } = this.scroller;
    const step = (line) => Math.floor(line / linesAround) * linesAround;
    const from = Math.max(0, step(scrollTop / height) - linesAround);
    const to = step((scrollTop + clientHeight) / height) + 2 * linesAround;
    return [Math.min(from, step(count - 1)), Math.min(count, to)];
  }

  get line() {
    return this.value.slice(0, this.text.selectionStart).split("\n").length;
  }

  #input() {
    this.clear();
    this.#draw();
    this.changed();
  }

  // #insert writes as somebody at the keyboard does, so that undo takes it back.
  #insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.text.setRangeText(text, this.text.selectionStart, this.text.selectionEnd, "end");
      this.#input();
    }
  }

  #key(event) {
    if (event.isComposing) return;
    const { selectionStart: from, selectionEnd: to, value } = this.text;
    const begin = value.lastIndexOf("\n", from - 1) + 1;
    if (event.key === "Escape") this.#entered = false;
    else if (!/^(Tab|Shift|Control|Alt|Meta)$/.test(event.key)) this.#entered = true;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Tab" && this.#entered) {
      event.preventDefault();
      if (!event.shiftKey && !value.slice(from, to).includes("\n")) this.#insert("\t");
      else this.#indent(begin, to, event.shiftKey);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const space = /^[ \t]*/.exec(value.slice(begin, from))[0];
      this.#insert("\n" + space + (/\{\s*$/.test(value.slice(begin, from)) ? "\t" : ""));
    } else if (event.key === "}" && from === to && /^[ \t]+$/.test(value.slice(begin, from))) {
      event.preventDefault();
      this.text.setSelectionRange(Math.max(begin, from - 1), from);
      this.#insert("}");
    } else if (event.key === "F9") {
      event.preventDefault();
      this.toggleBreakpoint(this.line);
    } else if (event.key === "F8") {
      event.preventDefault();
      this.#nextProblem();
    }
  }

  #indent(begin, to, back) {
    const lines = this.value.slice(begin, to).split("\n");
    const changed = lines
      .map((line) => (back ? line.replace(/^(\t| {1,4})/, "") : line && "\t" + line))
      .join("\n");
    this.text.setSelectionRange(begin, to);
    this.#insert(changed);
    this.text.setSelectionRange(begin, begin + changed.length);
  }

  #nextProblem() {
    const places = [
      ...this.#marks.diagnostics.map((d) => [d.line, d.column]),
      ...[...this.#marks.findings.keys()].map((line) => [line, 1]),
    ].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    if (!places.length) return;
    this.goto(...(places.find(([line]) => line > this.line) ?? places[0]));
  }

  #caret() {
    const line = this.line;
    if (line === this.caretLine) return;
    this.#lines[this.caretLine - 1 - this.#from]?.element.classList.remove("caret");
    this.caretLine = line;
    this.#lines[line - 1 - this.#from]?.element.classList.add("caret");
  }

  // #spans are the coloured parts of a line, cut where a diagnostic begins or ends.
  #spans(line, parts, problems) {
    const cuts = new Set([0, line.length]);
    for (const { start, end } of [...parts, ...problems]) cuts.add(start).add(end);
    const at = [...cuts].filter((cut) => cut <= line.length).sort((a, b) => a - b);
    const nodes = [];
    for (let i = 0; i + 1 < at.length; i++) {
      const [from, to] = [at[i], at[i + 1]];
      const kind = parts.find((part) => part.start <= from && to <= part.end)?.kind;
      const problem = problems.find((part) => part.start <= from && to <= part.end);
      const names = [kind && `t-${kind}`, problem && `wave-${problem.severity}`].filter(Boolean).join(" ");
      nodes.push(names ? h("span", { class: names }, line.slice(from, to)) : line.slice(from, to));
    }
    return nodes;
  }

  #problemsOf(line, number) {
    return this.#marks.diagnostics
      .filter((d) => d.line <= number && number <= (d.end_line || d.line))
      .map((d) => {
        let start = d.line === number ? columnOf(line, d.column || 1) : 0;
        let end = d.end_line === number ? columnOf(line, d.end_column) : d.end_line ? line.length : start + 1;
        if (end <= start) end = start + 1;
        if (end > line.length) [start, end] = [Math.min(start, Math.max(0, line.length - 1)), line.length];
        return { start, end, severity: d.severity === "warning" ? "warning" : "error" };
      });
  }

  #draw() {
    const lines = this.value.split("\n");
    this.count = lines.length;
    // The size comes first: the window is where one has scrolled to.
    this.text.style.height = `calc(${lines.length} * var(--line) + 1rem)`;
    // A tab is as wide as four characters at most.
    let widest = 0;
    for (const line of lines) {
      if (line.length > widest / 4)
        widest = Math.max(widest, line.length + 3 * (line.split("\t").length - 1));
    }
    this.text.style.width = `max(100%, ${widest + 4}ch)`;
    const colours = lines.length <= colouredLines ? tokensByLine(this.value) : null;
    const { now, findings } = this.#marks;
    const [from, to] = this.#window(lines.length);
    this.#lines = inWindow(this.#lines, this.#from, from, to);
    this.#rows = inWindow(this.#rows, this.#from, from, to);
    this.#from = from;
    this.layer.style.paddingTop = `calc(${from} * var(--line))`;
    this.gutter.style.paddingTop = from ? `calc(0.5rem + ${from} * var(--line))` : "";
    for (let i = from; i < to; i++) {
      const line = lines[i],
        coloured = colours?.[i] ?? [];
      const problems = this.#problemsOf(line, i + 1);
      const names = [
        "line",
        now === i + 1 && "now",
        findings.has(i + 1) && "found",
        this.caretLine === i + 1 && "caret",
      ]
        .filter(Boolean)
        .join(" ");
      const key = JSON.stringify([line, coloured, problems, names]);
      const old = this.#lines[i - from];
      if (old?.key === key) continue;
      const element = h(
        "div",
        { class: names },
        this.#spans(line, coloured, problems),
        line ? null : "\u200b",
      );
      if (old) old.element.replaceWith(element);
      else insert(this.layer, this.#lines, i - from, element);
      this.#lines[i - from] = { key, element };
    }
    this.#drawGutter(from, to);
  }

  #drawGutter(from, to) {
    const { heat, findings, now, waves, diagnostics } = this.#marks;
    const focus = Math.max(
      0,
      this.#rows.findIndex((row) => row?.element.tabIndex === 0),
    );
    for (let line = from + 1; line <= to; line++) {
      const set = this.#breakpoints.has(line),
        counted = heat.get(line),
        found = findings.get(line);
      const problem = diagnostics.find((d) => d.line === line);
      const says = [
        set && "breakpoint",
        counted?.text,
        found,
        waves.get(line) && `next for ${waves.get(line)}`,
        problem && `${problem.severity}: ${problem.message}`,
        now === line && "the selected work-item is here",
      ]
        .filter(Boolean)
        .join("; ");
      const key = JSON.stringify([set, counted, says, now === line]);
      const old = this.#rows[line - 1 - from];
      if (old?.key === key) continue;
      const row =
        old?.element ??
        h(
          "button",
          {
            type: "button",
            tabindex: "-1",
            on: { click: () => this.toggleBreakpoint(line) },
          },
          h("span", { class: "heat" }),
          h("span", { class: "count" }),
          h("span", { class: "sign" }),
          h("span", { class: "number" }, String(line)),
        );
      const names = [
        "place",
        set && "set",
        found && "found",
        problem && "problem",
        now === line && "now",
        waves.get(line) && "next",
      ];
      row.className = names.filter(Boolean).join(" ");
      row.setAttribute("aria-pressed", set);
      row.setAttribute("aria-label", `Breakpoint on line ${line}${says ? `: ${says}` : ""}`);
      row.title = says || `Line ${line}: breakpoint`;
      const [bar, counts, sign] = row.children;
      bar.hidden = !counted;
      if (counted) bar.style.width = `calc(2px + ${(2.6 * counted.part).toFixed(2)}rem)`;
      counts.textContent = counted?.short ?? "";
      const bad = found || problem;
      const signs = [now === line && "▶", set && "●", bad && "!", waves.has(line) && "▷"];
      sign.textContent = signs.find(Boolean) ?? "";
      if (!old) insert(this.gutter, this.#rows, line - 1 - from, row);
      this.#rows[line - 1 - from] = { key, element: row };
    }
    for (const { element } of this.#rows) element.tabIndex = -1;
    if (this.#rows[focus]) this.#rows[focus].element.tabIndex = 0;
    this.scroller.classList.toggle("counted", heat.size > 0);
    this.heatHint.hidden = heat.size === 0;
  }
}
