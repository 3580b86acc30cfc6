'use strict';
// Words of a command line: how a person writes them in one line, and which are options of the compiler.

/** Splits a line into words, as a shell does with quotes and backslashes. */
function split(line) {
	const words = [];
	let word = null,
		quote = '';
	for (let i = 0; i < line.length; i++) {
		const c = line[i];
		if (quote) {
			if (c === quote) quote = '';
			else if (c === '\\' && quote === '"' && '"\\'.includes(line[i + 1])) word += line[++i];
			else word += c;
		} else if (c === '"' || c === "'") {
			quote = c;
			word ??= '';
		} else if (c === '\\' && i + 1 < line.length) {
			word = (word ?? '') + line[++i];
		} else if (/\s/.test(c)) {
			if (word !== null) words.push(word);
			word = null;
		} else {
			word = (word ?? '') + c;
		}
	}
	if (quote) throw new Error(`a quote ${quote} is not closed`);
	if (word !== null) words.push(word);
	return words;
}

/** Joins words to a line that split takes apart again. */
function join(words) {
	return words.map((w) => (/^[^\s"'\\]+$/.test(w) ? w : `"${w.replace(/["\\]/g, '\\$&')}"`)).join(' ');
}

// Flags of lockstep run and debug that the word behind them belongs to, as far as that word may look like an option.
const VALUE = new Set(['-arg', '-out', '-buffer', '-pipe', '-spec', '-device', '-kernel', '-x']);

/** The options of the compiler among the words of a launch. */
function compilerOptions(words) {
	const options = [];
	for (let i = 0; i < words.length; i++) {
		const w = words[i];
		if (VALUE.has(w)) i++;
		else if (['-D', '-U', '-I'].includes(w) && i + 1 < words.length) options.push(w, words[++i]);
		else if (/^-(D|U|I|cl-|W|spirv-version=)./.test(w) || w === '-w') {
			if (!/^-wave|^-with|^-workers/.test(w)) options.push(w);
		}
	}
	return options;
}

/** The value of the flag `-name` among words: the last one given, undefined for none. */
function flag(words, name) {
	let value;
	for (let i = 0; i < words.length; i++) {
		if (words[i] === `-${name}` || words[i] === `--${name}`) value = words[++i];
		else if (words[i].startsWith(`-${name}=`)) value = words[i].slice(name.length + 2);
		else if (VALUE.has(words[i])) i++;
	}
	return value;
}

module.exports = { split, join, compilerOptions, flag };
