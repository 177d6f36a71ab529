import { expect, test } from '@jest/globals';
import { startProduct } from '../../helpers/product.ts';

test('the drill of a restore, to a moment and after a disk was lost, ends as the guide promises', async () => {
  // How near the archive follows is what the machine makes of it; that it follows is what is tested.
  const drill = startProduct({}, 'scripts/drill.ts', 'restore', '--source', '--seconds', '200');
  const code = await drill.ended;
  const said = drill.stdout();
  expect([code, code === 0 ? '' : said, drill.stderr()]).toEqual([0, '', '']);
  // The steps at which it has looked.
  expect(said).toMatch(/somebody overwrites the notes of [1-9]\d* orders/);
  expect(said).toMatch(/the server dies in the middle of its work, and its disk is lost/);
  const [, there, promised] = /(\d+) of (\d+) acknowledged orders are there, 0 are overwritten/.exec(said)!;
  expect([there, Number(promised) >= 300]).toEqual([promised, true]);
  expect(said).toMatch(/new orders are taken/);
  expect(said).toMatch(/another copy is restored to the end of the archive/);
  expect(said.match(/all \d+ invariants of the books hold/g)).toHaveLength(2);
}, 900_000);
