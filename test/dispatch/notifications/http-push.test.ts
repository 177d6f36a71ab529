import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpPusher } from '../../../src/platform/outgoing/push.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { Notified } from './notified.ts';

let server: Server;
let notified: Notified;
/** The requests that the service got, and its next answer. */
const got: { headers: IncomingHttpHeaders; body: string }[] = [];
let statuses: number[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      got.push({ headers: req.headers, body });
      res.writeHead(statuses.shift() ?? 202, { Location: '/elsewhere' }).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`;
  notified = await Notified.start(httpPusher({ url, secret: 'push secret' }));
});
afterAll(async () => {
  await notified.app.close();
  server.close();
});

test('a push is signed, sent again with the same id when the service fails or sends elsewhere, and ends with the app on the device', async () => {
  const tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
  const driver = await notified.person(tenant, ['driver']);
  statuses = [500, 302];
  const job = await notified.sent(tenant, driver);
  for (let tries = 1; tries <= 3; tries++) {
    await notified.settle();
    await notified.sql('update outgoing_message set next_at = now()');
  }
  expect(got).toHaveLength(3);
  const { headers, body } = got[2]!;
  const [, seconds, signature] = /^t=(\d+),v1=([\da-f]{64})$/.exec(String(headers['x-haulgate-signature']))!;
  expect(signature).toBe(createHmac('sha256', 'push secret').update(`${seconds}.${body}`).digest('hex'));
  expect(JSON.parse(body)).toEqual({
    ...{ id: JSON.parse(got[0]!.body).id, token: driver.tokens[0], kind: 'new_job_request', title: tenant.company.legalName },
    ...{ body: expect.stringContaining(`New job ${job.job_id}`), language: 'en', data: { job_id: job.id } },
  });
  const timeline = await tenant.must('GET', `/v1/jobs/${job.id}/job_events`);
  expect(timeline.filter((one: { event_name: string }) => one.event_name === 'NotificationSent')).toHaveLength(1);
  statuses = [410];
  await notified.sent(tenant, driver);
  await notified.settle();
  expect(await notified.sql('select 1 from device_token where user_id = $1', [driver.user.id])).toEqual([]);
  await notified.sent(tenant, driver);
  await notified.settle();
  expect(got).toHaveLength(4);
});
