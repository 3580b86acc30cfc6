'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { propose, words, sizeText, sizes } = require('../src/proposal');
const { Form, rows } = require('../src/form');
const { kernels, dimensions } = require('../src/kernels');
const { document } = require('../src/lockstep');
const lockstep = require('./support/lockstep');

/** What lockstep info says about the kernels of a text. */
async function info(text) {
	const doc = await document(lockstep.path, ['info', '-json', '-'], { input: text });
	assert.equal(doc.document, 'info', JSON.stringify(doc.diagnostics));
	return doc.kernels;
}

/** The words that are proposed for the first kernel of a text. */
async function proposal(text) {
	const [kernel] = await info(text);
	return words(propose(kernel, dimensions(kernels(text)[0].body))).join(' ');
}

test('arguments are proposed for parameters of all kinds', async () => {
	for (const [text, want] of [
		[
			'kernel void f(global const int *in, global int *out, local int *tile) {}',
			'-global 64 -local 16 -arg iota:i32:64 -arg zero:i32:64 -arg local:64',
		],
		[
			'kernel void f(global float3 *v, uint n, float s, float4 q) {}',
			'-global 64 -arg zero:f32:256 -arg u32:64 -arg f32:1 -arg f32:1,1,1,1',
		],
		[
			'kernel void f(global uchar *p, int width, int height) { p[get_global_id(1)] = 0; }',
			'-global 16,16 -arg zero:u8:256 -arg i32:16 -arg i32:16',
		],
		[
			'kernel __attribute__((reqd_work_group_size(8, 4, 1))) void f(global int *p) { p[get_local_id(1)] = 0; }',
			'-global 32,16 -local 8,4 -arg zero:i32:512',
		],
		[
			'kernel void f(read_only image2d_t i, sampler_t s) {}',
			'-global 64 -arg image:64x64:rgba:unorm8 -arg sampler:nearest,clamp_to_edge,unnormalized',
		],
		[
			'typedef struct { float x; int n; } P; kernel void f(global P *p, P q) {}',
			'-global 64 -arg zero:u8:512 -arg f32:1,u32:1',
		],
	]) {
		assert.equal(await proposal(text), want, text);
	}
});

test('lockstep takes the proposals for the kernels of the course', async () => {
	const course = path.join(lockstep.root, 'docs', 'course');
	let ran = 0;
	for (const lesson of fs.readdirSync(course).filter((n) => /^0[1-6]-/.test(n))) {
		for (const name of fs.readdirSync(path.join(course, lesson)).filter((n) => n.endsWith('.cl'))) {
			const file = path.join(course, lesson, name);
			const text = fs.readFileSync(file, 'utf8');
			for (const kernel of await info(text)) {
				const body = kernels(text).find((k) => k.name === kernel.name).body;
				const line = words(propose(kernel, dimensions(body)));
				const doc = await document(lockstep.path, ['run', file, '-json', '-kernel', kernel.name, ...line]);
				assert.equal(doc.document, 'run', `${name} ${kernel.name} ${line.join(' ')}: ${doc.error?.message}`);
				ran++;
			}
		}
	}
	assert.ok(ran >= 20, `only ${ran} kernels`);
});

test('sizes are described', () => {
	for (const [spec, want] of [
		['zero:f32:1k', '1024 elements, 4096 bytes'],
		['iota:i32:1', '1 element, 4 bytes'],
		['buf:u8:1,2,3', '3 elements, 3 bytes'],
		['local:256', '256 bytes'],
		['ro:rand:f64:8:1', '8 elements, 64 bytes'],
		['in:x.npy', ''],
		['f32:1', ''],
		['buf:u8:0*8', ''],
	]) {
		assert.equal(sizeText(spec), want, spec);
	}
	assert.deepEqual(sizes('16, 4'), [16, 4]);
	assert.deepEqual(sizes('1k'), [1024]);
	for (const wrong of ['', '0', 'a', '1,2,3,4', '-1', '1.5']) assert.equal(sizes(wrong), null, wrong);
});

test('a form follows the number of work-items where nothing else was chosen', async () => {
	const [kernel] = await info('kernel void f(global const int *in, global int *out, local int *tile) {}');
	const form = new Form(kernel, 1);
	assert.deepEqual(
		rows(form)
			.slice(3, 6)
			.map((r) => `${r.label} | ${r.description} | ${r.detail}`),
		[
			'in | iota:i32:64 | global const int*, 64 elements, 256 bytes',
			'out | zero:i32:64 | global int*, 64 elements, 256 bytes',
			'tile | local:64 | local int*, 64 bytes',
		],
	);
	form.set(0, 'buf:i32:10,11,12,13,14,15,16,17');
	form.set('global', '8');
	form.set('local', '8');
	form.set('more', '-subgroup 4 -D "A=b c"');
	assert.equal(
		words(form).join(' '),
		'-global 8 -local 8 -arg buf:i32:10,11,12,13,14,15,16,17 -arg zero:i32:8 -arg local:32 -subgroup 4 -D A=b c',
	);
	assert.equal(form.text('more'), '-subgroup 4 -D "A=b c"');
	assert.equal(form.problem('global', '8'), undefined);
	assert.match(form.problem('global', 'x'), /numbers/);
	assert.match(form.problem(0, '64'), /Such as/);
	assert.match(form.problem('more', '"'), /not closed/);
});
