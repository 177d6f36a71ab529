import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { invariantLimits } from '../../../src/reporting/invariants/invariants-endpoint.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('a check of the books that takes longer than a request may says where to ask instead', async () => {
  const tenant = await makeTenant(app);
  const office = await tenant.person({ roles: ['platform_admin'] });
  const limits = invariantLimits.of(app.orm.em);
  const { milliseconds } = limits;
  const holder = app.orm.em.fork();
  await holder.begin();
  await holder.execute('lock table webhook_record in access exclusive mode');
  limits.milliseconds = 500;
  try {
    const { status, body } = await app.http('GET', '/ops/invariants', { token: office.token });
    expect([status, body.error.errors.map(({ model, message }: { model: string; message: string }) => [model, message])]).toEqual([
      503,
      [['Invariant', 'take longer than a request may: run npm run invariants on the server']],
    ]);
  } finally {
    limits.milliseconds = milliseconds;
    await holder.rollback();
  }
});
