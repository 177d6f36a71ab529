import { expect, test } from '@jest/globals';
import { startProduct } from '../../helpers/product.ts';

test('the drill of a failover ends as the guide promises', async () => {
  const drill = startProduct({}, 'scripts/drill.ts', 'failover', '--source');
  const code = await drill.ended;
  const said = drill.stdout();
  expect([code, code === 0 ? '' : said, drill.stderr()]).toEqual([0, '', '']);
  // The steps at which it has looked.
  expect(said).toMatch(/the primary is killed/);
  expect(said).toMatch(/all are answered again \d+\.\d s after the promotion/);
  expect(said).toMatch(/\d{3} of \d{3} acknowledged orders are there/);
  expect(said).toMatch(/the feed had \d{3,} changes, .*; 0 are missing/);
  expect(said).toMatch(/\d{3,} webhooks about \d{3,} records came; 0 are missing/);
  expect(said).toMatch(/all \d+ invariants of the books hold/);
}, 900_000);
