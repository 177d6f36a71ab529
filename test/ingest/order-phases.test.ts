import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import * as told from './dry-runs.ts';
import { order } from './payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
});

const send = (kind: told.Kind, elements: unknown[], token?: string): Promise<Json[]> => told.send(app, yard, kind, elements, token);

test('a payload that changes an order makes its phases those it names, and says which state it did not take', async () => {
  const phases = [{ name: 'Base', code: '100', primary: true }, { name: 'Old' }];
  const [{ result_id }] = await send('orders', [order('A', { phases })]);
  const read = () => yard.must('GET', `/v1/orders/${result_id}`);
  const phasesOf = (one: Json) => one.phases.map(({ id, name, code, primary }: Json) => ({ id, name, code, primary }));
  const [base] = phasesOf(await read());
  const next = [{ name: 'Base', code: '100' }, { name: 'Top', primary: true }, { name: 'Top' }];
  const [record] = await send('orders', [order('A', { phases: next, state: 'hold' })]);
  expect(record).toMatchObject({
    state: 'processed',
    warnings: [
      { code: 'second_phase', pointer: '/phases/2', given: 'Top', used: null },
      { code: 'state_kept', pointer: '/state', given: 'hold', used: 'created' },
    ],
  });
  expect(await read()).toMatchObject({ state: 'created' });
  expect(phasesOf(await read())).toEqual([
    { ...base, primary: false },
    { id: expect.any(String), name: 'Top', code: null, primary: true },
  ]);
  // Work that was begun under a phase tells of it when the order no longer has it.
  const [job] = await yard.must('GET', `/v1/orders/${result_id}/jobs`);
  await (await poolOf(app.orm.em.fork())).query(`update job set state = 'completed' where id = $1`, [job.id]);
  await send('orders', [order('A', { phases: next.slice(1, 2) })]);
  expect((await yard.must('GET', `/v1/jobs/${job.id}`)).phase).toMatchObject({ name: 'Base', code: '100' });
  expect(phasesOf(await read()).length).toBe(1);
  // Left out they stay; the state it has is no news.
  const [quiet] = await send('orders', [order('A', { notes: 'x', state: 'created' })]);
  expect([quiet.warnings, phasesOf(await read()).length]).toEqual([[], 1]);
});
