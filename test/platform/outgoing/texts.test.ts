import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startDeliveries } from '../../../src/platform/outgoing/deliver.ts';
import { folderTexter, type Texter, twilioTexter } from '../../../src/platform/outgoing/sms.ts';
import { filesOf } from '../../helpers/emails.ts';
import { until } from '../../helpers/until.ts';
import { composing, deliver, due, folder, leave, nobody, orm, run, warned } from './deliveries.ts';

/** An SMS service that speaks like Twilio. */
async function service(status = 201, answer: object = { sid: 'SM1' }) {
  const got: { url?: string; authorization?: string; form: Record<string, string> }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      got.push({ url: req.url, authorization: req.headers.authorization, form: Object.fromEntries(new URLSearchParams(body)) });
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
const sms = { channel: 'sms', recipient: '+12015550123', params: { word: 'café & 5 < 6' } } as const;

test("a text is sent through a service with Twilio's API", async () => {
  const { got, url, close } = await service();
  try {
    await leave(sms);
    await deliver({ texter: twilioTexter({ url: `${url}/`, account: 'AC1', token: 'secret', from: '+12015550100' }) });
    expect(got).toEqual([
      {
        url: '/2010-04-01/Accounts/AC1/Messages.json',
        authorization: `Basic ${Buffer.from('AC1:secret').toString('base64')}`,
        form: { To: '+12015550123', From: '+12015550100', Body: 'Hello +12015550123: café & 5 < 6\n' },
      },
    ]);
  } finally {
    close();
  }
});

test('a text that the service refuses is stored with the error code, and without its content', async () => {
  const { url, close } = await service(400, { code: 21_211, message: 'not a number: +12015550123' });
  try {
    await leave(sms);
    await deliver({ texter: twilioTexter({ url, account: 'AC1', token: 'secret', from: '+12015550100' }) });
    const [row] = await run('select last_error from outgoing_message');
    expect(row).toEqual({ last_error: 'Error: the SMS service answered 400, code 21211' });
  } finally {
    close();
  }
});

const once = { channel: 'sms', kind: 'test_once', recipient: '+12015550123' } as const;
const twilio = (url: string) => twilioTexter({ url, account: 'AC1', token: 'secret', from: '+12015550100' });
const rows = () => run('select attempts, handed_over_at from outgoing_message');

test('a text that is sent once at most is not sent again when the process died after the service had it', async () => {
  await leave(once);
  const taken: string[] = [];
  const log = { info: () => {}, warn: () => {} };
  let began: () => void;
  const sending = new Promise<void>((resolve) => (began = resolve));
  // The service has it, and the process never hears of that, as after a kill.
  const hang: Texter['send'] = ({ to }) => {
    taken.push(to);
    began();
    return new Promise(() => undefined);
  };
  const dead = startDeliveries({ em: orm.em, mailer: nobody, texter: { send: hang }, log, every: 3_600_000 });
  void dead.idle();
  await sending;
  void dead.stop();
  warned.length = 0;
  await due();
  await deliver({ texter: { send: async ({ to }) => void taken.push(to) } });
  expect([taken, warned, await rows()]).toEqual([['+12015550123'], ['a sms was given up'], []]);
});

test('a text that is sent once at most is tried again if the service refused it or was not there, and not if it did not answer', async () => {
  await leave(once);
  const refusing = await service(503);
  await deliver({ texter: twilio(refusing.url) });
  refusing.close();
  expect(await rows()).toEqual([{ attempts: 1, handed_over_at: null }]);
  await due();
  // Nobody listens there any more.
  await deliver({ texter: twilio(refusing.url) });
  expect(await rows()).toEqual([{ attempts: 2, handed_over_at: null }]);
  await due();
  const silent = createServer((req) => req.on('end', () => req.socket.destroy()).resume()).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  warned.length = 0;
  await deliver({ texter: twilio(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`) });
  silent.close();
  expect([warned, await rows()]).toEqual([['a sms was given up'], []]);
});

test('a process that was slow sends no text that another one has sent meanwhile', async () => {
  await leave(once);
  const taken: string[] = [];
  const texter: Texter = { send: async ({ to }) => void taken.push(to) };
  let began: () => void;
  let goOn: () => void;
  const slow = new Promise<void>((resolve) => (began = resolve));
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  // Only the first to compose it is slow.
  composing.wait = () => {
    composing.wait = async () => undefined;
    began();
    return waiting;
  };
  const first = deliver({ texter });
  await slow;
  await due();
  await deliver({ texter });
  await until(async () => (await rows()).length === 0);
  goOn!();
  await first;
  expect(taken).toEqual(['+12015550123']);
});

test('without a service texts are files', async () => {
  await leave(sms);
  await deliver({ texter: folderTexter(join(folder, 'sms'), () => {}) });
  expect(await filesOf(join(folder, 'sms'))).toEqual(['To: +12015550123\n\nHello +12015550123: café & 5 < 6\n\n']);
});
