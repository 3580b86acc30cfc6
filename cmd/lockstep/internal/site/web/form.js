// The form of a launch: a kernel, its arguments as -arg has them, and how it runs.

import { h, byId } from "./dom.js";

// What an argument can be made of, by its kind; ELEMENT and COUNT are filled in.
const recipes = {
  buffer: [
    ["", "as written"],
    ["iota:ELEMENT:COUNT", "0, 1, 2 …"],
    ["zero:ELEMENT:COUNT", "zeros"],
    ["fill:ELEMENT:COUNT:1", "one value"],
    ["rand:ELEMENT:COUNT:1", "random"],
    ["undef:ELEMENT:COUNT", "never set"],
    ["buf:ELEMENT:1,2,3", "a list"],
    ["null", "null pointer"],
  ],
  image: [
    ["", "as written"],
    ["image:16x16:rgba:unorm8", "zeros, 16 × 16"],
    ["image:16x16:r:u8:iota:u8:256", "0, 1, 2 … of 16 × 16"],
  ],
  sampler: [
    ["", "as written"],
    ["sampler:nearest", "nearest"],
    ["sampler:linear,repeat,normalized", "linear, repeat"],
  ],
  pipe: [
    ["", "as written"],
    ["pipe:ELEMENT:16", "empty"],
    ["pipe:ELEMENT:16:iota:ELEMENT:8", "with packets"],
  ],
};

const schedules = ["in-order", "reverse", "seeded", "late", "early", "paced", "reverse+late"];
const subgroups = [1, 2, 4, 8, 16, 32, 64, 128];

// split and join turn words of a command line into a text and back, with single quotes around spaces.
export function split(text) {
  return [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, ""));
}

export const join = (words) =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(" ");

const sizes = /^\d+(,\d+){0,2}$/;

export class Form {
  #kernels = [];
  #rows = [];
  #kernel = "";
  #files;

  constructor(form, { changed }) {
    this.form = form;
    this.changed = changed;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.#changed());
    this.#build();
  }

  #field(id, label, input, hint) {
    return h(
      "div",
      { class: "field" },
      h("label", { for: id }, label),
      input,
      hint && h("p", { class: "small hint", id: `${id}-hint` }, hint),
    );
  }

  #text(id, label, props = {}, hint = "") {
    const input = h("input", { id, type: "text", "aria-describedby": hint ? `${id}-hint` : null, ...props });
    return this.#field(id, label, input, hint);
  }

  #select(id, label, options) {
    return this.#field(
      id,
      label,
      h(
        "select",
        { id },
        options.map(([value, text]) => h("option", { value }, text)),
      ),
    );
  }

  #build() {
    this.kernelSelect = h("select", {
      id: "f-kernel",
      on: { input: () => this.#choose(this.kernelSelect.value) },
    });
    this.args = h("div", { class: "args", role: "group", "aria-label": "Arguments of the kernel" });
    this.form.append(
      h(
        "div",
        { class: "fields" },
        this.#field("f-kernel", "Kernel", this.kernelSelect),
        this.#text("f-global", "Work-items", { placeholder: "64 or 8,8", inputmode: "text" }),
        this.#text("f-local", "in groups of", { placeholder: "as suits" }),
      ),
      this.args,
      h(
        "div",
        { class: "fields" },
        this.#select("f-subgroup", "Lanes of a sub-group", [
          ["0", "default"],
          ...subgroups.map((n) => [n, n]),
        ]),
        this.#text("f-wave", "Lanes of a wave", { placeholder: "default", inputmode: "numeric" }),
        this.#select(
          "f-schedule",
          "Schedule",
          schedules.map((name) => [name === "in-order" ? "" : name, name]),
        ),
        this.#text("f-seed", "Seed", { placeholder: "0", inputmode: "numeric" }),
      ),
      h(
        "div",
        { class: "fields" },
        h(
          "label",
          { class: "box" },
          h("input", { id: "f-check", type: "checkbox" }),
          "Check (races, values never set …)",
        ),
        h("label", { class: "box" }, h("input", { id: "f-keep", type: "checkbox" }), "Go on behind a fault"),
      ),
      h(
        "details",
        {},
        h("summary", {}, "More"),
        this.#text("f-options", "Options of the compiler", { placeholder: "-cl-std=CL2.0 -D N=64 -Wall" }),
        this.#text("f-offset", "Offset of global ids", { placeholder: "0" }),
        this.#text(
          "f-flags",
          "Further words of the command line",
          { placeholder: "-poison 1 -dma-step 8" },
          "As lockstep run has them. Launches of several kernels (-with, -then) cannot be stepped through.",
        ),
        this.#text("f-limit", "Time limit in seconds", { value: "10", inputmode: "decimal" }),
      ),
      h(
        "div",
        { class: "field line" },
        h("label", { for: "f-line" }, "The same on the command line"),
        h("output", { id: "f-line", class: "command" }),
      ),
    );
  }

  #changed() {
    this.validate();
    this.changed();
  }

  // limit is the time limit in milliseconds.
  get limit() {
    const seconds = Number.parseFloat(byId("f-limit").value);
    return seconds > 0 ? Math.min(seconds, 3600) * 1000 : 10000;
  }

  showLine(text) {
    byId("f-line").textContent = text;
  }

  get kernels() {
    return this.#kernels;
  }

  // locals are the names of the parameters that point to local memory.
  get locals() {
    return this.#rows.filter(({ param }) => param.kind === "local").map(({ param }) => param.name);
  }

  // setKernels takes the kernels of a source. Arguments whose parameters are the same stay.
  setKernels(kernels) {
    this.#kernels = kernels;
    const name = kernels.some((kernel) => kernel.name === this.#kernel)
      ? this.#kernel
      : (kernels[0]?.name ?? "");
    this.kernelSelect.replaceChildren(
      ...kernels.map((kernel) => h("option", { value: kernel.name }, kernel.name)),
    );
    this.kernelSelect.value = name;
    const again = name === this.#kernel;
    this.#kernel = name;
    this.#rebuild(again);
  }

  #choose(name) {
    if (name === this.#kernel) return;
    this.#kernel = name;
    this.#rebuild(false);
  }

  get #current() {
    return this.#kernels.find((kernel) => kernel.name === this.#kernel);
  }

  #rebuild(keep) {
    const kernel = this.#current;
    if (!kernel) return;
    const old = keep ? this.#rows : [];
    if (!keep || !byId("f-global").value) {
      byId("f-global").value = kernel.global;
      byId("f-local").value = kernel.local ?? "";
    }
    const signature = JSON.stringify(kernel.params.map((p) => [p.name, p.type, p.kind]));
    if (keep && signature === this.signature) return;
    this.signature = signature;
    const first = kernel.params.findIndex((p) => p.printable && p.access !== "read");
    this.#rows = kernel.params.map((param, i) => {
      const before = old.find((row) => row.param.name === param.name && row.param.type === param.type);
      return this.#row(
        param,
        i,
        before ? before.spec.value : param.default,
        before ? before.out.checked : param.printable && param.access !== "read" && (keep || i >= first),
      );
    });
    this.args.replaceChildren(...this.#rows.map((row) => row.element));
    this.validate();
  }

  #row(param, i, value, printed) {
    const id = `f-arg-${i}`;
    const spec = h("input", { id, type: "text", value, "aria-describedby": `${id}-type`, class: "spec" });
    const out = h("input", { type: "checkbox", id: `${id}-out` });
    out.checked = Boolean(printed);
    const list = recipes[param.kind];
    const recipe =
      list &&
      h(
        "select",
        {
          "aria-label": `What ${param.name} is made of`,
          on: {
            input: (event) => {
              if (!recipe.value) return;
              const count = /^\w+:\w+:(\d+[kmg]?)/.exec(spec.value)?.[1] ?? String(this.#count());
              const element = /^\w+:([a-z]\d+(?:x\d+)?):/.exec(spec.value)?.[1] ?? param.element ?? "i32";
              spec.value = recipe.value.replaceAll("ELEMENT", element).replaceAll("COUNT", count);
              recipe.value = "";
              event.stopPropagation();
              this.#changed();
            },
          },
        },
        list.map(([value, text]) => h("option", { value }, text)),
      );
    const element = h(
      "div",
      { class: "arg" },
      h("label", { for: id, class: "name" }, param.name || `argument ${i}`),
      h("span", { class: "small type", id: `${id}-type` }, param.type),
      h("div", { class: "how" }, recipe, spec),
      param.printable && h("label", { class: "box small" }, out, "print"),
    );
    return { param, spec, out, element };
  }

  #count() {
    const sizes = byId("f-global").value.split(",").map(Number);
    return sizes.reduce((a, b) => a * (b || 1), 1);
  }

  validate() {
    const check = (id, ok, text) => {
      const input = byId(id);
      input.setCustomValidity(ok ? "" : text);
      input.setAttribute("aria-invalid", !ok);
      input.title = ok ? "" : text;
    };
    const size = (id, empty) => {
      const value = byId(id).value.trim();
      check(id, (empty && !value) || sizes.test(value), "one to three numbers: 64 or 8,8");
    };
    size("f-global", false);
    size("f-local", true);
    size("f-offset", true);
    for (const id of ["f-wave", "f-seed"]) {
      const value = byId(id).value.trim();
      check(id, /^\d*$/.test(value), "a number");
    }
  }

  // setLaunch shows a launch, such as that of an example.
  setLaunch(launch) {
    const kernel = launch.kernel || this.#kernels[0]?.name || "";
    if (this.#kernels.some((k) => k.name === kernel)) {
      this.kernelSelect.value = kernel;
      this.#kernel = kernel;
      this.#rebuild(false);
    }
    // A launch names its arguments by their numbers, whatever the parameters are.
    this.#rows.forEach((row, i) => {
      const arg = launch.args[i];
      if (!arg) return;
      row.spec.value = arg.spec;
      row.out.checked = Boolean(arg.out);
    });
    const set = (id, value) => {
      byId(id).value = value ?? "";
    };
    set("f-global", launch.global);
    set("f-local", launch.local);
    set("f-offset", launch.offset);
    set("f-options", launch.source?.options);
    set("f-subgroup", String(launch.subgroup ?? 0));
    set("f-wave", launch.wave || "");
    set("f-seed", launch.seed || "");
    const schedule = launch.schedule === "in-order" ? "" : (launch.schedule ?? "");
    const select = byId("f-schedule");
    if (![...select.options].some((option) => option.value === schedule)) {
      select.append(h("option", { value: schedule }, schedule));
    }
    select.value = schedule;
    byId("f-check").checked = Boolean(launch.check);
    byId("f-keep").checked = Boolean(launch.keep_going);
    set("f-flags", join(launch.flags ?? []));
    this.#files = launch.files;
    this.validate();
  }

  // launch returns what the form says, without the source.
  launch() {
    const text = (id) => byId(id).value.trim() || undefined;
    const number = (id) => Number.parseInt(byId(id).value, 10) || undefined;
    const flags = split(byId("f-flags").value);
    return {
      kernel: this.#kernels.length > 1 ? this.#kernel : undefined,
      args: this.#rows.map(({ spec, out, param }) => ({
        spec: spec.value.trim(),
        out: Boolean(param.printable && out.checked) || undefined,
      })),
      global: text("f-global") ?? "",
      local: text("f-local"),
      offset: text("f-offset"),
      subgroup: number("f-subgroup"),
      wave: number("f-wave"),
      schedule: text("f-schedule"),
      seed: number("f-seed"),
      check: byId("f-check").checked || undefined,
      keep_going: byId("f-keep").checked || undefined,
      flags: flags.length ? flags : undefined,
      files: this.#files,
    };
  }

  get options() {
    return byId("f-options").value.trim();
  }
}
