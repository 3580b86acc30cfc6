'use strict';
// The view "Lanes": each variable for all work-items of a work-group, as a grid in which those that differ are marked.

const { randomBytes } = require('node:crypto');

// So many variables are shown, and so many work-items of each: what is more, nobody can look at.
const MOST_VARIABLES = 48,
	MOST_LANES = 1024;

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** The number of columns of a grid of lanes: a row of the work-group, where it has several rows of a size to show. */
function columns(lanes) {
	const rest = (l) => l.item.replace(/^\(?\d+,?/, '');
	const row = lanes.findIndex((l) => rest(l) !== rest(lanes[0]));
	if (row > 1 && row <= 32) return row;
	return lanes.length <= 8 ? Math.max(lanes.length, 1) : lanes.length <= 64 ? 8 : 16;
}

/**
 * The HTML of the view. `variables` are {name, summary, lanes: [{item, value, differs}]}; `shown` is the work-item that the
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

function grid({ name, summary, lanes }, shown) {
	const width = columns(lanes);
	const lines = [];
	for (let i = 0; i < lanes.length; i += width) {
		const cells = lanes.slice(i, i + width).map((l) => cell(l, l.item === shown));
		lines.push(`<tr><th scope="row">${escape(lanes[i].item)}</th>${cells.join('')}</tr>`);
	}
	return `<details open data-name="${escape(name)}"><summary><b>${escape(name)}</b> ${escape(summary)}</summary>
<table><caption class="hidden">${escape(name)} of ${lanes.length} work-items</caption>
${lines.join('\n')}
</table></details>`;
}

function cell({ item, value, differs }, shown) {
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

/**
 * Reads the scope "All lanes" of a frame: a list of {name, summary, lanes}, undefined when `stale` says between two
 * requests that the launch has gone on.
 */
async function read(session, frameId, stale = () => false) {
	const variables = async (variablesReference, count) => {
		if (stale()) return [];
		return (await session.customRequest('variables', { variablesReference, start: 0, count })).variables;
	};
	const { scopes } = await session.customRequest('scopes', { frameId });
	const scope = scopes.find((s) => s.name === 'All lanes');
	const list = [];
	for (let v of scope ? await variables(scope.variablesReference, MOST_VARIABLES) : []) {
		// In a large work-group the values are made when one asks for them.
		if (v.presentationHint?.lazy) [v] = await variables(v.variablesReference, 1);
		const lanes = v?.variablesReference ? await variables(v.variablesReference, MOST_LANES) : [];
		if (lanes.length) list.push({ name: v.name, summary: v.value, lanes: lanes.map(lane) });
	}
	return stale() ? undefined : list;
}

/** A value of a work-item: a star behind it says that it differs, a dash before it that there is none. */
function lane({ name, value }) {
	return {
		item: name,
		value: value.replace(/ \*$/, '').replace(/^- .*/, '-'),
		differs: value.endsWith(' *'),
	};
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
		const stale = () => number !== this.asked;
		const seen = await this.look(stale);
		if (stale() || !seen || !this.view) return;
		this.view.webview.html = page(seen.list, seen.shown, randomBytes(16).toString('base64'), seen.note);
	}

	/** What is to be seen: {list, shown, note}; undefined when it is what is seen already, or is not known yet. */
	async look(stale) {
		const session = this.items.session;
		if (!session) return { list: [], note: 'No kernel is being debugged.' };
		const moves = this.items.moves;
		const gone = () => stale() || moves !== this.items.moves;
		try {
			const at = await this.items.look(session);
			// While the launch goes on, what was there stays: most steps take no time.
			if (gone() || !at) return undefined;
			const list = await read(session, at.frameId, gone);
			const note = list?.length ? '' : 'There are no variables here.';
			return list && { list, shown: at.item?.replace(/^\D*/, '('), note };
		} catch (e) {
			return gone() ? undefined : { list: [], note: e.message };
		}
	}
}

module.exports = { Lanes, page, read, columns };
