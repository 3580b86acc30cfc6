// What a run has printed, found and written.

import { h, button, details, plural, table, triple } from "./dom.js";
import { svgAddress } from "./lessons.js";

// placeLink is a button that leads to a place in the source, or its text where that is another file.
export function placeLink(place, { file, goto }) {
  if (!place?.line) return h("span", {}, place?.function ?? "an unknown place");
  const name = place.file && place.file !== file ? `${place.file}:` : "line ";
  if (place.file && file && place.file !== file) return h("span", {}, `${name}${place.line}`);
  return button(`${name}${place.line}`, () => goto(place.line, place.column), { class: "link" });
}

const where = (item) =>
  item &&
  `work-item ${triple(item.global)}, local ${triple(item.local)} in group ` +
    `${triple(item.group)}, sub-group ${item.sub_group}, lane ${item.lane}`;

// findingCard shows a finding, with all of its parties.
export function findingCard(finding, context) {
  const party = (does, place, item) =>
    h(
      "li",
      {},
      `${does} `,
      (place?.line || place?.function) && placeLink(place, context),
      item && h("span", { class: "small" }, ` by ${where(item)}`),
      place?.source && h("code", { class: "line" }, place.source.trim()),
    );
  const does = finding.access ? finding.access.operation : "here:";
  return h(
    "article",
    { class: `card finding ${finding.severity}`, "aria-label": `${finding.code}: ${finding.message}` },
    h("h4", {}, h("span", { class: "badge" }, finding.code), ` ${finding.message}`),
    finding.detail && h("p", {}, finding.detail),
    h(
      "ul",
      { class: "parties" },
      party(does, finding.place, finding.work_item),
      (finding.parties ?? []).map((other) => party(other.does, other.place, other.work_item)),
    ),
    (finding.place?.calls ?? []).map((call) =>
      h("p", { class: "small" }, `called by ${call.function} in `, placeLink(call, context)),
    ),
    (finding.notes ?? []).map((note) => h("p", { class: "small" }, note)),
    (finding.help ?? []).map((help) => h("p", { class: "help" }, h("strong", {}, "Help: "), help)),
  );
}

const shown = 1024; // elements of a table

function numbers(values) {
  return values.map((value) => (typeof value === "number" ? value : Number.parseFloat(value)));
}

// raster draws values as a picture: one cell an element, from the least to the greatest.
function raster(output, columns) {
  const values = numbers(output.values),
    finite = values.filter(Number.isFinite);
  if (finite.length < 2) return null;
  const least = finite.reduce((a, b) => Math.min(a, b)),
    most = finite.reduce((a, b) => Math.max(a, b));
  const rows = Math.ceil(values.length / columns),
    size = Math.max(1, Math.min(16, Math.floor(480 / columns)));
  const canvas = h("canvas", {
    width: columns * size,
    height: rows * size,
    role: "img",
    class: "raster",
    "aria-label":
      `${output.name} as a picture of ${columns} columns and ${rows} rows: dark is ${least}, ` +
      `light is ${most}. The table has the same values.`,
  });
  const context = canvas.getContext("2d");
  values.forEach((value, i) => {
    const part = Number.isFinite(value) ? (most > least ? (value - least) / (most - least) : 0.5) : 0;
    context.fillStyle = Number.isFinite(value)
      ? `hsl(${250 - 200 * part} ${40 + 30 * part}% ${18 + 67 * part}%)`
      : "#b3261e";
    context.fillRect((i % columns) * size, Math.floor(i / columns) * size, size, size);
  });
  return canvas;
}

function widthOf(output, global) {
  const [x, y = 1] = global ?? [];
  if (y > 1 && output.count % x === 0) return x;
  return output.count > 64 ? 32 : 16;
}

// outputViews shows the buffers of a document of lockstep run -json as tables and pictures.
export function outputViews(document) {
  const global = document?.launches?.[0]?.global;
  return (document?.outputs ?? [])
    .filter((output) => Array.isArray(output.values) && output.values.length)
    .map((output) => {
      const columns = Math.max(1, Math.min(widthOf(output, global), 64));
      const rows = [];
      for (let i = 0; i < Math.min(output.values.length, shown); i += columns) {
        rows.push([
          String(i),
          ...output.values.slice(i, i + columns).map((v) => (Array.isArray(v) ? v.join(", ") : String(v))),
        ]);
      }
      const cut = output.values.length > shown ? `, the first ${shown}` : "";
      const heads = [
        "",
        ...Array.from({ length: Math.min(columns, output.values.length) }, (_, i) => `+${i}`),
      ];
      return h(
        "section",
        { class: "card", "aria-label": `Output ${output.name}` },
        h(
          "h4",
          {},
          `${output.name} `,
          h("span", { class: "small" }, `${plural(output.values.length, "element")} of ${output.type}${cut}`),
        ),
        output.values.length >= 32 && raster(output, columns),
        table(`Values of ${output.name}`, heads, rows, { class: "values" }),
      );
    });
}

// filesView shows the files that a command has written: pictures, and text.
export function filesView(files) {
  return Object.entries(files ?? {}).map(([path, content]) => {
    const body = /\.svg$/.test(path)
      ? h(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": path },
          h("img", { src: svgAddress(content), alt: altOf(content) || path }),
        )
      : /^base64:/.test(content)
        ? /\.png$/.test(path)
          ? h("img", { src: `data:image/png;base64,${content.slice(7)}`, alt: path })
          : h("p", { class: "small" }, `${plural(Math.floor((content.length * 3) / 4) - 5, "byte")}, no text`)
        : h("pre", { tabindex: "0" }, content.slice(0, 65536));
    return h("section", { class: "card", "aria-label": `File ${path}` }, h("h4", {}, path), body);
  });
}

// altOf is the text alternative of one of lockstep's pictures. Its styles go before it is parsed: the policy
// of the page takes none from documents.
export function altOf(svg) {
  const parsed = new DOMParser().parseFromString(svg.replace(/<style>[^]*?<\/style>/, ""), "image/svg+xml");
  return [parsed.querySelector("title"), parsed.querySelector("desc")]
    .filter(Boolean)
    .map((part) => part.textContent)
    .join(". ");
}

// Of a longer text, the beginning is shown: a page with megabytes of text stands still.
const shownText = 200000;

// longText shows a text of a command: all of it, or its beginning and a way to save it.
function longText(id, name, text) {
  const pre = h("pre", { id, tabindex: "0", "aria-label": name, hidden: !text }, text.slice(0, shownText));
  if (text.length <= shownText) return pre;
  const save = () => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    h("a", { href: address, download: `${id}.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  return [
    pre,
    h(
      "p",
      { class: "small cut" },
      `${plural(text.length - shownText, "character")} more are not shown. `,
      button("Save all of it", save, { class: "tiny" }),
    ),
  ];
}

// outputView shows what a command line has printed, as a terminal does.
export function outputView({ line, result }) {
  return h(
    "section",
    { class: "card terminal", "aria-label": "What the command prints" },
    line && h("p", { class: "command" }, h("span", { "aria-hidden": "true" }, "$ "), line),
    longText("stdout", "Standard output", result.stdout),
    longText("stderr", "Standard error", result.stderr),
    !result.stdout &&
      !result.stderr &&
      h(
        "p",
        { class: "small" },
        "It prints nothing. Tick “print” at an argument to see what a buffer holds afterwards.",
      ),
    result.truncated && h("p", { class: "small" }, "There was more output than is kept."),
    h("p", { class: "small" }, "Exit status ", h("output", { id: "exit" }, String(result.exit))),
  );
}

// heatOf turns counts by line into what the gutter shows.
export function heatOf(lines, file) {
  const own = (lines ?? []).filter((line) => line.line > 0 && (!line.file || !file || line.file === file));
  const most = own.reduce((max, line) => Math.max(max, line.instructions), 1);
  const short = (n) =>
    n < 1000 ? String(n) : n < 1e6 ? `${Math.floor(n / 1000)}k` : `${Math.floor(n / 1e6)}M`;
  return new Map(
    own.map((line) => {
      const idle = line.room ? Math.round(100 * (1 - line.lanes / line.room)) : 0;
      const text = [
        `${plural(line.instructions, "instruction")} issued`,
        `${idle} % of lanes idle`,
        line.barriers && `${plural(line.barriers, "arrival")} at barriers`,
        line.cache_lines && `${line.cache_lines} cache lines, ${line.cache_lines_at_best} at best`,
        line.conflicts && plural(line.conflicts, "bank conflict"),
        line.copies && plural(line.copies, "copy", "copies"),
      ]
        .filter(Boolean)
        .join(", ");
      return [line.line, { part: line.instructions / most, short: short(line.executions), text }];
    }),
  );
}

// heatTable has the counts by line for those who do not see colours.
export function heatTable(lines, context) {
  if (!lines?.length) return null;
  const rows = lines.map((line) =>
    [
      line.line ? placeLink({ file: line.file, line: line.line }, context) : "–",
      line.source?.trim() ?? "",
      line.executions,
      line.instructions,
      line.room ? `${Math.round(100 * (1 - line.lanes / line.room))} %` : "",
      line.cache_lines ? `${line.cache_lines} (${line.cache_lines_at_best})` : "",
      line.conflicts || "",
      line.barriers || "",
      line.copies || "",
    ].map((cell) => (cell instanceof Node ? cell : String(cell))),
  );
  return details(
    "Counts by line",
    table(
      "Counts by line: what sub-groups did",
      [
        "Line",
        "Source",
        "Executed",
        "Instructions",
        "Idle lanes",
        "Cache lines (at best)",
        "Bank conflicts",
        "At barriers",
        "Copies",
      ],
      rows,
      { class: "counts" },
    ),
  );
}

// picturesView shows lockstep's own pictures of a run.
export function picturesView(pictures, kinds) {
  return kinds
    .filter(([kind]) => pictures?.[kind])
    .map(([kind, title]) =>
      h(
        "section",
        { class: "card", "aria-label": title },
        h("h4", {}, title),
        h(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": `Picture: ${title}` },
          h("img", { src: svgAddress(pictures[kind]), alt: altOf(pictures[kind]) || title }),
        ),
      ),
    );
}
