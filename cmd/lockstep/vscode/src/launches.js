'use strict';
// With what arguments a kernel runs: the configurations of launch.json, and outside of folders the extension's memory.

const path = require('node:path');
const { flag, split } = require('./words');

const MEMORY = 'lockstep.launches';

class Launches {
	/** `memory` is a Memento, for files that belong to no folder. */
	constructor(vscode, memory) {
		this.vscode = vscode;
		this.memory = memory;
	}

	folder(uri) {
		return this.vscode.workspace.getWorkspaceFolder(uri);
	}

	/** All configurations for a file, most specific ones first. */
	all(uri) {
		const folder = this.folder(uri);
		const list = folder
			? (this.vscode.workspace.getConfiguration('launch', folder.uri).get('configurations') ?? [])
			: Object.values(this.memory.get(MEMORY, {}));
		return list.filter(
			(c) => c.type === 'lockstep' && c.program && same(expand(c.program, folder), uri.fsPath),
		);
	}

	/** The configuration with which a kernel of a file runs, undefined for none. */
	find(uri, kernel, kernels = [kernel]) {
		const list = this.all(uri);
		return (
			list.find((c) => kernelOf(c) === kernel) ??
			(kernels.length === 1 ? list.find((c) => kernelOf(c) === undefined) : undefined)
		);
	}

	/** The configuration for a kernel with these words. */
	make(uri, kernel, args) {
		const folder = this.folder(uri);
		const program = folder
			? '${workspaceFolder}/' + path.relative(folder.uri.fsPath, uri.fsPath).split(path.sep).join('/')
			: uri.fsPath;
		return {
			name: `${kernel} (${path.basename(uri.fsPath)})`,
			type: 'lockstep',
			request: 'launch',
			program,
			kernel,
			args,
		};
	}

	/** Remembers words for a kernel, in the place of those that it had, and returns the configuration. */
	async remember(uri, kernel, args) {
		const folder = this.folder(uri);
		const old = this.find(uri, kernel);
		const config = old ? { ...old, args } : this.make(uri, kernel, args);
		if (!folder) {
			const all = { ...this.memory.get(MEMORY, {}) };
			all[JSON.stringify([uri.fsPath, kernel])] = config;
			await this.memory.update(MEMORY, all);
			return config;
		}
		const settings = this.vscode.workspace.getConfiguration('launch', folder.uri);
		const list = [...(settings.get('configurations') ?? [])];
		const at = old
			? list.findIndex((c) => c.name === old.name && c.program === old.program && c.type === 'lockstep')
			: -1;
		if (at >= 0) list[at] = config;
		else list.push(config);
		await settings.update('configurations', list, this.vscode.ConfigurationTarget.WorkspaceFolder);
		return config;
	}

	/** What lockstep needs of a configuration: the paths in full, and the words. */
	resolve(config, uri) {
		const folder = this.folder(uri);
		const program = expand(config.program, folder);
		return {
			program,
			kernel: config.kernel,
			args: argsOf(config).map((w) => expand(w, folder)),
			cwd: config.cwd ? expand(config.cwd, folder) : (folder?.uri.fsPath ?? path.dirname(program)),
		};
	}
}

/** The words of a configuration: a list, or a line. */
function argsOf(config) {
	return typeof config.args === 'string' ? split(config.args) : (config.args ?? []).map(String);
}

function kernelOf(config) {
	return config.kernel ?? flag(argsOf(config), 'kernel');
}

/** Puts the folder of the workspace into a text. */
function expand(text, folder) {
	return folder
		? text.replace(/\$\{(?:workspaceFolder|workspaceRoot)(?::[^}]*)?\}/g, () => folder.uri.fsPath)
		: text;
}

function same(a, b) {
	const [x, y] = [a, b].map((p) => path.normalize(p));
	return process.platform === 'win32' ? x.toLowerCase() === y.toLowerCase() : x === y;
}

module.exports = { Launches, argsOf, kernelOf };
