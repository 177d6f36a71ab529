import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpEndpoints } from '../../src/app/http-endpoints.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { type Answer, startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant } from '../helpers/tenant.ts';

interface Schema {
  type?: string;
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Operation {
  security?: unknown[];
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as { paths: Record<string, Record<string, Operation>> };

let app: TestApp;
let credentials: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  const tenant = await makeTenant(app);
  const em = app.orm.em.fork();
  const { client, clientSecret } = makeMachineClient(em, tenant.company, { name: 'Sender', permissions: ['create_order'] });
  await em.flush();
  credentials = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: clientSecret };
});
afterAll(() => app.close());

const form = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
});

/** Status, media type and body of an answer are among those that the OpenAPI file has for the operation. */
function fits(answer: Answer, method: string, path: string): void {
  const response = paths[path]?.[method]?.responses[answer.status];
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]!;
  expect([`${method} ${path} ${answer.status}`, Object.keys(response?.content ?? {})]).toEqual([expect.any(String), [type]]);
  const schema = response?.content?.[type]?.schema;
  if (schema?.type !== 'object') return;
  expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(schema.required ?? []));
  if (schema.properties) expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(answer.body)));
}

test('every endpoint that is no REST document is in the OpenAPI file', () => {
  const missing = httpEndpoints.filter(({ method, path }) => !paths[path]?.[method]).map(({ method, path }) => `${method} ${path}`);
  expect(missing).toEqual([]);
});

test.each(['/health', '/ready', '/version', '/metrics', '/.well-known/jwks.json', '/.well-known/oauth-authorization-server'])(
  '%s requires no token and answers as the OpenAPI file says',
  async (path) => {
    const answer = await app.http('GET', path);
    expect([answer.status, paths[path]?.get?.security]).toEqual([200, []]);
    fits(answer, 'get', path);
  },
);

test('the token endpoint answers as the OpenAPI file says, good and bad', async () => {
  const path = '/v1/auth/token';
  const answers = [
    await app.http('POST', path, form(credentials)),
    await app.http('POST', path, form({ ...credentials, scope: 'create_order' })),
    await app.http('POST', path, form({ ...credentials, scope: 'delete_order' })),
    await app.http('POST', path, form({ ...credentials, client_secret: 'wrong' })),
  ];
  expect([answers.map(({ status }) => status), paths[path]?.post?.security]).toEqual([[200, 200, 400, 401], []]);
  for (const answer of answers) fits(answer, 'post', path);
});
