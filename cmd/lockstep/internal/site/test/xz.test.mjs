// Tests of the decoder that the page has, without a browser:
//
//	node --test cmd/lockstep/internal/site/test/xz.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const read = (name) => readFileSync(new URL(name, import.meta.url));
// Node.js takes a file for a module by its name.
const folder = mkdtempSync(join(tmpdir(), "lockstep-xz-"));
writeFileSync(join(folder, "xz.mjs"), read("../web/xz.js"));
const { crc32, decompress, XZError } = await import(pathToFileURL(join(folder, "xz.mjs")));
rmSync(folder, { recursive: true });

// decode decodes a file that comes in parts of a size.
async function decode(file, size = 1000) {
  const parts = [];
  let at = 0;
  await decompress(
    async () => {
      if (at >= file.length) return { done: true };
      at += size;
      return { done: false, value: file.subarray(at - size, at) };
    },
    (bytes) => parts.push(bytes),
  );
  return Buffer.concat(parts);
}

// squares is the text of TestGolden.
function squares(lines) {
  return Array.from({ length: lines }, (_, i) => `line ${i} has the square ${i * i}\n`).join("");
}

const golden = read("../../xz/testdata/squares.xz"); // TestGolden of package xz writes it
const text = squares(60) + squares(20);

test("what package xz writes is decoded, in parts of any size", async () => {
  for (const size of [1, 7, 100, golden.length]) assert.equal((await decode(golden, size)).toString(), text);
});

test("a file that is cut off, damaged or too long is an error in words", async () => {
  const refused = (file, what) =>
    assert.rejects(decode(file), (error) => error instanceof XZError && error.message.length > 10, what);
  for (let i = 0; i < golden.length; i++) {
    await assert.rejects(decode(golden.subarray(0, i)), /the file is cut off/, `behind ${i} bytes`);
    const damaged = Buffer.from(golden);
    damaged[i] ^= 1 << (i % 8);
    await refused(damaged, `byte ${i}`);
  }
  await refused(Buffer.concat([golden, golden]), "twice");
  await refused(Buffer.from("<!doctype html><p>not found"), "a page");
});

test("a block that is larger than the limit is refused before memory is taken", async () => {
  // A header as of a block of 2^40 bytes.
  const header = [3, 0xc0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x21, 1, 40];
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(header));
  const file = Buffer.concat([golden.subarray(0, 12), Buffer.from(header), sum]);
  await assert.rejects(decode(file), /the limit is 268435456/);
});

test("what the program xz writes is decoded", async (t) => {
  const noise = Buffer.from(Uint8Array.from({ length: 200000 }, (_, i) => (Math.imul(i, i * 7919) >>> 11) & 255));
  const random = Buffer.from(
    Uint8Array.from({ length: 100000 }, (_, i) => crc32(Uint8Array.of(i, i >> 8, i >> 16)) & 255),
  );
  const data = Buffer.concat([noise, random, Buffer.alloc(3 << 20), Buffer.from(squares(5000)), random]);
  for (const options of ["lc=3,lp=0,pb=2", "lc=0,lp=4,pb=0", "lc=4,lp=0,pb=4"]) {
    // -T2 writes the sizes of blocks into their headers.
    const made = spawnSync("xz", ["-T2", "--check=crc32", `--lzma2=preset=6,${options}`], { input: data });
    if (made.error) return t.skip("the program xz is not installed");
    assert.equal(made.status, 0);
    assert.ok((await decode(made.stdout, 4096)).equals(data), options);
  }
});
