'use strict';
// The missing barrier of lesson 4, found as one finds it in VS Code: the extension's own commands, configurations
// and factory, and a client that sends what VS Code sends.

const test = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { fake, activate, Uri } = require('./support/fake');
const { Client } = require('./support/client');
const { page, columns } = require('../src/lanes');
const lockstep = require('./support/lockstep');

const folder = path.dirname(lockstep.lesson);

// A client that waits for an event that does not come waits no longer than this.
const LIMIT = { timeout: 60_000 };

/** A session of a kernel that runs, in an extension whose debugger shows it. */
async function start(t, more, breakpoints) {
	const configuration = {
		name: 'early',
		type: 'lockstep',
		request: 'launch',
		program: '${workspaceFolder}/early.cl',
		kernel: 'early',
		args: lockstep.waves,
		...more,
	};
	const settings = {
		lockstep: { path: lockstep.path, diagnostics: 'never' },
		launch: { configurations: [configuration] },
	};
	const vscode = fake({ folder, settings });
	const { work } = activate(vscode);
	const uri = Uri.file(lockstep.lesson);
	assert.equal(await vscode.commands.executeCommand('lockstep.debug', uri, 'early'), true);
	// What VS Code does with the configuration: it puts the folder in, and asks the extension's provider.
	const workspaceFolder = vscode.workspace.getWorkspaceFolder(uri);
	const [started] = vscode.debug.started;
	const substituted = JSON.parse(JSON.stringify(started).replaceAll('${workspaceFolder}', folder));
	const [[, provider]] = vscode.registered.configurations;
	const config = provider.resolveDebugConfigurationWithSubstitutedVariables(
		workspaceFolder,
		await provider.resolveDebugConfiguration(workspaceFolder, substituted),
	);
	const session = {
		id: '1',
		type: 'lockstep',
		workspaceFolder,
		customRequest: (c, a) => client.request(c, a),
	};
	const [[, factory]] = vscode.registered.adapters;
	const [[, trackers]] = vscode.registered.trackers;
	const client = new Client(factory.createDebugAdapterDescriptor(session), [
		trackers.createDebugAdapterTracker(session),
	]);
	t.after(() => client.child.kill());
	vscode.debug.activeDebugSession = session;
	t.after(() => work.items.dispose());
	const stop = await client.launch(config, breakpoints);
	return { vscode, work, client, session, stop };
}

/** A webview that shows the view Lanes, with what it shows when it is up to date. */
function lanes(vscode, work) {
	const [[, provider]] = vscode.registered.views;
	let select;
	const view = {
		visible: true,
		webview: { html: '', onDidReceiveMessage: (f) => (select = f) },
		onDidChangeVisibility() {},
		onDidDispose() {},
	};
	provider.resolveWebviewView(view);
	return {
		select: (name) => select({ item: name }),
		/**
		 * Expects the cells of a variable: "value", with * where it differs and > where it is shown. A view that is
		 * asked twice at a time drops the first answer, so it is asked again.
		 */
		async expect(name, want) {
			let got;
			for (let i = 0; i < 100 && got?.join() !== want.join(); i++) {
				await work.lanes.update();
				const part = view.webview.html.split('<details').find((d) => d.includes(`data-name="${name}"`)) ?? '';
				got = [...part.matchAll(/<td(?: class="([^"]*)")?><button[^>]*>([^<]*)/g)].map(
					([, state = '', value]) =>
						`${state.includes('shown') ? '>' : ''}${value}${state.includes('differs') ? '*' : ''}`,
				);
			}
			assert.deepEqual(got, want);
		},
	};
}

test('steps find the missing barrier of lesson 4', LIMIT, async (t) => {
	const { vscode, work, client, stop } = await start(t, { step: 'wave' });
	assert.equal(stop.reason, 'entry');
	const { threads } = await client.request('threads');
	assert.deepEqual(
		threads.map((x) => x.name),
		['group (0,0,0) wave 0', 'group (0,0,0) wave 1'],
	);
	const [first, second] = threads.map((x) => x.id);
	let frame;
	do {
		await client.move('next', first);
		frame = await client.top(first);
	} while (frame.line < 6);
	assert.equal(frame.source.path, lockstep.lesson);
	// Wave 0 is about to read what its neighbours have written, and wave 1 has written nothing yet.
	assert.ok((await client.top(second)).line < 5);
	assert.equal(await client.value('tile[3]', frame.id), '13');
	assert.equal(await client.value('tile[4]', frame.id), '0');

	// The view shows it: each work-item of wave 0 has its place, and the ones of wave 1 have none.
	const view = lanes(vscode, work);
	await view.expect('place', ['>0', '1*', '2*', '3*', '0', '0', '0', '0']);

	// Work-item 3 reads tile[4], of the other wave: 0, where 14 should be.
	const again = client.event('stopped');
	await view.select('(3)');
	await again;
	frame = await client.top(first);
	assert.equal(frame.name, 'early, work-item (3)');
	assert.equal(await client.value('tile[(place + 1) % size]', frame.id), '0');
	await view.expect('place', ['0', '1*', '2*', '>3*', '0', '0', '0', '0']);
	await work.items.show();
	assert.equal(vscode.window.statusBar.text, '$(target) work-item (3)');

	// Backwards, the line stands again that the barrier should follow.
	await client.move('stepBack', first);
	assert.equal((await client.top(first)).line, 5);
	assert.equal(await client.end(), 0);
});

test('a session with checks stops at both sides of the race', LIMIT, async (t) => {
	const { client, stop } = await start(t, { checks: true, stopOnEntry: false });
	const lines = new Set();
	for (let at = stop, n = 0; n < 2; n++) {
		lines.add((await client.top(at.threadId)).line);
		if (n === 0) at = await client.move('continue', at.threadId);
	}
	assert.deepEqual([...lines].sort(), [5, 6]);
	await client.end();
});

test(
	'a breakpoint in the editor stops the kernel, and the choice of work-items proposes the waves',
	LIMIT,
	async (t) => {
		const { vscode, work, client, session, stop } = await start(
			t,
			{ stopOnEntry: false },
			{ [lockstep.lesson]: [6] },
		);
		assert.equal(stop.reason, 'breakpoint');
		assert.equal((await client.top(stop.threadId)).line, 6);
		assert.deepEqual(
			(await work.items.waves(session)).map((w) => `${w.label} ${w.description} ${w.item}`),
			['Work-item (0) group (0,0,0) wave 0 0,0,0', 'Work-item (4) group (0,0,0) wave 1 4,0,0'],
		);
		await vscode.commands.executeCommand('lockstep.selectItem', [99]);
		assert.equal(vscode.messages.at(-1).kind, 'error');
		await client.end();
	},
);

test('a page of lanes is the same text for the same lanes, and no value becomes markup', () => {
	const variables = [
		{
			name: 'a<b',
			summary: '1 of 2 differ',
			lanes: [
				{ item: '(0)', value: '<script>', differs: false },
				{ item: '(1)', value: '"&', differs: true },
			],
		},
	];
	const html = page(variables, '(1)', 'nonce');
	assert.equal(html, page(variables, '(1)', 'nonce'));
	assert.ok(!html.includes('<script>"') && !/>\s*<script>\s*</.test(html));
	assert.match(html, /aria-label="\(1\): &#34;&#38;, differs, shown by the debugger"/);
	assert.match(html, /<td class="differs shown">/);
});

test('grids have the rows of the work-group', () => {
	const items = (...sizes) => {
		const [x, y = 0] = sizes;
		return Array.from({ length: x * (y || 1) }, (_, i) => ({
			item: y ? `(${i % x},${Math.floor(i / x)})` : `(${i})`,
		}));
	};
	for (const [sizes, want] of [
		[[4], 4],
		[[64], 8],
		[[256], 16],
		[[16, 4], 16],
		[[64, 2], 16],
		[[1], 1],
	]) {
		assert.equal(columns(items(...sizes)), want, String(sizes));
	}
});
