import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/people/user.entity.ts';
import { makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { accountOf, materialOf, merged, siteOf, truckOf, undo } from '../merging/merging.ts';
import { loginOf, rowsOf, signerIn } from './bi-logins.ts';

const books = makeBooks();
const signedIn = signerIn(books);

test('views have the records that stayed and those that were discarded, and nothing that is left of merged ones', async () => {
  const own = await makeStaffedTenant(books.app);
  const driver = (lastName: string) => own.save(User, { company: ref(own.company), firstName: 'Dan', lastName, roles: ['driver'] });
  const kinds = {
    accounts: [await accountOf(own, { name: 'Kept' }), await accountOf(own, { name: 'Former' }), await accountOf(own, { name: 'Gone' })],
    sites: [await siteOf(own, { name: 'Kept' }), await siteOf(own, { name: 'Former' }), await siteOf(own, { name: 'Gone' })],
    materials: [
      await materialOf(own, { name: 'Kept' }),
      await materialOf(own, { name: 'Former' }),
      await materialOf(own, { name: 'Gone' }),
    ],
    equipment: [await truckOf(own, { name: 'Kept' }), await truckOf(own, { name: 'Former' }), await truckOf(own, { name: 'Gone' })],
    users: [await driver('Kept'), await driver('Former'), await driver('Gone')],
  };
  const login = await loginOf(own);
  const seen = () =>
    signedIn(login, async (db) => {
      const found: [string, string[]][] = [];
      for (const path of Object.keys(kinds)) {
        const [view, name] = path === 'users' ? ['drivers', 'last_name'] : [path, 'name'];
        const rows = await rowsOf(
          db,
          `select ${name} as name from reporting.${view} where ${name} in ('Kept', 'Former', 'Gone') order by 1`,
        );
        found.push([path, rows.map((row) => row.name)]);
      }
      return found;
    });
  const of = (...names: string[]) => Object.keys(kinds).map((path) => [path, names]);
  for (const [path, [, , gone]] of Object.entries(kinds)) await own.admin.must('DELETE', `/v1/${path}/${gone!.id}`);
  expect(await seen()).toEqual(of('Former', 'Gone', 'Kept'));
  const done: string[] = [];
  for (const [path, [kept, former]] of Object.entries(kinds))
    done.push((await merged(own, path as keyof typeof kinds, kept!.id, [former!.id])).id);
  expect(await seen()).toEqual(of('Gone', 'Kept'));
  for (const id of done.toReversed()) expect((await undo(own, id)).status).toBe(200);
  expect(await seen()).toEqual(of('Former', 'Gone', 'Kept'));
});
