// Pictures of a run: accesses to memory as they coalesce or conflict, and divergence as a tree. Each has a
// table or a text that says the same. timeline.js draws timelines.

import { h, s, details, plural, table } from "./dom.js";
import { placeLink } from "./results.js";

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

// useful is how many of the bytes of the cache lines of an access its lanes ask for.
function useful(access) {
  const bytes = new Set();
  for (const { offset, memory } of access.lanes)
    for (let i = 0; i < Math.min(access.bytes, 64); i++) bytes.add(`${memory ?? ""} ${offset + i}`);
  return bytes.size;
}

// verdict says whether an access is as good as can be, and what makes it bad.
export function verdict(access) {
  const { segments, at_best: best, lanes, parts } = access;
  if (isLocal(access)) {
    const worst = parts.reduce((a, b) => ((b.words ?? 0) > (a.words ?? 0) ? b : a), { words: 0 });
    if (segments > best)
      return (
        `Bank conflict: ${plural(worst.lanes, "lane")} want ${plural(worst.words, "different word")} of ` +
        `bank ${worst.number}, and a bank gives one at a time. So the access takes ${segments} turns where ` +
        `${plural(best, "turn")} would do.`
      );
    return parts.some((part) => part.lanes > part.words)
      ? "Good: no bank has to give two words in a turn; lanes that want the same word get it at once."
      : "Good: each lane has a bank of its own in each turn.";
  }
  if (segments > best) {
    const part = Math.round((100 * useful(access)) / (segments * access.segment_bytes));
    return (
      `Not coalesced: ${plural(segments, "cache line")} move for what fits in ${best}; ${part} % of their ` +
      "bytes are asked for. Lanes beside each other should access bytes beside each other."
    );
  }
  return lanes.length > 1
    ? "Good: coalesced. The lanes' bytes are as close together as can be."
    : "One lane accesses memory here.";
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
      : `${plural(lanes.length, "lane")} use ${plural(parts.length, "cache line")}.`) +
    " The table below has each lane.";
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
                : `cache line ${part.number}, from byte ${part.offset ?? 0} on, for ${plural(part.lanes, "lane")}`,
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
                ? String(part.offset ?? 0)
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
            access.segments > access.at_best ? "✗ " : "✓ ",
            isLocal(access)
              ? plural(access.segments, "pass", "passes")
              : plural(access.segments, "cache line"),
            access.segments > access.at_best ? `, ${access.at_best} at best` : "",
          ),
          access.count > 1 && h("span", { class: "small" }, ` ${access.count} times; one is shown`),
        ),
        h("p", { class: "verdict" }, verdict(access)),
        h(
          "p",
          { class: "small" },
          `${accessTitle(access)}. Above: the lanes of the sub-group. Below: `,
          isLocal(access)
            ? "the banks, with the number of words that each has to give where it is more than one."
            : "the cache lines, with the byte of the memory at which each begins.",
        ),
        accessPicture(access),
        accessTable(access),
      ),
    )
    .slice(0, open ? undefined : 40);
}

// maskStrip draws the lanes of a mask; the text beside it says how many they are.
function maskStrip(mask) {
  const width = Math.max(3, Math.min(7, Math.floor(224 / mask.length)));
  return s(
    "svg",
    { width: mask.length * width, height: 12, class: "strip", role: "img", "aria-label": `lanes ${mask}` },
    [...mask].map((lane, i) =>
      // One that waits is lower as well, for those who do not see the colours.
      lane === "#"
        ? s("rect", { x: i * width, width: width - 1, height: 12, class: "on" })
        : s("rect", { x: i * width, y: 9, width: width - 1, height: 3, class: "off" }),
    ),
  );
}

// spent adds up what a branch and those below it issued: instructions, and lanes that were active in them.
function spent(branch) {
  let [instructions, lanes] = [branch.instructions, branch.instructions * branch.lanes];
  for (const child of branch.children ?? []) {
    const below = spent(child);
    instructions += below[0];
    lanes += below[1];
  }
  return [instructions, lanes];
}

// divergenceView draws how the lanes of a sub-group parted, as nested lists.
export function divergenceView({ launch, root }, context) {
  const [instructions, lanes] = spent(root);
  const size = root.mask.length;
  const used = instructions ? Math.round((100 * lanes) / (instructions * size)) : 100;
  const node = (b, i, list) =>
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
            (b.times > 1 ? `, ${b.times} times` : "") +
            (list?.length > 1 ? `; path ${i + 1} of ${list.length}` : ""),
        ),
        context.line?.(b.line) && h("code", { class: "snippet" }, context.line(b.line).trim()),
      ),
      b.children?.length > 0 && h("ul", {}, b.children.map(node)),
      b.cut && h("p", { class: "small" }, "There are more branches."),
    );
  return h(
    "section",
    { class: "card", "aria-label": `Divergence of the first sub-group of ${launch}` },
    h("h4", {}, `How the lanes of the first sub-group of ${launch} part`),
    h(
      "p",
      { class: "verdict" },
      root.children?.length
        ? `The sub-group issued ${plural(instructions, "instruction")}, and on average ${used} % of its ` +
            `${size} lanes were active in them. ` +
            (used < 75 ? "Paths that some lanes take make all others wait." : "Little is lost.")
        : "All lanes take the same path: none waits for another.",
    ),
    h(
      "p",
      { class: "small" },
      "Each row is a stretch that the same lanes run together. Rows below it, further to the " +
        "right, run with some of its lanes: one after the other, while the rest waits.",
    ),
    h("ul", { class: "tree" }, node(root)),
    h(
      "ul",
      { class: "legend", "aria-hidden": "true" },
      [
        ["#", "a lane that runs"],
        [".", "a lane that waits"],
      ].map(([mask, text]) => h("li", {}, maskStrip(mask), text)),
    ),
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
        "p",
        { class: "small" },
        `Local memory has ${banks.length} banks; word i is in bank i modulo ${banks.length}. Each bank gives one word ` +
          "in a turn. The bars are the words that each has given in the whole run: the more even, the better.",
      ),
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
      details(
        "As a table",
        table(
          "Words of each bank",
          ["Bank", "Words"],
          banks.map((words, i) => [String(i), String(words)]),
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
