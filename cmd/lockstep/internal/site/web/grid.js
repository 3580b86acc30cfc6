// The grid of work-items of the group that runs: who is active, who waits, and what a variable is for each of
// them.

import { h, rove, triple } from "./dom.js";

const states = {
  active: ["", "active"],
  waits: ["w", "waits for other lanes"],
  barrier: ["b", "waits at a barrier"],
  pipe: ["p", "waits at a pipe"],
  held: ["h", "held behind a barrier"],
  ended: ["·", "ended"],
};

// colourOf returns a function that gives each cell of a grid of values a colour of nine, 0 to 8, or none.
function colourOf(all) {
  const numbers = (all?.cells ?? []).map((cell) => cell.number).filter(Number.isFinite);
  if (numbers.length) {
    const least = numbers.reduce((a, b) => Math.min(a, b)),
      most = numbers.reduce((a, b) => Math.max(a, b));
    return (cell) =>
      Number.isFinite(cell?.number)
        ? Math.round(most > least ? (8 * (cell.number - least)) / (most - least) : 4)
        : null;
  }
  const values = [...new Set((all?.cells ?? []).map((cell) => cell.value).filter(Boolean))].sort();
  return (cell) => (cell?.value ? values.indexOf(cell.value) % 9 : null);
}

const short = (text) => (text.length > 9 ? text.slice(0, 8) + "…" : text);

export class Grid {
  #cells = [];
  #columns = 1;
  #shape = "";

  // select(number) is called for the work-item that somebody chooses.
  constructor({ select }) {
    this.select = select;
    this.element = h("div", { class: "items", role: "grid", "aria-label": "Work-items of the group" });
    this.element.addEventListener("click", (event) => this.#choose(event.target.closest("[role=gridcell]")));
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.#choose(event.target.closest("[role=gridcell]"));
    });
    rove(this.element, () => this.#cells, { columns: () => this.#columns });
    this.legend = h("ul", { class: "legend" });
  }

  #choose(cell) {
    if (cell) this.select(Number(cell.dataset.item));
  }

  // #build makes cells for a group of another shape: a row of work-items with dimension 0, or, where there is
  // only that one, rows of as many as are easy to see.
  #build(size, count, lanes) {
    const shape = JSON.stringify([size, count, lanes]);
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#columns =
      size[1] * size[2] > 1 && size[0] <= 64 ? size[0] : Math.min(size[0], Math.max(8, Math.min(lanes, 16)));
    this.#cells = Array.from({ length: count }, (_, i) =>
      h(
        "div",
        { role: "gridcell", tabindex: i === 0 ? "0" : "-1", data: { item: i } },
        h("span", { class: "value" }),
        h("span", { class: "state", "aria-hidden": "true" }),
      ),
    );
    const rows = [];
    for (let i = 0; i < count; i += this.#columns) {
      rows.push(h("div", { role: "row" }, this.#cells.slice(i, i + this.#columns)));
    }
    this.element.replaceChildren(...rows);
    this.element.style.setProperty("--columns", this.#columns);
  }

  // #scale says which colours numbers have, from the least to the greatest.
  #scale(all) {
    const numbers = (all?.cells ?? []).map((cell) => cell.number).filter(Number.isFinite);
    const least = numbers.reduce((a, b) => Math.min(a, b), Infinity),
      most = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(least < most)) return "";
    return h(
      "li",
      {},
      `${least} `,
      [0, 2, 4, 5, 7, 8].map((shade) =>
        h("span", { class: `swatch shade-${shade}`, "aria-hidden": "true" }, "\u00a0"),
      ),
      ` ${most}`,
    );
  }

  // show shows a state of a debug session.
  show(state) {
    const items = state.items ?? [];
    this.#build(state.local_size, items.length, state.waves?.[0]?.lanes ?? 8);
    const colour = colourOf(state.all);
    items.forEach((item, i) => {
      const cell = this.#cells[i],
        value = state.all?.cells?.[i];
      const [sign, says] = states[item.state] ?? ["?", item.state];
      const text = value ? (value.value ?? "–") : String(item.number);
      const here = item.number === state.current;
      const shade = colour(value);
      cell.className =
        `item ${item.state}${here ? " current" : ""}${value?.differs ? " differs" : ""}` +
        (shade === null ? "" : ` shade-${shade}`);
      cell.firstChild.textContent = short(text);
      cell.lastChild.textContent = sign;
      cell.setAttribute("aria-selected", here);
      const what = value
        ? `${state.all.expression} is ${value.value ?? "unknown: " + (value.error ?? "")}, `
        : "";
      const name =
        `work-item ${triple(item.global.slice(0, state.dim))}, ${what}${says}` +
        `${item.line ? `, line ${item.line}` : ""}, wave ${item.wave} lane ${item.lane}`;
      cell.setAttribute("aria-label", name);
      cell.title = name;
    });
    if (!this.element.contains(document.activeElement) && this.#cells[state.current]) {
      for (const cell of this.#cells) cell.tabIndex = -1;
      this.#cells[state.current].tabIndex = 0;
    }
    const there = new Set(items.map((item) => item.state));
    this.legend.replaceChildren(
      ...Object.entries(states)
        .filter(([name]) => there.has(name))
        .map(([name, [sign, says]]) =>
          h(
            "li",
            {},
            h("span", { class: `item key ${name}`, "aria-hidden": "true" }, sign || "\u00a0"),
            says,
          ),
        ),
      this.#scale(state.all),
      state.all?.most !== undefined && state.all.count > 1
        ? h("li", {}, `most have ${state.all.most}; others are marked`)
        : "",
    );
  }
}

const wordBytes = 4,
  banks = 32;
const bytesOf = (element) => {
  const match = /^[a-z](\d+)(?:x(\d+))?$/.exec(element ?? "");
  return match ? (Number(match[1]) / 8) * Number(match[2] ?? 1) : wordBytes;
};

// touched are the lanes that the last instruction has let access each element of a table.
function touched(table, accesses) {
  const bytes = bytesOf(table.element),
    lanes = new Map();
  for (const access of accesses) {
    for (const lane of access.lanes) {
      if ((lane.memory ?? access.memory) !== table.name) continue;
      for (let at = Math.floor(lane.offset / bytes); at * bytes < lane.offset + access.bytes; at++) {
        if (!lanes.has(at)) lanes.set(at, []);
        lanes.get(at).push(lane.lane);
      }
    }
  }
  return lanes;
}

// memoryTable shows a page of a memory. That of local memory has a column for each bank.
export function memoryTable(table, { local, accesses }) {
  if (table.error) return h("p", { class: "small" }, table.error);
  const byBank = local && bytesOf(table.element) === wordBytes;
  const columns = byBank ? banks : 16;
  const lanes = touched(table, accesses),
    changed = new Set(table.changed ?? []);
  const passes = new Map();
  if (byBank) {
    for (const access of accesses.filter((a) => a.space === "local" && a.memory === table.name)) {
      for (const part of access.parts)
        passes.set(part.number, Math.max(passes.get(part.number) ?? 0, part.words ?? 0));
    }
  }
  const used = Math.min(columns, Math.max(table.values.length, 1));
  const head = Array.from({ length: used }, (_, i) => {
    const words = byBank ? (passes.get(i) ?? 0) : 0;
    return h(
      "th",
      {
        scope: "col",
        class: words > 1 ? "bad" : words ? "on" : null,
        title: byBank ? `bank ${i}${words > 1 ? `: ${words} words, so ${words} passes` : ""}` : null,
      },
      byBank ? String(i) : `+${i}`,
      words > 1 && h("span", { class: "small" }, ` ×${words}`),
    );
  });
  const rows = [];
  for (let i = 0; i < table.values.length; i += columns) {
    rows.push(
      h(
        "tr",
        {},
        h("th", { scope: "row" }, String(table.first + i)),
        table.values.slice(i, i + columns).map((value, k) => {
          const by = lanes.get(table.first + i + k);
          const says = [changed.has(i + k) && "changed", by && `accessed by lane ${by.join(", ")}`]
            .filter(Boolean)
            .join("; ");
          return h(
            "td",
            {
              class: [changed.has(i + k) && "changed", by && "touched"].filter(Boolean).join(" ") || null,
              title: says || null,
            },
            value,
            says && h("span", { class: "hidden" }, ` (${says})`),
          );
        }),
      ),
    );
  }
  const caption =
    `${table.name}: elements ${table.first} to ${table.first + table.values.length - 1} of ${table.count}` +
    (byBank ? "; a column for each bank" : "");
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "values memory" },
      h("caption", { class: "small" }, caption),
      h("thead", {}, h("tr", {}, h("td", {}), head)),
      h("tbody", {}, rows),
    ),
  );
}
