// The Markdown of the course: headings, paragraphs, lists, tables, blocks of code, pictures, links, `code`,
// *emphasis* and **strong emphasis**. What else there is stays text.

import { h } from "./dom.js";
import { tokens } from "./tokens.js";

const inlinePattern =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)]+)\)|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g;

// slug is the name of a heading in links.
export const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

// inline returns the nodes of a text. link(nodes, target) and image(alt, target) make what they are called.
export function inline(text, { link, image }) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(inlinePattern)) {
    if (match.index > at) nodes.push(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [, code, alt, picture, words, target, strong, emphasis] = match;
    if (code !== undefined) nodes.push(h("code", {}, code));
    else if (picture !== undefined) nodes.push(image(alt, picture));
    else if (target !== undefined) nodes.push(link(inline(words, { link, image }), target));
    else if (strong !== undefined) nodes.push(h("strong", {}, inline(strong, { link, image })));
    else nodes.push(h("em", {}, inline(emphasis, { link, image })));
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes;
}

// coloured returns the nodes of a source in OpenCL C.
export function coloured(text) {
  const nodes = [];
  let at = 0;
  for (const { start, end, kind } of tokens(text)) {
    if (start > at) nodes.push(text.slice(at, start));
    nodes.push(h("span", { class: `t-${kind}` }, text.slice(start, end)));
    at = end;
  }
  nodes.push(text.slice(at));
  return nodes;
}

const cells = (row) =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

// render returns the nodes of a document. code(language, text, first line, from 0) makes a block of code.
export function render(text, { link, image, code }) {
  const lines = text.split("\n"),
    nodes = [],
    words = { link, image };
  let i = 0;
  const paragraph = () => {
    const part = [];
    while (i < lines.length && lines[i].trim() && !/^(#+ |```|\||[-*] |\d+\. |!\[)/.test(lines[i]))
      part.push(lines[i++]);
    return part.length ? part.join(" ") : lines[i++];
  };
  while (i < lines.length) {
    const line = lines[i];
    let match;
    if (!line.trim()) i++;
    else if ((match = /^(#{1,5}) (.*)$/.exec(line))) {
      nodes.push(
        h(
          `h${match[1].length + 1}`,
          { id: `section-${slug(match[2])}`, tabindex: "-1" },
          inline(match[2], words),
        ),
      );
      i++;
    } else if ((match = /^```(\w*)/.exec(line))) {
      const begin = i++;
      while (i < lines.length && !lines[i].startsWith("```")) i++;
      nodes.push(code(match[1], lines.slice(begin + 1, i++).join("\n"), begin));
    } else if (line.startsWith("    ")) {
      const begin = i;
      while (i < lines.length && (lines[i].startsWith("    ") || !lines[i].trim())) i++;
      nodes.push(
        code(
          "",
          lines
            .slice(begin, i)
            .map((part) => part.slice(4))
            .join("\n")
            .trimEnd(),
          begin,
        ),
      );
    } else if (line.startsWith("|")) {
      const rows = [];
      while (i < lines.length && lines[i].startsWith("|")) rows.push(cells(lines[i++]));
      nodes.push(
        h(
          "div",
          { class: "scroll" },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                rows[0].map((cell) => h("th", { scope: "col" }, inline(cell, words))),
              ),
            ),
            h(
              "tbody",
              {},
              rows.slice(2).map((row) =>
                h(
                  "tr",
                  {},
                  row.map((cell) => h("td", {}, inline(cell, words))),
                ),
              ),
            ),
          ),
        ),
      );
    } else if ((match = /^([-*]|\d+\.) /.exec(line))) {
      const list = h(/\d/.test(match[1]) ? "ol" : "ul", {});
      while (i < lines.length && (match = /^([-*]|\d+\.) +(.*)$/.exec(lines[i]))) {
        const item = [match[2]];
        for (i++; i < lines.length && /^\s+\S/.test(lines[i]); i++) item.push(lines[i].trim());
        list.append(h("li", {}, inline(item.join(" "), words)));
      }
      nodes.push(list);
    } else if (line.startsWith("![")) {
      nodes.push(h("p", { class: "figure" }, inline(line, words)));
      i++;
    } else nodes.push(h("p", {}, inline(paragraph(), words)));
  }
  return nodes;
}
