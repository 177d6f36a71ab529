import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const CHICAGO = 'America/Chicago';
const ST_JOHNS = 'America/St_Johns';

test.each<[string, { zone: string; times: [load: string, start?: string]; date: string; copied: [load: string, start?: string] }]>([
  ['to the second', { zone: CHICAGO, times: ['2026-11-23T13:30:45.250Z'], date: '2026-12-01', copied: ['2026-12-01T13:30:45.250Z'] }],
  [
    'in summer as in winter',
    { zone: CHICAGO, times: ['2027-01-31T13:30:59.000Z'], date: '2027-06-30', copied: ['2027-06-30T12:30:59.000Z'] },
  ],
  [
    'later by the hour that is skipped in spring',
    { zone: CHICAGO, times: ['2027-03-13T08:30:00.000Z'], date: '2027-03-14', copied: ['2027-03-14T08:30:00.000Z'] },
  ],
  [
    'the first of the two hours in autumn',
    { zone: CHICAGO, times: ['2027-11-06T06:30:00.000Z'], date: '2027-11-07', copied: ['2027-11-07T06:30:00.000Z'] },
  ],
  [
    'the second of them on the same day',
    {
      zone: CHICAGO,
      times: ['2027-11-07T07:30:00.000Z', '2027-11-07T06:45:00.000Z'],
      date: '2027-11-07',
      copied: ['2027-11-07T07:30:00.000Z', '2027-11-07T06:45:00.000Z'],
    },
  ],
  [
    'with trucks that start after midnight, over the end of February',
    {
      zone: CHICAGO,
      times: ['2027-02-01T04:00:00.000Z', '2027-02-01T07:15:30.000Z'],
      date: '2028-02-29',
      copied: ['2028-03-01T04:00:00.000Z', '2028-03-01T07:15:30.000Z'],
    },
  ],
  [
    'in a zone of half hours',
    { zone: ST_JOHNS, times: ['2026-11-23T02:15:07.000Z'], date: '2027-07-01', copied: ['2027-07-02T01:15:07.000Z'] },
  ],
])('a copy has the local times of the original: %s', async (_, { zone, times, date, copied }) => {
  const tenant = await makeTenant(app, { company: { timeZone: zone } });
  const [load_at, job_start_at = null] = times;
  const { id } = await makeOrder(tenant, { load_at, ...(job_start_at ? { job_start_at } : {}) });
  const copy = await tenant.must('POST', tenant.path(`/orders/${id}/copy`), { date });
  expect([copy.load_at, ...(job_start_at ? [copy.job_start_at] : [])]).toEqual(copied);
});
