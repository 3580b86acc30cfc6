'use strict';
// Places of lockstep's documents as positions of VS Code. lockstep counts columns in bytes of UTF-8, from 1; VS Code
// counts UTF-16 units, from 0.

const fs = require('node:fs');
const path = require('node:path');

/** What diagnostics call a source that is given on standard input. */
const STANDARD_INPUT = 'standard input';

/** The offset in UTF-16 units of the byte `column`, from 1, of a line. */
function character(line, column) {
	if (/^[\x00-\x7f]*$/.test(line)) return Math.min(Math.max(column - 1, 0), line.length);
	return Buffer.from(line, 'utf8')
		.subarray(0, Math.max(column - 1, 0))
		.toString('utf8').length;
}

/**
 * Sources reads the lines of files once, to find characters in them. `open` has the text of documents that an editor
 * holds, by path: what is on disk may be older.
 */
class Sources {
	constructor(vscode, cwd, input) {
		this.vscode = vscode;
		this.cwd = cwd;
		this.input = input; // the document given on standard input, undefined for none
		this.lines = new Map();
	}

	/** The URI of a file of a document. */
	uri(file) {
		if (file === STANDARD_INPUT && this.input) return this.input.uri;
		return this.vscode.Uri.file(path.resolve(this.cwd, file));
	}

	text(uri) {
		const key = uri.toString();
		if (!this.lines.has(key)) {
			const open = this.vscode.workspace.textDocuments.find((d) => d.uri.toString() === key);
			let text = '';
			try {
				text = open ? open.getText() : fs.readFileSync(uri.fsPath, 'utf8');
			} catch {
				// A file that is gone has no characters: the place is the start of its line.
			}
			this.lines.set(key, text.split(/\r?\n/));
		}
		return this.lines.get(key);
	}

	/** The location of a place; a place without an end goes to the end of the statement that stands there. */
	location({ file, line, column, end_line, end_column }) {
		const { Location, Range } = this.vscode;
		const uri = this.uri(file);
		const lines = this.text(uri);
		const first = Math.max((line ?? 1) - 1, 0);
		const start = character(lines[first] ?? '', column ?? 1);
		if (end_line === undefined) {
			const [rest] = /^.[^;{}]*(?<!\s)/.exec((lines[first] ?? '').slice(start)) ?? [''];
			return new Location(uri, new Range(first, start, first, start + rest.length));
		}
		const last = Math.max(end_line - 1, 0);
		return new Location(uri, new Range(first, start, last, character(lines[last] ?? '', end_column ?? 1)));
	}
}

/** The text of diagnostics by URI, as DiagnosticCollection.set takes them. */
function byUri(list) {
	const groups = new Map();
	for (const { uri, diagnostic } of list) {
		const key = uri.toString();
		if (!groups.has(key)) groups.set(key, [uri, []]);
		groups.get(key)[1].push(diagnostic);
	}
	return [...groups.values()];
}

module.exports = { Sources, character, byUri, STANDARD_INPUT };
