import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let parent: Tenant;
let north: Tenant;
let south: Tenant;
let grandchild: Tenant;
let stranger: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  parent = await makeTenant(app, { company: { legalName: 'Granite Group', dbaName: 'Granite' } });
  const below = (tenant: Tenant, legalName: string) => makeTenant(app, { company: { parentCompany: ref(tenant.company), legalName } });
  north = await below(parent, 'Granite North');
  south = await below(parent, 'Granite South');
  grandchild = await below(north, 'Granite Far North');
  stranger = await makeTenant(app, { company: { legalName: 'Granite Rivals' } });
});
afterAll(() => app.close());

const names = (companies: Json[]): string[] => companies.map((company) => company.legal_name ?? company.legalName).sort();

test('a person sees the own company and everything below it', async () => {
  expect(names(await parent.must('GET', '/v1/companies'))).toEqual([
    'Granite Far North',
    'Granite Group',
    'Granite North',
    'Granite South',
  ]);
  expect(names(await north.must('GET', '/v1/companies'))).toEqual(['Granite Far North', 'Granite North']);
  expect(names(await stranger.must('GET', '/v1/companies'))).toEqual(['Granite Rivals']);
});

test('the children of a company are its direct ones', async () => {
  const path = parent.path('/children');
  const children = await parent.must('GET', path);
  expect(names(children)).toEqual(['Granite North', 'Granite South']);
  expect(Object.keys(children[0]).sort()).toEqual(['company_type', 'id', 'legal_name', 'platform_id']);
  expect(children[0].platform_id).toMatch(/^[0-9A-F]{6}$/);
  expect(names(await parent.must('GET', north.path('/children')))).toEqual(['Granite Far North']);
  expect(names(await parent.must('GET', `${path}?search[datagrid]=south`))).toEqual(['Granite South']);
  expect(names(await parent.must('GET', `${path}?search[datagrid]=${north.company.platformId}`))).toEqual(['Granite North']);
  expect(await south.must('GET', south.path('/children'))).toEqual([]);
});

test('pages of one company follow their Link', async () => {
  const seen: string[] = [];
  for (let next: string | undefined = '/v1/companies?page[limit]=1'; next; ) {
    const answer = await parent.http('GET', next.replace(/^https?:\/\/[^/]+/, ''));
    seen.push(...names(answer.body.data));
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(4);
});

test("a company above or next to the caller's is not found", async () => {
  for (const who of [south, grandchild, stranger]) {
    expect((await who.http('GET', parent.path('/children'))).status).toBe(404);
    expect((await who.http('GET', north.path('/orders'))).status).toBe(404);
    const { errors } = await who.gql('query($id: ID) { company(id: $id) { id } }', { id: parent.company.id });
    expect(errors[0].extensions.code).toBe('object_not_found');
  }
});

test('GraphQL shows the own company by default', async () => {
  const { data } = await parent.gql(
    'query($id: ID, $parent: ID!) { own: company { legalName } below: company(id: $id) { legalName parentCompany { legalName } } childCompanies(companyId: $parent) { nodes { legalName } } }',
    {
      id: north.company.id,
      parent: parent.company.id,
    },
  );
  expect([data.own.legalName, data.below.legalName, data.below.parentCompany.legalName]).toEqual([
    'Granite Group',
    'Granite North',
    'Granite Group',
  ]);
  expect(names(data.childCompanies.nodes)).toEqual(['Granite North', 'Granite South']);
});
