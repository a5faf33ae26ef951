// SPDX-License-Identifier: MIT
// trace_test.mjs VLGL SOURCE BUILD: the page of `vlgl trace --html`: choosing draws, stepping forward and back.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { check, finish, openPage } from './page.mjs';

const [vlgl, , build] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'vlgl-trace-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const where = ['trace', 'textured_cube', '--pixel', '80,60', '--size', '160x120'];
execFileSync(vlgl, [...where, '--html', path.join(folder, 'page.html')]);
execFileSync(vlgl, [...where, '--json', path.join(folder, 'trace.json')]);
const trace = JSON.parse(readFileSync(path.join(folder, 'trace.json'), 'utf8'));
const last = trace.events.at(-1).fragments.at(-1), first = trace.events.find(e => e.kind === 'draw').fragments[0];

const { browser, page } = await openPage(path.join(folder, 'page.html'), [path.join(build, 'browser')], { width: 1500, height: 900 });
const text = selector => page.textContent(selector);
const short = v => String(+v.toPrecision(7));
const place = async () => (await text('#place')).split(' ')[0];
const registers = () => page.$$eval('#registers tr[data-register]', rows => Object.fromEntries(rows.map(
    r => [r.dataset.register, [r.children[1].textContent, r.classList.contains('changed'), r.children[2].textContent]])));

check((await text('h1')).includes('pixel 80,60 of 160x120: ' + trace.final.bytes.join(' ')), 'title: ' + await text('h1'));
check((await page.$$('.event')).length === trace.events.length, 'one box for each event');
check((await page.$$('.fragment')).length === trace.events.reduce((n, e) => n + (e.fragments?.length ?? 0), 0), 'fragments');
check((await text('.fragment.on')).includes(`primitive ${last.primitive}: written`), 'the last fragment is chosen');
check((await text('#facts')).includes(`depth ${short(last.depth_test.value)} ${last.depth_test.func}`), 'depth test');
check((await text('#source')).includes('texture2D'), 'the source is there');

// Step through all of it: marks, registers, reads, and the values at the end.
const units = last.steps.map(s => s.unit);
let reads = 0;
for (let k = 1; k <= units.length; k++) {
    await page.keyboard.press('ArrowRight');
    const marked = await page.$$eval('#code .on', e => e.map(x => +x.dataset.unit));
    check(marked.length === 1 && marked[0] === units[k - 1], `step ${k}: instruction ${marked}, wanted ${units[k - 1]}`);
    check((await page.$$('#source .on')).length > 0, `step ${k}: a line of the source is marked`);
    const shown = await registers(), step = last.steps[k - 1];
    check(step.writes.every(([r, c, was, now]) => {
        const row = shown[`r${r}.${'xyzw'[c]}`];
        return row && row[0] === short(now) && row[1] && row[2] === short(was);
    }), `step ${k}: registers before and after`);
    check(Object.values(shown).filter(v => v[1]).length === step.writes.length, `step ${k}: nothing else is marked`);
    reads += (await page.$$('.read')).length;
    if (step.reads) check((await text('.read')).includes('level ' + short(step.reads[0].level)), `step ${k}: level of detail`);
}
check(reads === last.steps.filter(s => s.reads).length && reads > 0, 'texture reads');
const color = last.outputs.find(o => o.name === 'color 0'), final = await registers();
check(color.values.every((v, c) => v === 0 || final[`r${color.register}.${'xyzw'[c]}`][0] === short(v)), 'the color at the end');

// Back, to the ends, by buttons and slider.
await page.keyboard.press('ArrowLeft');
check(await place() === String(units.length - 1), 'one back');
await page.click('[data-step=first]');
check(await place() === '0' && (await page.$$('#code .on')).length === 0, 'first');
const inputs = await registers();
check(last.inputs.every(i => i.values.every((v, c) => v === 0 || !(i.mask >> c & 1) || inputs[`r${i.register}.${'xyzw'[c]}`][0] === short(v))), 'inputs at the start');
await page.click('[data-step=next]');
await page.click('[data-step=back]');
check(await place() === '0', 'next and back');
await page.click('[data-step=last]');
check(await place() === String(units.length), 'last');
await page.fill('[data-slider]', '2');
check(await place() === '2', 'slider');

// Another draw.
await page.click('.fragment >> nth=0');
check((await text('.fragment.on')).includes(`primitive ${first.primitive}`) && await place() === '0', 'another fragment');
await browser.close();
finish();
