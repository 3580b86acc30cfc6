'use strict';
// Where a source defines kernels. Only the text is looked at: it need not compile.

/** Replaces comments and the contents of literals by blanks, so that all other characters keep their offsets. */
function blank(text) {
	return text.replace(
		/\/\*[^]*?(?:\*\/|$)|\/\/(?:\\\r?\n|[^\n])*|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/g,
		(s) => s.replace(/[^\r\n]/g, ' '),
	);
}

/**
 * The kernels that a source defines, in order: name, offsets of the definition, of the name and of the end, and the
 * body. It takes time in proportion to the text, whatever the text is.
 */
function kernels(text) {
	const code = blank(text);
	const tokens = [...code.matchAll(/[A-Za-z_]\w*|[(){};]/g)];
	const close = pairs(tokens);
	const list = [];
	let start = -1; // the token kernel of a definition that is not yet complete
	let type = false; // whether void has been seen
	for (let i = 0; i < tokens.length; i++) {
		const word = tokens[i][0];
		if (word === 'kernel' || word === '__kernel') {
			start = i;
			type ||= tokens[i - 1]?.[0] === 'void';
		} else if (start < 0) {
			continue;
		} else if (word === 'void') {
			type = true;
		} else if (word === '__attribute__' && tokens[i + 1]?.[0] === '(' && close[i + 1]) {
			i = close[i + 1];
		} else if (/[(){};]/.test(word)) {
			start = -1;
			type = false;
		} else if (tokens[i + 1]?.[0] === '(') {
			const brace = type && close[i + 1] ? body(tokens, close, close[i + 1] + 1) : 0;
			if (brace) list.push(kernel(code, tokens, close, start, i, brace));
			start = -1;
			type = false;
		}
	}
	return list;
}

/** The kernel whose definition begins with the token `start`, has the token `name`, and the brace `brace`. */
function kernel(code, tokens, close, start, name, brace) {
	const end = close[brace] ? tokens[close[brace]].index + 1 : code.length;
	return {
		name: tokens[name][0],
		start: tokens[start].index,
		nameStart: tokens[name].index,
		end,
		body: code.slice(tokens[brace].index, end),
	};
}

/** The token that opens the body behind the parameters, which end before the token `at`; 0 for a declaration. */
function body(tokens, close, at) {
	while (tokens[at]?.[0] === '__attribute__' && close[at + 1]) at = close[at + 1] + 1;
	return tokens[at]?.[0] === '{' ? at : 0;
}

/** For each token that opens a pair of brackets, the one that closes it. Parentheses end within a statement. */
function pairs(tokens) {
	const close = [];
	const braces = [];
	let parens = [];
	tokens.forEach(([word], i) => {
		if (word === '(') parens.push(i);
		else if (word === ')') close[parens.pop() ?? tokens.length] = i;
		else if (word === '{' || word === '}' || word === ';') {
			parens = [];
			if (word === '{') braces.push(i);
			else if (word === '}') close[braces.pop() ?? tokens.length] = i;
		}
	});
	return close;
}

/** How many dimensions a kernel looks at: 1 to 3. */
function dimensions(body) {
	let n = 1;
	for (const m of body.matchAll(/\bget_(?:global|local|group|num)_?\w*\s*\(\s*([012])\s*\)/g)) {
		n = Math.max(n, Number(m[1]) + 1);
	}
	return n;
}

module.exports = { kernels, dimensions, blank };
