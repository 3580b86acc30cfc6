// The lessons of the course: their texts, with commands that can be opened and run, and their kernels.

import { h, byId, button } from "./dom.js";
import { coloured, render, slug } from "./markdown.js";

export const svgAddress = (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;

export class Lessons {
  #lessons = [];
  #now = null;

  // open(what) opens something in the page: {lesson, name, text, exercise} a file, {example, run} a command.
  constructor({ view, open, moved }) {
    this.view = view;
    this.open = open;
    this.moved = moved;
    this.lessonSelect = byId("lesson");
    this.fileSelect = byId("kernelfile");
    this.lessonSelect.addEventListener("change", () => this.show(this.lessonSelect.value));
    this.fileSelect.addEventListener("change", () => this.openFile(this.fileSelect.value));
  }

  set(lessons) {
    this.#lessons = lessons;
    this.lessonSelect.replaceChildren(
      ...lessons.map((lesson) => h("option", { value: lesson.id }, `${lesson.number}. ${lesson.title}`)),
    );
    this.lessonSelect.disabled = this.fileSelect.disabled = false;
  }

  get now() {
    return this.#now;
  }

  get all() {
    return this.#lessons;
  }

  byExample(id) {
    for (const lesson of this.#lessons) {
      const example = lesson.examples.find((e) => e.id === id);
      if (example) return { lesson, example };
    }
    return null;
  }

  // show shows the text of a lesson; the source in the editor stays.
  show(id, section = "") {
    const lesson = this.#lessons.find((l) => l.id === String(id)) ?? this.#lessons[0];
    if (!lesson) return;
    if (lesson !== this.#now) {
      this.#now = lesson;
      this.lessonSelect.value = lesson.id;
      const names = Object.keys(lesson.sources).sort();
      const exercise = (name) => lesson.exercises.find((e) => e.path.endsWith("/" + name));
      const option = (name) =>
        h("option", { value: name }, exercise(name) ? `${exercise(name).id} ${exercise(name).name}` : name);
      this.fileSelect.replaceChildren(
        h("option", { value: "" }, "Choose a kernel"),
        h("optgroup", { label: "Kernels of the text" }, names.filter((name) => !exercise(name)).map(option)),
        h(
          "optgroup",
          { label: "Exercises" },
          lesson.exercises.map((e) => option(e.path.split("/").pop())),
        ),
      );
      this.view.replaceChildren(...this.#text(lesson), this.#exercises(lesson));
      this.view.scrollTop = 0;
    }
    this.moved?.(lesson);
    if (section) this.#goto(section);
  }

  #goto(section) {
    const heading = this.view.querySelector(`#section-${CSS.escape(section)}`);
    heading?.scrollIntoView();
    heading?.focus({ preventScroll: true });
  }

  // openFile opens a kernel of the lesson that is shown.
  openFile(name) {
    const lesson = this.#now;
    if (!lesson || !(name in lesson.sources)) return;
    const path = `docs/course/${lesson.folder}/${name}`;
    const exercise = lesson.exercises.find((e) => e.path === path);
    this.open({
      lesson,
      name: path,
      text: exercise?.start ?? lesson.sources[name],
      exercise,
      example: lesson.examples.find((e) => e.source === path && e.args?.[0] === "run"),
    });
  }

  // shown says which file of the lesson is in the editor.
  shown(path) {
    const name = path.split("/").pop();
    this.fileSelect.value =
      this.#now && path.startsWith(`docs/course/${this.#now.folder}/`) && name in this.#now.sources
        ? name
        : "";
  }

  #text(lesson) {
    return render(lesson.markdown, {
      link: (words, target) => this.#link(lesson, words, target),
      image: (alt, target) => {
        const picture = lesson.pictures?.[target];
        return picture ? h("img", { src: svgAddress(picture), alt }) : `(picture: ${alt})`;
      },
      code: (language, text, begin) => this.#code(lesson, language, text, begin),
    });
  }

  #link(lesson, words, target) {
    if (target in lesson.sources) {
      return h(
        "button",
        { type: "button", class: "link", on: { click: () => this.openFile(target) } },
        words,
      );
    }
    const [path, section] = target.split("#");
    const other = path ? this.#lessons.find((l) => path.split("/").includes(l.folder)) : lesson;
    if (other) {
      return h(
        "a",
        {
          href: `#lesson=${other.id}`,
          on: {
            click: (event) => {
              event.preventDefault();
              this.show(other.id, section && slug(section));
              if (!section) this.view.focus();
            },
          },
        },
        words,
      );
    }
    if (/^https?:/.test(target))
      return h("a", { href: target, rel: "noopener noreferrer", target: "_blank" }, words);
    return h("span", {}, words);
  }

  #code(lesson, language, text, begin) {
    if (language === "c" || language === "cl")
      return h("pre", { class: "code", tabindex: "0" }, coloured(text));
    if (language !== "sh") return h("pre", { tabindex: "0" }, text);
    return h(
      "div",
      { class: "commands" },
      text.split("\n").map((line, i) => {
        const example = lesson.examples.find((e) => e.markdown_line === begin + 2 + i && e.args);
        const name = example && `example ${example.id}`;
        return h(
          "div",
          { class: "shell" },
          h("pre", { tabindex: "0" }, line),
          example &&
            h(
              "span",
              { class: "buttons" },
              button("Run", () => this.open({ lesson, example, run: true }), {
                "aria-label": `Run ${name}`,
                data: { run: example.id },
              }),
              example.source &&
                button("Open", () => this.open({ lesson, example }), {
                  "aria-label": `Open ${name} in the editor`,
                  data: { open: example.id },
                }),
            ),
        );
      }),
    );
  }

  #exercises(lesson) {
    return h(
      "section",
      { class: "exercises", "aria-label": "Exercises to begin with" },
      lesson.exercises.map((e) =>
        h(
          "div",
          { class: "card" },
          h("h4", {}, `${e.id} ${e.name}`),
          h("p", { class: "task" }, e.task.split("\n").slice(1).join("\n").trim()),
          button(`Begin ${e.id}`, () => this.openFile(e.path.split("/").pop())),
        ),
      ),
    );
  }
}
