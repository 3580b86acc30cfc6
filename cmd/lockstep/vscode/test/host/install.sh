#!/bin/sh
# Puts a real VS Code and what drives its window into a folder, for test/host/run.js:
#
#	test/host/install.sh FOLDER
#
# VS Code is that of code-server, whose native modules are built here: this needs Node.js 20 with its headers, a C++
# compiler, make, Python and the headers of Kerberos (Debian: libkrb5-dev). The browser is Debian's chromium. Install
# scripts that download programs are not run: what they bring (a search tool) the tests do not use.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"

# Headers of Node.js stand beside the program, in its package's folder or in that of Debian's package.
export npm_config_nodedir="${npm_config_nodedir:-$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")}"
export npm_config_yes=true npm_config_audit=false npm_config_fund=false

[ -f package.json ] || echo '{"private": true}' >package.json
npm install --ignore-scripts code-server@4.100.3 puppeteer-core@24.0.0
npm_config_build_from_source=true npm rebuild argon2
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts
npm rebuild @vscode/spdlog native-watchdog node-pty kerberos @parcel/watcher
(cd extensions && npm install --omit=dev --ignore-scripts)
