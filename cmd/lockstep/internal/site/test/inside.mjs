// Functions that run inside of a page: Page.call sends their text.

// contrasts returns the texts of the page whose colours are too near to those behind them (WCAG 2.2, 1.4.3:
// 4.5 to 1).
export function contrasts() {
  // Colours that are on their way are neither the old ones nor the new ones, and while one waits for them others may set
  // out. So all arrive now.
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (known.has(colour)) return known.get(colour);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    known.set(colour, [r, g, b, a / 255]);
    return known.get(colour);
  };
  const linear = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const over = (under, colour) => under.map((v, i) => v * (1 - colour[3]) + colour[i] * colour[3]);
    return layers.reverse().reduce(over, [255, 255, 255]);
  };
  const left = "svg, :disabled, #source, .ended, .skip, .hidden, option, noscript";
  const bad = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() || e.closest(left)) continue;
    const text = rgba(getComputedStyle(e).color);
    if (text[3] === 0) continue;
    const [light, dark] = [luminance(text), luminance(behind(e))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) bad.add(`${node.data.trim().slice(0, 30)}: ${ratio.toFixed(2)} ${e.className}`);
  }
  return [...bad];
}

// choose gives a field a value as a person does.
export function choose(selector, value) {
  const element = document.querySelector(selector);
  element.value = value;
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

// write replaces the source.
export function write(text) {
  const element = document.querySelector("#source");
  element.focus();
  element.select();
  document.execCommand("insertText", false, text);
}

// caret puts the caret of the editor before a text.
export function caret(text) {
  const element = document.querySelector("#source"),
    at = element.value.indexOf(text);
  element.focus();
  element.setSelectionRange(at, at);
}

// grid returns what the grid of work-items says.
export function grid() {
  const cells = [...document.querySelectorAll(".items [role=gridcell]")];
  return cells
    .map((cell) => {
      const chosen = cell.getAttribute("aria-selected") === "true";
      return cell.getAttribute("aria-label") + (chosen ? "  <" : "");
    })
    .join("\n");
}

// texts returns the texts of all elements of a selector.
export function texts(selector) {
  return [...document.querySelectorAll(selector)].map((element) => element.textContent).join("\n");
}
