import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ demo: true, worker: true });
  await app.settled();
});
afterAll(() => app.close());

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

async function signedIn(role: string): Promise<string> {
  const { email, password } = app.access!.users.find((user) => user.role === role)!;
  const { body } = await app.http('POST', '/v1/auth/login', { body: { email, password } });
  return body.data.session_jwt;
}

test('a newcomer finds imports in the demo that were taken, guessed and refused', async () => {
  const { body } = await app.http('GET', '/v1/imported_records?page[limit]=100', { token: await signedIn('company_admin') });
  const found = body.data.map(({ kind, imported_for, state, last_error, warnings }: Json) => [
    `${kind} ${imported_for}`,
    state,
    ...(last_error ?? '').split('\n').map((line: string) => line.split(': ').slice(0, 2).join(' ')),
    ...new Set(warnings.map(({ code }: Json) => code)),
  ]);
  expect(found.sort()).toEqual([
    ['order DEMO-018', 'processed', '', 'unknown_unit', 'truck_count_kept'],
    ['order ERP-20431', 'failed', 'invalid_timestamp /load_at'],
    ['order ERP-20432', 'failed', 'missing_field /customer/external_id', 'invalid_number /truck_count'],
    ['ticket S-88101', 'failed', 'ticket_number_taken /ticket_number'],
    ['ticket S-88101', 'processed', ''],
    ['ticket S-88102', 'processed', ''],
    ['ticket S-88103', 'processed', '', 'unit_converted'],
    ['ticket S-88104', 'processed', ''],
    ['ticket S-88105', 'processed', '', 'unknown_truck'],
    ['ticket S-88106', 'processed', '', 'unknown_dispatch_number'],
    ['ticket S-88107', 'failed', 'missing_field /quantity'],
  ]);
});

test('whoever did something in the demo is a person of it', async () => {
  const token = await signedIn('company_admin');
  const { body } = await app.http('GET', '/v1/jobs?page[limit]=100', { token });
  const events = await Promise.all(body.data.map(({ id }: Json) => app.http('GET', `/v1/jobs/${id}/job_events`, { token })));
  // Reviews are nobody's.
  const done = events.flatMap((answer) => answer.body.data.filter(({ event_source }: Json) => event_source !== 'automation'));
  const authors = done.map(({ created_by }: Json) => created_by);
  expect(authors.length).toBeGreaterThan(20);
  for (const author of authors) expect(author).toMatchObject({ type: 'User', id: expect.any(String), first_name: expect.any(String) });
});

test('a dispatcher of the demo finds tickets to link, and those of known trucks are linked', async () => {
  const { body } = await app.http('GET', '/v1/tickets?search[datagrid]=S-88', { token: await signedIn('dispatcher') });
  const states = Object.fromEntries(body.data.map(({ ticket_number, state }: Json) => [ticket_number, state]));
  expect(states).toEqual({
    ...{ 'S-88101': 'pending', 'S-88102': 'pending', 'S-88103': 'pending', 'S-88104': 'pending' },
    ...{ 'S-88105': 'new', 'S-88106': 'new' },
  });
});
