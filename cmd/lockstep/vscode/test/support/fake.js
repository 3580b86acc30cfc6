'use strict';
// As much of the module vscode as the extension uses, for tests without VS Code. Windows, settings and documents
// are plain lists that tests fill and read.

const fs = require('node:fs');
const path = require('node:path');
const Module = require('node:module');

class Uri {
	constructor(scheme, uriPath) {
		Object.assign(this, { scheme, path: uriPath, fsPath: uriPath });
	}
	static file(p) {
		return new Uri('file', p);
	}
	static parse(text) {
		const [, scheme, rest] = /^([\w-]+):(.*)$/.exec(text);
		return new Uri(scheme, rest.replace(/^\/\//, ''));
	}
	toString() {
		return `${this.scheme}:${this.path}`;
	}
}

class Position {
	constructor(line, character) {
		Object.assign(this, { line, character });
	}
}

class Range {
	constructor(a, b, c, d) {
		this.start = typeof a === 'number' ? new Position(a, b) : a;
		this.end = typeof a === 'number' ? new Position(c, d) : b;
	}
	isEqual(other) {
		return String(this) === String(other);
	}
	/** As editors show it: lines and columns from 1. */
	toString() {
		return `${this.start.line + 1}:${this.start.character + 1}-${this.end.line + 1}:${this.end.character + 1}`;
	}
}

class Location {
	constructor(uri, range) {
		Object.assign(this, { uri, range });
	}
}

class Diagnostic {
	constructor(range, message, severity) {
		Object.assign(this, { range, message, severity });
	}
}

class EventEmitter {
	constructor() {
		this.listeners = new Set();
		this.event = (f) => {
			this.listeners.add(f);
			return { dispose: () => this.listeners.delete(f) };
		};
	}
	fire(x) {
		for (const f of this.listeners) f(x);
	}
}

class WorkspaceEdit {
	constructor() {
		this.edits = [];
	}
	replace(uri, range, text) {
		this.edits.push({ uri, range, text });
	}
}

class TextDocument {
	constructor(file, text) {
		this.uri = Uri.file(file);
		this.languageId = /\.clh?$/.test(file) ? 'opencl' : 'plaintext';
		this.text = text ?? fs.readFileSync(file, 'utf8');
	}
	getText(range) {
		return range ? this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.text;
	}
	lineAt(n) {
		return { text: this.text.split('\n')[n] };
	}
	positionAt(offset) {
		const lines = this.text.slice(0, offset).split('\n');
		return new Position(lines.length - 1, lines.at(-1).length);
	}
	offsetAt({ line, character }) {
		return (
			this.text
				.split('\n')
				.slice(0, line)
				.reduce((n, l) => n + l.length + 1, 0) + character
		);
	}
	async save() {
		fs.writeFileSync(this.uri.fsPath, this.text);
		return true;
	}
}

/** Makes a module vscode whose workspace is a folder; `settings` are those of the sections lockstep and launch. */
function fake({ folder, settings = {} }) {
	const events = Object.fromEntries(
		['open', 'save', 'change', 'close', 'configuration', 'session', 'item'].map((n) => [
			n,
			new EventEmitter(),
		]),
	);
	const subscribe = (name) => events[name].event;
	const workspaceFolder = folder && { uri: Uri.file(folder), name: path.basename(folder), index: 0 };
	const registered = {};
	const keep =
		(kind) =>
		(...args) => {
			(registered[kind] ??= []).push(args);
			return { dispose() {} };
		};
	const collections = [];
	const messages = [];
	const say =
		(kind) =>
		async (message, ...actions) => {
			messages.push({ kind, message, actions });
		};
	const vscode = {
		Uri,
		Position,
		Range,
		Location,
		Diagnostic,
		EventEmitter,
		WorkspaceEdit,
		events,
		registered,
		collections,
		messages,
		DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
		DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
		DiagnosticRelatedInformation: class {
			constructor(location, message) {
				Object.assign(this, { location, message });
			}
		},
		CodeLens: class {
			constructor(range, command) {
				Object.assign(this, { range, command });
			}
		},
		CodeAction: class {
			constructor(title, kind) {
				Object.assign(this, { title, kind });
			}
		},
		CodeActionKind: { QuickFix: 'quickfix' },
		DebugAdapterExecutable: class {
			constructor(command, args, options) {
				Object.assign(this, { command, args, options });
			}
		},
		DebugAdapterServer: class {
			constructor(port, host) {
				Object.assign(this, { port, host });
			}
		},
		EvaluatableExpression: class {
			constructor(range, expression) {
				Object.assign(this, { range, expression });
			}
		},
		DebugConfigurationProviderTriggerKind: { Initial: 1, Dynamic: 2 },
		ConfigurationTarget: { WorkspaceFolder: 3 },
		StatusBarAlignment: { Left: 1 },
		ProgressLocation: { Notification: 15 },
		languages: {
			createDiagnosticCollection(name) {
				const map = new Map();
				const c = {
					name,
					set: (u, l) => map.set(u.toString(), l),
					get: (u) => map.get(u.toString()),
					delete: (u) => map.delete(u.toString()),
					clear: () => map.clear(),
					dispose: () => map.clear(),
					map,
				};
				collections.push(c);
				return c;
			},
			registerCodeLensProvider: keep('lenses'),
			registerCodeActionsProvider: keep('actions'),
			registerEvaluatableExpressionProvider: keep('expressions'),
		},
		workspace: {
			textDocuments: [],
			getWorkspaceFolder: (uri) =>
				folder && uri.fsPath.startsWith(folder + path.sep) ? workspaceFolder : undefined,
			getConfiguration: (section) => ({
				get: (key) => settings[section]?.[key],
				update: async (key, value) => {
					(settings[section] ??= {})[key] = value;
				},
			}),
			async openTextDocument(uri) {
				return (
					this.textDocuments.find((d) => d.uri.toString() === uri.toString()) ?? new TextDocument(uri.fsPath)
				);
			},
			onDidOpenTextDocument: subscribe('open'),
			onDidSaveTextDocument: subscribe('save'),
			onDidChangeTextDocument: subscribe('change'),
			onDidCloseTextDocument: subscribe('close'),
			onDidChangeConfiguration: subscribe('configuration'),
			registerTextDocumentContentProvider: keep('contents'),
		},
		window: {
			output: [],
			picks: [],
			inputs: [],
			statusBar: undefined,
			createOutputChannel() {
				return { appendLine: (l) => this.output.push(l), show() {}, dispose() {} };
			},
			createStatusBarItem() {
				return (this.statusBar = {
					visible: false,
					show() {
						this.visible = true;
					},
					hide() {
						this.visible = false;
					},
					dispose() {},
				});
			},
			showErrorMessage: say('error'),
			showWarningMessage: say('warning'),
			showInformationMessage: say('information'),
			// Tests put functions here that choose of what they are shown.
			async showQuickPick(rows, options) {
				return this.picks.shift()?.(rows, options);
			},
			async showInputBox(options) {
				return this.inputs.shift()?.(options);
			},
			async withProgress(options, work) {
				return work({ report() {} }, { onCancellationRequested() {} });
			},
			registerWebviewViewProvider: keep('views'),
		},
		commands: {
			registerCommand: keep('commands'),
			async executeCommand(name, ...args) {
				return registered.commands.find(([n]) => n === name)[1](...args);
			},
		},
		debug: {
			started: [],
			activeDebugSession: undefined,
			activeStackItem: undefined,
			async startDebugging(f, config) {
				this.started.push(config);
				return true;
			},
			registerDebugAdapterDescriptorFactory: keep('adapters'),
			registerDebugConfigurationProvider: keep('configurations'),
			registerDebugAdapterTrackerFactory: keep('trackers'),
			onDidChangeActiveDebugSession: subscribe('session'),
			onDidChangeActiveStackItem: subscribe('item'),
		},
	};
	return vscode;
}

/** Loads the extension with a module vscode and activates it. */
function activate(vscode) {
	const load = Module._load;
	Module._load = function (name, ...rest) {
		return name === 'vscode' ? vscode : load.call(this, name, ...rest);
	};
	const file = require.resolve('../../src/extension.js');
	delete require.cache[file];
	let extension;
	try {
		extension = require(file);
	} finally {
		Module._load = load;
	}
	const memory = new Map();
	const context = {
		subscriptions: [],
		workspaceState: { get: (k, d) => memory.get(k) ?? d, update: async (k, v) => void memory.set(k, v) },
	};
	return { work: extension.activate(context), extension, context };
}

module.exports = { fake, activate, TextDocument, Uri, Range, Position };
