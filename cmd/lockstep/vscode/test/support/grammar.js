'use strict';
// Tokens of the extension's grammar, by the library with which VS Code itself reads grammars.

const fs = require('node:fs');
const path = require('node:path');
const { Registry, parseRawGrammar } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');

const file = path.resolve(__dirname, '../../syntaxes/opencl.tmLanguage.json');

async function grammar() {
	const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
	await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
	const registry = new Registry({
		onigLib: Promise.resolve({
			createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
			createOnigString: (s) => new oniguruma.OnigString(s),
		}),
		loadGrammar: async (scope) =>
			scope === 'source.opencl' ? parseRawGrammar(fs.readFileSync(file, 'utf8'), file) : null,
	});
	return registry.loadGrammar('source.opencl');
}

/** The tokens of a text, line by line: lists of {text, scopes}. */
function tokens(g, text) {
	let stack = null;
	return text.split('\n').map((line) => {
		const result = g.tokenizeLine(line, stack);
		stack = result.ruleStack;
		return result.tokens.map((t) => ({
			text: line.slice(t.startIndex, t.endIndex),
			scopes: t.scopes.slice(1),
		}));
	});
}

module.exports = { grammar, tokens };
