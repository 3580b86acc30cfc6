'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { kernels, dimensions } = require('../src/kernels');

const names = (text) => kernels(text).map((k) => k.name);

test('kernels are found where they are defined', () => {
	for (const [text, want] of [
		['kernel void f(global int *a) { }', ['f']],
		['__kernel void f(void);\n__kernel void f(void) { }', ['f']],
		['void kernel f() {}', ['f']],
		['__kernel __attribute__((reqd_work_group_size(8, 8, 1)))\nvoid tiles(int n)\n{ if (n) { } }', ['tiles']],
		['__attribute__((intel_reqd_sub_group_size(8))) kernel void g(int n) {}', ['g']],
		['kernel void h(int n) __attribute__((nosvm)) { }', ['h']],
		['// kernel void a() {}\n/* kernel void b() {} */\nconstant char s[] = "kernel void c() {}";', []],
		['kernel void a() { }\nvoid helper() {}\nkernel void b() { }', ['a', 'b']],
		['kernel void cut(int n', []],
		['kernel void open(int n) {', ['open']],
		['int kernel_count(void) { return 1; }', []],
	]) {
		assert.deepEqual(names(text), want, text);
	}
});

test('a kernel has its place and its body', () => {
	const text = '// one\nkernel void f(int n) { if (n) { barrier(1); } } int x;';
	const [k] = kernels(text);
	assert.equal(text.slice(k.start, k.start + 6), 'kernel');
	assert.equal(text.slice(k.nameStart, k.nameStart + k.name.length), 'f');
	assert.equal(text.slice(k.start, k.end), 'kernel void f(int n) { if (n) { barrier(1); } }');
});

test('dimensions are those that the kernel asks for', () => {
	assert.equal(dimensions('{ get_global_id(0); }'), 1);
	assert.equal(dimensions('{ get_local_id(1); get_num_groups( 0 ); }'), 2);
	assert.equal(dimensions('{ get_group_id(2); }'), 3);
	assert.equal(dimensions('{ f(2); }'), 1);
});

test('a definition that is being typed hides no other one', () => {
	assert.deepEqual(names('kernel void a(int n\nkernel void b(int n) { }'), ['b']);
	assert.deepEqual(names('kernel void a(int n) { if (\n}\nkernel void b(int n) { }'), ['a', 'b']);
	assert.deepEqual(names('kernel\nkernel void b(int n) { }'), ['b']);
	for (const piece of [
		'kernel ',
		'kernel void f(',
		'__attribute__((',
		'/*',
		'"\\',
		'kernel (( ',
		'kernel )) ',
		'{',
		')',
	]) {
		assert.deepEqual(names(piece.repeat(20000)), [], piece);
	}
});
