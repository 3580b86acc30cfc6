// Pictures of a run: timelines, accesses to memory as they coalesce or conflict, and divergence as a tree.
// Each has a table or a text that says the same.

import { h, s, details, plural, table } from "./dom.js";
import { placeLink } from "./results.js";

const activities = {
  run: "runs",
  issue: "begins a copy",
  mark: "sets a mark",
  "copy-wait": "waits for a copy",
  "barrier-wait": "waits at a barrier",
  "pipe-wait": "waits at a pipe",
  idle: "idle",
  barrier: "the barrier opens",
  copy: "a copy moves",
  copies: "copies move",
  "waits-packets": "waits for packets",
  "waits-room": "waits for room",
  "gave-way": "gave way",
  level: "packets in the pipe",
};

// timelineView draws a timeline. Spans are as wide as their ticks.
export function timelineView(timeline, { zoom = 1 } = {}) {
  const ticks = Math.max(1, timeline.end - timeline.start),
    left = 150;
  const width = Math.max(420, Math.min(12000, 620 * zoom)),
    row = 26,
    top = 24;
  const x = (tick) => left + ((tick - timeline.start) / ticks) * width;
  const height = top + timeline.rows.length * row + 8;
  const marks = [];
  let unit = 10 ** Math.floor(Math.log10(ticks / (width / 70)) + 1);
  if (ticks / unit < width / 140) unit /= 2;
  unit = Math.max(1, Math.round(unit));
  for (let tick = Math.ceil(timeline.start / unit) * unit; tick <= timeline.end; tick += unit) {
    marks.push(
      s("line", { x1: x(tick), x2: x(tick), y1: top - 6, y2: height, class: "tl-grid" }),
      s("text", { x: x(tick), y: 12, class: "tl-tick" }, String(tick)),
    );
  }
  const rows = timeline.rows.map((line, i) => {
    const y = top + i * row;
    return s(
      "g",
      {},
      s("text", { x: left - 8, y: y + 15, class: "tl-name" }, line.name),
      s("rect", { x: left, y, width, height: row - 6, class: "tl-track" }),
      line.spans.map((span) =>
        s(
          "rect",
          {
            x: x(span.from).toFixed(2),
            y: span.activity === "level" ? y + (row - 6) * (1 - (span.tenths ?? 0) / 10) : y,
            width: Math.max(1.5, x(span.to) - x(span.from)).toFixed(2),
            height: span.activity === "level" ? ((row - 6) * (span.tenths ?? 0)) / 10 : row - 6,
            class: `tl-${span.activity}`,
          },
          s("title", {}, `${line.name}, ticks ${span.from} to ${span.to}: ${span.text}`),
        ),
      ),
    );
  });
  const kinds = [...new Set(timeline.rows.flatMap((line) => line.spans.map((span) => span.activity)))];
  const label =
    `Timeline of ${timeline.name}, ticks ${timeline.start} to ${timeline.end}: ` +
    timeline.rows.map((line) => `${line.name} with ${plural(line.spans.length, "span")}`).join(", ") +
    ". The table below has all of them.";
  return h(
    "section",
    { class: "card", "aria-label": `Timeline of ${timeline.name}` },
    h("h4", {}, timeline.name),
    h(
      "div",
      {
        class: "scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `Picture: timeline of ${timeline.name}`,
      },
      s(
        "svg",
        { width: left + width + 16, height, role: "img", "aria-label": label, class: "picture" },
        marks,
        rows,
      ),
    ),
    h(
      "ul",
      { class: "legend" },
      kinds.map((kind) =>
        h(
          "li",
          {},
          s(
            "svg",
            { width: 14, height: 14, "aria-hidden": "true" },
            s("rect", { width: 14, height: 14, class: `tl-${kind}` }),
          ),
          activities[kind] ?? kind,
        ),
      ),
    ),
    timeline.more > 0 && h("p", { class: "small" }, `${plural(timeline.more, "row")} more`),
    details(
      "As a table",
      table(
        `Timeline of ${timeline.name}`,
        ["Row", "From tick", "To tick", "What"],
        timeline.rows.flatMap((line) =>
          line.spans.map((span) => [line.name, String(span.from), String(span.to), span.text]).slice(0, 2000),
        ),
      ),
    ),
  );
}

const banks = 32;
const isLocal = (access) => access.space === "local";

// accessTitle says what an access is, as a line of text.
export function accessTitle(access) {
  const cost = isLocal(access)
    ? `${plural(access.segments, "pass", "passes")} over the banks`
    : `${plural(access.segments, "cache line")} of ${access.segment_bytes} bytes`;
  return (
    `${access.kind} of ${plural(access.bytes, "byte")} a lane, ${access.memory || access.space}: ${cost}, ` +
    `${access.at_best} at best`
  );
}

// accessPicture draws which lane of a sub-group uses which cache line, or which bank.
export function accessPicture(access) {
  const lanes = access.lanes,
    size = Math.max(access.size, 1);
  const parts = isLocal(access)
    ? Array.from(
        { length: banks },
        (_, bank) => access.parts.find((p) => p.number === bank) ?? { number: bank, lanes: 0, words: 0 },
      )
    : access.parts;
  const room = isLocal(access) ? banks * 18 : Math.min(parts.length * 46, 1600);
  const width = Math.max(size * 18, room, 400);
  const laneWidth = width / size,
    partWidth = width / Math.max(parts.length, 1);
  const index = (lane) => (isLocal(access) ? (access.parts[lane.segment]?.number ?? 0) : lane.segment);
  const active = new Set(lanes.map((lane) => lane.lane));
  const bad = (part) => (isLocal(access) ? part.words > 1 : access.segments > access.at_best);
  const label =
    `${accessTitle(access)}. ` +
    (isLocal(access)
      ? access.parts
          .filter((p) => p.words > 1)
          .slice(0, 8)
          .map((p) => `Bank ${p.number} delivers ${p.words} words to ${p.lanes} lanes.`)
          .join(" ") || "No bank is asked twice."
      : `${plural(lanes.length, "lane")} use ${plural(parts.length, "cache line")}.`);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Picture: lanes and memory" },
    s(
      "svg",
      { width: width + 4, height: 150, role: "img", "aria-label": label, class: "picture access" },
      Array.from({ length: size }, (_, lane) =>
        s(
          "g",
          {},
          s(
            "rect",
            {
              x: 2 + lane * laneWidth,
              y: 14,
              width: laneWidth - 2,
              height: 20,
              class: active.has(lane) ? "lane on" : "lane",
            },
            s(
              "title",
              {},
              active.has(lane)
                ? `lane ${lane}: byte ${lanes.find((l) => l.lane === lane).offset}`
                : `lane ${lane} is idle`,
            ),
          ),
          s("text", { x: 2 + (lane + 0.5) * laneWidth - 1, y: 28, class: "lane-name" }, String(lane)),
        ),
      ),
      lanes.map((lane) =>
        s("line", {
          x1: 1 + (lane.lane + 0.5) * laneWidth,
          y1: 35,
          x2: 1 + (index(lane) + 0.5) * partWidth,
          y2: 104,
          class: bad(parts[index(lane)] ?? {}) ? "to bad" : "to",
        }),
      ),
      parts.map((part, i) =>
        s(
          "g",
          {},
          s(
            "rect",
            {
              x: 2 + i * partWidth,
              y: 105,
              width: Math.max(1, partWidth - 2),
              height: 24,
              class: part.lanes === 0 ? "part" : bad(part) ? "part bad" : "part on",
            },
            s(
              "title",
              {},
              isLocal(access)
                ? `bank ${part.number}: ${part.words} words for ${part.lanes} lanes`
                : `bytes from ${part.number} on, for ${part.lanes} lanes`,
            ),
          ),
          s(
            "text",
            { x: 2 + (i + 0.5) * partWidth - 1, y: 121, class: "lane-name" },
            isLocal(access)
              ? part.words > 1
                ? `×${part.words}`
                : ""
              : partWidth > 30
                ? String(part.number)
                : "",
          ),
          isLocal(access) &&
            s("text", { x: 2 + (i + 0.5) * partWidth - 1, y: 143, class: "lane-name soft" }, String(i)),
        ),
      ),
    ),
  );
}

function accessTable(access) {
  return details(
    "As a table",
    table(
      `Lanes of the access, sub-group ${access.subgroup}`,
      ["Lane", "Byte", isLocal(access) ? "Bank" : "Cache line"],
      access.lanes.map((lane) => [
        String(lane.lane),
        String(lane.offset),
        String(access.parts[lane.segment]?.number ?? ""),
      ]),
    ),
  );
}

// accessesView lists the instructions that access memory; each opens its picture.
export function accessesView(accesses, context, open = false) {
  return accesses
    .map((access) =>
      h(
        "section",
        { class: "card", "aria-label": `Access: ${accessTitle(access)}` },
        h(
          "h4",
          {},
          placeLink(access, context),
          " ",
          access.kind,
          " ",
          h("code", {}, access.memory || access.space),
          " ",
          h(
            "span",
            { class: access.segments > access.at_best ? "badge bad" : "badge good" },
            isLocal(access)
              ? `${access.segments} / ${plural(access.at_best, "pass", "passes")}`
              : `${access.segments} / ${plural(access.at_best, "line")}`,
          ),
          access.count > 1 && h("span", { class: "small" }, ` ${access.count} times; one is shown`),
        ),
        h("p", { class: "small" }, accessTitle(access)),
        accessPicture(access),
        accessTable(access),
      ),
    )
    .slice(0, open ? undefined : 40);
}

// maskStrip draws the lanes of a mask; the text beside it says how many they are.
function maskStrip(mask) {
  const width = Math.max(2, Math.min(7, Math.floor(224 / mask.length)));
  return s(
    "svg",
    { width: mask.length * width, height: 12, class: "strip", role: "img", "aria-label": `lanes ${mask}` },
    [...mask].map((lane, i) =>
      s("rect", { x: i * width, width: width - 1, height: 12, class: lane === "#" ? "on" : "off" }),
    ),
  );
}

// divergenceView draws how the lanes of a sub-group parted, as nested lists.
export function divergenceView(branch, context) {
  const node = (b) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "branch" },
        maskStrip(b.mask),
        " ",
        placeLink(b, context),
        b.last > b.line && h("span", {}, ` to ${b.last}`),
        h(
          "span",
          { class: "small" },
          ` ${b.lanes} of ${b.mask.length} lanes, ${plural(b.instructions, "instruction")}` +
            (b.times > 1 ? `, ${b.times} times` : ""),
        ),
      ),
      b.children?.length > 0 && h("ul", {}, b.children.map(node)),
      b.cut && h("p", { class: "small" }, "There are more branches."),
    );
  return h(
    "section",
    { class: "card", "aria-label": "Divergence of the first sub-group" },
    h("h4", {}, "How the lanes of the first sub-group part"),
    h(
      "p",
      { class: "small" },
      "Each row is a stretch that the same lanes run together. Rows below it, further to the " +
        "right, run with some of its lanes: one after the other, while the rest waits.",
    ),
    h("ul", { class: "tree" }, node(branch)),
  );
}

// banksView shows the words that each bank has delivered.
export function banksView(banks, conflicts) {
  if (!banks?.length) return [];
  const most = Math.max(...banks, 1);
  return [
    h(
      "section",
      { class: "card", "aria-label": "Banks of local memory" },
      h("h4", {}, "Banks of local memory"),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Picture: words of each bank" },
        s(
          "svg",
          {
            width: banks.length * 18 + 4,
            height: 110,
            role: "img",
            class: "picture",
            "aria-label": `Words from each bank: ${banks.join(", ")}`,
          },
          banks.map((words, i) =>
            s(
              "g",
              {},
              s(
                "rect",
                {
                  x: 2 + i * 18,
                  y: 90 - (80 * words) / most,
                  width: 15,
                  height: (80 * words) / most,
                  class: "part on",
                },
                s("title", {}, `bank ${i}: ${plural(words, "word")}`),
              ),
              s("text", { x: 2 + i * 18 + 7, y: 104, class: "lane-name soft" }, String(i)),
            ),
          ),
        ),
      ),
      conflicts?.length > 0 &&
        table(
          "Accesses by conflicts",
          ["Extra passes", "Accesses"],
          conflicts.map((c) => [String(c.extra), String(c.accesses)]),
        ),
    ),
  ];
}
