'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { fake, activate } = require('./support/fake');
const { item } = require('../src/debug');
const { document } = require('../src/lockstep');
const lockstep = require('./support/lockstep');

const folder = path.resolve(__dirname, '..');
const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
const manifest = JSON.parse(read('package.json'));

test('commands, views and debuggers of the manifest are those that the extension registers', () => {
	const vscode = fake({});
	activate(vscode);
	const names = (kind) => vscode.registered[kind].map(([n]) => n).sort();
	assert.deepEqual(names('commands'), manifest.contributes.commands.map((c) => c.command).sort());
	assert.deepEqual(
		names('views'),
		manifest.contributes.views.lockstep.map((v) => v.id),
	);
	assert.deepEqual(
		names('adapters'),
		manifest.contributes.debuggers.map((d) => d.type),
	);
	assert.deepEqual(names('trackers'), names('adapters'));
});

test('settings of the manifest are those that the extension reads', () => {
	const source = read('src/extension.js');
	for (const key of Object.keys(manifest.contributes.configuration.properties)) {
		assert.ok(source.includes(`'${key.replace('lockstep.', '')}'`), key);
	}
});

test('there is no runtime dependency, and the lock file names no registry', () => {
	assert.equal(manifest.dependencies, undefined);
	const lock = JSON.parse(read('package-lock.json'));
	const hosts = Object.values(lock.packages)
		.map((p) => p.resolved)
		.filter(Boolean);
	assert.deepEqual(hosts, []);
});

test('the package has what the extension needs, and nothing else', () => {
	const list = execFileSync(
		process.execPath,
		[require.resolve('@vscode/vsce/vsce'), 'ls', '--no-dependencies'],
		{ cwd: folder, encoding: 'utf8' },
	)
		.trim()
		.split('\n')
		.filter((n) => /^[\w./-]+$/.test(n) && n !== 'LICENSE')
		.sort();
	const sources = fs.readdirSync(path.join(folder, 'src')).map((n) => `src/${n}`);
	assert.deepEqual(
		list,
		[
			'CHANGELOG.md',
			'README.md',
			'language-configuration.json',
			'media/icon.png',
			'media/lockstep.svg',
			'package.json',
			'snippets/opencl.json',
			'syntaxes/opencl.tmLanguage.json',
			...sources,
		].sort(),
	);
	for (const [, name] of read('package.json').matchAll(
		/"(?:path|icon|main|configuration)": "((?:\.\/|media)[^"]+)"/g,
	)) {
		assert.ok(list.includes(name.replace(/^\.\//, '')), name);
	}
});

/** The text of a snippet as it stands there before one types: each place has its default, or its first choice. */
function expand(body) {
	let text = body
		.join('\n')
		.replace(/\$\{\d+\|((?:[^,|\\]|\\.)*)(?:[^|\\]|\\.)*\|\}/g, '$1')
		.replace(/\$(?:\d|\{\d+\})/g, '');
	for (let old = ''; old !== text;) {
		old = text;
		text = text.replace(/\$\{\d+:([^${}]*)\}/g, '$1');
	}
	return text;
}

test('snippets compile', async () => {
	const snippets = Object.values(JSON.parse(read('snippets/opencl.json')));
	assert.ok(snippets.length >= 5);
	for (const { prefix, description, body } of snippets) {
		assert.ok(description, prefix);
		const text = expand(body);
		const input = text.includes('kernel void') ? text : `kernel void f(uint n) {\n${text}\n}`;
		const doc = await document(lockstep.path, ['info', '-json', '-Wall', '-Wno-unused-variable', '-'], {
			input,
		});
		assert.deepEqual(doc.diagnostics ?? [], [], `${prefix}: ${text}`);
		assert.equal(doc.kernels.length, 1, prefix);
	}
});

test('a work-item is read from what people type', () => {
	for (const [text, want] of [
		['3', [3, 0, 0]],
		['(1,2)', [1, 2, 0]],
		[' 1 , 2 , 3 ', [1, 2, 3]],
		['', null],
		['x', null],
		['1,2,3,4', null],
	]) {
		assert.deepEqual(item(text), want, text);
	}
});
