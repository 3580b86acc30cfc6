'use strict';
// The view "Lanes": each variable for all work-items of a work-group, as a grid in which those that differ are marked.

const { randomBytes } = require('node:crypto');

// So many variables are shown, and so many work-items of each: what is more, nobody can look at.
const MOST_VARIABLES = 48,
	MOST_LANES = 1024;

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** The value that most of a list have; the first one of those that are equally frequent. */
function usual(values) {
	const counts = new Map();
	for (const v of values) counts.set(v, (counts.get(v) ?? 0) + 1);
	let best,
		most = 0;
	for (const [v, n] of counts) {
		if (n > most) [best, most] = [v, n];
	}
	return best;
}

/** The number of columns of a grid of so many lanes. */
function columns(count) {
	return count <= 8 ? Math.max(count, 1) : count <= 64 ? 8 : 16;
}

/**
 * The HTML of the view. `variables` are {name, type, lanes: [{item, value}]}; `shown` is the work-item that the
 * debugger shows. A button of a cell chooses its work-item.
 */
function page(variables, shown, nonce, note = '') {
	const body = variables.length ? variables.map((v) => grid(v, shown)).join('\n') : '';
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}';">
<title>Lanes</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<p>${escape(note || 'Values that differ from most are marked with *.')}</p>
${body}
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

function grid(variable, shown) {
	const { name, type, lanes } = variable;
	const most = usual(lanes.map((l) => l.value));
	const different = lanes.filter((l) => l.value !== most).length;
	const width = columns(lanes.length);
	const lines = [];
	for (let i = 0; i < lanes.length; i += width) {
		const cells = lanes
			.slice(i, i + width)
			.map((l) => cell(l, l.value !== most, l.item === shown))
			.join('');
		lines.push(`<tr><th scope="row">${escape(lanes[i].item)}</th>${cells}</tr>`);
	}
	const summary = different === 0 ? 'the same in all' : `${different} of ${lanes.length} differ from ${most}`;
	return (
		`<details open data-name="${escape(name)}"><summary><b>${escape(name)}</b> ` +
		`<span class="type">${escape(type ?? '')}</span> ${escape(summary)}</summary>\n` +
		`<table><caption class="hidden">${escape(name)} of ${lanes.length} work-items</caption>\n${lines.join('\n')}\n</table></details>`
	);
}

function cell({ item, value }, differs, shown) {
	const state = [differs && 'differs', shown && 'shown'].filter(Boolean).join(' ');
	const label = `${item}: ${value}${differs ? ', differs' : ''}${shown ? ', shown by the debugger' : ''}`;
	return (
		`<td${state ? ` class="${state}"` : ''}><button data-item="${escape(item)}" title="${escape(label)}" ` +
		`aria-label="${escape(label)}">${escape(value)}${differs ? '<span aria-hidden="true">*</span>' : ''}</button></td>`
	);
}

const STYLE = `
body { padding: 0 8px; }
table { border-collapse: collapse; margin: 4px 0 12px; font-family: var(--vscode-editor-font-family, monospace); }
th { font-weight: normal; text-align: right; padding: 0 6px; color: var(--vscode-descriptionForeground); }
td { padding: 0; border: 1px solid var(--vscode-panel-border, #8884); text-align: right; }
button { all: unset; box-sizing: border-box; width: 100%; padding: 1px 6px; cursor: pointer; white-space: pre; }
button:focus-visible, button:hover { outline: 1px solid var(--vscode-focusBorder); }
.differs { background: var(--vscode-diffEditor-insertedTextBackground, #9c03); font-weight: bold; }
.shown { outline: 2px solid var(--vscode-focusBorder, #08f); outline-offset: -2px; }
.type { color: var(--vscode-descriptionForeground); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
summary { cursor: pointer; }
`;

const SCRIPT = `
const code = acquireVsCodeApi();
const closed = new Set((code.getState() || {}).closed || []);
for (const d of document.querySelectorAll('details')) {
	if (closed.has(d.dataset.name)) d.open = false;
	d.addEventListener('toggle', () => {
		if (d.open) closed.delete(d.dataset.name); else closed.add(d.dataset.name);
		code.setState({ closed: [...closed] });
	});
}
document.addEventListener('click', (e) => {
	const button = e.target.closest('button[data-item]');
	if (button) code.postMessage({ item: button.dataset.item });
});
`;

/** Reads the scope "All lanes" of a frame: a list of {name, type, lanes}. */
async function read(session, frameId) {
	const { scopes } = await session.customRequest('scopes', { frameId });
	const scope = scopes.find((s) => s.name === 'All lanes');
	if (!scope) return [];
	const { variables } = await session.customRequest('variables', {
		variablesReference: scope.variablesReference,
	});
	const list = await Promise.all(
		variables.slice(0, MOST_VARIABLES).map(async (v) => {
			if (!v.variablesReference) return null;
			const children = await session.customRequest('variables', {
				variablesReference: v.variablesReference,
				start: 0,
				count: MOST_LANES,
			});
			const lanes = children.variables.filter((c) => /\d/.test(c.name)).slice(0, MOST_LANES);
			return { name: v.name, type: v.type, lanes: lanes.map((c) => ({ item: c.name, value: c.value })) };
		}),
	);
	return list.filter((v) => v?.lanes.length);
}

/** Lanes is the view. */
class Lanes {
	/** `items` knows the session and its frame, `select` chooses a work-item. */
	constructor(vscode, items, select) {
		this.vscode = vscode;
		this.items = items;
		this.select = select;
		this.asked = 0; // updates so far: an older one that ends later is dropped
	}

	resolveWebviewView(view) {
		this.view = view;
		view.webview.options = { enableScripts: true, localResourceRoots: [] };
		view.webview.onDidReceiveMessage((m) => this.select(m.item));
		view.onDidChangeVisibility(() => this.update());
		view.onDidDispose(() => {
			this.view = undefined;
		});
		return this.update();
	}

	/** Shows what the session has now. */
	async update() {
		if (!this.view?.visible) return;
		const number = ++this.asked;
		const { list, note, shown } = await this.look();
		if (number !== this.asked || !this.view) return;
		this.view.webview.html = page(list, shown, randomBytes(16).toString('base64'), note);
	}

	async look() {
		const session = this.items.session;
		if (!session) return { list: [], note: 'No kernel is being debugged.' };
		try {
			const frameId = await this.items.frame(session);
			if (frameId === undefined) return { list: [], note: 'The kernel runs.' };
			const list = await read(session, frameId);
			const shown = (await this.items.current(session))?.replace(/^\D*/, '').replace(/\)$/, '');
			return { list, shown: shown && `(${shown})`, note: list.length ? '' : 'There are no variables here.' };
		} catch (e) {
			return { list: [], note: e.message };
		}
	}
}

module.exports = { Lanes, page, read, usual, columns };
