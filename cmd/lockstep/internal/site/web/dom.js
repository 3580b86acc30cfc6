// Elements are made by functions, never from strings with markup: what a kernel prints stays text.

const svgSpace = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || (value === false && !name.startsWith("aria-"))) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else {
      element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== undefined && child !== null && child !== false) element.append(child);
  }
}

// h makes an element: h("p", {class: "small", on: {click: f}}, "text", element, …).
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

// s makes an element of SVG.
export function s(tag, props, ...children) {
  return fill(document.createElementNS(svgSpace, tag), props, children);
}

export const byId = (id) => document.getElementById(id);

// button makes a button whose text is its name.
export function button(text, click, props) {
  return h("button", { type: "button", ...props, on: { click } }, text);
}

let said = 0;

// say writes the line of the status, which screen readers read aloud when it changes.
export function say(text) {
  const status = byId("status");
  // The same words twice would not be read a second time.
  status.textContent = text === status.textContent ? text + (said++ % 2 ? "\u200b" : "\u200c") : text;
}

// rove makes one tab stop of a list of elements: arrow keys move between them. A row of a grid has `columns`.
export function rove(container, items, { columns = 0, select } = {}) {
  container.addEventListener("keydown", (event) => {
    const list = items();
    const at = list.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const width = typeof columns === "function" ? columns() : columns;
    const last = list.length - 1;
    let to;
    switch (event.key) {
      case "ArrowRight":
        to = at + 1;
        break;
      case "ArrowLeft":
        to = at - 1;
        break;
      case "ArrowDown":
        to = width ? at + width : at + 1;
        break;
      case "ArrowUp":
        to = width ? at - width : at - 1;
        break;
      case "Home":
        to = width && !event.shiftKey ? at - (at % width) : 0;
        break;
      case "End":
        to = width && !event.shiftKey ? Math.min(last, at - (at % width) + width - 1) : last;
        break;
      default:
        return;
    }
    event.preventDefault();
    if (to < 0 || to > last) return;
    for (const item of list) item.tabIndex = -1;
    list[to].tabIndex = 0;
    list[to].focus();
    select?.(list[to]);
  });
}

// tabs makes a list of tabs work. choose(id) of the result shows a panel.
export function tabs(list, { panel, chosen }) {
  const all = [...list.querySelectorAll('[role="tab"]')];
  const choose = (tab) => {
    for (const other of all) {
      const on = other === tab;
      other.setAttribute("aria-selected", on);
      other.tabIndex = on ? 0 : -1;
      panel(other, on);
    }
    chosen?.(tab);
  };
  for (const tab of all) tab.addEventListener("click", () => choose(tab));
  rove(list, () => all.filter((tab) => !tab.hidden), { select: choose });
  return { choose: (id) => choose(byId(id)), now: () => all.find((tab) => tab.tabIndex === 0)?.id };
}

// table makes a table: heads are texts, rows lists of texts or elements.
export function table(caption, heads, rows, props) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      props,
      h("caption", { class: "small" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))),
          ),
        ),
      ),
    ),
  );
}

// details makes a part that is closed to begin with, such as the table beside a picture.
export function details(summary, ...children) {
  return h("details", {}, h("summary", {}, summary), ...children);
}

// later returns a function that calls f when it has not been called for some time.
export function later(f, milliseconds) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), milliseconds);
  };
}

export const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

// triple is how the id of a work-item is written.
export const triple = (id) => `(${id.join(",")})`;
