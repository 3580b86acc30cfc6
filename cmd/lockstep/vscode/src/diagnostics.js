'use strict';
// What the compiler says about a source, while it is edited.

const path = require('node:path');
const lockstep = require('./lockstep');
const { Sources, byUri } = require('./places');
const help = require('./help');

/** Turns the "diagnostics" of a document of lockstep into those of VS Code: a list of {uri, diagnostic}. */
function convert(vscode, diagnostics, sources) {
	const { Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag } = vscode;
	const severities = { note: DiagnosticSeverity.Information, warning: DiagnosticSeverity.Warning };
	return (diagnostics ?? []).map((d) => {
		const { uri, range } = sources.location(d);
		const diagnostic = new Diagnostic(range, d.message, severities[d.severity] ?? DiagnosticSeverity.Error);
		diagnostic.source = 'lockstep';
		if (d.flag) {
			diagnostic.code = { value: `-W${d.flag}`, target: help.uri(vscode, 'warnings') };
			if (/^unused/.test(d.flag)) diagnostic.tags = [DiagnosticTag.Unnecessary];
		}
		diagnostic.relatedInformation = (d.notes ?? []).map(
			(n) => new DiagnosticRelatedInformation(sources.location(n), n.message),
		);
		// The texts to put there, for quick fixes. The compiler suggests them, at times in a note.
		diagnostic.fixes = [d, ...(d.notes ?? [])]
			.filter((f) => f.fix)
			.map((f) => ({ uri: sources.uri(f.file), range: replaced(vscode, sources, f), text: f.fix }));
		return { uri, diagnostic };
	});
}

/** What a fix replaces: nothing, at the start of the place, where only blanks or the end of the line stand there. */
function replaced(vscode, sources, fix) {
	const { uri, range } = sources.location(fix);
	const { start, end } = range;
	const line = sources.text(uri)[start.line] ?? '';
	const old = line.slice(start.character, start.line === end.line ? end.character : undefined);
	return old.trim() ? range : new vscode.Range(start, start);
}

/** Diagnostics compiles sources and shows what the compiler says. It also keeps what it has learnt of kernels. */
class Diagnostics {
	/** `settings` gives the settings for a document, `options` the compiler's options for it. */
	constructor(vscode, { settings, options, log }) {
		this.vscode = vscode;
		this.settings = settings;
		this.options = options;
		this.log = log;
		this.collection = vscode.languages.createDiagnosticCollection('lockstep');
		this.pending = new Map(); // by URI: the timer
		this.running = new Map(); // by URI: the compilation's AbortController
		this.files = new Map(); // by URI: the files in which its compilation has found something
		this.missing = false; // whether the user has been told that there is no lockstep
	}

	/** Whether a document is a source that can be compiled by itself: headers are not. */
	static compiles(document) {
		return (
			document.languageId === 'opencl' &&
			['file', 'untitled'].includes(document.uri.scheme) &&
			!/\.(?:clh|h)$/i.test(document.uri.path)
		);
	}

	/** Compiles a document after the delay of the settings. */
	schedule(document) {
		const key = document.uri.toString();
		clearTimeout(this.pending.get(key));
		this.pending.set(
			key,
			setTimeout(() => {
				this.pending.delete(key);
				this.compile(document);
			}, this.settings(document).diagnosticsDelay),
		);
	}

	/** Compiles a document as it is in the editor, and shows what the compiler says. */
	async compile(document) {
		const key = document.uri.toString();
		clearTimeout(this.pending.get(key));
		this.pending.delete(key);
		if (!Diagnostics.compiles(document)) return;
		this.running.get(key)?.abort();
		const controller = new AbortController();
		this.running.set(key, controller);
		try {
			const info = await this.info(document, controller.signal);
			if (controller.signal.aborted) return;
			this.missing = false;
			this.show(document, info.diagnostics ?? []);
		} catch (e) {
			if (!controller.signal.aborted) this.failed(e);
		} finally {
			if (this.running.get(key) === controller) this.running.delete(key);
		}
	}

	/** The document of lockstep info for what stands in the editor: kernels, or why there are none. */
	info(document, signal) {
		const words = ['info', '-json', ...this.options(document), '-'];
		return lockstep.document(this.settings(document).path, words, {
			cwd: folder(document),
			input: document.getText(),
			signal,
		});
	}

	show(document, diagnostics) {
		const sources = new Sources(this.vscode, folder(document) ?? process.cwd(), document);
		const groups = byUri(convert(this.vscode, diagnostics, sources));
		// Headers in which the last compilation had found something, and this one has not.
		for (const uri of this.files.get(document.uri.toString()) ?? []) this.collection.delete(uri);
		this.files.set(
			document.uri.toString(),
			groups.map(([uri]) => uri),
		);
		this.collection.delete(document.uri);
		for (const [uri, list] of groups) this.collection.set(uri, list);
	}

	failed(error) {
		this.log(error.message);
		if (error instanceof lockstep.Missing && !this.missing) {
			this.missing = true;
			this.vscode.window.showErrorMessage(error.message, 'Open Settings').then((choice) => {
				if (choice) this.vscode.commands.executeCommand('workbench.action.openSettings', 'lockstep.path');
			});
		}
	}

	/** Forgets a document that is closed. */
	close(document) {
		const key = document.uri.toString();
		clearTimeout(this.pending.get(key));
		this.pending.delete(key);
		this.running.get(key)?.abort();
		for (const uri of this.files.get(key) ?? []) this.collection.delete(uri);
		this.files.delete(key);
		this.collection.delete(document.uri);
	}

	dispose() {
		for (const timer of this.pending.values()) clearTimeout(timer);
		for (const controller of this.running.values()) controller.abort();
		this.collection.dispose();
	}
}

/** The folder of a document, from which its includes are found; undefined for one without a file. */
function folder(document) {
	return document.uri.scheme === 'file' ? path.dirname(document.uri.fsPath) : undefined;
}

/** Fixes offers what the compiler suggests as quick fixes. */
class Fixes {
	constructor(vscode) {
		this.vscode = vscode;
	}

	provideCodeActions(document, range, context) {
		const { CodeAction, CodeActionKind, WorkspaceEdit } = this.vscode;
		const actions = [];
		for (const d of context.diagnostics) {
			for (const fix of fixesOf(d, this.known(document))) {
				const old = fix.uri.toString() === document.uri.toString() ? document.getText(fix.range) : '';
				const action = new CodeAction(title(old, fix.text), CodeActionKind.QuickFix);
				action.edit = new WorkspaceEdit();
				action.edit.replace(fix.uri, fix.range, fix.text);
				action.diagnostics = [d];
				action.isPreferred = true;
				actions.push(action);
			}
		}
		return actions;
	}

	/** Our diagnostics of a document: those of a context are copies, which lack the fixes. */
	known(document) {
		return this.collection?.get(document.uri) ?? [];
	}
}

function fixesOf(diagnostic, known) {
	const ours = diagnostic.fixes
		? diagnostic
		: known.find((k) => k.message === diagnostic.message && k.range.isEqual(diagnostic.range));
	return ours?.fixes ?? [];
}

function title(old, text) {
	if (old.trim() === '') return `Insert '${text}'`;
	return text === '' ? `Remove '${old}'` : `Replace '${old}' with '${text}'`;
}

module.exports = { Diagnostics, Fixes, convert, folder };
