// What the step view shows of several launches: which run, and how full the pipes between them are.

import { h, button, plural, triple } from "./dom.js";
import { placeLink } from "./results.js";

const mostGroups = 16; // work-groups in progress that have buttons

// launchesPart lists the launches. choose(launch, id) looks at a work-group of one.
export function launchesPart(state, choose) {
  if (!state.launches?.length) return null;
  return [
    h("h4", {}, "Kernels"),
    h(
      "ul",
      { class: "plain" },
      state.launches.map((launch, number) =>
        h(
          "li",
          {},
          h("code", {}, launch.name),
          h("span", { class: "small" }, ` ${launch.groups_over} of ${plural(launch.groups, "group")} over `),
          launch.in_progress.slice(0, mostGroups).map((id) => [
            button(`group ${triple(id)}`, () => choose(number, id), {
              class: "tiny",
              "aria-pressed": launch.current && String(id) === String(state.group),
              "aria-label": `Look at group ${triple(id)} of ${launch.name}`,
              data: { key: `group-${number}-${id}` },
            }),
            " ",
          ]),
          launch.in_progress.length > mostGroups &&
            h("span", { class: "small" }, `and ${launch.in_progress.length - mostGroups} more`),
        ),
      ),
    ),
  ];
}

// pipesPart shows the pipes: what is in them, and who waits.
export function pipesPart(state, context) {
  if (!state.pipes?.length) return null;
  return [
    h("h4", {}, "Pipes"),
    state.pipes.map((pipe) =>
      h(
        "div",
        { class: "pipe" },
        h("code", {}, pipe.name || "a pipe"),
        h("progress", {
          max: pipe.capacity,
          value: pipe.len,
          "aria-label": `${pipe.name || "a pipe"}: ${pipe.len} of ${plural(pipe.capacity, "packet")}`,
        }),
        h(
          "span",
          { class: "small" },
          `${pipe.len} of ${plural(pipe.capacity, "packet")} of ${pipe.type}; ${pipe.written} written, ` +
            `${pipe.read} read`,
        ),
        pipe.packets.length > 0 && h("code", { class: "line" }, pipe.packets.slice(0, 64).join(" ")),
        // The last lines say who waits, which the page says with a link.
        pipe.lines
          .slice(0, pipe.lines.length - pipe.waits.length)
          .map((line) => h("p", { class: "small" }, line)),
        pipe.waits.map((wait) =>
          h(
            "p",
            { class: "small" },
            `${wait.kernel}, group ${triple(wait.group)}: ` +
              `${plural(wait.items.length, "work-item")} ` +
              `${wait.items.length === 1 ? "waits" : "wait"} for ${wait.for}, `,
            placeLink(wait.place, context),
          ),
        ),
      ),
    ),
  ].flat();
}
