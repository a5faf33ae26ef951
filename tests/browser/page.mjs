// SPDX-License-Identifier: MIT
// What the browser tests share: Debian's chromium driven by playwright-core (a development dependency; npm install
// playwright-core in a folder that is named here, or globally). Exit status 77: something is missing, skipped.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';

let passed = 0, failed = 0;

export function check(good, what) {
    if (good) {
        passed++;
    } else {
        failed++;
        console.log('FAILED ' + what);
    }
}

export function skip(why) {
    console.log('skipped: ' + why);
    process.exit(77);
}

export function finish() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed || !passed ? 1 : 0);
}

function findPlaywright(folders) {
    const globals = [];
    try {
        globals.push(path.dirname(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim()));
    } catch {
        // no npm: only the named folders
    }
    for (const folder of [...folders, process.cwd(), ...globals]) {
        for (const name of ['playwright-core', 'playwright']) {
            try {
                return createRequire(path.join(folder, 'x.js'))(name);
            } catch {
                // not there
            }
        }
    }
    return null;
}

/** A page that has loaded a file; errors of its scripts are failures. Picture of a failure: shot(name). */
export async function openPage(file, folders, size = { width: 1280, height: 1000 }) {
    const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
    const playwright = findPlaywright(folders);
    if (!chromium) skip('no chromium (Debian package chromium)');
    if (!playwright) skip('no playwright-core: npm install --prefix BUILD/browser playwright-core');
    const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
    const page = await browser.newPage({ viewport: size });
    page.on('pageerror', e => check(false, 'script error: ' + e));
    page.on('console', m => m.type() === 'error' && check(false, 'console: ' + m.text()));
    page.on('request', r => check(r.url().startsWith('file:') || r.url().startsWith('data:'), 'a request to ' + r.url()));
    await page.goto('file://' + path.resolve(file));
    return { browser, page };
}

/** The color of a canvas's pixel as an array, by shares of its size. */
export function canvasPixel(page, selector, u, v) {
    return page.$eval(selector, (canvas, [x, y]) => Array.from(canvas.getContext('2d').getImageData(
        Math.min(canvas.width - 1, Math.floor(x * canvas.width)), Math.min(canvas.height - 1, Math.floor(y * canvas.height)), 1, 1).data), [u, v]);
}
