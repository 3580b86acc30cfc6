'use strict';
// A client of the Debug Adapter Protocol as VS Code is one: it starts the program that the extension's factory
// names, and sends what VS Code sends.

const { spawn } = require('node:child_process');

class Client {
	/** `adapter` is a DebugAdapterExecutable, `trackers` are told of all messages. */
	constructor(adapter, trackers = []) {
		this.trackers = trackers;
		this.child = spawn(adapter.command, adapter.args, {
			...adapter.options,
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		this.seq = 0;
		this.answers = new Map(); // by seq
		this.events = []; // not yet waited for
		this.waiting = [];
		this.data = Buffer.alloc(0);
		this.child.stdout.on('data', (d) => this.read(d));
		this.ended = new Promise((resolve) => this.child.on('close', resolve));
		this.ended.then(() => this.trackers.forEach((t) => t.onExit?.()));
	}

	read(data) {
		this.data = Buffer.concat([this.data, data]);
		for (;;) {
			const head = this.data.indexOf('\r\n\r\n');
			if (head < 0) return;
			const length = Number(/Content-Length: (\d+)/.exec(this.data.subarray(0, head))[1]);
			if (this.data.length < head + 4 + length) return;
			const message = JSON.parse(this.data.subarray(head + 4, head + 4 + length));
			this.data = this.data.subarray(head + 4 + length);
			this.receive(message);
		}
	}

	receive(message) {
		for (const t of this.trackers) t.onDidSendMessage?.(message);
		if (message.type === 'response') {
			const { resolve, reject } = this.answers.get(message.request_seq);
			this.answers.delete(message.request_seq);
			if (message.success) resolve(message.body);
			else reject(new Error(message.body?.error?.format ?? message.message));
			return;
		}
		this.events.push(message);
		this.waiting.splice(0).forEach((f) => f());
	}

	request(command, args) {
		const message = { seq: ++this.seq, type: 'request', command, arguments: args };
		for (const t of this.trackers) t.onWillReceiveMessage?.(message);
		const text = JSON.stringify(message);
		this.child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
		return new Promise((resolve, reject) => this.answers.set(message.seq, { resolve, reject }));
	}

	/** The next event of a kind; others before it are passed over. */
	async event(name) {
		for (;;) {
			const at = this.events.findIndex((e) => e.event === name);
			if (at >= 0) return this.events.splice(0, at + 1).at(-1).body;
			await new Promise((resolve) => this.waiting.push(resolve));
		}
	}

	/** Starts a launch as VS Code does, with breakpoints by file, and returns the first stop. */
	async launch(config, breakpoints = {}) {
		const can = await this.request('initialize', {
			clientID: 'vscode',
			clientName: 'Visual Studio Code',
			adapterID: config.type,
			pathFormat: 'path',
			linesStartAt1: true,
			columnsStartAt1: true,
			supportsVariableType: true,
			supportsVariablePaging: true,
			supportsInvalidatedEvent: true,
			supportsMemoryReferences: true,
			locale: 'en',
		});
		const launched = this.request('launch', config);
		await this.event('initialized');
		for (const [path, lines] of Object.entries(breakpoints)) {
			await this.request('setBreakpoints', {
				source: { path },
				breakpoints: lines.map((line) => ({ line })),
				lines,
			});
		}
		await this.request('setFunctionBreakpoints', { breakpoints: [] });
		const filters = can.exceptionBreakpointFilters.filter((f) => f.default).map((f) => f.filter);
		await this.request('setExceptionBreakpoints', { filters });
		await this.request('configurationDone');
		await launched;
		return this.event('stopped');
	}

	/** Sends a request with which a thread goes on, and returns where it stops. */
	async move(command, threadId) {
		await this.request(command, { threadId });
		return this.event('stopped');
	}

	/** The innermost frame of a thread. */
	async top(threadId) {
		return (await this.request('stackTrace', { threadId, startFrame: 0, levels: 1 })).stackFrames[0];
	}

	async value(expression, frameId) {
		return (await this.request('evaluate', { expression, frameId, context: 'hover' })).result;
	}

	async end() {
		await this.request('disconnect', { restart: false, terminateDebuggee: true });
		this.child.stdin.end();
		return this.ended;
	}
}

module.exports = { Client };
