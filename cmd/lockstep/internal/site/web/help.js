// The window with help: what the page does, and the keys.

import { h, byId, button } from "./dom.js";

const keys = [
  ["Ctrl Enter", "run the kernel"],
  ["Ctrl Shift Enter", "run it with checks"],
  ["Ctrl .", "stop what runs"],
  ["F9", "in the editor: set or remove a breakpoint"],
  ["F8", "in the editor: go to the next problem or finding"],
  [
    "Tab, Shift Tab",
    "in the editor, once you have pressed a key there: indent lines, or take an indent away",
  ],
  ["Escape, then Tab", "leave the editor"],
  ["Arrow keys", "in tabs, in line numbers and in the grid of work-items: go from one to the next"],
  ["Enter", "in the grid: choose the work-item; in the line numbers: set a breakpoint"],
  ["n, s, f", "in the step view: step over, into, out of a function"],
  ["i, c", "in the step view: one instruction; continue to the next stop"],
  ["N, S, F, I, C", "the same backwards"],
  [
    "Left, Right, Enter",
    "in a timeline: read what happens one tick before or after; Enter goes there with the debugger",
  ],
  ["Left, Right", "in the scrubber: one tick back or forth; Page Up and Page Down: many"],
];

const parts = [
  ["Run", "runs the kernel with the arguments below the source, in your browser. Nothing is sent anywhere."],
  [
    "Check",
    "runs it and looks for data races, values that were never set, and what else OpenCL leaves undefined.",
  ],
  ["Explore", "runs it in many orders that OpenCL allows, and compares the results."],
  ["Step", "steps through it, forwards and backwards."],
  ["Grade", "says whether a kernel is a right answer to an exercise. It is there when you have begun one."],
  [
    "Copy link",
    "makes a link that holds the kernel and its arguments. Who opens it sees them; nothing runs by itself.",
  ],
];

export function buildHelp(version) {
  const dialog = byId("help");
  dialog.replaceChildren(
    h("h2", { id: "help-title", tabindex: "-1", autofocus: true }, "Help"),
    h(
      "p",
      {},
      "A playground for OpenCL C kernels on lockstep, a GPU in software. Choose a lesson at the top, or " +
        "write a kernel of your own.",
    ),
    h(
      "dl",
      {},
      parts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
    ),
    h("h3", {}, "Keys"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Keys" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "What it does")),
        ),
        h(
          "tbody",
          {},
          keys.map(([key, text]) =>
            h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, text)),
          ),
        ),
      ),
    ),
    h(
      "p",
      {},
      "The bars beside the lines say where the kernel spends its instructions, the numbers how often " +
        "sub-groups came to a line. Pictures have tables beside them.",
    ),
    h("p", { class: "small", id: "version" }, version ?? ""),
    button("Close", () => dialog.close(), { class: "main" }),
  );
}

export const openHelp = () => byId("help").showModal();
