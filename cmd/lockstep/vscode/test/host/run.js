'use strict';
// Runs suite.js in a real VS Code: the server code-server, and its window in a headless Chromium.
//
//	node test/host/run.js FOLDER
//
// FOLDER has what install.sh has put there. LOCKSTEP names the program lockstep, CHROMIUM the browser. LOCKSTEP_DRIVER
// names the driver of OpenCL, which one test needs; without it that test is left out. Pictures of the window are written
// to FOLDER/run.

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { createRequire } = require('node:module');
const lockstep = require('../support/lockstep');

const host = path.resolve(process.argv[2] ?? '.');
const extension = path.resolve(__dirname, '../..');
const internal = path.join(extension, '../internal');
const programs = path.join(lockstep.root, 'cmd/opencl/build/testdata');
const LIMIT = 150; // seconds

/** Makes the folder of a run: a workspace with the kernel of lesson 4, and the settings of a user. */
function prepare(run) {
	fs.rmSync(run, { recursive: true, force: true });
	const folder = path.join(run, 'workspace');
	fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
	fs.copyFileSync(lockstep.lesson, path.join(folder, 'early.cl'));
	const configurations = [
		{
			name: 'early',
			type: 'lockstep',
			request: 'launch',
			program: '${workspaceFolder}/early.cl',
			kernel: 'early',
			args: lockstep.waves,
			step: 'wave',
		},
		{
			name: 'pipes',
			type: 'lockstep',
			request: 'launch',
			program: '${workspaceFolder}/pipes.cl',
			kernel: 'source',
			args: ['-pipe', 'a=i32:2', '-pipe', 'b=i32:2', '-global', '1', '-arg', 'pipe:a', '-arg', 'i32:4'],
			with: [
				['-kernel', 'twice', '-global', '1', '-arg', 'pipe:a', '-arg', 'pipe:b', '-arg', 'i32:4'],
				['-kernel', 'sink', '-global', '4', '-local', '2', '-arg', 'pipe:b', '-arg', 'zero:i32:4'],
			],
		},
	];
	fs.copyFileSync(path.join(internal, 'cli/testdata/pipes.cl'), path.join(folder, 'pipes.cl'));
	const driver = process.env.LOCKSTEP_DRIVER;
	if (driver) {
		fs.copyFileSync(path.join(programs, 'launches.cl'), path.join(folder, 'launches.cl'));
		const program = path.join(folder, 'launches');
		execFileSync('cc', ['-o', program, path.join(programs, 'launches.c'), driver], { stdio: 'inherit' });
		configurations.push({
			name: 'host',
			type: 'lockstep',
			request: 'launch',
			host: [program, 'launches.cl'],
			kernel: 'fill',
		});
	}
	fs.writeFileSync(
		path.join(folder, '.vscode/launch.json'),
		JSON.stringify({ version: '0.2.0', configurations }),
	);
	// The program is a setting of the machine on which the extension runs, all else of the user.
	for (const [name, settings] of [
		['Machine', { 'lockstep.path': lockstep.path }],
		[
			'User',
			{
				'workbench.startupEditor': 'none',
				'telemetry.telemetryLevel': 'off',
				'security.workspace.trust.enabled': false,
				'workbench.tips.enabled': false,
				'files.autoSave': 'off',
			},
		],
	]) {
		fs.mkdirSync(path.join(run, 'data', name), { recursive: true });
		fs.writeFileSync(path.join(run, 'data', name, 'settings.json'), JSON.stringify(settings));
	}
	fs.writeFileSync(path.join(run, 'test.json'), JSON.stringify({ folder, host: Boolean(driver) }));
	return folder;
}

/** A port of this machine that nobody listens at. */
function freePort() {
	return new Promise((resolve) => {
		const server = net.createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {
	const run = path.join(host, 'run');
	const folder = prepare(run);
	const port = await freePort();
	const entry = path.join(host, 'node_modules/code-server/out/node/entry.js');
	const log = fs.openSync(path.join(run, 'server.log'), 'w');
	const server = spawn(
		process.execPath,
		[
			entry,
			'--auth',
			'none',
			'--bind-addr',
			`127.0.0.1:${port}`,
			'--user-data-dir',
			path.join(run, 'data'),
			'--extensions-dir',
			path.join(run, 'extensions'),
			'--config',
			path.join(run, 'config.yaml'),
			'--disable-telemetry',
			'--disable-update-check',
		],
		{ stdio: ['ignore', log, log], env: { ...process.env, LOCKSTEP_HOST: run } },
	);
	const puppeteer = createRequire(path.join(host, 'package.json'))('puppeteer-core');
	const browser = await puppeteer.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		headless: true,
		args: ['--no-sandbox'],
		defaultViewport: { width: 1400, height: 900 },
	});
	try {
		const page = await browser.newPage();
		const said = fs.createWriteStream(path.join(run, 'browser.log'));
		page.on('console', (m) => said.write(`${m.text()}\n`));
		const remote = (p) => `vscode-remote://127.0.0.1:${port}${p}`;
		const payload = JSON.stringify([
			['extensionDevelopmentPath', remote(extension)],
			['extensionTestsPath', remote(path.join(__dirname, 'suite.js'))],
		]);
		const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(payload)}`;
		for (let i = 0; i < 100; i++) {
			if (
				await page.goto(url).then(
					() => true,
					() => false,
				)
			)
				break;
			await wait(200);
		}
		const results = path.join(run, 'results.json');
		for (let i = 0; i < LIMIT * 10 && !fs.existsSync(results); i++) {
			for (const name of fs.readdirSync(run).filter((n) => n.endsWith('.ask'))) {
				await wait(1500); // what is seen follows what the extension has said
				await page.screenshot({ path: path.join(run, 'picture.part'), type: 'png' });
				fs.rmSync(path.join(run, name));
				fs.renameSync(path.join(run, 'picture.part'), path.join(run, name.replace('.ask', '.png')));
			}
			await wait(100);
		}
		if (!fs.existsSync(results)) {
			await page.screenshot({ path: path.join(run, 'stuck.png') });
			throw new Error(`no results after ${LIMIT} s: see ${run}`);
		}
		const list = JSON.parse(fs.readFileSync(results, 'utf8'));
		for (const r of list) console.log(`${r.ok ? 'ok' : 'not ok'} - ${r.name}${r.ok ? '' : `\n${r.error}`}`);
		const passed = list.filter((r) => r.ok).length;
		console.log(`${passed} passed, ${list.length - passed} failed`);
		return passed === list.length ? 0 : 1;
	} finally {
		await browser.close().catch(() => {});
		// Its processes end with it, when they have written what they have to write.
		const ended = new Promise((resolve) => server.on('close', resolve));
		server.kill();
		await ended;
	}
}

main().then(
	(status) => process.exit(status),
	(e) => {
		console.error(e);
		process.exit(1);
	},
);
