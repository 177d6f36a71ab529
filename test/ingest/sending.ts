import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export let app: TestApp;
/** The sender's company; each test has one of its own. */
export let tenant: Tenant;

/** Registers what files require whose tests send payloads and read what became of them. */
export function openScene(): void {
  beforeAll(async () => {
    app = await startTestApp({ worker: true });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    tenant = await makeTenant(app);
  });
}

export const order = (more: object = {}) => ({
  external_id: 'O-1',
  load_at: '2026-12-01T07:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});

/** Sends elements of a kind, and returns their records when they are settled. */
export async function send(kind: string, elements: object[], query = ''): Promise<Json[]> {
  const answer = await tenant.http('POST', `/ingest/${kind}${query}`, { [kind]: elements });
  expect(answer.status).toBe(202);
  await app.settled();
  return tenant.must('GET', `/ingest/batches/${answer.body.data.batch_id}/records`);
}
