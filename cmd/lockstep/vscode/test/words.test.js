'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { split, join, compilerOptions, flag } = require('../src/words');

test('a line is split into words as a shell does', () => {
	for (const [line, want] of [
		['', []],
		['  -global 8\t-arg f32:2 ', ['-global', '8', '-arg', 'f32:2']],
		['-D "TEXT=a b"', ['-D', 'TEXT=a b']],
		["in:'my file'.npy", ['in:my file.npy']],
		['a\\ b ""', ['a b', '']],
		['"say \\"hi\\" \\n"', ['say "hi" \\n']],
	]) {
		assert.deepEqual(split(line), want, line);
	}
	assert.throws(() => split('"open'), /not closed/);
});

test('words that are joined are the same when they are split', () => {
	for (const words of [[], ['-arg', 'f32:1,2'], ['a b', ''], ['"', "'", '\\', 'x"y z']]) {
		assert.deepEqual(split(join(words)), words);
	}
	assert.equal(join(['-global', '8']), '-global 8');
});

test('options of the compiler are told from flags of the launch', () => {
	const words = split(
		'-global 8 -D N=4 -arg -D -Iinclude -cl-std=CL2.0 -wave 4 -workers 1 -with -w -Wno-unused-variable -U X -out -I',
	);
	assert.deepEqual(compilerOptions(words), [
		'-D',
		'N=4',
		'-Iinclude',
		'-cl-std=CL2.0',
		'-w',
		'-Wno-unused-variable',
		'-U',
		'X',
	]);
});

test('a flag has the value that comes last', () => {
	assert.equal(flag(split('-kernel a -global 8 -kernel=b'), 'kernel'), 'b');
	assert.equal(flag(split('-arg -kernel x'), 'kernel'), undefined);
	assert.equal(flag(split('--global 16,4'), 'global'), '16,4');
});
