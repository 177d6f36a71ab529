import { expect, test } from '@jest/globals';
import { issueToken } from '../../../src/identity/tokens/tokens.ts';
import { fieldsOf, makeTenant } from '../../helpers/tenant.ts';
import { admin, app, audits, exchange, make, openScene, PATH, rows, tenant, tokenOf, worksWith } from './scene.ts';

openScene();

test('an admin creates a client, whose secret is returned once and stored nowhere', async () => {
  const made = await make({ token_seconds: 600 });
  expect(made).toEqual({
    id: expect.any(String),
    company: {
      id: tenant.company.id,
      platform_id: tenant.company.platformId,
      legal_name: tenant.company.legalName,
      company_type: 'hauler',
    },
    name: 'Batch sender',
    client_id: expect.stringMatching(/^hg_[0-9a-f]{24}$/),
    client_secret: expect.stringMatching(/^[\w-]{43}$/),
    external_client_id: null,
    scopes: ['create_order', 'edit_order'],
    audiences: ['haulgate-api'],
    token_seconds: 600,
    secret_made_at: expect.any(String),
    previous_secret_expires_at: null,
    last_used_at: null,
    discarded_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await tenant.must('GET', `${PATH}/${made.id}`, undefined, admin)).toEqual({ ...made, client_secret: null });
  expect((await tenant.must('GET', PATH, undefined, admin)).find((one: { id: string }) => one.id === made.id)).toEqual({
    ...made,
    client_secret: null,
  });
  const everywhere = await rows(
    `select string_agg(t::text, '') as text from (select m::text as t from machine_client m union all select a::text from audit_entry a
     union all select o::text from outbox_event o union all select i::text from idempotency_key i) all_rows`,
  );
  expect(everywhere[0].text).toContain(made.client_id);
  expect(everywhere[0].text).not.toContain(made.client_secret);
});

test('a client acts with its scopes, and each of its tokens is in the audit log', async () => {
  const made = await make({ token_seconds: 600 });
  const answer = await exchange(made, { scope: 'create_order' });
  expect([answer.status, answer.body.expires_in, answer.body.scope]).toEqual([200, 600, 'create_order']);
  const names = async (token: string) =>
    (await tenant.must('GET', '/v1/users/me/iam_permissions', undefined, token)).map((one: { name: string }) => one.name);
  expect(await names(answer.body.access_token)).toEqual(['create_order']);
  expect(await names(await tokenOf(made))).toEqual(['create_order', 'edit_order']);
  const { jti } = JSON.parse(Buffer.from(answer.body.access_token.split('.')[1], 'base64url').toString());
  expect(await audits(jti)).toEqual([
    {
      event: 'create',
      created_by_type: 'M2MClient',
      object_changes: {
        client_id: [null, made.client_id],
        secret: [null, 'newest'],
        scope: [null, 'create_order'],
        audience: [null, 'haulgate-api'],
        expires_at: [null, expect.any(String)],
      },
    },
  ]);
  expect((await tenant.must('GET', `${PATH}/${made.id}`, undefined, admin)).last_used_at).toEqual(expect.any(String));
});

test('nobody grants a client more than they have, nor changes a client with more', async () => {
  const clerk = (await tenant.person({ roles: ['it_admin'] })).token;
  const refused = await tenant.http(
    'POST',
    PATH,
    { name: 'Thief', scopes: ['edit_company', 'delete_order', 'fly', 'create_order'] },
    clerk,
  );
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [
      { model: 'M2MClient', field: 'scopes.1', message: 'is no permission' },
      { model: 'M2MClient', field: 'scopes.2', message: 'is no permission' },
      { model: 'M2MClient', field: 'scopes.3', message: 'is a permission that you do not have yourself' },
    ],
  ]);
  const strong = await make({ scopes: ['create_order', 'edit_company'] });
  // A new secret would be a way to what the client may do.
  expect((await tenant.http('PUT', `${PATH}/${strong.id}/rotate`, {}, clerk)).status).toBe(403);
  expect((await tenant.http('PATCH', `${PATH}/${strong.id}`, { scopes: ['create_order', 'edit_order'] }, clerk)).status).toBe(422);
  const renamed = await tenant.must('PATCH', `${PATH}/${strong.id}`, { name: ' Sender ', scopes: ['create_order'] }, clerk);
  expect([renamed.name, renamed.scopes]).toEqual(['Sender', ['create_order']]);
  expect(
    (await tenant.http('POST', PATH, { name: 'x', scopes: ['create_order'] }, (await tenant.person({ roles: ['dispatcher'] })).token))
      .status,
  ).toBe(403);
});

test.each<[string, object, string[]]>([
  ['no name', { name: ' ' }, ['name']],
  ['a long name', { name: 'n'.repeat(201) }, ['name']],
  ['no scope', { scopes: [] }, ['scopes']],
  ['a foreign audience', { audiences: ['haulgate-api', 'elsewhere'] }, ['audiences.1']],
  ['too long a life', { token_seconds: 3601 }, ['token_seconds']],
  ['a client of a provider that there is not', { external_client_id: 'x' }, ['external_client_id']],
  ['too short a life', { token_seconds: 5 }, ['token_seconds']],
])('%s is refused and creates nothing', async (_, body, fields) => {
  const count = async () => (await rows('select count(*)::int as n from machine_client'))[0].n;
  const before = await count();
  const answer = await tenant.http('POST', PATH, { name: 'Sender', scopes: ['create_order'], ...body }, admin);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  expect(await count()).toBe(before);
});

test('a repeated request with its Idempotency-Key creates no second client and returns no secret', async () => {
  const call = () =>
    app.http('POST', PATH, { token: admin, body: { name: 'Once', scopes: ['create_order'] }, headers: { 'Idempotency-Key': 'make-1' } });
  const [first, second] = [await call(), await call()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.data).toEqual({ ...first.body.data, client_secret: null });
  expect((await exchange(first.body.data)).status).toBe(200);
});

test('permissions removed from a client are removed from its tokens', async () => {
  const made = await make();
  const token = await tokenOf(made);
  await tenant.must('PATCH', `${PATH}/${made.id}`, { scopes: ['edit_order'] }, admin);
  const [name] = await tenant.must('GET', '/v1/users/me/iam_permissions', undefined, token);
  expect(name).toEqual({ name: 'edit_order' });
  expect((await exchange(made, { scope: 'create_order' })).body.error).toBe('invalid_scope');
});

test('a client gets tokens for its audiences only, and tokens for other services are refused here', async () => {
  app.configure({ serviceAudiences: ['scale-house'] });
  try {
    const made = await make({ audiences: ['scale-house', 'haulgate-api'] });
    expect(await worksWith(await tokenOf(made))).toBe(401);
    expect(await worksWith(await tokenOf(made, { audience: 'haulgate-api' }))).toBe(200);
    expect(await worksWith(await tokenOf(made, { resource: 'haulgate-api' }))).toBe(200);
    expect((await exchange(made, { audience: 'elsewhere' })).body.error).toBe('invalid_target');
    expect((await exchange(made, { audience: 'haulgate-api', resource: 'scale-house' })).body.error).toBe('invalid_request');
    const cleared = await tenant.must('PATCH', `${PATH}/${made.id}`, { audiences: null, token_seconds: null }, admin);
    expect([cleared.audiences, cleared.token_seconds]).toEqual([['haulgate-api'], 3600]);
  } finally {
    app.configure({ serviceAudiences: [] });
  }
});

test('clients are listed in pages, newest first, with the same number of statements for many as for few', async () => {
  const other = await makeTenant(app);
  const boss = (await other.person({ roles: ['company_admin'] })).token;
  const count = async () => (await app.countStatements(() => other.must('GET', PATH, undefined, boss))).statements.length;
  await other.must('GET', PATH, undefined, boss);
  const few = await count();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await other.must('POST', PATH, { name: `No ${i}`, scopes: ['create_order'] }, boss)).id);
  expect(await count()).toBe(few);
  const seen: string[] = [];
  let next: string | undefined = `${PATH}?page[limit]=2`;
  while (next) {
    const answer = await other.http('GET', next, undefined, boss);
    seen.push(...answer.body.data.map((one: { id: string }) => one.id));
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(app.url, '');
  }
  expect(seen.slice(0, 5)).toEqual(ids);
});

test('a parent manages the clients of its child, and strangers find none', async () => {
  const child = await makeTenant(app, { company: { parentCompany: tenant.company.id } });
  const path = `/v1/companies/${child.company.id}/m2m_clients`;
  const made = await tenant.must('POST', path, { name: 'Of the child', scopes: ['create_order'] }, admin);
  expect(made.company.id).toBe(child.company.id);
  expect((await tenant.http('PUT', `${path}/${made.id}/rotate`, {}, admin)).status).toBe(200);
  const stranger = await makeTenant(app);
  const boss = (await stranger.person({ roles: ['company_admin'] })).token;
  for (const [method, at] of [
    ['GET', `${PATH}/${made.id}`],
    ['PATCH', `${PATH}/${made.id}`],
    ['PUT', `${PATH}/${made.id}/rotate`],
    ['DELETE', `${PATH}/${made.id}`],
    ['GET', path],
    ['POST', path],
  ] as const)
    expect(
      (await stranger.http(method, at, method === 'GET' || method === 'DELETE' ? undefined : { name: 'x', scopes: ['create_order'] }, boss))
        .status,
    ).toBe(404);
});

test('GraphQL creates, lists, shows, changes, rotates and revokes clients alike', async () => {
  const ask = async (query: string, variables: object = {}) => {
    const { data, errors } = await tenant.gql(query, variables as Record<string, unknown>, admin);
    expect(errors).toBeUndefined();
    return data;
  };
  const { createM2MClient: made } = await ask(
    'mutation($input: CreateM2MClientInput!) { createM2MClient(input: $input) { id clientId clientSecret scopes } }',
    { input: { name: 'Graph', scopes: ['create_order'] } },
  );
  expect((await exchange({ client_id: made.clientId, client_secret: made.clientSecret })).status).toBe(200);
  const { m2mClient, m2mClients } = await ask(
    'query($id: ID!) { m2mClient(id: $id) { id clientSecret } m2mClients(first: 1) { nodes { id clientSecret } } }',
    { id: made.id },
  );
  expect([m2mClient, m2mClients.nodes]).toEqual([{ id: made.id, clientSecret: null }, [{ id: made.id, clientSecret: null }]]);
  const { rotateM2MClient: rotated } = await ask('mutation($id: ID!) { rotateM2MClient(id: $id) { clientId clientSecret } }', {
    id: made.id,
  });
  expect((await exchange({ client_id: rotated.clientId, client_secret: rotated.clientSecret })).status).toBe(200);
  const { updateM2MClient, endM2MClientRotation, revokeM2MClient } = await ask(
    `mutation($id: ID!) { updateM2MClient(id: $id, input: { tokenSeconds: 120 }) { tokenSeconds }
      endM2MClientRotation(id: $id) { previousSecretExpiresAt } revokeM2MClient(id: $id) }`,
    { id: made.id },
  );
  expect([updateM2MClient.tokenSeconds, endM2MClientRotation.previousSecretExpiresAt, revokeM2MClient]).toEqual([120, null, made.id]);
});

test('a token that is narrowed to a scope creates no client beyond it', async () => {
  const strong = await make({ scopes: ['manage_machine_clients', 'create_order', 'edit_order'] });
  const token = await tokenOf(strong, { scope: 'manage_machine_clients create_order' });
  expect((await tenant.http('POST', PATH, { name: 'x', scopes: ['edit_order'] }, token)).status).toBe(422);
  expect((await tenant.http('POST', PATH, { name: 'x', scopes: ['create_order'] }, token)).status).toBe(201);
  const other = await issueToken(app.orm.em.fork(), 'machine', strong.id, ['create_order']);
  expect((await tenant.http('GET', PATH, undefined, other.token)).status).toBe(403);
});
