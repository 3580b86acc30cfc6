'use strict';
// Arguments to begin with for a kernel, made of what `lockstep info -json` says about its parameters.

const BYTES = { i8: 1, u8: 1, i16: 2, u16: 2, f16: 2, i32: 4, u32: 4, f32: 4, i64: 8, u64: 8, f64: 8 };
const SCALES = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

// How many work-items there are, and in work-groups of which size, for kernels of one to three dimensions.
const SIZES = [
	null,
	{ global: [64], local: [16] },
	{ global: [16, 16], local: [8, 8] },
	{ global: [8, 8, 8], local: [4, 4, 4] },
];

const product = (list) => list.reduce((a, b) => a * b, 1);

/**
 * The proposal for a kernel of an info document: sizes, and for each parameter its name, type and SPEC. `global`, a
 * list of numbers, is what the user has chosen.
 */
function propose(kernel, dimensions = 1, global) {
	const sizes = SIZES[dimensions];
	const required = trim(kernel.required_local_size ?? kernel.local_size_hint, dimensions);
	const needsGroups = kernel.args.some((a) => a.kind === 'local');
	const local =
		required ??
		(needsGroups && (!global || global.every((n, i) => n % sizes.local[i] === 0)) ? sizes.local : null);
	global ??= required ? required.map((n) => n * 4) : sizes.global;
	return {
		global,
		local,
		args: kernel.args.map((a, i) => ({
			index: i,
			name: a.name,
			type: typeText(a),
			spec: fill(a, global, local),
		})),
	};
}

/** Drops trailing sizes of 1, but leaves at least `least`. */
function trim(sizes, least) {
	if (!sizes) return null;
	const list = [...sizes];
	while (list.length > least && list.at(-1) === 1) list.pop();
	return list;
}

function typeText(a) {
	return [a.address_space, a.access, a.const && 'const', a.type]
		.filter(Boolean)
		.filter((w, i, all) => i === 0 || !all[0].includes(w) || w === a.type)
		.join(' ');
}

/** The SPEC of a parameter with numbers in the places that info leaves to the reader. */
function fill(a, global, local) {
	const items = product(global);
	const width = vectorWidth(a.type);
	const number = value(a.name, global);
	const sizes = {
		COUNT: items * width,
		BYTES:
			a.kind === 'local'
				? product(local ?? global) * elementBytes(a)
				: items * (a.element_bytes ?? elementBytes(a)),
		WIDTH: global[0],
		HEIGHT: global[1] ?? global[0],
		LAYERS: global[2] ?? 4,
		DEPTH: global[2] ?? 4,
		HEX: '00'.repeat(a.bytes),
		V: String(number),
	};
	return (a.spec ?? '').replace(/COUNT|BYTES|WIDTH|HEIGHT|LAYERS|DEPTH|HEX|V/g, (w) => sizes[w]);
}

/** A number for a parameter by value: kernels mostly take the sizes of their buffers so. */
function value(name, global) {
	if (/height|rows|^h$|^ny$/i.test(name)) return global[1] ?? 1;
	if (/width|cols|columns|pitch|stride|^w$|^nx$/i.test(name)) return global[0];
	if (/depth|^nz$/i.test(name)) return global[2] ?? 1;
	if (/^n$|num|count|size|len|total|elements/i.test(name)) return product(global);
	return 1;
}

function vectorWidth(type) {
	const n = Number(/(?:char|short|int|long|float|half|double)(2|3|4|8|16)\*?$/.exec(type)?.[1] ?? 1);
	return n === 3 ? 4 : n;
}

const SCALARS = {
	char: 1,
	uchar: 1,
	short: 2,
	ushort: 2,
	half: 2,
	int: 4,
	uint: 4,
	float: 4,
	long: 8,
	ulong: 8,
	double: 8,
};

function elementBytes(a) {
	const scalar = /^(u?(?:char|short|int|long)|float|half|double)\d*\*?$/.exec(a.type)?.[1];
	return a.element_bytes ?? (scalar ? SCALARS[scalar] * vectorWidth(a.type) : 16);
}

/** The words of a launch. */
function words({ global, local, args, more = [] }) {
	const list = ['-global', global.join(',')];
	if (local) list.push('-local', local.join(','));
	for (const a of args) list.push('-arg', a.spec);
	return [...list, ...more];
}

/** What a SPEC is, in words: "64 elements, 256 bytes"; "" where its size does not show. */
function sizeText(spec) {
	const local = /^local:(\w+)$/.exec(spec);
	if (local) return plural(count(local[1]), 'byte');
	const m = /^(?:ro:|wo:)?(?:zero|undef|iota|fill|rand):([iuf]\d+):(\w+)/.exec(spec);
	if (m && BYTES[m[1]]) return sized(count(m[2]), BYTES[m[1]]);
	const list = /^(?:ro:|wo:)?buf:([iuf]\d+):(.*)$/.exec(spec);
	if (list && BYTES[list[1]] && !list[2].includes('*'))
		return sized(list[2].split(',').length, BYTES[list[1]]);
	return '';
}

const sized = (n, bytes) =>
	Number.isFinite(n) ? `${plural(n, 'element')}, ${plural(n * bytes, 'byte')}` : '';
const plural = (n, what) => (Number.isFinite(n) ? `${n} ${what}${n === 1 ? '' : 's'}` : '');

function count(text) {
	const m = /^(\d+)([kmg]?)$/.exec(text);
	return m ? Number(m[1]) * (SCALES[m[2]] ?? 1) : NaN;
}

/** Reads sizes such as 64 or 16,16; null where they are none. */
function sizes(text) {
	const list = text
		.trim()
		.split(/\s*[,x]\s*/)
		.map(count);
	return list.length <= 3 && list.every((n) => Number.isInteger(n) && n > 0) ? list : null;
}

module.exports = { propose, words, sizeText, sizes };
