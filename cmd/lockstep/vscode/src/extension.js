'use strict';
// The extension: what VS Code calls, wired to the parts that do the work.

const vscode = require('vscode');
const path = require('node:path');
const lockstep = require('./lockstep');
const { Diagnostics, Fixes } = require('./diagnostics');
const { Findings, summary } = require('./findings');
const { Launches, argsOf } = require('./launches');
const { Lenses } = require('./lenses');
const { AdapterFactory, Configurations, Items, TYPE, item } = require('./debug');
const { Lanes } = require('./lanes');
const { Help, SCHEME, uri: helpUri } = require('./help');
const { kernels, dimensions } = require('./kernels');
const { compilerOptions } = require('./words');
const form = require('./form');

/** The settings for a document, a folder or a URI. */
function settings(scope) {
	const c = vscode.workspace.getConfiguration('lockstep', scope?.uri ?? scope);
	return {
		path: c.get('path') || 'lockstep',
		compilerOptions: c.get('compilerOptions') ?? [],
		diagnostics: c.get('diagnostics'),
		diagnosticsDelay: c.get('diagnosticsDelay'),
		checkTimeout: c.get('checkTimeout'),
		codeLens: c.get('codeLens'),
	};
}

/** Work is what the extension's commands do. */
class Work {
	constructor(context) {
		this.channel = vscode.window.createOutputChannel('lockstep');
		this.launches = new Launches(vscode, context.workspaceState);
		const log = (line) => this.channel.appendLine(line);
		this.diagnostics = new Diagnostics(vscode, { settings, options: (d) => this.options(d), log });
		this.findings = new Findings(vscode, { settings, output: log });
		this.lenses = new Lenses(vscode, { launches: this.launches, settings });
		this.items = new Items(vscode, () => this.lanes.update());
		this.lanes = new Lanes(vscode, this.items, (name) => this.items.select(item(name)));
		context.subscriptions.push(this.channel, this.diagnostics, this.findings, this.items);
	}

	/** The compiler's options for a document: those of the settings, and of its first launch configuration. */
	options(document) {
		const config = this.launches.all(document.uri)[0];
		return [...settings(document).compilerOptions, ...(config ? compilerOptions(argsOf(config)) : [])];
	}

	/** The file and the kernel of a command: its arguments, or the kernel in which the cursor stands. */
	async target(uri, kernel) {
		if (uri && kernel) return { uri, kernel };
		const editor = vscode.window.activeTextEditor;
		if (editor?.document.languageId !== 'opencl') {
			vscode.window.showInformationMessage('Open a file with a kernel first.');
			return undefined;
		}
		const name = await this.configurations().kernelAt(editor.document, editor.selection.active);
		return name && { uri: editor.document.uri, kernel: name };
	}

	configurations() {
		return new Configurations(vscode, {
			launches: this.launches,
			request: (uri, kernel) => this.launch(uri, kernel),
		});
	}

	/** The launch configuration of a kernel. Where there is none, the user chooses arguments, which are remembered. */
	async launch(uri, kernel) {
		const document = await vscode.workspace.openTextDocument(uri);
		const names = kernels(document.getText()).map((k) => k.name);
		return this.launches.find(uri, kernel, names) ?? this.ask(document, kernel);
	}

	/** Asks for the arguments of a kernel, beginning with a proposal, and remembers them. */
	async ask(document, kernel) {
		const info = await this.diagnostics.info(document);
		if (info.document === 'error') {
			vscode.window.showErrorMessage(`${path.basename(document.uri.path)} does not compile: see its errors.`);
			return undefined;
		}
		const known = info.kernels.find((k) => k.name === kernel);
		if (!known) {
			vscode.window.showErrorMessage(
				`${path.basename(document.uri.path)} has no kernel ${kernel} with these options.`,
			);
			return undefined;
		}
		const text = kernels(document.getText()).find((k) => k.name === kernel);
		const args = await form.ask(vscode, known, text ? dimensions(text.body) : 1);
		return args && this.launches.remember(document.uri, kernel, args);
	}

	/** Runs a kernel with checks and shows what is found. Returns the document of lockstep run. */
	async check(uri, kernel) {
		const target = await this.target(uri, kernel);
		const config = target && (await this.launch(target.uri, target.kernel));
		if (!config) return undefined;
		// What is checked is the file on disk.
		await vscode.workspace.textDocuments.find((d) => d.uri.toString() === target.uri.toString())?.save();
		const launch = { ...this.launches.resolve(config, target.uri), kernel: target.kernel };
		const progress = {
			location: vscode.ProgressLocation.Notification,
			title: `Checking ${target.kernel}`,
			cancellable: true,
		};
		const doc = await vscode.window.withProgress(progress, (_, token) => {
			const controller = new AbortController();
			token.onCancellationRequested(() => controller.abort());
			return this.findings.check(launch, controller.signal).catch((e) => {
				if (!controller.signal.aborted) throw e;
			});
		});
		if (doc) this.report(launch, doc, target);
		return doc;
	}

	/** Says in a message what a run with checks has come to. */
	report(launch, doc, { uri, kernel }) {
		const then = (actions) => (choice) => actions[choice]?.();
		if (doc.document === 'error') {
			const actions = { 'Edit Arguments': () => this.edit(uri, kernel) };
			vscode.window.showErrorMessage(doc.error.message, ...Object.keys(actions)).then(then(actions));
			return;
		}
		if (doc.findings.length === 0) {
			vscode.window
				.showInformationMessage(summary(launch, doc), 'Show Output')
				.then(then({ 'Show Output': () => this.channel.show(true) }));
			return;
		}
		const actions = {
			'Show Problems': () => vscode.commands.executeCommand('workbench.actions.view.problems'),
			'Debug Them': () => this.debug(uri, kernel, { checks: true }),
			Explain: () => this.explain(doc.findings[0].code),
		};
		vscode.window.showWarningMessage(summary(launch, doc), ...Object.keys(actions)).then(then(actions));
	}

	/** Debugs a kernel. */
	async debug(uri, kernel, more = {}) {
		const target = await this.target(uri, kernel);
		const config = target && (await this.launch(target.uri, target.kernel));
		if (!config) return false;
		return vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(target.uri), {
			...config,
			stopOnEntry: config.stopOnEntry ?? true,
			...more,
		});
	}

	/** Edits the arguments of a kernel. */
	async edit(uri, kernel) {
		const target = await this.target(uri, kernel);
		if (!target) return undefined;
		const document = await vscode.workspace.openTextDocument(target.uri);
		const config = this.launches.find(target.uri, target.kernel);
		if (!config) return this.ask(document, target.kernel);
		const args = await form.edit(vscode, target.kernel, argsOf(config));
		if (!args) return undefined;
		return args.length
			? this.launches.remember(target.uri, target.kernel, args)
			: this.ask(document, target.kernel);
	}

	/** Shows the text of lockstep help about a code or topic. */
	async explain(code) {
		const topic =
			code ??
			(await vscode.window.showInputBox({ prompt: 'A code, such as E-RACE, or a topic of lockstep help' }));
		if (topic) await vscode.window.showTextDocument(helpUri(vscode, topic), { preview: true });
	}

	/** Reports what goes wrong in a command. */
	command(work) {
		return async (...args) => {
			try {
				return await work.call(this, ...args);
			} catch (e) {
				this.channel.appendLine(e.stack ?? e.message);
				if (e instanceof lockstep.Missing) this.diagnostics.failed(e);
				else vscode.window.showErrorMessage(`lockstep: ${e.message}`);
				return undefined;
			}
		};
	}
}

function activate(context) {
	const work = new Work(context);
	const { workspace, languages, commands, debug, window } = vscode;
	const opencl = { language: 'opencl' };
	const fixes = new Fixes(vscode);
	fixes.collection = work.diagnostics.collection;
	const compile = (document) => {
		if (settings(document).diagnostics !== 'never') work.diagnostics.compile(document);
	};
	const all = () => workspace.textDocuments.forEach(compile);
	context.subscriptions.push(
		workspace.onDidOpenTextDocument(compile),
		// A header may be part of any source that is open.
		workspace.onDidSaveTextDocument((d) =>
			Diagnostics.compiles(d) ? compile(d) : d.languageId === 'opencl' && all(),
		),
		workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
			if (
				contentChanges.length &&
				Diagnostics.compiles(document) &&
				settings(document).diagnostics === 'change'
			) {
				work.diagnostics.schedule(document);
			}
		}),
		workspace.onDidCloseTextDocument((d) => work.diagnostics.close(d)),
		workspace.onDidChangeConfiguration((e) => {
			if (e.affectsConfiguration('lockstep') || e.affectsConfiguration('launch')) {
				work.lenses.changed.fire();
				all();
			}
		}),
		languages.registerCodeLensProvider(opencl, work.lenses),
		languages.registerCodeActionsProvider(opencl, fixes, {
			providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
		}),
		languages.registerEvaluatableExpressionProvider(opencl, {
			provideEvaluatableExpression: (d, p) => expression(d, p),
		}),
		workspace.registerTextDocumentContentProvider(SCHEME, new Help(() => settings().path)),
		debug.registerDebugAdapterDescriptorFactory(TYPE, new AdapterFactory(vscode, settings)),
		debug.registerDebugConfigurationProvider(TYPE, work.configurations()),
		debug.registerDebugConfigurationProvider(
			TYPE,
			{
				provideDebugConfigurations: () => work.configurations().provideDebugConfigurations(),
			},
			vscode.DebugConfigurationProviderTriggerKind.Dynamic,
		),
		debug.registerDebugAdapterTrackerFactory(TYPE, work.items),
		debug.onDidChangeActiveDebugSession(() => work.items.update()),
		debug.onDidChangeActiveStackItem((i) => work.items.focus(i)),
		window.registerWebviewViewProvider('lockstep.lanes', work.lanes, {
			webviewOptions: { retainContextWhenHidden: false },
		}),
		commands.registerCommand('lockstep.check', work.command(work.check)),
		commands.registerCommand('lockstep.debug', work.command(work.debug)),
		commands.registerCommand('lockstep.arguments', work.command(work.edit)),
		commands.registerCommand(
			'lockstep.selectItem',
			work.command((i) => work.items.select(i)),
		),
		commands.registerCommand('lockstep.clearFindings', () => work.findings.clear()),
		commands.registerCommand('lockstep.explain', work.command(work.explain)),
	);
	all();
	return work;
}

/** What is evaluated when the mouse rests on a place: a name with the members and elements before it, as in p->v[i].x. */
function expression(document, position) {
	const line = document.lineAt(position.line).text;
	for (const m of line.matchAll(/[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\[[^[\]]*\])*/g)) {
		if (m.index > position.character || position.character >= m.index + m[0].length) continue;
		// Up to the member or the index that the mouse is at.
		const rest = /^(?:\w*|[^[\]]*\])/.exec(line.slice(position.character))[0].length;
		const end = Math.min(position.character + Math.max(rest, 1), m.index + m[0].length);
		let text = line.slice(m.index, end);
		const open = text.lastIndexOf('[');
		let start = m.index;
		if (open > text.lastIndexOf(']')) {
			// Inside of an index: only the name there.
			const name = /[A-Za-z_]\w*$/.exec(text);
			if (!name) return undefined;
			start += name.index;
			text = name[0];
		}
		return new vscode.EvaluatableExpression(new vscode.Range(position.line, start, position.line, end), text);
	}
	return undefined;
}

module.exports = { activate, deactivate() {}, expression };
