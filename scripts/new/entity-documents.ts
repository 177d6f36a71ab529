import { readFileSync } from 'node:fs';
import type { NewEntity } from './entity.ts';
import { migrationFiles } from './migration.ts';

/** The end of `@rest` of an operation: the contract may say that its path without a company is old. */
function scoped(method: string, path: string): string {
  const listed = JSON.parse(readFileSync('test/contract/operations.json', 'utf8')) as {
    method: string;
    path: string;
    deprecated?: boolean;
  }[];
  const plain = (one: string) => one.replaceAll(/\{[^}]*\}/g, '{}');
  const old = listed.some((one) => one.method === method && plain(one.path) === plain(path) && one.deprecated);
  return old ? 'scoped: true, deprecated: "Use the company-scoped path."' : 'scoped: true';
}

export function documents(e: NewEntity): Record<string, string> {
  const param = `{${e.file}-id}`;
  const one = `/v1/${e.path}/${param}`;
  const answer = `{\n    ...${e.name}\n  }`;
  const event = (name: string) => `mutation ${name}${e.name}($companyId: ID, $${e.one}Id: ID!)
  @rest(method: PUT, path: "${one}/${name.toLowerCase()}", ${scoped('PUT', `${one}/${name.toLowerCase()}`)}) {
  data: ${name.toLowerCase()}${e.name}(companyId: $companyId, id: $${e.one}Id) ${answer}
}
`;
  const at = `schema/rest/${e.room}`;
  return {
    [`schema/rest/fragments/${e.name}.graphql`]: `fragment ${e.name} on ${e.name} {
  id
  name
  notes
  state
  stateEvents
  version
  company {
    ...CompanyRef
  }
  createdAt
  updatedAt
}
`,
    [`${at}/Get${e.name}.graphql`]: `query Get${e.name}($companyId: ID, $id: ID!) @rest(method: GET, path: "/v1/${e.path}/{id}", ${scoped('GET', one)}) {
  data: ${e.one}(companyId: $companyId, id: $id) ${answer}
}
`,
    [`${at}/List${e.plural}.graphql`]: `query List${e.plural}($companyId: ID, $page: PageInput, $filter: ${e.name}Filter, $sort: ${e.name}Sort, $search: ${e.name}Search)
  @rest(method: GET, path: "/v1/${e.path}", ${scoped('GET', `/v1/${e.path}`)}) {
  data: ${e.many}(companyId: $companyId, page: $page, filter: $filter, sort: $sort, search: $search) @page ${answer}
}
`,
    [`${at}/Create${e.name}.graphql`]: `mutation Create${e.name}($companyId: ID, $input: Create${e.name}Input! @body)
  @rest(method: POST, path: "/v1/${e.path}", ${scoped('POST', `/v1/${e.path}`)}, status: 201) {
  data: create${e.name}(companyId: $companyId, input: $input) ${answer}
}
`,
    [`${at}/Update${e.name}.graphql`]: `mutation Update${e.name}($companyId: ID, $id: ID!, $input: Update${e.name}Input! @body)
  @rest(method: PATCH, path: "/v1/${e.path}/{id}", ${scoped('PATCH', one)}) {
  data: update${e.name}(companyId: $companyId, id: $id, input: $input) ${answer}
}
`,
    [`${at}/Approve${e.name}.graphql`]: event('Approve'),
    [`${at}/Void${e.name}.graphql`]: event('Void'),
  };
}

const watched = (e: NewEntity): string =>
  `select watch_changes('${e.table}', $sql$'${e.name}'$sql$, '(select r.id)', 'r.company_id', null, true, array[]::text[])`;

export function migration(e: NewEntity): Record<string, string> {
  const [[path, text]] = Object.entries(migrationFiles('migrations', `add-${e.files}`)) as [[string, string]];
  const columns = `create table ${e.table} (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        state text not null,
        name text,
        notes text,
        version integer not null default 1
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index ${e.table}_page_idx on ${e.table} (company_id, created_at, id);`;
  return {
    [path]: text
      // A function, because `$` has a meaning in a text.
      .replace(/(?<=`\);)(?=\n {2}\})/, () => `\n    // Its changes are in the feed.\n    this.addSql(\`${watched(e)}\`);`)
      .replace('TODO: what it changes, and why.', `TODO: one sentence on what ${e.manyWords} are.`)
      .replace(/-- TODO: the statements.*(?=`\))/, columns),
  };
}

export const test = (e: NewEntity): string => `import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '${e.up}helpers/app.ts';
import { makeTenant, type Tenant } from '${e.up}helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const PATH = '/v1/${e.path}';
const make = (more: object = {}) => tenant.must('POST', PATH, { name: 'First', ...more });

test('a ${e.words} is created, read, listed and changed over REST and GraphQL', async () => {
  const ${e.one} = await make({ notes: 'By REST' });
  expect(${e.one}).toMatchObject({ name: 'First', notes: 'By REST', state: 'draft', state_events: ['approve', 'void'], version: 1 });
  expect(await tenant.must('GET', \`\${PATH}/\${${e.one}.id}\`)).toEqual(${e.one});
  expect(await tenant.must('GET', \`\${PATH}?search[datagrid]=first&filter[states][]=draft\`)).toContainEqual(${e.one});
  const { data } = await tenant.gql('mutation($id: ID!) { update${e.name}(id: $id, input: { notes: "By GraphQL" }) { name notes } }', {
    id: ${e.one}.id,
  });
  expect(data.update${e.name}).toEqual({ name: 'First', notes: 'By GraphQL' });
});

test('a page is one statement', async () => {
  await make();
  const { statements } = await app.countStatements(() => tenant.must('GET', PATH));
  expect(statements).toHaveLength(1);
});

test('a draft is approved and then voided, and each event leaves its traces', async () => {
  const ${e.one} = await make();
  const event = (name: string) => tenant.http('PUT', \`\${PATH}/\${${e.one}.id}/\${name}\`, {});
  expect((await event('approve')).body.data).toMatchObject({ state: 'approved', state_events: ['void'] });
  expect((await event('approve')).body.error).toMatchObject({ code: 'conflict', errors: [{ state: 'approved', event: 'approve' }] });
  expect((await tenant.http('PATCH', \`\${PATH}/\${${e.one}.id}\`, { name: 'Late' })).status).toBe(422);
  expect((await event('void')).body.data).toMatchObject({ state: 'voided', state_events: [] });
  const left = await app.orm.em
    .fork()
    .execute<{ event: string }[]>('select event from transition where subject_id = ? order by id', [${e.one}.id]);
  expect(left.map(({ event }) => event)).toEqual(['approve', 'void']);
});

test('without a name it cannot be approved, and an old version changes nothing', async () => {
  const ${e.one} = await make({ name: null });
  expect(${e.one}.state_events).toEqual(['void']);
  expect((await tenant.http('PUT', \`\${PATH}/\${${e.one}.id}/approve\`, {})).status).toBe(409);
  expect((await tenant.http('PATCH', \`\${PATH}/\${${e.one}.id}\`, { name: 'Named', version: 7 })).status).toBe(409);
  expect((await tenant.must('GET', \`\${PATH}/\${${e.one}.id}\`)).name).toBeNull();
});

test('who lacks the permission gets 403, and another company 404', async () => {
  const ${e.one} = await make();
  const { token } = await tenant.person({ roles: [] });
  expect((await tenant.http('POST', PATH, {}, token)).status).toBe(403);
  expect((await tenant.http('PATCH', \`\${PATH}/\${${e.one}.id}\`, {}, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  for (const [method, path] of [['GET', ''], ['PATCH', ''], ['PUT', '/approve']] as const)
    expect((await stranger.http(method, \`\${PATH}/\${${e.one}.id}\${path}\`, method === 'GET' ? undefined : {})).status).toBe(404);
});
`;
