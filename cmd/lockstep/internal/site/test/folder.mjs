// A server of the files of a folder, as plain as hosts of static files are: it compresses nothing.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

// serveFolder serves a folder at a port that is free, and returns the address, what was sent ({path, bytes}, without
// heads), and a function that ends it.
export async function serveFolder(folder) {
  const sent = [];
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    try {
      const body = await readFile(join(folder, path.endsWith("/") ? `${path}index.html` : path));
      response.writeHead(200, {
        "Content-Type": types[extname(path.replace(/\/$/, "/index.html"))] ?? "text/plain",
      });
      response.end(body);
      sent.push({ path, bytes: body.length });
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() };
}
