// What tests of the page begin with: a browser, and a server of the page.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Browser } from "./browser.mjs";
import * as inside from "./inside.mjs";

// start starts a browser, and the server of the program, unless LOCKSTEP_SERVER is the address of another one.
export async function start(program) {
  assert.ok(program, "LOCKSTEP is not set: the path of the program lockstep");
  const browser = await Browser.start();
  let address = process.env.LOCKSTEP_SERVER,
    served = null;
  if (!address) {
    served = spawn(program, ["serve", "-listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
    address = await new Promise((done, failed) => {
      let text = "";
      const read = (data) => {
        text += data;
        const found = /http:\/\/[\w.:[\]]+\//.exec(text);
        if (found) done(found[0]);
      };
      served.stdout.on("data", read);
      served.stderr.on("data", read);
      served.on("exit", () => failed(new Error(`lockstep serve has ended: ${text}`)));
    });
  }
  const end = async () => {
    await browser.close();
    served?.kill();
  };
  const open = async (options, fragment = "") => {
    const page = await browser.page(options);
    await page.open((options?.address ?? address) + fragment);
    await page.until("document.body?.dataset.ready === 'yes'", "the page to be ready");
    return page;
  };
  return { browser, open, end };
}

// resultOf waits for the next result after what f does.
export async function resultOf(page, f) {
  const old = await page.run("Number(document.body.dataset.done ?? 0)");
  await f();
  await page.until(`Number(document.body.dataset.done ?? 0) > ${old}`, "a result");
}

export const choose = (page, selector, value) => page.call(inside.choose, selector, value);
export const write = (page, text) => page.call(inside.write, text);

export const settled = (page) =>
  page.until("document.querySelector('#f-line').textContent.startsWith('lockstep run')");
