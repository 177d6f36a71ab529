import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Quarry, readRows, type ScaleLoad } from './real/files.ts';
import { sendOrders } from './real/orders.ts';
import { boot } from './real/product.ts';
import { sendProjects } from './real/projects.ts';
import { sendTickets } from './real/tickets.ts';
import { Trial } from './real/trial.ts';

/**
 * Real input through the command-line sender. City scale loads and the country's quarries become sheets, haulgate-send sends each to the
 * product twice, and the product's figures are compared with sums computed directly from the files. `npm run try:real:send -- FOLDER`
 */
const { positionals } = parseArgs({ allowPositionals: true });
const folder = positionals[0];
if (!folder) {
  process.stderr.write('usage: npm run try:real:send -- FOLDER_WITH_CSV_FILES\n');
  process.exit(2);
}
const sheets = mkdtempSync(join(tmpdir(), 'haulgate-sheets-'));
const product = await boot();
const trial = new Trial(product.access, sheets);
try {
  const loads = readRows<ScaleLoad>(folder, 'scale-loads.csv');
  await sendOrders(trial, loads);
  await sendTickets(trial, loads);
  await sendProjects(trial, readRows<Quarry>(folder, 'aggregate-sites.csv'));
} finally {
  await product.stop();
  rmSync(sheets, { recursive: true, force: true });
}
process.exit(trial.verdict() ? 0 : 1);
