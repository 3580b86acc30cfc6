// The timeline of a debug session, with a playhead where the session stands: a small one in the step view,
// and a large one for the view of timelines. Its clock is that of the debugger, whose code keeps every
// variable in memory: it has more ticks than a run.

import { h, button } from "./dom.js";
import { Timeline } from "./timeline.js";

const columns = 400; // ticks that are looked at

export class Track {
  #session = 0;
  #end = 0;
  #head = 0;
  #range = null; // of ticks; null is all
  #timelines = [];

  // call(request) asks the engine, goto(tick) goes there; drawn(element) takes the large timeline, or null.
  constructor({ call, goto, drawn }) {
    Object.assign(this, { call, goto, drawn });
    this.small = h("div", { hidden: true });
    this.large = h("div", {});
  }

  close() {
    if (!this.#session) return;
    this.#session = 0;
    this.#timelines = [];
    this.small.hidden = true;
    this.drawn(null);
  }

  // begin asks for the timeline of a session that has been opened.
  async begin(state) {
    this.#session = state.session;
    this.#end = state.end ?? 0;
    this.#head = state.tick;
    this.#range = null;
    this.#timelines = [];
    if (!this.#end) {
      this.fail("This launch has no end that is known, and so no timeline.");
      return;
    }
    await this.#ask();
  }

  fail(text) {
    this.small.hidden = false;
    this.small.replaceChildren(h("p", { class: "small" }, text));
  }

  async #ask() {
    const session = this.#session;
    const { timeline, error } = await this.call(
      { op: "debugTimeline", session, range: { ...this.#range, columns } },
      { quiet: true },
    );
    if (session !== this.#session) return;
    if (!timeline) throw new Error(error || "there is no timeline");
    const options = { goto: this.goto, title: "Where the debugger stands" };
    const [small, large] = [
      new Timeline(timeline, { ...options, compact: true }),
      new Timeline(timeline, options),
    ];
    this.#timelines = [small, large];
    this.small.replaceChildren(small.element);
    this.small.hidden = false;
    this.large.replaceChildren(this.#buttons(timeline), large.element);
    for (const one of this.#timelines) one.head(this.#head);
    this.drawn(this.large);
  }

  #buttons(timeline) {
    const span = timeline.end - timeline.start;
    const show = (range) => {
      this.#range = range;
      this.#ask().catch((failure) => this.fail(failure.message));
    };
    const around = (ticks) => {
      const from = Math.max(0, Math.min(this.#end - ticks, this.#head - Math.floor(ticks / 2)));
      return { from, to: Math.min(this.#end, from + ticks) };
    };
    return h(
      "div",
      { class: "row" },
      h("h3", {}, "The debugger"),
      button("Closer", () => show(around(Math.max(20, Math.floor(span / 4)))), { disabled: span <= 20 }),
      button("All of it", () => show(null), { disabled: span >= this.#end }),
      timeline.step > 1 &&
        h("span", { class: "small" }, `One of ${timeline.step} ticks is shown; Closer shows more of them.`),
    );
  }

  // head puts the playhead to where the session stands.
  head(tick) {
    this.#head = tick;
    if (!this.#session || !this.#timelines.length) return;
    const { start, end } = this.#timelines[0].timeline;
    if (this.#range && (tick < start || tick >= end)) {
      const from = Math.max(0, Math.min(this.#end - (end - start), tick - Math.floor((end - start) / 2)));
      this.#range = { from, to: from + (end - start) };
      this.#ask().catch((failure) => this.fail(failure.message));
      return;
    }
    for (const one of this.#timelines) one.head(tick);
  }
}
