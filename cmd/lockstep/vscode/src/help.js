'use strict';
// Texts of `lockstep help`, as read-only documents of the scheme lockstep-help.

const lockstep = require('./lockstep');

const SCHEME = 'lockstep-help';

/** The URI of the text about a code or topic. */
function uri(vscode, topic) {
	return vscode.Uri.parse(`${SCHEME}:/${topic}.txt`);
}

class Help {
	constructor(path) {
		this.path = path; // gives the program
	}

	async provideTextDocumentContent(uri) {
		const topic = uri.path.replace(/^\//, '').replace(/\.txt$/, '');
		if (!/^[A-Za-z][\w-]*$/.test(topic)) return `There is no help about ${topic}.`;
		const { stdout, stderr } = await lockstep.run(this.path(), ['help', topic]);
		return stdout || stderr;
	}
}

module.exports = { Help, SCHEME, uri };
