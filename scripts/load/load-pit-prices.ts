import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Office } from './office.ts';
import { loadPitPrices, readPitPrices } from './pit-prices.ts';

/** `npm run load:pit-prices -- FILE --url URL --client-id ID --client-secret SECRET`: see docs/loading-data.md. */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, 'client-id': { type: 'string' }, 'client-secret': { type: 'string' } },
});
const [file] = positionals;
const { url, 'client-id': id, 'client-secret': secret } = options;
if (!file || !url || !id || !secret) {
  console.error('npm run load:pit-prices -- FILE --url URL --client-id ID --client-secret SECRET');
  process.exit(2);
}
const prices = readPitPrices(readFileSync(file, 'utf8'));
const { sites, materials, prices: made, changed, same } = await loadPitPrices(await Office.signIn(url, id, secret), prices);
process.stdout.write(
  `${prices.length} lines: ${sites} sites, ${materials} materials and ${made} prices made, ${changed} changed, ${same} as before\n`,
);
