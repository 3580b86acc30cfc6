'use strict';
// What lockstep finds when a kernel runs with checks: data races, values that were never set, accesses out of bounds.

const path = require('node:path');
const lockstep = require('./lockstep');
const { Sources, byUri } = require('./places');
const help = require('./help');

/** A work-item in a few words. */
function itemText(item) {
	return item ? `work-item (${item.global.join(',')})` : 'a work-item';
}

/** Turns findings of a document of lockstep run into diagnostics: a list of {uri, diagnostic}. */
function convert(vscode, findings, sources, program) {
	const { Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity } = vscode;
	return findings.map((f) => {
		// A finding without a place is about the whole kernel.
		const { uri, range } = sources.location(f.place?.file ? f.place : { file: program, line: 1, column: 1 });
		let message = `${f.message}: ${f.detail ?? ''}`.replace(/: $/, '');
		if (f.work_item) message += `\n${itemText(f.work_item)}, kernel ${f.kernel}`;
		if (f.count > 1) message += f.code === 'E-RACE' ? `\n${f.count} bytes in all` : `\n${f.count} times`;
		for (const n of f.notes ?? []) message += `\n${n}`;
		for (const h of f.help ?? []) message += `\nhelp: ${h}`;
		const severity = f.severity === 'warning' ? DiagnosticSeverity.Warning : DiagnosticSeverity.Error;
		const diagnostic = new Diagnostic(range, message, severity);
		diagnostic.source = 'lockstep -check';
		diagnostic.code = { value: f.code, target: help.uri(vscode, f.code) };
		diagnostic.relatedInformation = related(f).map(
			({ place, text }) => new DiagnosticRelatedInformation(sources.location(place), text),
		);
		return { uri, diagnostic };
	});
}

/** The other places of a finding: of the other parties, and the calls that lead to them. */
function related(f) {
	const list = [];
	for (const p of f.parties ?? []) {
		if (p.place?.file) list.push({ place: p.place, text: `${p.does} ${itemText(p.work_item)}` });
	}
	for (const place of [f.place, ...(f.parties ?? []).map((p) => p.place)]) {
		for (const c of place?.calls ?? []) {
			if (c.file) list.push({ place: c, text: `called here, in ${c.function ?? 'the kernel'}` });
		}
	}
	return list;
}

/** The words of lockstep for a run of a launch with checks. */
function checkWords(launch, timeout) {
	const words = ['run', launch.program, '-check', '-json', '-timeout', `${timeout}s`];
	if (launch.kernel) words.push('-kernel', launch.kernel);
	return [...words, ...launch.args];
}

/** Findings runs kernels with checks and shows what is found. */
class Findings {
	constructor(vscode, { settings, output }) {
		this.vscode = vscode;
		this.settings = settings;
		this.output = output;
		this.collection = vscode.languages.createDiagnosticCollection('lockstep findings');
		this.found = new Map(); // by program and kernel: a list of {uri, diagnostic}
	}

	/** Runs a launch with checks; returns the document of lockstep run. */
	async check(launch, signal) {
		const settings = this.settings(this.vscode.Uri.file(launch.program));
		const words = checkWords(launch, settings.checkTimeout);
		this.output(`> lockstep ${require('./words').join(words)}`);
		const doc = await lockstep.document(settings.path, words, { cwd: launch.cwd, signal });
		if (doc.document === 'error') {
			this.output(doc.error.message);
			return doc;
		}
		if (doc.printf) this.output(doc.printf.replace(/\n$/, ''));
		for (const o of doc.outputs) {
			if (o.values) this.output(`${o.name ?? o.argument}: ${[o.values].flat(Infinity).join(' ')}`);
		}
		for (const p of doc.partial_checks ?? []) this.output(`findings ${p.code} may be missing: ${p.reason}`);
		const sources = new Sources(this.vscode, launch.cwd ?? path.dirname(launch.program));
		const list = convert(this.vscode, doc.findings, sources, launch.program);
		this.found.set(JSON.stringify([launch.program, launch.kernel]), list);
		this.show();
		this.output(summary(launch, doc));
		return doc;
	}

	show() {
		this.collection.clear();
		for (const [uri, list] of byUri([...this.found.values()].flat())) this.collection.set(uri, list);
	}

	clear() {
		this.found.clear();
		this.collection.clear();
	}

	dispose() {
		this.collection.dispose();
	}
}

/** What has been found, in a line. */
function summary(launch, doc) {
	const name = launch.kernel ?? doc.launches[0]?.kernel ?? path.basename(launch.program);
	if (doc.findings.length === 0) return `${name}: nothing found for these arguments`;
	const codes = [...new Set(doc.findings.map((f) => f.code))].join(', ');
	return `${name}: ${doc.findings.length} finding${doc.findings.length === 1 ? '' : 's'}: ${codes}`;
}

module.exports = { Findings, convert, checkWords, summary };
