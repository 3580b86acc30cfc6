'use strict';
// What can be done with a kernel, above it: "Run with checks | Debug | Arguments".

const { kernels } = require('./kernels');

class Lenses {
	constructor(vscode, { launches, settings }) {
		this.vscode = vscode;
		this.launches = launches;
		this.settings = settings;
		this.changed = new vscode.EventEmitter();
		this.onDidChangeCodeLenses = this.changed.event;
	}

	provideCodeLenses(document) {
		if (!this.settings(document).codeLens) return [];
		const { CodeLens, Range } = this.vscode;
		const list = kernels(document.getText());
		const names = list.map((k) => k.name);
		return list.flatMap((k) => {
			const range = new Range(document.positionAt(k.start), document.positionAt(k.nameStart + k.name.length));
			const config = this.launches.find(document.uri, k.name, names);
			const args = [document.uri, k.name];
			const lenses = [
				{
					title: '$(beaker) Run with checks',
					command: 'lockstep.check',
					arguments: args,
					tooltip:
						'Run the kernel, and show data races, values that were never set and accesses out of bounds',
				},
				{
					title: '$(debug-alt) Debug',
					command: 'lockstep.debug',
					arguments: args,
					tooltip: 'Run the kernel in the debugger',
				},
				{
					title: config ? 'Arguments' : 'Arguments…',
					command: 'lockstep.arguments',
					arguments: args,
					tooltip: config
						? `Edit the arguments: ${[config.args ?? []].flat().join(' ')}`
						: 'Choose arguments for the kernel',
				},
			];
			return lenses.map((c) => new CodeLens(range, c));
		});
	}
}

module.exports = { Lenses };
