'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { grammar, tokens } = require('./support/grammar');
const lockstep = require('./support/lockstep');

/** Text with the scopes of its tokens, one a line: what the golden file has. */
function listing(g, text) {
	return (
		tokens(g, text)
			.map((line, n) =>
				[
					`${n + 1}: ${text.split('\n')[n]}`,
					...line
						.filter((t) => t.text.trim())
						.map((t) => `\t${t.text.trim()}\t${t.scopes.join(' ').replaceAll('.opencl', '')}`),
				].join('\n'),
			)
			.join('\n') + '\n'
	);
}

test('tokens are those of the golden file (UPDATE=1 rewrites it)', async () => {
	const text = fs.readFileSync(path.join(__dirname, 'testdata/tokens.cl.txt'), 'utf8').trimEnd();
	const file = path.join(__dirname, 'golden/tokens.txt');
	const got = listing(await grammar(), text);
	if (process.env.UPDATE) fs.writeFileSync(file, got);
	assert.equal(got, fs.readFileSync(file, 'utf8'));
});

/** The names that a list of lockstep help has: {a,b} in a name stands for each of the parts. */
function names(text) {
	const expand = (word) => {
		const m = /^([^{]*)\{([^}]*)\}(.*)$/.exec(word);
		return m ? m[2].split(',').flatMap((p) => expand(m[1] + p + m[3])) : [word];
	};
	return text
		.split('\n')
		.filter((l) => l.startsWith('  '))
		.flatMap((l) => l.trim().split(/\s+/))
		.flatMap(expand);
}

test('every built-in function of the compiler has a scope of its own', async () => {
	const g = await grammar();
	const list = names(execFileSync(lockstep.path, ['help', 'builtins'], { encoding: 'utf8' }));
	assert.ok(list.length > 400, `only ${list.length} functions`);
	const missing = list
		.filter((n) => /^\w+$/.test(n))
		.filter((n) => !tokens(g, `${n}(`)[0][0].scopes.some((s) => s.startsWith('support.function')));
	assert.deepEqual(missing, []);
});

test('the sources of the course and the examples have no token that is illegal', async () => {
	const g = await grammar();
	const folders = ['docs/course', 'examples', 'conformance/kernels/src'].map((f) =>
		path.join(lockstep.root, f),
	);
	const files = folders.flatMap((f) =>
		fs
			.readdirSync(f, { recursive: true })
			.filter((n) => n.endsWith('.cl'))
			.map((n) => path.join(f, n)),
	);
	assert.ok(files.length > 50);
	for (const file of files) {
		tokens(g, fs.readFileSync(file, 'utf8')).forEach((line, n) => {
			const illegal = line.filter((t) => t.scopes.some((s) => s.startsWith('invalid')));
			assert.deepEqual(illegal, [], `${file}:${n + 1}`);
		});
	}
});
