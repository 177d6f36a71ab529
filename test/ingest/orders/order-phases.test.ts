import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';
import { order, project } from '../payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const send = (kind: dryRuns.Kind, elements: unknown[]): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements);

test('a payload that changes an order replaces its phases, and reports the state that it could not set', async () => {
  const phases = [{ name: 'Base', code: '100', primary: true }, { name: 'Old' }];
  const [{ result_id }] = await send('orders', [order('A', { phases })]);
  const read = () => tenant.must('GET', `/v1/orders/${result_id}`);
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
  // Work that was begun under a phase still shows it when the order no longer has it.
  const [job] = await tenant.must('GET', `/v1/orders/${result_id}/jobs`);
  await (await poolOf(app.orm.em.fork())).query(`update job set state = 'completed' where id = $1`, [job.id]);
  await send('orders', [order('A', { phases: next.slice(1, 2) })]);
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).phase).toMatchObject({ name: 'Base', code: '100' });
  expect(phasesOf(await read()).length).toBe(1);
  // Left out they stay; the state it has is no news.
  const [quiet] = await send('orders', [order('A', { notes: 'x', state: 'created' })]);
  expect([quiet.warnings, phasesOf(await read()).length]).toEqual([[], 1]);
});

const reported = (one: Json): Json[] => one.phases.map(({ id, name, code, primary }: Json) => [id, name, code, primary]);

test.each(['orders', 'projects'] as const)(
  'a phase of %s that comes again under its name keeps its id, whatever its code',
  async (kind) => {
    const one = (phases: object[]) => ({ ...(kind === 'orders' ? order('A') : project()), phases });
    const [{ result_id }] = await send(kind, [
      one([{ name: 'Base', code: '100', primary: true }, { name: 'Top', code: '200' }, { name: 'Old' }]),
    ]);
    const read = () => tenant.must('GET', `/v1/${kind}/${result_id}`);
    const [base, top] = (await read()).phases;
    await dryRuns.expectPreviewed(app, tenant, kind, [
      [
        one([
          { name: 'Top', code: '200', primary: true },
          { name: 'base ', code: '110' },
        ]),
      ],
    ]);
    expect(reported(await read())).toEqual([
      [base.id, 'base', '110', false],
      [top.id, 'Top', '200', true],
    ]);
    // Of namesakes the one of the same code is meant; only what none is left for is new.
    await send(kind, [one([{ name: 'Base' }, { name: 'Base', code: '110' }, { name: 'Top', code: '300' }])]);
    const [first, second, third] = reported(await read());
    expect([first, second]).toEqual([
      [base.id, 'Base', '110', false],
      [top.id, 'Top', '300', false],
    ]);
    expect([third, [base.id, top.id].includes(third[0])]).toEqual([[third[0], 'Base', null, false], false]);
  },
);

test('work that was begun under a phase shows the code of a later payload', async () => {
  const [{ result_id }] = await send('orders', [order('A', { phases: [{ name: 'Base', code: '100', primary: true }] })]);
  const [job] = await tenant.must('GET', `/v1/orders/${result_id}/jobs`);
  await (await poolOf(app.orm.em.fork())).query(`update job set state = 'completed' where id = $1`, [job.id]);
  await send('orders', [order('A', { phases: [{ name: 'Base', code: '110', primary: true }] })]);
  const [phase] = (await tenant.must('GET', `/v1/orders/${result_id}`)).phases;
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).phase).toMatchObject({ id: phase.id, name: 'Base', code: '110' });
});
