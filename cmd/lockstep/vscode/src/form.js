'use strict';
// Asks for the arguments of a kernel: a list of what there is, with a proposal for each, until the user says go.

const { propose, words, sizeText, sizes } = require('./proposal');
const { split, join } = require('./words');

/** The rows of the form for a proposal: what VS Code's quick pick shows. */
function rows(form) {
	return [
		{ label: '$(play) Go', detail: join(words(form)), key: 'go', alwaysShow: true },
		{
			label: 'Work-items',
			description: form.global.join(','),
			detail: 'How many there are: X, X,Y or X,Y,Z',
			key: 'global',
		},
		{
			label: 'Work-groups',
			description: form.local ? form.local.join(',') : 'lockstep chooses',
			detail: 'How many work-items each has',
			key: 'local',
		},
		...form.args.map((a) => ({
			label: a.name || `argument ${a.index}`,
			description: a.spec,
			detail: [a.type, sizeText(a.spec)].filter(Boolean).join(', '),
			key: a.index,
		})),
		{
			label: 'Further flags',
			description: join(form.more ?? []),
			detail: 'Of lockstep run, such as -D N=64, -subgroup 8 or -schedule reverse',
			key: 'more',
		},
	];
}

/**
 * A form that a kernel's proposal fills. What the user has not touched follows the number of work-items that the user
 * has chosen.
 */
class Form {
	constructor(kernel, dimensions) {
		this.kernel = kernel;
		this.dimensions = dimensions;
		this.touched = new Map();
		Object.assign(this, propose(kernel, dimensions), { more: [] });
	}

	/** What the text for a row is, and why it is none: undefined when it is right. */
	problem(key, text) {
		switch (key) {
			case 'global':
				return sizes(text) ? undefined : 'One to three numbers, such as 64 or 16,16';
			case 'local':
				return text.trim() === '' || sizes(text) ? undefined : 'One to three numbers, or nothing';
			case 'more':
				try {
					split(text);
					return undefined;
				} catch (e) {
					return e.message;
				}
		}
		return /^\S+:|^null$/.test(text)
			? undefined
			: 'Such as iota:i32:64, zero:f32:64, f32:1.5, local:256 or in:x.npy';
	}

	set(key, text) {
		if (key === 'more') {
			this.more = split(text);
			return;
		}
		if (key === 'global' || key === 'local') this[key] = text.trim() ? sizes(text) : null;
		this.touched.set(key, key === 'global' || key === 'local' ? this[key] : text);
		const fresh = propose(this.kernel, this.dimensions, this.touched.get('global'));
		this.local = this.touched.has('local') ? this.touched.get('local') : fresh.local;
		this.args = fresh.args.map((a) =>
			this.touched.has(a.index) ? { ...a, spec: this.touched.get(a.index) } : a,
		);
	}

	/** The text that a row begins with. */
	text(key) {
		switch (key) {
			case 'global':
				return this.global.join(',');
			case 'local':
				return this.local?.join(',') ?? '';
			case 'more':
				return join(this.more);
		}
		return this.args[key].spec;
	}
}

/** Asks for the words of a launch of a kernel of an info document; undefined when the user gives up. */
async function ask(vscode, kernel, dimensions) {
	const form = new Form(kernel, dimensions);
	for (;;) {
		const row = await vscode.window.showQuickPick(rows(form), {
			title: `Arguments of kernel ${kernel.name}`,
			placeHolder: 'Go, or choose what to change',
			ignoreFocusOut: true,
			matchOnDescription: true,
		});
		if (!row) return undefined;
		if (row.key === 'go') return words(form);
		const text = await vscode.window.showInputBox({
			title: `${row.label} of kernel ${kernel.name}`,
			value: form.text(row.key),
			prompt: row.detail,
			ignoreFocusOut: true,
			validateInput: (t) => form.problem(row.key, t),
		});
		if (text !== undefined) form.set(row.key, text);
	}
}

/** Asks for the words of a kernel that has some, in one line. */
async function edit(vscode, name, args) {
	const text = await vscode.window.showInputBox({
		title: `Arguments of kernel ${name}`,
		value: join(args),
		ignoreFocusOut: true,
		prompt: 'Flags of lockstep run; empty: start again from a proposal',
		validateInput: (t) => {
			try {
				split(t);
			} catch (e) {
				return e.message;
			}
		},
	});
	return text === undefined ? undefined : split(text);
}

module.exports = { Form, rows, ask, edit };
