// SPDX-License-Identifier: MIT
// report_test.mjs VLGL SOURCE BUILD: the page of `vlgl test`, on the example project with its pixel regression.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canvasPixel, check, finish, openPage } from './page.mjs';

const [vlgl, source, build] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'vlgl-report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
cpSync(path.join(source, 'samples/golden-ci'), folder, { recursive: true });
const env = { ...process.env, PATH: path.dirname(vlgl) + ':' + process.env.PATH };
execFileSync(vlgl, ['test', folder, '--update'], { env });
cpSync(path.join(folder, 'regressions/hills.frag'), path.join(folder, 'shaders/hills.frag'));
cpSync(path.join(folder, 'regressions/clock.frag'), path.join(folder, 'shaders/clock.frag'));
const run = spawnSync(vlgl, ['test', folder], { env, encoding: 'utf8' });
check(run.status === 1 && run.stdout.includes('2 changed') && run.stdout.includes('2 costlier'), 'the run: ' + run.stdout);

const { browser, page } = await openPage(path.join(folder, 'out/report.html'), [path.join(build, 'browser')]);
const visible = () => page.$$eval('.card', cards => cards.filter(c => !c.hidden).map(c => c.dataset.scene));
const click = selector => page.click(selector);

// Filters.
check((await visible()).length === 6, 'six scenes');
await click('[data-filter=changed]');
check((await visible()).sort().join() === 'hills,hills-at-dusk', 'changed: ' + await visible());
await click('[data-filter=costlier]');
check((await visible()).sort().join() === 'clock,clock-noon', 'costlier: ' + await visible());
await click('[data-filter=failed]');
check((await visible()).length === 4, 'failed');
await click('[data-filter=passed]');
check((await visible()).sort().join() === 'first-triangle,rings', 'passed');
await click('[data-filter=all]');
await page.fill('[data-search]', 'noon');
check((await visible()).join() === 'clock-noon', 'search');
await page.fill('[data-search]', '');

// The cost table of a scene that only costs more.
const clock = '[data-scene=clock]';
if (!await page.$(clock + '.open')) await click(clock + ' .head');
await page.waitForSelector(clock + ' canvas');
const more = await page.$$eval(clock + ' tr.more', rows => rows.map(r => r.textContent));
check(more.some(t => /fragment executed.*\+\d/.test(t)), 'cost deltas: ' + more);
check((await page.$$(clock + ' [data-mode]')).length === 1, 'equal pictures need no comparison');

// The views of a scene with other pixels.
const hills = '[data-scene=hills]';
if (!await page.$(hills + '.open')) await click(hills + ' .head');
await page.waitForSelector(hills + ' canvas[data-view=side2]');
await page.waitForTimeout(200);
const modes = await page.$$eval(hills + ' [data-mode]', b => b.map(x => x.dataset.mode));
check(modes.join() === 'side,swipe,blink,difference,flip', 'modes: ' + modes);
const golden = await canvasPixel(page, hills + ' canvas[data-view=side0]', 0.5, 0.9);
const now = await canvasPixel(page, hills + ' canvas[data-view=side1]', 0.5, 0.9);
const gap = await canvasPixel(page, hills + ' canvas[data-view=side2]', 0.5, 0.9);
check(golden[3] === 255 && golden.join() !== now.join(), `golden ${golden} and now ${now} differ`);
check([0, 1, 2].every(c => gap[c] === Math.min(255, 8 * Math.abs(golden[c] - now[c]))), `the difference is amplified: ${gap}`);
const sky = await canvasPixel(page, hills + ' canvas[data-view=side2]', 0.5, 0.1);
check(sky[0] + sky[1] + sky[2] === 0, 'no difference in the sky');

await click(hills + ' [data-mode=swipe]');
const swiped = await page.$(hills + ' canvas');
await swiped.evaluate(e => e.scrollIntoView({ block: 'center' }));
const box = await swiped.boundingBox();
await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.9);
check((await canvasPixel(page, hills + ' canvas', 0.5, 0.9)).join() === golden.join(), 'swipe: golden to the left of the line');
await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.9);
check((await canvasPixel(page, hills + ' canvas', 0.5, 0.9)).join() === now.join(), 'swipe: now to the right of the line');
check(/\d+,\d+ +golden \d+ \d+ \d+ 255 +now/.test(await page.textContent(hills + ' .readout')), 'readout');

await click(hills + ' [data-mode=blink]');
const seen = new Set();
for (let i = 0; i < 8; i++) {
    seen.add((await canvasPixel(page, hills + ' canvas', 0.5, 0.9)).join());
    await page.waitForTimeout(250);
}
check(seen.size === 2 && seen.has(golden.join()) && seen.has(now.join()), 'blink shows both: ' + [...seen]);

await click(hills + ' [data-mode=flip]');
const cold = await canvasPixel(page, hills + ' canvas', 0.5, 0.1), warm = await canvasPixel(page, hills + ' canvas', 0.5, 0.9);
check(cold[0] < 20 && warm[0] > cold[0] + 20, `FLIP's map: ${cold} and ${warm}`);

// Zoom to pixels: a view of 160 columns at x16 shows ten of them.
await click(hills + ' [data-mode=side]');
await click(hills + ' [data-zoom="16"]');
const colors = new Set();
for (let i = 0; i < 40; i++) colors.add((await canvasPixel(page, hills + ' canvas[data-view=side0]', (i + 0.5) / 40, 0.5)).join());
check(colors.size <= 10, 'pixels are large at x16');
await click(hills + ' [data-zoom="1"]');
await page.hover(hills + ' canvas[data-view=side0]');
await page.mouse.wheel(0, -100);
await page.waitForTimeout(100);
check(await page.$(hills + ' [data-zoom="2"].on') !== null, 'the wheel zooms');
await browser.close();
finish();
