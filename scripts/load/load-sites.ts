import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { tokenOf } from '../real/product.ts';
import { type Mine, siteOf } from '../real/sites.ts';

/**
 * Loads a sheet of aggregate operations (MSHA's columns) as sites over the public API, like a user's own script: `npm run load:sites --
 * FILE --url http://localhost:3000 --client-id ... --client-secret ...`. Sites that exist already, by external id, are kept, so an
 * interrupted run is simply run again. Closed operations become inactive.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, 'client-id': { type: 'string' }, 'client-secret': { type: 'string' } },
});
const [file] = positionals;
const { url, 'client-id': id, 'client-secret': secret } = values;
if (!file || !url || !id || !secret) {
  process.stderr.write('usage: npm run load:sites -- FILE.csv --url URL --client-id ID --client-secret SECRET\n');
  process.exit(2);
}

/** Concurrent requests. */
const SIDE_BY_SIDE = 8;
/** Seconds after which a new token is fetched; tokens live five minutes. */
const TOKEN_LIVES = 240;

const mines = parse(readFileSync(file), { columns: true, skip_empty_lines: true }) as Mine[];
let token = '';
let tokenUntil = 0;
const began = performance.now();
const known = await externalIds();
const waiting = mines.filter((mine) => !known.has(siteOf(mine).body.external_id));
const reported = { made: 0, inactive: 0, refused: [] as string[] };
await Promise.all(
  Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let mine = waiting.shift(); mine; mine = waiting.shift()) await load(mine);
  }),
);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
process.stdout.write(
  `${mines.length} rows: ${known.size} there already, ${reported.made} made (${reported.inactive} of them inactive), ${reported.refused.length} refused, in ${seconds} s\n`,
);
for (const line of reported.refused) process.stdout.write(`  ${line}\n`);
process.exitCode = reported.refused.length > 0 ? 1 : 0;

async function load(mine: Mine): Promise<void> {
  const { body, active } = siteOf(mine);
  const made = await ask('POST', '/v1/sites', body, `load-sites-${body.external_id}`);
  if (made.status !== 201) {
    reported.refused.push(`${body.external_id} ${body.name}: ${made.status} ${JSON.stringify(made.body)}`);
    return;
  }
  reported.made++;
  if (active) return;
  await ask('PUT', `/v1/sites/${(made.body as { data: { id: string } }).data.id}/deactivate`, {});
  reported.inactive++;
}

async function externalIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  let next: string | undefined = '/v1/sites?page%5Blimit%5D=100';
  while (next) {
    const { status, body, link } = await ask('GET', next);
    if (status !== 200) throw new Error(`GET ${next}: ${status} ${JSON.stringify(body)}`);
    for (const site of (body as { data: { external_id: string | null }[] }).data)
      if (site.external_id?.startsWith('MSHA-')) ids.add(site.external_id);
    next = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
  }
  return ids;
}

async function ask(method: string, path: string, body?: object, key?: string): Promise<{ status: number; body: unknown; link: string }> {
  for (;;) {
    if (Date.now() > tokenUntil) {
      tokenUntil = Date.now() + TOKEN_LIVES * 1000;
      token = await tokenOf(url!, id!, secret!);
    }
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: body && JSON.stringify(body),
    });
    if (response.status !== 429) {
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : undefined, link: response.headers.get('link') ?? '' };
    }
    // Too fast for the product, which says when to go on.
    await response.body?.cancel();
    await new Promise((done) => setTimeout(done, Number(response.headers.get('retry-after') ?? 1) * 1000));
  }
}
