'use strict';
// The program lockstep, run as a child process.

const { spawn } = require('node:child_process');

// A document of more bytes than this is refused: nothing that an editor shows is as large.
const LARGEST = 64 << 20;

/**
 * Runs lockstep with the given words, and returns its exit status and what it has printed. `input` becomes its
 * standard input. It is ended when `signal` aborts.
 */
function run(path, words, { cwd, input, signal } = {}) {
	return new Promise((resolve, reject) => {
		const child = spawn(path, words, { cwd, signal, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe'] });
		const out = [],
			err = [];
		let size = 0;
		const keep = (list) => (data) => {
			size += data.length;
			if (size > LARGEST) {
				child.kill();
				reject(new Error(`${path} printed more than ${LARGEST} bytes`));
				return;
			}
			list.push(data);
		};
		child.stdout.on('data', keep(out));
		child.stderr.on('data', keep(err));
		// A program that ends before it has read its input breaks the pipe; its exit status says why it ended.
		child.stdin.on('error', () => {});
		child.stdin.end(input ?? '');
		child.on('error', (e) => reject(e.code === 'ENOENT' ? new Missing(path, cwd) : e));
		child.on('close', (status) =>
			resolve({
				status,
				stdout: Buffer.concat(out).toString('utf8'),
				stderr: Buffer.concat(err).toString('utf8'),
			}),
		);
	});
}

/** Missing says that there is no program lockstep. */
class Missing extends Error {
	constructor(path, cwd) {
		super(
			`cannot run ${JSON.stringify(path)}${cwd ? ` in ${cwd}` : ''}: there is no such program or folder. ` +
				'The setting lockstep.path names the program lockstep.',
		);
		this.name = 'Missing';
	}
}

/** Runs lockstep with words that contain -json, and returns the document that it prints. */
async function document(path, words, options) {
	const result = await run(path, words, options);
	try {
		return JSON.parse(result.stdout);
	} catch {
		const said = result.stderr.trim() || `it ended with status ${result.status}`;
		throw new Error(`lockstep ${words[0]} printed no document: ${said}`);
	}
}

module.exports = { run, document, Missing };
