'use strict';
// Debug sessions: how `lockstep dap` is started, what it is told, and which work-item it shows.

const path = require('node:path');
const { argsOf, kernelOf } = require('./launches');
const { kernels } = require('./kernels');

const TYPE = 'lockstep';

// So many waves are proposed to choose from.
const MOST_WAVES = 64;

/**
 * Starts `lockstep dap`, which speaks the Debug Adapter Protocol on its standard input and output, or connects to
 * `lockstep exec -debug -listen` on this machine.
 */
class AdapterFactory {
	constructor(vscode, settings) {
		this.vscode = vscode;
		this.settings = settings;
	}

	createDebugAdapterDescriptor(session) {
		const folder = session.workspaceFolder;
		const { request, port } = session.configuration ?? {};
		if (request === 'attach') return new this.vscode.DebugAdapterServer(port, '127.0.0.1');
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
		if (config.request === 'attach') {
			if (config.port) return config;
			this.vscode.window.showErrorMessage(
				'The configuration has no "port": name the one of lockstep exec -debug -listen.',
			);
			return undefined;
		}
		if (!config.program && !config.host) {
			this.vscode.window.showErrorMessage(
				'The launch configuration has no "program": name a kernel\'s file, such as "${file}".',
			);
			return undefined;
		}
		return config;
	}

	/** What the adapter is told: the kernel stands among the words, as on a command line. */
	resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
		if (config.request === 'attach') return config;
		// The words of a host program's launch are flags of lockstep exec, which know no kernel.
		if (config.host) return { ...config, cwd: config.cwd ?? folder?.uri.fsPath };
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

// Requests with which a launch goes on: what an adapter has said about frames and variables holds no longer.
const MOVES = new Set([
	'continue',
	'next',
	'stepIn',
	'stepOut',
	'stepBack',
	'reverseContinue',
	'restart',
	'disconnect',
]);

// Milliseconds from a stop until views ask what is there: VS Code says more than once where it looks.
const QUIET = 30;

/**
 * Items knows where a session stands and which work-item it shows, and chooses another one. A status bar item has it.
 * `changed` is called when something else is to be seen: after stops and after a choice.
 */
class Items {
	constructor(vscode, changed) {
		this.vscode = vscode;
		this.changed = changed;
		this.places = new Map(); // by session: {thread, frame, stopped}
		this.moves = 0; // how often sessions have moved
		this.status = vscode.window.createStatusBarItem('lockstep.item', vscode.StatusBarAlignment.Left, 50);
		this.status.name = 'lockstep: work-item';
		this.status.command = 'lockstep.selectItem';
		this.status.tooltip = 'The work-item that the debugger shows. Click to choose another one.';
	}

	get session() {
		const session = this.vscode.debug.activeDebugSession;
		return session?.type === TYPE ? session : undefined;
	}

	/** Watches what VS Code and a session's adapter say to each other. */
	createDebugAdapterTracker(session) {
		const move = (place) => {
			this.moves++;
			this.places.set(session.id, place);
			this.update();
		};
		return {
			onWillReceiveMessage: (m) => {
				if (m.type === 'request' && MOVES.has(m.command)) move({ stopped: false });
			},
			onDidSendMessage: (m) => {
				if (m.type !== 'event') return;
				if (m.event === 'stopped') move({ stopped: true, thread: m.body.threadId });
				else if (m.event === 'terminated') move({ stopped: false });
				else if (m.event === 'invalidated') this.update();
			},
			onExit: () => {
				this.places.delete(session.id);
				this.update();
			},
		};
	}

	/** Notes the thread or the frame that the user looks at. */
	focus(stackItem) {
		const place = this.places.get(stackItem?.session?.id);
		if (!place?.stopped) return;
		place.thread = stackItem.threadId;
		place.frame = stackItem.frameId;
		this.update();
	}

	/** Shows the work-item of the session in the status bar and has other views follow, when all is quiet. */
	update() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.show(), QUIET);
	}

	async show() {
		const session = this.session;
		this.changed();
		if (!session) {
			this.status.hide();
			return;
		}
		const moves = this.moves;
		const name = (await this.look(session).catch(() => undefined))?.item;
		if (moves !== this.moves) return;
		this.status.text = `$(target) ${name ?? 'work-item'}`;
		this.status.accessibilityInformation = {
			label: `lockstep shows ${name ?? 'a work-item'}; choose another one`,
		};
		this.status.show();
	}

	/** The frame that a session shows and its work-item in words, as in "work-item (1)"; undefined while it runs. */
	async look(session) {
		const place = this.places.get(session.id);
		if (!place?.stopped) return undefined;
		const frames = await this.frames(session, place.thread, 0);
		const frame = frames.find((f) => f.id === place.frame) ?? frames[0];
		return frame && { frameId: frame.id, item: itemName(frame.name) };
	}

	async frames(session, threadId, levels) {
		return (await session.customRequest('stackTrace', { threadId, startFrame: 0, levels })).stackFrames;
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
		this.update();
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
				const frames = await this.frames(session, t.id, 1).catch(() => []);
				const name = itemName(frames[0]?.name);
				return (
					name && { label: `W${name.slice(1)}`, description: t.name, item: item(name.replace(/^\D*/, '')) }
				);
			}),
		);
		return list.filter((w) => w?.item);
	}

	dispose() {
		clearTimeout(this.timer);
		this.status.dispose();
	}
}

/** The work-item that the name of a frame has, as in "early, work-item (3)"; undefined for none. */
function itemName(name) {
	return /work-item \([\d,]+\)/.exec(name)?.[0];
}

module.exports = { AdapterFactory, Configurations, Items, TYPE, item };
