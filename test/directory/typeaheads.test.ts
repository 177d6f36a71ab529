import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../src/directory/account.entity.ts';
import { Company } from '../../src/directory/company.entity.ts';
import { Site } from '../../src/directory/site.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
});
afterAll(() => app.close());

const LISTS = [
  { kind: 'sites', make: (by: Yard, fields: object) => by.save(Site, { company: ref(by.company), ...fields }) },
  {
    kind: 'accounts',
    make: (by: Yard, fields: object) => by.save(Account, { company: ref(by.company), accountTypes: ['customer'], ...fields }),
  },
];

test.each(LISTS)('$kind are found by pieces of every word, accents and case aside', async ({ kind, make }) => {
  const mine = await makeYard(app);
  for (const [name, externalId] of [
    ['Carrière Saint-Étienne', 'Q-77'],
    ['Straße 9 Pit', 'S-9'],
    ['100% Sand_Co', 'P\\1'],
  ])
    await make(mine, { name, externalId });
  const found = async (query: string) =>
    (await mine.must('GET', `/v1/${kind}/typeahead?search[query]=${encodeURIComponent(query)}`)).map((one: Json) => one.name);
  for (const query of ['carriere', 'ÉTIENNE carri', 'riere enne', 'q-77', 'Carriere Q-77'])
    expect([query, await found(query)]).toEqual([query, ['Carrière Saint-Étienne']]);
  for (const query of ['strasse', 'STRASSE pit', '9 p']) expect([query, await found(query)]).toEqual([query, ['Straße 9 Pit']]);
  for (const query of ['100%', 'd_c', 'p\\1', '%', '_']) expect([query, await found(query)]).toEqual([query, ['100% Sand_Co']]);
  for (const query of ['étiennes', 'carriere strasse', 'd%c', "' or 1=1 --"]) expect([query, await found(query)]).toEqual([query, []]);
});

test.each(LISTS)('$kind that fit best come first, and pages follow each other without a gap', async ({ kind, make }) => {
  const mine = await makeYard(app);
  const names = ['North Granite', 'Granite', 'Agranite', 'Granite Works', 'Granites'];
  for (const name of names) await make(mine, { name });
  await make(mine, { name: 'Zebra', externalId: 'granite' });
  const query = `/v1/${kind}/typeahead?search[query]=granite`;
  const ranked = ['Granite', 'Zebra', 'Granite Works', 'Granites', 'North Granite', 'Agranite'];
  expect((await mine.must('GET', query)).map((one: Json) => one.name)).toEqual(ranked);
  const paged: string[] = [];
  let next: string | undefined = `${query}&page[limit]=2`;
  while (next) {
    const answer = await mine.http('GET', next);
    paged.push(...answer.body.data.map((one: Json) => one.name));
    next = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(paged).toEqual(ranked);
});

test('whatever is typed, the index finds what looking at every name finds', async () => {
  const mine = await makeYard(app);
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'é', 'É', ' ', '%', '_', '\\', "'", 'ø', '1'), minLength: 1, maxLength: 12 });
  const names = fc.sample(
    letters.filter((name) => name.trim() !== ''),
    { numRuns: 60, seed: 7 },
  );
  for (const name of names) await mine.save(Site, { company: ref(mine.company), name });
  const fold = (text: string) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .replaceAll('ø', 'o')
      .toLowerCase();
  const all: Json[] = await mine.must('GET', '/v1/sites?page[limit]=100');
  for (const query of fc.sample(letters, { numRuns: 60, seed: 11 })) {
    const words = query.trim().split(/\s+/).filter(Boolean);
    const expected = all.filter(({ name }) => words.every((word) => fold(name).includes(fold(word)))).map(({ id }) => id);
    const found = await mine.must('GET', `/v1/sites/typeahead?page[limit]=100&search[query]=${encodeURIComponent(query)}`);
    expect([query, found.map(({ id }: Json) => id).sort()]).toEqual([query, expected.sort()]);
  }
});

test('nobody finds another company’s names, and everybody those that are shared', async () => {
  const child = await yard.save(Company, {
    legalName: 'Kin',
    platformId: 'F0F0F7',
    parentCompany: ref(yard.company),
    timeZone: 'America/Chicago',
  });
  const site = await yard.save(Site, { company: ref(yard.company), name: 'Xylophone pit' });
  const admin = await yard.person({ roles: ['company_admin'] });
  const kin = await yard.person({ company: ref(child), roles: ['company_admin'] });
  const found = async (token: string) =>
    (await yard.must('GET', '/v1/sites/typeahead?search[query]=xylophone', undefined, token)).map((one: Json) => one.id);
  expect([await found(admin.token), await found(kin.token)]).toEqual([[site.id], []]);
  await yard.must(
    'POST',
    yard.path('/company_shares'),
    { receiver_company_id: child.id, company_shareable_id: site.id, company_shareable_type: 'Site' },
    admin.token,
  );
  expect(await found(kin.token)).toEqual([site.id]);
  const stranger = await makeYard(app);
  expect(await stranger.must('GET', '/v1/sites/typeahead?search[query]=xylophone')).toEqual([]);
});

test('a typeahead is one statement', async () => {
  for (const query of ['pit', 'a', 'north pit']) {
    const path = `/v1/sites/typeahead?search[query]=${encodeURIComponent(query)}`;
    await yard.must('GET', path);
    const { statements } = await app.countStatements(() => yard.must('GET', path));
    expect(statements).toHaveLength(1);
  }
});
