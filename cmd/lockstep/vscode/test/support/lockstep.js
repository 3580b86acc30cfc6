'use strict';
// The program lockstep of this repository, built once for all test files of a run.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = path.resolve(__dirname, '../../../../..');

/** The path of the program: LOCKSTEP in the environment, or one that is built here. */
function program() {
	if (process.env.LOCKSTEP) return process.env.LOCKSTEP;
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lockstep-vscode-'));
	process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
	const built = path.join(folder, process.platform === 'win32' ? 'lockstep.exe' : 'lockstep');
	execFileSync('go', ['build', '-o', built, './cmd/lockstep'], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	return built;
}

let built;

module.exports = {
	root,
	lesson: path.join(root, 'docs', 'course', '04-races', 'early.cl'),
	// The arguments with which the text of the lesson stops in the middle: two waves of four.
	waves: [
		'-global',
		'8',
		'-local',
		'8',
		'-subgroup',
		'4',
		'-wave',
		'4',
		'-arg',
		'buf:i32:10,11,12,13,14,15,16,17',
		'-arg',
		'fill:i32:8:-1',
		'-arg',
		'local:32',
	],
	get path() {
		return (built ??= program());
	},
};
