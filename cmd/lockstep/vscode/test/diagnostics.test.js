'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { fake, activate, TextDocument } = require('./support/fake');
const { character } = require('../src/places');
const lockstep = require('./support/lockstep');

/** An extension whose workspace is a new folder with the given files. */
function start(t, files, settings = {}) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lockstep-test-'));
	t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
	for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
	const vscode = fake({
		folder,
		settings: {
			lockstep: {
				path: lockstep.path,
				compilerOptions: ['-Wall'],
				diagnostics: 'change',
				diagnosticsDelay: 1,
				codeLens: true,
				checkTimeout: 60,
				...settings,
			},
		},
	});
	const { work } = activate(vscode);
	t.after(() => work.diagnostics.dispose());
	const open = (name) => {
		const document = new TextDocument(path.join(folder, name));
		vscode.workspace.textDocuments.push(document);
		return document;
	};
	return { vscode, work, folder, open };
}

/** Diagnostics as lines: severity, range, code, message. */
function lines(collection, document) {
	const names = ['error', 'warning', 'information'];
	return (collection.get(document.uri) ?? []).map(
		(d) => `${names[d.severity]} ${d.range}${d.code ? ` [${d.code.value}]` : ''} ${d.message}`,
	);
}

test('errors and warnings of a kernel stand at their places', async (t) => {
	const { work, open } = start(t, {
		'broken.cl': [
			'kernel void f(global int *a) {',
			'\tint unused;',
			'\ta[0] = foo + 1',
			'\t/* é🙂 */ a[1] = get_globl_id(0);',
			'}',
			'',
		].join('\n'),
	});
	const document = open('broken.cl');
	await work.diagnostics.compile(document);
	assert.deepEqual(lines(work.diagnostics.collection, document), [
		"error 3:9-3:12 the name 'foo' is not declared",
		"error 3:16-4:1 expected ';' after expression",
		"error 4:19-4:31 the function 'get_globl_id' is not declared",
	]);
	const last = work.diagnostics.collection.get(document.uri).at(-1);
	assert.equal(last.relatedInformation[0].message, "perhaps the built-in function 'get_global_id' is meant");
});

test('a warning has the option that turns it off, which leads to its description', async (t) => {
	const { vscode, work, open } = start(t, { 'k.cl': 'kernel void f(global int *a) {\n\tint unused;\n}\n' });
	const document = open('k.cl');
	await work.diagnostics.compile(document);
	assert.deepEqual(lines(work.diagnostics.collection, document), [
		"warning 2:6-2:12 [-Wunused-variable] unused variable 'unused'",
	]);
	const [{ code, tags }] = work.diagnostics.collection.get(document.uri);
	assert.deepEqual(tags, [vscode.DiagnosticTag.Unnecessary]);
	const [[scheme, help]] = vscode.registered.contents;
	assert.equal(code.target.scheme, scheme);
	assert.match(await help.provideTextDocumentContent(code.target), /unused-variable/);
});

test('what the compiler suggests is a quick fix, after which the kernel compiles', async (t) => {
	const { vscode, work, open } = start(t, {
		'fix.cl': 'kernel void f(global int *a) {\n\ta[0] = get_globl_id(0)\n}\n',
	});
	const document = open('fix.cl');
	const [[, provider]] = vscode.registered.actions;
	for (let round = 0; round < 2; round++) {
		await work.diagnostics.compile(document);
		const [first] = work.diagnostics.collection.get(document.uri);
		// VS Code gives providers copies, without what is not its own.
		const copy = Object.assign(new vscode.Diagnostic(first.range, first.message, first.severity), {
			code: first.code,
		});
		const [action] = provider.provideCodeActions(document, first.range, { diagnostics: [copy] });
		const [{ range, text }] = action.edit.edits;
		document.text =
			document.text.slice(0, document.offsetAt(range.start)) +
			text +
			document.text.slice(document.offsetAt(range.end));
	}
	await work.diagnostics.compile(document);
	assert.deepEqual(lines(work.diagnostics.collection, document), []);
	assert.equal(document.text, 'kernel void f(global int *a) {\n\ta[0] = get_global_id(0);\n}\n');
});

test('includes are found beside the file, and their errors stand in them until they are gone', async (t) => {
	const { work, open, folder } = start(t, {
		'size.h': '#define N 4\nint g( { }\n',
		'k.cl': '#include "size.h"\nkernel void f(global int *a) { a[0] = N; }\n',
	});
	const document = open('k.cl'),
		header = open('size.h');
	await work.diagnostics.compile(document);
	assert.match(lines(work.diagnostics.collection, header)[0], /^error 2:8-2:9 expected parameter declarator/);
	header.text = '#define N 4\n';
	fs.writeFileSync(path.join(folder, 'size.h'), header.text);
	await work.diagnostics.compile(document);
	assert.deepEqual(lines(work.diagnostics.collection, header), []);
});

test('options of the launch configuration are those of the compilation', async (t) => {
	const { vscode, work, open } = start(t, { 'k.cl': 'kernel void f(global int *a) { a[0] = N; }\n' });
	const document = open('k.cl');
	await work.diagnostics.compile(document);
	assert.equal(lines(work.diagnostics.collection, document).length, 1);
	await work.launches.remember(document.uri, 'f', ['-global', '8', '-D', 'N=4', '-arg', 'zero:i32:8']);
	await work.diagnostics.compile(document);
	assert.deepEqual(lines(work.diagnostics.collection, document), []);
	assert.equal(vscode.messages.length, 0);
});

test('a change is compiled after its delay, and only the last one is shown', async (t) => {
	const { vscode, work, open } = start(t, { 'k.cl': 'kernel void f(void) { a; }\n' });
	const document = open('k.cl');
	const shown = new Promise((resolve) => {
		const { set } = work.diagnostics.collection;
		work.diagnostics.collection.set = (...args) => resolve(set(...args));
	});
	for (const name of ['b', 'c', 'd']) {
		document.text = `kernel void f(void) { ${name}; }\n`;
		vscode.events.change.fire({ document, contentChanges: [{}] });
	}
	await shown;
	assert.deepEqual(lines(work.diagnostics.collection, document), [
		"error 1:23-1:24 the name 'd' is not declared",
	]);
	vscode.events.close.fire(document);
	assert.deepEqual(lines(work.diagnostics.collection, document), []);
});

test('headers are not compiled by themselves', async (t) => {
	const { work, open } = start(t, { 'h.clh': 'nonsense\n' });
	const document = open('h.clh');
	await work.diagnostics.compile(document);
	assert.equal(work.diagnostics.collection.map.size, 0);
});

test('a program lockstep that is missing is said once', async (t) => {
	const { vscode, work, open } = start(
		t,
		{ 'k.cl': 'kernel void f(void) { }\n' },
		{ path: '/no/such/lockstep' },
	);
	const document = open('k.cl');
	await work.diagnostics.compile(document);
	await work.diagnostics.compile(document);
	assert.deepEqual(
		vscode.messages.map((m) => m.kind),
		['error'],
	);
	assert.match(vscode.messages[0].message, /lockstep\.path/);
});

test('columns in bytes become UTF-16 units', () => {
	for (const [line, column, want] of [
		['abc', 2, 1],
		['abc', 9, 3],
		['é = x', 3, 1],
		['🙂x', 5, 2],
		['', 1, 0],
		['abc', 0, 0],
	]) {
		assert.equal(character(line, column), want, `${line} ${column}`);
	}
});
