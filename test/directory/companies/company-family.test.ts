import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import type { Context } from '../../../src/platform/context.ts';
import { Invalid } from '../../../src/platform/errors.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

let made = 0;
async function company(parent?: Company): Promise<Company> {
  const number = ++made;
  const fresh = Object.assign(new Company(), {
    platformId: (0xfa0000 + number).toString(16).toUpperCase(),
    legalName: `Family ${number}`,
    parentCompany: parent ? ref(parent) : null,
  });
  await app.orm.em.fork().persist(fresh).flush();
  return fresh;
}

const contextOf = (): Context => ({ requestId: 'r', language: 'en', em: app.orm.em.fork(), memo: new Map(), read: undefined as never });

/** Changes a company as a command does; `during` runs between reading and writing. */
const change = (who: Company, fields: object, during: () => Promise<void> = async () => {}) =>
  transact(contextOf(), async (tx) => {
    const found = await tx.em.findOneOrFail(Company, who.id, { filters: false });
    await during();
    Object.assign(found, fields);
  });

const problemsOf = async (act: Promise<unknown>): Promise<string[]> => {
  const error = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (!(error instanceof Invalid)) throw error;
  return error.items.map((item) => `${item.model}.${item.field}: ${item.key}`);
};
const CIRCLE = ['Company.parentCompanyId: company_circle'];

const parentOf = async (who: Company): Promise<string | null> => {
  const [row] = await app.orm.em.getConnection().execute('select parent_company_id from company where id = ?', [who.id]);
  return row?.parent_company_id;
};

/** Resolves for everybody once `count` have arrived. */
function meeting(count: number): () => Promise<void> {
  let open!: () => void;
  const all = new Promise<void>((resolve) => (open = resolve));
  let arrived = 0;
  return () => {
    if (++arrived >= count) open();
    return all;
  };
}

test('a company cannot be its own parent', async () => {
  const alone = await company();
  expect(await problemsOf(change(alone, { parentCompany: ref(alone) }))).toEqual(CIRCLE);
  expect(await parentOf(alone)).toBeNull();
});

test('no descendant becomes the parent of its ancestor, at any depth', async () => {
  const top = await company();
  const middle = await company(top);
  const bottom = await company(middle);
  expect(await problemsOf(change(top, { parentCompany: ref(middle) }))).toEqual(CIRCLE);
  expect(await problemsOf(change(top, { parentCompany: ref(bottom) }))).toEqual(CIRCLE);
  expect(await parentOf(top)).toBeNull();
  expect(await problemsOf(change(bottom, { parentCompany: ref(top) }))).toEqual([]);
  expect(await problemsOf(change(middle, { parentCompany: ref(bottom) }))).toEqual([]);
});

test('one statement that links two new companies to each other is refused, one that swaps a pair is not', async () => {
  const [first, second] = [await company(), await company()];
  const run = (sql: string, params: unknown[]) => app.orm.em.getConnection().execute(sql, params);
  const both = 'update company set parent_company_id = case id when ?::uuid then ?::uuid else ?::uuid end where id in (?, ?)';
  await expect(run(both, [first.id, second.id, first.id, first.id, second.id])).rejects.toThrow('above itself');
  expect([await parentOf(first), await parentOf(second)]).toEqual([null, null]);
  await run('update company set parent_company_id = ? where id = ?', [second.id, first.id]);
  await run(both, [first.id, null, first.id, first.id, second.id]);
  expect([await parentOf(first), await parentOf(second)]).toEqual([null, first.id]);
});

test('of concurrent transactions that would close a circle, one is refused', async () => {
  for (const size of [2, 3, 4]) {
    const ring = await Promise.all(Array.from({ length: size }, () => company()));
    const met = meeting(size);
    const results = await Promise.all(ring.map((one, i) => problemsOf(change(one, { parentCompany: ref(ring[(i + 1) % size]!) }, met))));
    expect(results.filter((problems) => problems.length > 0)).toEqual([CIRCLE]);
    expect((await Promise.all(ring.map(parentOf))).filter((parent) => parent === null)).toHaveLength(1);
  }
});

test('a chain is locked until the transaction that joined it ends', async () => {
  const [top, middle, joining] = [await company(), await company(), await company()];
  await change(middle, { parentCompany: ref(top) });
  const em = app.orm.em.fork();
  await em.begin();
  await em
    .getConnection()
    .execute('update company set parent_company_id = ? where id = ?', [middle.id, joining.id], 'run', em.getTransactionContext());
  const closing = problemsOf(change(top, { parentCompany: ref(joining) }));
  expect(await Promise.race([closing, new Promise((resolve) => setTimeout(() => resolve('waits'), 150))])).toBe('waits');
  await em.commit();
  expect(await closing).toEqual(CIRCLE);
});

test('a platform id is six upper-case hexadecimal digits and belongs to one company', async () => {
  const [one, other] = [await company(), await company()];
  for (const platformId of ['', '12345', '1234567', 'abcdef', '12345G', ' 12345', '12345\n', '12345６'])
    expect([platformId, await problemsOf(change(one, { platformId }))]).toEqual([platformId, ['Company.platformId: not_a_platform_id']]);
  expect(await problemsOf(change(one, { platformId: other.platformId }))).toEqual(['Company.platformId: taken']);
  expect(await problemsOf(change(one, { platformId: '0A1B2C' }))).toEqual([]);
});
