// A small client of the DevTools protocol: a headless Chromium, driven through a pipe, and pages in it.
//
// Messages are JSON documents with a zero byte behind each, on the descriptors 3 and 4 of the browser
// (--remote-debugging-pipe).

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patience = 180000; // milliseconds that anything may take before it hangs; no test measures with it

export class Browser {
  #next = 1;
  #waiting = new Map();
  #listeners = new Map();
  #rest = "";

  static async start(program = process.env.CHROMIUM || "chromium") {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "lockstep-chromium-"));
    browser.process = spawn(
      program,
      [
        "--headless=new",
        "--remote-debugging-pipe",
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-extensions",
        "--disable-component-update",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        "--lang=en",
        `--user-data-dir=${browser.profile}`,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] },
    );
    let errors = "";
    browser.process.stderr.on("data", (data) => {
      errors = (errors + data).slice(-4000);
    });
    browser.process.on("exit", () => {
      for (const { failed } of browser.#waiting.values())
        failed(new Error(`the browser has ended: ${errors}`));
    });
    browser.process.stdio[4].setEncoding("utf8");
    browser.process.stdio[4].on("data", (data) => browser.#read(data));
    await browser.send("Browser.getVersion");
    return browser;
  }

  #read(data) {
    const parts = (this.#rest + data).split("\0");
    this.#rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id) {
        const { done, failed, method } = this.#waiting.get(message.id) ?? {};
        this.#waiting.delete(message.id);
        if (message.error) failed?.(new Error(`${method}: ${message.error.message}`));
        else done?.(message.result);
      } else {
        this.#listeners.get(message.sessionId)?.(message.method, message.params);
      }
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed, method });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  listen(session, listener) {
    this.#listeners.set(session, listener);
  }

  // page opens a page. A fresh one is without a cache and storage of others.
  async page({ width = 1440, height = 900, scheme = "light", mobile = false, fresh = false } = {}) {
    const { browserContextId } = fresh ? await this.send("Target.createBrowserContext") : {};
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    for (const domain of ["Page", "Runtime", "Network", "Accessibility", "DOM", "Log"])
      await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await page.scheme(scheme);
    return page;
  }

  async close() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const codes = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  " ": 32,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Home: 36,
  End: 35,
  F8: 119,
  F9: 120,
  Backspace: 8,
  PageDown: 34,
};

export class Page {
  requests = []; // {url, bytes}
  errors = []; // of the console, and exceptions
  #byId = new Map();

  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target });
    browser.listen(session, (method, params) => this.#event(method, params));
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  #event(method, params) {
    if (method === "Network.requestWillBeSent") {
      const request = { url: params.request.url, bytes: 0 };
      this.requests.push(request);
      this.#byId.set(params.requestId, request);
    } else if (method === "Network.loadingFinished") {
      const request = this.#byId.get(params.requestId);
      if (request) request.bytes = params.encodedDataLength;
    } else if (method === "Runtime.exceptionThrown") {
      const details = params.exceptionDetails;
      this.errors.push(
        `${details.exception?.description ?? details.text} (${details.url}:${details.lineNumber})`,
      );
    } else if (method === "Runtime.consoleAPICalled" && ["error", "assert"].includes(params.type)) {
      this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.errors.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    }
  }

  scheme(value) {
    return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async open(url) {
    await this.send("Page.navigate", { url });
  }

  // run evaluates an expression in the page, waits for its promise, and returns its value.
  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  // call calls a function in the page.
  call(f, ...args) {
    return this.run(`(${f})(...${JSON.stringify(args)})`);
  }

  // until waits for an expression to be true, and returns its value.
  async until(expression, what = expression) {
    for (const end = Date.now() + patience; Date.now() < end;) {
      const value = await this.run(expression).catch((error) => {
        // A page that is about to load has no document for a moment.
        if (/null|undefined|context/i.test(error.message)) return false;
        throw error;
      });
      if (value) return value;
      await new Promise((done) => setTimeout(done, 15));
    }
    const state = await this.run("document.body.innerText.slice(0, 1500)").catch(() => "");
    throw new Error(`waited in vain for ${what}\n${this.errors.join("\n")}\n${state}`);
  }

  // text returns the text of an element as it is, "" without one.
  text(selector) {
    return this.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);
  }

  click(selector) {
    return this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
      if (!e) throw new Error("no element " + ${JSON.stringify(selector)}); e.click(); })()`);
  }

  // key presses a key as a person does: "Enter", "Shift+Tab", "Control+Enter", "n".
  async key(name) {
    const parts = name.split("+"),
      key = parts.pop();
    const bits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
    const modifiers = parts.reduce((sum, part) => sum + bits[part], 0);
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const common = {
      key,
      code: key.length === 1 && /[a-z]/i.test(key) ? `Key${key.toUpperCase()}` : key === " " ? "Space" : key,
      windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0),
      modifiers,
    };
    const down = text && !(modifiers & 7) ? { type: "keyDown", text } : { type: "rawKeyDown" };
    await this.send("Input.dispatchKeyEvent", { ...down, ...common });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  // tabTo presses Tab until the element that a selector names has the focus, as one does without a mouse.
  async tabTo(selector, { key = "Tab", most = 120 } = {}) {
    for (let i = 0; i < most; i++) {
      if (await this.run(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return i;
      await this.key(key);
    }
    throw new Error(`${most} times ${key} do not lead to ${selector}`);
  }

  async accessibility() {
    const { nodes } = await this.send("Accessibility.getFullAXTree");
    return nodes
      .filter((node) => !node.ignored)
      .map((node) => ({
        role: node.role?.value,
        name: node.name?.value ?? "",
        properties: Object.fromEntries(
          (node.properties ?? []).map((property) => [property.name, property.value.value]),
        ),
      }));
  }

  async picture() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
