import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { Project } from '../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const LISTS = [
  { kind: 'sites', make: (by: Tenant, fields: object) => by.save(Site, { company: ref(by.company), ...fields }) },
  {
    kind: 'accounts',
    make: (by: Tenant, fields: object) => by.save(Account, { company: ref(by.company), accountTypes: ['customer'], ...fields }),
  },
  {
    kind: 'projects',
    make: (by: Tenant, fields: object) =>
      by.save(Project, { company: ref(by.company), account: ref(by.account), number: ++projects, projectId: `P-${projects}`, ...fields }),
  },
];
let projects = 0;

test.each(LISTS)('$kind are found by parts of every word, without regard to accents and case', async ({ kind, make }) => {
  const mine = await makeTenant(app);
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

test.each(LISTS)('$kind that match best come first, and pages follow each other without a gap', async ({ kind, make }) => {
  const mine = await makeTenant(app);
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

test('whatever is typed, the index finds what a comparison of every name finds', async () => {
  const mine = await makeTenant(app);
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

test('nobody finds another company’s names, and everybody those that are shared with them', async () => {
  const child = await tenant.save(Company, {
    legalName: 'Kin',
    platformId: 'F0F0F7',
    parentCompany: ref(tenant.company),
    timeZone: 'America/Chicago',
  });
  const site = await tenant.save(Site, { company: ref(tenant.company), name: 'Xylophone pit' });
  const admin = await tenant.person({ roles: ['company_admin'] });
  const kin = await tenant.person({ company: ref(child), roles: ['company_admin'] });
  const found = async (token: string) =>
    (await tenant.must('GET', '/v1/sites/typeahead?search[query]=xylophone', undefined, token)).map((one: Json) => one.id);
  expect([await found(admin.token), await found(kin.token)]).toEqual([[site.id], []]);
  await tenant.must(
    'POST',
    tenant.path('/company_shares'),
    { receiver_company_id: child.id, company_shareable_id: site.id, company_shareable_type: 'Site' },
    admin.token,
  );
  expect(await found(kin.token)).toEqual([site.id]);
  const stranger = await makeTenant(app);
  expect(await stranger.must('GET', '/v1/sites/typeahead?search[query]=xylophone')).toEqual([]);
});

test('people are found by parts of names, e-mail and telephone; lists of them also by company and role', async () => {
  const mine = await makeTenant(app, { company: { legalName: 'Béton Uni' } });
  const [zoe, ezra] = [
    (await mine.person({ firstName: 'Zoë', lastName: 'Müller', phone: '+15125550147', roles: ['dispatcher'] })).user,
    (await mine.person({ firstName: 'Ezra', lastName: 'Zoelick', roles: ['biller'] })).user,
  ];
  const found = async (search: string) => (await mine.must('GET', `${mine.path('/users')}${search}`)).map((one: Json) => one.id);
  const typed = (query: string) => found(`/typeahead?search[query]=${encodeURIComponent(query)}`);
  // A person with the name itself comes before one whose name only holds it.
  expect(await typed('ZOE')).toEqual([zoe.id, ezra.id]);
  for (const query of ['muller zoe', 'zoë mull', '5550147', `${zoe.email}`]) expect([query, await typed(query)]).toEqual([query, [zoe.id]]);
  for (const query of ['beton', 'dispatcher', 'zoe ezri', '%']) expect([query, await typed(query)]).toEqual([query, []]);
  for (const query of ['beton MULLER', 'dispatcher zoe'])
    expect([query, await found(`?search[datagrid]=${encodeURIComponent(query)}`)]).toEqual([query, [zoe.id]]);
  const stranger = await makeTenant(app);
  expect(await stranger.must('GET', stranger.path('/users/typeahead?search[query]=zoe'))).toEqual([]);
});

test('companies are found by parts of their names and their id: those of the family, and the connected ones', async () => {
  const [mine, partner] = [await makeTenant(app), await makeTenant(app, { company: { legalName: 'Île Granit', dbaName: 'Pierres' } })];
  const own = { parentCompany: ref(mine.company), timeZone: 'America/Chicago' };
  const child = await mine.save(Company, { ...own, legalName: 'Granite Works', platformId: 'F0A0B1' });
  const { token } = await mine.person({ roles: ['company_admin'] });
  const found = async (path: string) => (await mine.must('GET', path, undefined, token)).map((one: Json) => one.id);
  expect(await found('/v1/companies/typeahead?search[query]=GRANÍT')).toEqual([child.id]);
  expect(await found('/v1/companies/typeahead?search[query]=f0a0b1')).toEqual([child.id]);
  const connected = mine.path('/connected_companies/typeahead?search[query]=');
  expect(await found(`${connected}ile`)).toEqual([]);
  await mine.save(Account, { company: ref(mine.company), name: 'Them', accountTypes: ['vendor'], connectedCompany: ref(partner.company) });
  expect([await found(`${connected}ile`), await found(`${connected}pierre granit`), await found(`${connected}works`)]).toEqual([
    [partner.company.id],
    [partner.company.id],
    [],
  ]);
});

test.each(['site', 'account', 'equipment', 'project', 'app_user', 'company'])('%s is searched by its trigram index', async (table) => {
  const em = app.orm.em.fork();
  await em.begin();
  // PostgreSQL reads a handful of rows completely by default; what matters is that the index can be used.
  await em.execute('set local enable_seqscan = off');
  const plan = await em.execute<Json[]>(`explain (costs off) select id from ${table} where search_text like search_pattern('granite')`);
  await em.rollback();
  const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(lines).toContain(`${table}_search_idx`);
  expect(lines).toMatch(/Index Cond: .*search_text ~~/);
});

test('a typeahead takes one statement', async () => {
  for (const kind of ['sites', 'projects', 'users', 'companies', 'drivers'])
    for (const query of ['pit', 'a', 'north pit']) {
      const path = `/v1/${kind}/typeahead?search[query]=${encodeURIComponent(query)}`;
      await tenant.must('GET', path);
      const { statements } = await app.countStatements(() => tenant.must('GET', path));
      expect([path, statements.length]).toEqual([path, 1]);
    }
});
