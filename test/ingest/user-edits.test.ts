import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
let dispatcher: string;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
  dispatcher = (await yard.person({ roles: ['company_admin'] })).token;
});

const order = (more: object = {}) => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});

/** Sends one element and reads its record once it is settled. */
async function send(element: object, as?: string, kind: 'orders' | 'projects' = 'orders'): Promise<Json> {
  const answer = await yard.http('POST', `/ingest/${kind}`, { [kind]: [element] }, as);
  expect(answer.status).toBe(202);
  await app.settled();
  return yard.must('GET', `/v1/imported_records/${answer.body.data.records[0].id}`);
}

test('what a person sends through the importer is no edit: the next payload changes it', async () => {
  await send(order({ notes: 'one' }), dispatcher);
  await send(order({ notes: 'two' }), dispatcher);
  const { state, warnings, result_id } = await send(order({ notes: 'three' }));
  expect([state, warnings, (await yard.must('GET', `/v1/orders/${result_id}`)).notes]).toEqual(['processed', [], 'three']);
  const project = (notes: string) => ({ external_id: 'P-1', customer: { external_id: 'C-1' }, notes });
  for (const notes of ['one', 'two']) await send(project(notes), dispatcher, 'projects');
  expect(await send(project('three'), undefined, 'projects')).toMatchObject({ state: 'processed', warnings: [] });
});

test('what a person sends again in place of a failed payload is no edit', async () => {
  await send(order({ notes: 'one' }));
  const failed = await send(order({ notes: 'two', load_at: 'tomorrow' }));
  await yard.must('POST', `/v1/imported_records/${failed.id}/resubmit`, { payload: order({ notes: 'two' }) }, dispatcher);
  await app.settled();
  const { state, warnings, result_id } = await send(order({ notes: 'three' }));
  expect([state, warnings, (await yard.must('GET', `/v1/orders/${result_id}`)).notes]).toEqual(['processed', [], 'three']);
});

test('what a person changed by hand stays, also when the same person sends payloads', async () => {
  const { result_id } = await send(order({ notes: 'one', zone: 'N' }), dispatcher);
  await yard.must('PATCH', `/v1/orders/${result_id}`, { notes: 'mine' }, dispatcher);
  expect(await send(order({ notes: 'two', zone: 'S' }), dispatcher)).toMatchObject({
    state: 'processed',
    warnings: [{ code: 'user_edit_kept', pointer: '/notes', given: 'two', used: 'mine' }],
  });
  expect(await yard.must('GET', `/v1/orders/${result_id}`)).toMatchObject({ notes: 'mine', zone: 'S' });
});
