'use strict';
// What VS Code's extension host runs: the extension in a real VS Code, from a kernel in the editor to its missing
// barrier in the debugger. `run` is VS Code's own interface for tests of extensions.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const settings = JSON.parse(fs.readFileSync(path.join(process.env.LOCKSTEP_HOST, 'test.json'), 'utf8'));
const kernel = vscode.Uri.file(path.join(settings.folder, 'early.cl'));

/** Waits until a function returns something, and returns it. */
async function until(what, f, seconds = 20) {
	for (let i = 0; i < seconds * 20; i++) {
		const x = await f();
		if (x) return x;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`waited ${seconds} s for ${what}`);
}

/** Has the browser take a picture of what is seen. */
async function picture(name) {
	fs.writeFileSync(path.join(process.env.LOCKSTEP_HOST, `${name}.ask`), '');
	await until(`the picture ${name}`, () =>
		fs.existsSync(path.join(process.env.LOCKSTEP_HOST, `${name}.png`)),
	);
}

const diagnostics = (source) => vscode.languages.getDiagnostics(kernel).filter((d) => d.source === source);

/** Starts the launch of a name, gives it with the stops that come, and waits for its end. */
async function debugged(name, source, lines, f, condition) {
	const stops = [];
	const exits = [];
	const tracker = vscode.debug.registerDebugAdapterTrackerFactory('lockstep', {
		createDebugAdapterTracker: () => ({
			onDidSendMessage: (m) => {
				if (m.event === 'stopped') stops.push(m.body);
				if (m.event === 'exited') exits.push(m.body.exitCode);
			},
		}),
	});
	const at = (line) => new vscode.Location(source, new vscode.Position(line - 1, 0));
	const breakpoints = lines.map((line) => new vscode.SourceBreakpoint(at(line), true, condition));
	vscode.debug.addBreakpoints(breakpoints);
	try {
		const folder = vscode.workspace.workspaceFolders[0];
		assert.equal(await vscode.debug.startDebugging(folder, name), true);
		const session = await until('a session', () => vscode.debug.activeDebugSession);
		await f({
			session,
			/** Waits for the stop of a number, and returns its innermost frame. */
			frame: async (n) => {
				await until(`stop ${n}`, () => stops.length >= n);
				assert.equal(stops[n - 1].reason, 'breakpoint');
				const { threadId } = stops[n - 1];
				const { stackFrames } = await session.customRequest('stackTrace', { threadId });
				assert.equal(path.basename(stackFrames[0].source.path), path.basename(source.path));
				return stackFrames[0];
			},
			/** Goes on as the editor's button does. */
			goOn: async () => {
				await until('a frame in the editor', () => vscode.debug.activeStackItem?.frameId !== undefined);
				await vscode.commands.executeCommand('workbench.action.debug.continue');
			},
			removeBreakpoints: () => vscode.debug.removeBreakpoints(breakpoints),
		});
		await until('the end', () => exits.length > 0 && !vscode.debug.activeDebugSession);
		return exits[0];
	} finally {
		vscode.debug.removeBreakpoints(breakpoints);
		if (vscode.debug.activeDebugSession) await vscode.debug.stopDebugging(vscode.debug.activeDebugSession);
		tracker.dispose();
	}
}

const tests = {
	async 'the file is OpenCL C, and its kernel has three lenses'() {
		const document = await vscode.workspace.openTextDocument(kernel);
		await vscode.window.showTextDocument(document);
		assert.equal(document.languageId, 'opencl');
		const lenses = await until('lenses', async () => {
			const list = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', kernel, 10);
			return list.length && list;
		});
		assert.deepEqual(
			lenses.map((l) => l.command.command),
			['lockstep.check', 'lockstep.debug', 'lockstep.arguments'],
		);
	},

	async 'an error is shown while one types, and its quick fix removes it'() {
		const edit = new vscode.WorkspaceEdit();
		edit.insert(kernel, new vscode.Position(3, 1), 'int unused = get_globl_id(0);\n\t');
		await vscode.workspace.applyEdit(edit);
		const [error] = await until('the error', () => diagnostics('lockstep').length && diagnostics('lockstep'));
		assert.equal(error.message, "the function 'get_globl_id' is not declared");
		await picture('error');
		const actions = await vscode.commands.executeCommand(
			'vscode.executeCodeActionProvider',
			kernel,
			error.range,
			'quickfix',
		);
		assert.deepEqual(
			actions.map((a) => a.title),
			["Replace 'get_globl_id' with 'get_global_id'"],
		);
		await vscode.workspace.applyEdit(actions[0].edit);
		const [warning] = await until('the warning', () => {
			const list = diagnostics('lockstep');
			return list.length && list[0].severity === vscode.DiagnosticSeverity.Warning && list;
		});
		assert.equal(warning.code.value, '-Wunused-variable');
		await vscode.commands.executeCommand('workbench.action.files.revert');
		await until('no diagnostics', () => diagnostics('lockstep').length === 0);
	},

	async 'a run with checks shows the race, and its code leads to an explanation'() {
		const doc = await vscode.commands.executeCommand('lockstep.check', kernel, 'early');
		assert.equal(doc.findings[0].code, 'E-RACE');
		const [race] = diagnostics('lockstep -check');
		assert.equal(race.range.start.line, 4);
		assert.equal(race.relatedInformation[0].location.range.start.line, 5);
		await vscode.commands.executeCommand('workbench.actions.view.problems');
		await picture('race');
		const help = await vscode.workspace.openTextDocument(race.code.target);
		assert.match(help.getText(), /^E-RACE: data race/);
		await vscode.commands.executeCommand('workbench.action.closePanel');
	},

	async 'the debugger finds the missing barrier by steps'() {
		const stops = [];
		const tracker = vscode.debug.registerDebugAdapterTrackerFactory('lockstep', {
			createDebugAdapterTracker: () => ({
				onDidSendMessage: (m) => m.event === 'stopped' && stops.push(m.body),
			}),
		});
		try {
			assert.equal(await vscode.commands.executeCommand('lockstep.debug', kernel, 'early'), true);
			await vscode.commands.executeCommand('lockstep.lanes.focus');
			const session = await until('a session', () => vscode.debug.activeDebugSession);
			const wait = (n) => until(`stop ${n}`, () => stops.length >= n);
			await wait(1);
			assert.equal(stops[0].reason, 'entry');
			const top = async (threadId) =>
				(await session.customRequest('stackTrace', { threadId, levels: 1 })).stackFrames[0];
			const step = async (command) => {
				const n = stops.length + 1;
				await until('a frame in the editor', () => vscode.debug.activeStackItem?.frameId !== undefined);
				await vscode.commands.executeCommand(`workbench.action.debug.${command}`);
				await wait(n);
				return top(stops.at(-1).threadId);
			};
			// The first wave goes on to the line that reads what its neighbour has written.
			let frame;
			do {
				frame = await step('stepOver');
			} while (frame.line < 6);
			const { threads } = await session.customRequest('threads');
			assert.equal(threads.length, 2);
			assert.ok((await top(threads[1].id)).line < 5, 'the second wave has not written its part');
			const value = async (expression, frameId) =>
				(await session.customRequest('evaluate', { expression, frameId, context: 'hover' })).result;
			// tile[4] is of the second wave: it is not there, although work-item 3 is about to read it.
			assert.equal(await value('tile[4]', frame.id), '0');
			await vscode.commands.executeCommand('lockstep.selectItem', [3, 0, 0]);
			await until('work-item 3', async () => /\(3\)/.test((await top(stops.at(-1).threadId)).name));
			frame = await top(stops.at(-1).threadId);
			assert.equal(await value('tile[(place + 1) % size]', frame.id), '0');
			await picture('lanes');
			// Backwards, the line before stands again.
			frame = await step('stepBack');
			assert.equal(frame.line, 5);
			await vscode.debug.stopDebugging(session);
			await until('the end', () => !vscode.debug.activeDebugSession);
		} finally {
			tracker.dispose();
		}
	},

	async 'kernels that run together have threads, and their pipes are variables'() {
		const source = vscode.Uri.file(path.join(settings.folder, 'pipes.cl'));
		const status = await debugged(
			'pipes',
			source,
			[24],
			async ({ session, frame, goOn, removeBreakpoints }) => {
				const { id, line } = await frame(1);
				assert.equal(line, 24);
				const { threads } = await session.customRequest('threads');
				assert.deepEqual(
					threads.map((t) => t.name.split(' ')[1]),
					['source', 'twice', 'sink'],
				);
				const { scopes } = await session.customRequest('scopes', { frameId: id });
				const { variablesReference } = scopes.find((s) => s.name === 'Pipes');
				const { variables } = await session.customRequest('variables', { variablesReference });
				assert.deepEqual(
					variables.map((v) => [v.name, v.type, v.value.replace(/\{.*/, '')]),
					[
						['a', 'pipe int', '1 of 2 packets '],
						['b', 'pipe int', '0 of 2 packets '],
					],
				);
				await picture('pipes');
				await removeBreakpoints();
				await goOn();
			},
		);
		assert.equal(status, 0);
	},
};

// A program of the host needs the driver of OpenCL.
if (settings.host)
	tests['a program on the driver stops in each of its launches'] = async () => {
		const source = vscode.Uri.file(path.join(settings.folder, 'launches.cl'));
		const status = await debugged(
			'host',
			source,
			[5],
			async ({ session, frame, goOn }) => {
				const value = async (frameId) =>
					(await session.customRequest('evaluate', { expression: 'scaled', frameId, context: 'hover' }))
						.result;
				assert.equal(await value((await frame(1)).id), '30');
				await picture('host');
				await goOn();
				assert.equal(await value((await frame(2)).id), '60');
				await goOn();
			},
			'i == 3',
		);
		assert.equal(status, 7);
	};

async function run() {
	const results = [];
	for (const [name, test] of Object.entries(tests)) {
		try {
			await test();
			results.push({ name, ok: true });
		} catch (e) {
			results.push({ name, ok: false, error: e.stack });
		}
	}
	fs.writeFileSync(path.join(process.env.LOCKSTEP_HOST, 'results.json'), JSON.stringify(results, null, '\t'));
	const failed = results.filter((r) => !r.ok).length;
	if (failed) throw new Error(`${failed} of ${results.length} tests failed`);
}

module.exports = { run };
