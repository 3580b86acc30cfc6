'use strict';
// Debug sessions: how `lockstep dap` is started, what it is told, and which work-item it shows.

const path = require('node:path');
const { argsOf, kernelOf } = require('./launches');
const { kernels } = require('./kernels');

const TYPE = 'lockstep';

// So many waves are proposed to choose from.
const MOST_WAVES = 64;

/** Starts `lockstep dap`, which speaks the Debug Adapter Protocol on its standard input and output. */
class AdapterFactory {
	constructor(vscode, settings) {
		this.vscode = vscode;
		this.settings = settings;
	}

	createDebugAdapterDescriptor(session) {
		const folder = session.workspaceFolder;
		return new this.vscode.DebugAdapterExecutable(
			this.settings(folder).path,
			['dap'],
			folder ? { cwd: folder.uri.fsPath } : undefined,
		);
	}
}

/** Completes configurations: those that F5 begins without any, and those that name no arguments. */
class Configurations {
	/** `request` gives the launch configuration of a kernel, after it has asked the user where there is none. */
	constructor(vscode, { launches, request }) {
		this.vscode = vscode;
		this.launches = launches;
		this.request = request;
	}

	/** A configuration for each kernel of the file in the editor that has arguments. */
	provideDebugConfigurations() {
		const document = this.vscode.window.activeTextEditor?.document;
		if (document?.languageId !== 'opencl') return [];
		return this.launches.all(document.uri);
	}

	async resolveDebugConfiguration(folder, config) {
		const editor = this.vscode.window.activeTextEditor;
		const document = editor?.document;
		if (!config.type && !config.request && !config.name) {
			// F5 without launch.json: the kernel in which the cursor stands.
			if (document?.languageId !== 'opencl') return config;
			const kernel = await this.kernelAt(document, editor.selection.active);
			return kernel ? this.request(document.uri, kernel) : undefined;
		}
		if (!config.program) {
			this.vscode.window.showErrorMessage(
				'The launch configuration has no "program": name a kernel\'s file, such as "${file}".',
			);
			return undefined;
		}
		return config;
	}

	/** What the adapter is told: the kernel stands among the words, as on a command line. */
	resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
		const args = argsOf(config);
		const kernel = kernelOf({ ...config, args });
		if (config.kernel && !args.includes('-kernel')) args.unshift('-kernel', kernel);
		const cwd = config.cwd ?? folder?.uri.fsPath ?? path.dirname(config.program);
		return { ...config, args, cwd };
	}

	/** The name of the kernel around a position, or the one that the user chooses; undefined for none. */
	async kernelAt(document, position) {
		const list = kernels(document.getText());
		const at = document.offsetAt(position);
		const around =
			list.find((k) => k.start <= at && at <= k.end) ?? (list.length === 1 ? list[0] : undefined);
		if (around) return around.name;
		if (list.length === 0) {
			this.vscode.window.showErrorMessage(`${path.basename(document.uri.path)} defines no kernel.`);
			return undefined;
		}
		return this.vscode.window.showQuickPick(
			list.map((k) => k.name),
			{ placeHolder: 'Which kernel?' },
		);
	}
}

/** Reads a work-item: one to three numbers; null where they are none. */
function item(text) {
	const words = text
		.trim()
		.replace(/^\(|\)$/g, '')
		.split(/\s*,\s*/);
	if (words.length > 3 || !words.every((w) => /^\d+$/.test(w))) return null;
	return [...words.map(Number), 0, 0].slice(0, 3);
}

/**
 * Items knows the work-item that a session shows, and chooses another one. A status bar item has it. `changed` is
 * called when something else is to be seen: after stops and after a choice.
 */
class Items {
	constructor(vscode, changed) {
		this.vscode = vscode;
		this.changed = changed;
		this.thread = new Map(); // by session: the thread that stopped last
		this.status = vscode.window.createStatusBarItem('lockstep.item', vscode.StatusBarAlignment.Left, 50);
		this.status.name = 'lockstep: work-item';
		this.status.command = 'lockstep.selectItem';
	}

	get session() {
		const session = this.vscode.debug.activeDebugSession;
		return session?.type === TYPE ? session : undefined;
	}

	/** Watches what a session's adapter says. */
	createDebugAdapterTracker(session) {
		return {
			onDidSendMessage: (m) => {
				if (m.type === 'event' && m.event === 'stopped') {
					this.thread.set(session.id, m.body.threadId);
					this.update();
				} else if (m.type === 'event' && ['continued', 'invalidated', 'terminated'].includes(m.event)) {
					this.update();
				}
			},
			onExit: () => {
				this.thread.delete(session.id);
				this.update();
			},
		};
	}

	/** Shows the work-item of the session in the status bar, and has other views follow. */
	async update() {
		const session = this.session;
		this.changed(session);
		if (!session) {
			this.status.hide();
			return;
		}
		const name = await this.current(session).catch(() => undefined);
		this.status.text = `$(target) ${name ?? 'work-item'}`;
		this.status.tooltip = 'The work-item that the debugger shows. Click to choose another one.';
		this.status.accessibilityInformation = {
			label: `lockstep shows ${name ?? 'a work-item'}; choose another one`,
		};
		this.status.show();
	}

	/** The frame that a session shows: that which the user has chosen, or the innermost one of the thread that stopped. */
	async frame(session) {
		const chosen = this.vscode.debug.activeStackItem;
		if (chosen?.session?.id === session.id && chosen.frameId !== undefined) return chosen.frameId;
		const threadId = chosen?.session?.id === session.id ? chosen.threadId : this.thread.get(session.id);
		if (threadId === undefined) return undefined;
		const { stackFrames } = await session.customRequest('stackTrace', { threadId, startFrame: 0, levels: 1 });
		return stackFrames[0]?.id;
	}

	/** The work-item in words, as frames have it in their names: "work-item (1)". */
	async current(session) {
		const chosen = this.vscode.debug.activeStackItem;
		const threadId =
			(chosen?.session?.id === session.id ? chosen.threadId : undefined) ?? this.thread.get(session.id);
		return threadId === undefined ? undefined : this.itemOf(session, threadId);
	}

	async itemOf(session, threadId) {
		const { stackFrames } = await session.customRequest('stackTrace', { threadId, startFrame: 0, levels: 1 });
		return /work-item \([\d,]+\)/.exec(stackFrames[0]?.name)?.[0];
	}

	/** Chooses a work-item, which is asked for when it is not given. */
	async select(chosen) {
		const session = this.session;
		if (!session) {
			this.vscode.window.showInformationMessage('No kernel is being debugged.');
			return;
		}
		const list = Array.isArray(chosen) ? [...chosen, 0, 0].slice(0, 3) : await this.ask(session);
		if (!list) return;
		try {
			await session.customRequest('lockstep/selectItem', { item: list });
		} catch (e) {
			this.vscode.window.showErrorMessage(e.message);
			return;
		}
		await this.update();
	}

	/** A quick pick of one work-item of each wave, in which any other one can be typed. */
	async ask(session) {
		const waves = await this.waves(session);
		const pick = this.vscode.window.createQuickPick();
		pick.title = 'Which work-item?';
		pick.placeholder = 'Its global id: X, X,Y or X,Y,Z';
		const update = (value) => {
			const typed = item(value);
			pick.items = [
				...(typed ? [{ label: `Work-item (${typed.join(',')})`, item: typed, alwaysShow: true }] : []),
				...waves,
			];
		};
		update('');
		return new Promise((resolve) => {
			pick.onDidChangeValue(update);
			pick.onDidAccept(() => {
				resolve(pick.selectedItems[0]?.item ?? item(pick.value) ?? undefined);
				pick.hide();
			});
			pick.onDidHide(() => {
				resolve(undefined);
				pick.dispose();
			});
			pick.show();
		});
	}

	/** The waves of the work-group that runs, each with the work-item that it shows. */
	async waves(session) {
		const { threads } = await session.customRequest('threads');
		const list = await Promise.all(
			threads.slice(0, MOST_WAVES).map(async (t) => {
				const name = await this.itemOf(session, t.id).catch(() => undefined);
				return (
					name && { label: `W${name.slice(1)}`, description: t.name, item: item(name.replace(/^\D*/, '')) }
				);
			}),
		);
		return list.filter((w) => w?.item);
	}

	dispose() {
		this.status.dispose();
	}
}

module.exports = { AdapterFactory, Configurations, Items, TYPE, item };
