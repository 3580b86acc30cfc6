'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { fake, activate, TextDocument, Uri, Position } = require('./support/fake');
const lockstep = require('./support/lockstep');

const WORDS = [
	'-global',
	'8',
	'-local',
	'8',
	'-arg',
	'buf:i32:10,11,12,13,14,15,16,17',
	'-arg',
	'fill:i32:8:-1',
	'-arg',
	'local:32',
];

/** An extension in a folder that has lesson 4's kernel without its barrier. */
function start(t, { configurations, inFolder = true } = {}) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lockstep-test-'));
	t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
	const file = path.join(folder, 'early.cl');
	fs.copyFileSync(lockstep.lesson, file);
	const settings = {
		lockstep: {
			path: lockstep.path,
			compilerOptions: [],
			diagnostics: 'never',
			diagnosticsDelay: 1,
			codeLens: true,
			checkTimeout: 60,
		},
		launch: { configurations },
	};
	const vscode = fake({ folder: inFolder ? folder : undefined, settings });
	const document = new TextDocument(file);
	vscode.workspace.textDocuments.push(document);
	const { work } = activate(vscode);
	t.after(() => work.diagnostics.dispose());
	return { vscode, work, document, settings, folder, uri: document.uri };
}

const configuration = (more) => ({
	name: 'early',
	type: 'lockstep',
	request: 'launch',
	program: '${workspaceFolder}/early.cl',
	kernel: 'early',
	args: WORDS,
	...more,
});

test('lenses stand above each kernel', (t) => {
	const { vscode, document } = start(t);
	document.text = 'kernel void a(void) { }\n\n// kernel void no(void) { }\nkernel void b(void)\n{ }\n';
	const [[, provider]] = vscode.registered.lenses;
	const lenses = provider
		.provideCodeLenses(document)
		.map((l) => `${l.range.start.line + 1} ${l.command.command} ${l.command.arguments[1]}`);
	assert.deepEqual(lenses, [
		'1 lockstep.check a',
		'1 lockstep.debug a',
		'1 lockstep.arguments a',
		'4 lockstep.check b',
		'4 lockstep.debug b',
		'4 lockstep.arguments b',
	]);
});

test('a run with checks shows the race at its line, with the other access', async (t) => {
	const { vscode, work, uri } = start(t, { configurations: [configuration()] });
	const doc = await vscode.commands.executeCommand('lockstep.check', uri, 'early');
	assert.equal(doc.document, 'run');
	const list = work.findings.collection.get(uri);
	assert.equal(list.length, 1);
	const [d] = list;
	assert.equal(`${d.severity} ${d.range} ${d.code.value}`, '0 5:14-5:36 E-RACE');
	assert.equal(
		d.message,
		'data race: write of tile[1], and nothing orders it with the read by another work-item\n' +
			'work-item (1,0,0), kernel early\n32 bytes in all\n' +
			'help: put barrier(CLK_LOCAL_MEM_FENCE) between the two, where all work-items of the group reach it',
	);
	assert.deepEqual(
		d.relatedInformation.map((r) => `${r.location.range} ${r.message}`),
		['6:26-6:50 read by work-item (0,0,0)'],
	);
	assert.match(vscode.messages[0].message, /^early: 1 finding: E-RACE$/);
	const [[, help]] = vscode.registered.contents;
	assert.match(await help.provideTextDocumentContent(d.code.target), /^E-RACE: data race/);
});

test('what was found goes away with the next run, when the barrier is there', async (t) => {
	const { vscode, work, document, uri } = start(t, {
		configurations: [configuration({ args: [...WORDS, '-out', 'out=-'] })],
	});
	await vscode.commands.executeCommand('lockstep.check', uri, 'early');
	assert.equal(work.findings.collection.get(uri).length, 1);
	document.text = document.text.replace('(0)];\n\tout', '(0)];\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\tout');
	await vscode.commands.executeCommand('lockstep.check', uri, 'early');
	assert.equal(work.findings.collection.get(uri), undefined);
	assert.ok(vscode.window.output.includes('out: 11 12 13 14 15 16 17 10'), vscode.window.output.join('\n'));
	assert.equal(vscode.messages.at(-1).message, 'early: nothing found for these arguments');
});

test('a kernel without arguments asks once, and remembers them in launch.json', async (t) => {
	const { vscode, settings, uri } = start(t);
	let asked = 0;
	const choose = (label) => (rows) => {
		asked++;
		return rows.find((r) => r.label.includes(label));
	};
	vscode.window.picks.push(choose('Work-items'), choose('Work-groups'), choose('Go'));
	vscode.window.inputs.push(
		() => '8',
		() => '8',
	);
	const doc = await vscode.commands.executeCommand('lockstep.check', uri, 'early');
	assert.equal(doc.findings[0].code, 'E-RACE');
	assert.deepEqual(settings.launch.configurations, [
		{
			name: 'early (early.cl)',
			type: 'lockstep',
			request: 'launch',
			program: '${workspaceFolder}/early.cl',
			kernel: 'early',
			args: ['-global', '8', '-local', '8', '-arg', 'iota:i32:8', '-arg', 'zero:i32:8', '-arg', 'local:32'],
		},
	]);
	await vscode.commands.executeCommand('lockstep.debug', uri, 'early');
	assert.equal(asked, 3);
	assert.equal(vscode.debug.started[0].stopOnEntry, true);
	assert.deepEqual(vscode.debug.started[0].args, settings.launch.configurations[0].args);
});

test('outside of a folder arguments are remembered as well', async (t) => {
	const { vscode, settings, uri } = start(t, { inFolder: false });
	vscode.window.picks.push((rows) => rows[0]);
	await vscode.commands.executeCommand('lockstep.debug', uri, 'early');
	await vscode.commands.executeCommand('lockstep.debug', uri, 'early');
	assert.equal(vscode.debug.started.length, 2);
	assert.equal(vscode.debug.started[1].program, uri.fsPath);
	assert.equal(settings.launch.configurations, undefined);
});

test('who gives up is not debugged', async (t) => {
	const { vscode, uri } = start(t);
	assert.equal(await vscode.commands.executeCommand('lockstep.debug', uri, 'early'), false);
	assert.deepEqual(vscode.debug.started, []);
});

test('arguments that are known are edited in one line', async (t) => {
	const { vscode, settings, uri } = start(t, {
		configurations: [{ type: 'node', name: 'other' }, configuration({ checks: true })],
	});
	vscode.window.inputs.push(({ value }) => value.replace('-global 8', '-global 16'));
	await vscode.commands.executeCommand('lockstep.arguments', uri, 'early');
	assert.deepEqual(settings.launch.configurations, [
		{ type: 'node', name: 'other' },
		configuration({ checks: true, args: ['-global', '16', ...WORDS.slice(2)] }),
	]);
});

test('wrong arguments are said, and can be edited', async (t) => {
	const { vscode, uri } = start(t, { configurations: [configuration({ args: ['-global', '8'] })] });
	await vscode.commands.executeCommand('lockstep.check', uri, 'early');
	assert.equal(vscode.messages[0].kind, 'error');
	assert.match(vscode.messages[0].message, /argument/);
	assert.deepEqual(vscode.messages[0].actions, ['Edit Arguments']);
});

test('F5 without launch.json debugs the kernel around the cursor', async (t) => {
	const { vscode, document } = start(t, { configurations: [configuration()] });
	vscode.window.activeTextEditor = { document, selection: { active: new Position(4, 0) } };
	const [[type, provider]] = vscode.registered.configurations;
	assert.equal(type, 'lockstep');
	const config = await provider.resolveDebugConfiguration(undefined, {});
	assert.equal(config.kernel, 'early');
	assert.deepEqual(
		provider.provideDebugConfigurations().map((c) => c.name),
		['early'],
	);
});

test('the adapter is lockstep dap, and gets the kernel among the words', (t) => {
	const { vscode, folder } = start(t);
	const [[, factory]] = vscode.registered.adapters;
	const workspaceFolder = { uri: Uri.file(folder) };
	const adapter = factory.createDebugAdapterDescriptor({ workspaceFolder });
	assert.deepEqual(
		[adapter.command, adapter.args, adapter.options],
		[lockstep.path, ['dap'], { cwd: folder }],
	);
	const [[, provider]] = vscode.registered.configurations;
	const config = provider.resolveDebugConfigurationWithSubstitutedVariables(
		workspaceFolder,
		configuration({ args: '-global 8' }),
	);
	assert.deepEqual(config.args, ['-kernel', 'early', '-global', '8']);
	assert.equal(config.cwd, folder);
});

test('launches of a program are debugged by host, or by attaching to a port', async (t) => {
	const { vscode, folder } = start(t);
	const [[, factory]] = vscode.registered.adapters;
	const [[, provider]] = vscode.registered.configurations;
	const workspaceFolder = { uri: Uri.file(folder) };
	const type = 'lockstep';
	const host = { type, request: 'launch', name: 'host', host: ['./solver', 'x'], args: ['-subgroup', '4'] };
	assert.deepEqual(
		provider.resolveDebugConfigurationWithSubstitutedVariables(
			workspaceFolder,
			await provider.resolveDebugConfiguration(workspaceFolder, host),
		),
		{ ...host, cwd: folder },
	);
	const attach = { type, request: 'attach', name: 'attach', port: 4711 };
	assert.equal(await provider.resolveDebugConfiguration(workspaceFolder, attach), attach);
	assert.equal(provider.resolveDebugConfigurationWithSubstitutedVariables(workspaceFolder, attach), attach);
	const adapter = factory.createDebugAdapterDescriptor({ workspaceFolder, configuration: attach });
	assert.deepEqual([adapter.port, adapter.host], [4711, '127.0.0.1']);
	const none = { type, request: 'attach', name: 'attach' };
	assert.equal(await provider.resolveDebugConfiguration(workspaceFolder, none), undefined);
	assert.match(vscode.messages.at(-1).message, /port/);
});

test('hovers evaluate the expression at the mouse', (t) => {
	const { vscode } = start(t);
	const [[, provider]] = vscode.registered.expressions;
	const at = (line, character) =>
		provider.provideEvaluatableExpression({ lineAt: () => ({ text: line }) }, new Position(0, character))
			?.expression;
	const line = '\tout[get(0)] = p->v[i].x + q.y;';
	for (const [word, want] of [
		['p->', 'p'],
		['v[', 'p->v'],
		['i]', 'i'],
		['x +', 'p->v[i].x'],
		['q.', 'q'],
		['y;', 'q.y'],
		['+', undefined],
	]) {
		assert.equal(at(line, line.indexOf(word)), want, word);
	}
});
