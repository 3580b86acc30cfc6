// The engine: lockstep in a worker, requests one after the other, a time limit, and a new worker after an old
// one.

// Failure is why a request has no response. kind is load, webassembly, stopped, time, memory or crash.
export class Failure extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

// grace is how long lockstep may take to end a request by itself when its time is over: it says more than a
// worker that is ended, such as where work-items were, and what was printed.
const grace = 4000;

// loadModule loads and compiles lockstep, in a worker of its own, which is over then.
function loadModule(progress) {
  if (typeof WebAssembly !== "object") {
    throw new Failure(
      "webassembly",
      "This browser lacks WebAssembly, and lockstep needs it. Any browser of 2023 or later has it, unless it " +
        "is switched off.",
    );
  }
  const worker = new Worker("loader.js", { type: "module" });
  return new Promise((done, failed) => {
    worker.onmessage = ({ data }) => {
      if (data.bytes !== undefined) progress(data.bytes);
      else if (data.module) done(data.module);
      else failed(new Failure("load", data.failure));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      failed(new Failure("load", `lockstep could not be loaded: ${event.message || "the worker failed"}.`));
    };
  }).finally(() => worker.terminate());
}

// reason turns what Go wrote last into plain words.
function reason(text) {
  if (
    /out of memory|cannot allocate|memory access out of bounds|Maximum call|allocation failed/i.test(text)
  ) {
    return new Failure(
      "memory",
      "The kernel took more memory than the browser gives. lockstep has been started " +
        "again; try fewer work-items or smaller buffers.",
    );
  }
  const line = text.split("\n").find((part) => /panic:|fatal error:|Error/.test(part)) ?? "";
  return new Failure("crash", `lockstep ended unexpectedly and has been started again. ${line}`.trim());
}

export class Engine {
  #module;
  #worker;
  #starting;
  #queue = [];
  #running = null;
  #next = 1;

  // changed(busy) is called when work begins or ends; restarted(failure) when there is a new worker, with
  // the reason where no request that somebody waits for has been told of it, and null otherwise.
  constructor({ changed, restarted }) {
    this.changed = changed;
    this.restarted = restarted;
  }

  async load(progress) {
    this.#module = await loadModule(progress);
    await this.#start();
  }

  #start() {
    const worker = new Worker("worker.js");
    this.#worker = worker;
    this.#starting = new Promise((ready, failed) => {
      let begun = false;
      // A worker that fails before it is ready would fail again.
      const fail = (failure) => {
        if (worker !== this.#worker) return;
        if (begun) this.#restart(failure);
        else failed(failure);
      };
      worker.onmessage = ({ data }) => {
        if (worker !== this.#worker) return;
        if (data.ready) {
          begun = true;
          ready();
        } else if (data.crash !== undefined) fail(reason(data.crash));
        else this.#answer(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Failure("crash", `lockstep could not run: ${event.message || "the worker failed"}.`));
      };
    });
    this.#starting.catch(() => {});
    worker.postMessage({ module: this.#module });
    return this.#starting;
  }

  #answer({ id, response }) {
    const running = this.#running;
    if (!running || running.id !== id) return;
    this.#running = null;
    clearTimeout(running.timer);
    running.done(JSON.parse(response));
    this.#advance();
  }

  #restart(failure) {
    this.#worker.terminate();
    const lost = this.#running;
    this.#running = null;
    clearTimeout(lost?.timer);
    this.#start().then(
      () => this.#advance(),
      () => {},
    );
    lost?.failed(failure);
    this.restarted(lost && !lost.quiet ? null : failure);
    this.#tell();
  }

  // #tell says whether there is work that the page shows: work that runs, or that waits behind what is quiet.
  #tell() {
    this.changed([this.#running, ...this.#queue].some((entry) => entry && !entry.quiet));
  }

  async #advance() {
    const next = this.#running ? null : this.#queue.shift();
    if (next) this.#running = next;
    this.#tell();
    if (!next) return;
    try {
      await this.#starting;
    } catch (failure) {
      if (this.#running !== next) return;
      this.#running = null;
      next.failed(failure);
      this.#advance();
      return;
    }
    if (this.#running !== next) return;
    next.timer = setTimeout(
      () =>
        this.#restart(
          new Failure(
            "time",
            `The time limit of ${next.limit / 1000} s is over; lockstep has been started again. ` +
              "The limit is among the arguments.",
          ),
        ),
      next.limit + grace,
    );
    this.#worker.postMessage({
      id: next.id,
      request: JSON.stringify({ milliseconds: next.limit, ...next.request }),
    });
  }

  // call sends a request and returns the response. quiet requests, such as those of the editor while somebody
  // writes, are no work that the page shows; one that waits gives way to the next of the same kind.
  call(request, { limit = 10000, quiet = false } = {}) {
    return new Promise((done, failed) => {
      const entry = { id: this.#next++, request, limit, quiet, done, failed };
      if (quiet) {
        const old = this.#queue.findIndex((other) => other.quiet && other.request.op === request.op);
        if (old >= 0) {
          const [gone] = this.#queue.splice(old, 1);
          gone.failed(new Failure("stopped", "another request has taken its place"));
        }
      }
      this.#queue.push(entry);
      this.#advance();
    });
  }

  // stop ends what runs, and what waits.
  stop() {
    const failure = new Failure("stopped", "Stopped. lockstep has been started again.");
    for (const entry of this.#queue.splice(0)) entry.failed(failure);
    this.#restart(failure);
  }
}
