import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consentIn } from '../../../src/platform/outgoing/sms-consent.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { Notified, type Reached } from './notified.ts';

let notified: Notified;
let tenant: StaffedTenant;
beforeAll(async () => {
  notified = await Notified.start();
  tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
});
afterAll(() => notified.app.close());

let sids = 0;
/** Sends the request that the SMS service sends when somebody has texted; signed as Twilio documents it. */
async function incoming(fields: Record<string, string>, signature?: string) {
  const all: Record<string, string> = { MessageSid: `SM${++sids}`, To: '+14155550100', ...fields };
  const url = `${notified.app.url}/v1/sms/incoming`;
  const text = Object.keys(all)
    .sort()
    .reduce((sum, key) => sum + key + all[key], url);
  return notified.app.http('POST', '/v1/sms/incoming', {
    body: new URLSearchParams(all).toString(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': signature ?? createHmac('sha1', 'twilio secret').update(text).digest('base64'),
    },
  });
}

const says = async ({ phone: From }: Reached, Body: string, MessageSid?: string) => {
  const answer = await incoming({ From, Body, ...(MessageSid ? { MessageSid } : {}) });
  expect([answer.status, answer.body]).toEqual([200, '<?xml version="1.0" encoding="UTF-8"?><Response/>']);
};
const driverWith = () => notified.person(tenant, ['driver'], { new_job_request: ['push', 'sms'] });

test('a number that said STOP never gets another text, whoever sends it and however long it has waited; START undoes it', async () => {
  const driver = await driverWith();
  const job = await notified.sent(tenant, driver);
  expect((await notified.got(driver)).texts).toHaveLength(1);
  // One text waits already.
  notified.works = false;
  await notified.sent(tenant, driver);
  await notified.settle();
  await says(driver, ' Stop. ', 'SM-stop');
  notified.works = true;
  await notified.sql('update outgoing_message set next_at = now()');
  await notified.sent(tenant, driver);
  // The office texts the driver, and somebody signs in with the number.
  await tenant.dispatcher.must('PUT', '/v1/jobs/bulk_driver_sms', { job_ids: [job.id], message: 'Come in' });
  await notified.app.http('POST', '/v1/auth/otp_sms', { body: { phone: driver.phone } });
  const { texts, pushes } = await notified.got(driver);
  expect([texts.length, pushes.length]).toEqual([1, 3]);
  await says(driver, 'START');
  await notified.sent(tenant, driver);
  expect((await notified.got(driver)).texts).toHaveLength(2);
  // The service repeats a report of which it had no answer.
  await says(driver, 'STOP', 'SM-stop');
  await notified.sent(tenant, driver);
  expect((await notified.got(driver)).texts).toHaveLength(3);
});

test('a report that the service has not signed changes nothing', async () => {
  const driver = await driverWith();
  const stop = { From: driver.phone, Body: 'STOP' };
  for (const signature of ['', 'AAAA', createHmac('sha1', 'another secret').update('').digest('base64')])
    expect((await incoming(stop, signature)).status).toBe(401);
  expect((await incoming({ From: 'nobody', Body: 'STOP' })).status).toBe(400);
  expect((await incoming({ From: driver.phone })).status).toBe(400);
  expect(await notified.sql('select 1 from sms_consent where phone = $1', [driver.phone])).toEqual([]);
  await says(driver, 'Please do not stop');
  await notified.sent(tenant, driver);
  expect((await notified.got(driver)).texts).toHaveLength(1);
});

test.each([
  ['STOP', 'stop'],
  ['Stop all', 'stop'],
  ['UNSUBSCRIBE', 'stop'],
  ['Arrêt!', 'stop'],
  ['alto', 'stop'],
  ['START', 'start'],
  ['unstop', 'start'],
  ['stop the truck', undefined],
  ['HELP', undefined],
  ['', undefined],
])('%j says %s', (text, meaning) => {
  expect(consentIn(text)).toBe(meaning);
});
