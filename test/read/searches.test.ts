import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const refusal = (field: string, code = 'unprocessable_content') => ({
  code,
  errors: [{ model: 'Request', field, message: 'cannot be searched in this list' }],
});

/** The parameters that some lists do not go without. */
const REQUIRED = { measures: 'measures[]=loads', record_type: 'record_type=Site' };

test('every REST list either accepts a search or refuses it', async () => {
  const silent: string[] = [];
  for (const operation of compileDocuments(schemaOfRooms(), 'schema/rest', true)) {
    if (!operation.paged) continue;
    const search = operation.variables.find(({ place, wire }) => place === 'query' && wire === 'search');
    const type = search && getNamedType(search.type);
    if (isInputObjectType(type) ? 'datagrid' in type.getFields() : search) continue;
    const path = operation.path.replace(/\{[^}]+\}/g, tenant.company.id);
    // A required parameter is no search.
    const more = Object.entries(REQUIRED).flatMap(([name, given]) =>
      operation.variables.some(({ wire }) => wire === name) ? [`&${given}`] : [],
    );
    const { status, body } = await tenant.http('GET', `${path}?search[datagrid]=gravel${more.join('')}`);
    // A caller who may not read the list, or names a parent that is not there, learns that first.
    const code = operation.invalid === 400 ? 'bad_request' : undefined;
    const refused = status === operation.invalid && JSON.stringify(body.error) === JSON.stringify(refusal('search[datagrid]', code));
    if (!refused && ![403, 404].includes(status)) silent.push(`${operation.name} ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
  expect(silent).toEqual([]);
});

test('an empty search is ignored, and so are other unknown parameters', async () => {
  for (const query of ['search[datagrid]=', 'search', 'research=x', 'utm_source=mail'])
    expect([query, (await tenant.http('GET', `/v1/services?${query}`)).status]).toEqual([query, 200]);
});

test('a nested list without a search refuses one over GraphQL', async () => {
  const order = await makeOrder(tenant, { driver_id: tenant.driver.id });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const { errors } = await tenant.gql('query($id: ID!) { job(id: $id) { jobEvents(search: "sent") { nodes { id } } } }', { id: job.id });
  expect(errors[0].extensions).toMatchObject({
    code: 'unprocessable_content',
    errors: [{ model: 'JobEvent', field: 'search', message: 'cannot be searched in this list' }],
  });
});

test('a repeated word is searched once', async () => {
  const asked = async (words: string) =>
    (await app.countStatements(() => tenant.http('GET', `/v1/jobs?search[datagrid]=${words}`))).statements.filter((sql) =>
      sql.includes('ilike'),
    );
  const [once] = await asked('gravel');
  const [often] = await asked('gravel+gravel+gravel');
  expect(often).toBe(once);
});
