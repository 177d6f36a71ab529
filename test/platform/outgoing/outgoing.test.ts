import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { SMTPServer } from 'smtp-server';
import { entities } from '../../../src/app/rooms.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import type { Context } from '../../../src/platform/context.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { startDeliveries } from '../../../src/platform/outgoing/deliver.ts';
import { folderMailer, type Mailer, smtpMailer } from '../../../src/platform/outgoing/mail.ts';
import { composeWith, DELIVERIES, type OutgoingMessage, sendLater } from '../../../src/platform/outgoing/outgoing.ts';
import { folderTexter, type Texter, twilioTexter } from '../../../src/platform/outgoing/sms.ts';
import { registerAll } from '../../../src/platform/registration.ts';
import { migratedDatabase } from '../../helpers/database.ts';
import { filesOf, parseEmail } from '../../helpers/emails.ts';
import { until } from '../../helpers/until.ts';

let orm: MikroORM;
let folder: string;
/** The work for which the texts that are sent once at most wait while they are composed. */
let composing: () => Promise<unknown> = async () => undefined;
beforeAll(async () => {
  orm = await createOrm({ url: await migratedDatabase(), entities });
  folder = await mkdtemp(join(tmpdir(), 'haulgate-outgoing-'));
  registerAll([
    composeWith('test', DELIVERIES, async (_em, { params, recipient }) => ({
      subject: 'Schöne Grüße',
      text: `Hello ${recipient}: ${String(params.word)}\n`,
    })),
    composeWith(
      'test_once',
      DELIVERIES,
      async (_em, { recipient }) => {
        await composing();
        return { text: `Once ${recipient}` };
      },
      { onceAtMost: true },
    ),
  ]);
});
afterAll(async () => {
  await orm.close(true);
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => run('delete from outgoing_message'));

const run = (sql: string, ...values: unknown[]) => orm.em.getConnection().execute(sql, values) as Promise<Record<string, unknown>[]>;
const context = () => ({ em: orm.em.fork(), requestId: 'r-1', language: 'fr-ca', memo: new Map() }) as unknown as Context;
const message = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  channel: 'mail',
  kind: 'test',
  recipient: 'ada@example.com',
  language: 'fr-ca',
  params: { word: 'gravel' },
  worthSeconds: 600,
  ...more,
});
const leave = (more: Partial<OutgoingMessage> = {}) => transact(context(), (tx) => sendLater(tx, message(more)));
const nobody: Mailer & Texter = {
  send: () => Promise.reject(new Error('not asked')),
  close: () => {},
};
const warned: string[] = [];
async function deliver(ways: { mailer?: Mailer; texter?: Texter }): Promise<void> {
  const log = { info: () => {}, warn: (_: object, text: string) => void warned.push(text) };
  const deliveries = startDeliveries({ em: orm.em, mailer: ways.mailer ?? nobody, texter: ways.texter ?? nobody, log, every: 3_600_000 });
  await deliveries.idle();
  await deliveries.stop();
}
const due = () => run(`update outgoing_message set next_at = now()`);

/** A mail server of its own on a free port. */
async function smtp(options: { refuse?: number; unknown?: boolean } = {}) {
  const got: { from: string; to: string[]; login?: string; source: string }[] = [];
  let refusals = options.refuse ?? 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'secret' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: (_address, _session, done) => done(options.unknown ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
    onData(stream, session, done) {
      let source = '';
      stream.on('data', (chunk) => (source += String(chunk)));
      stream.on('end', () => {
        if (refusals-- > 0) return done(Object.assign(new Error('mailbox busy'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        got.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          login: session.user as string | undefined,
          source,
        });
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { got, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

test('a mail is sent through a mail server, with the login of its URL', async () => {
  const server = await smtp();
  try {
    await leave();
    const [{ id } = {}] = await run('select id from outgoing_message');
    await deliver({ mailer: smtpMailer(`smtp://desk:secret@127.0.0.1:${server.port}`, 'Haulgate <desk@haulgate.test>') });
    expect(server.got).toEqual([{ from: 'desk@haulgate.test', to: ['ada@example.com'], login: 'desk', source: expect.any(String) }]);
    const mail = parseEmail(server.got[0]!.source);
    expect(mail).toMatchObject({ subject: 'Schöne Grüße', text: 'Hello ada@example.com: gravel\n' });
    expect(mail.headers).toMatchObject({
      'message-id': `<${id}@haulgate.test>`,
      'content-language': 'fr-ca',
      'auto-submitted': 'auto-generated',
    });
    expect(await run('select 1 from outgoing_message')).toEqual([]);
  } finally {
    await server.close();
  }
});

test('a mail that the server refuses temporarily is sent later, once', async () => {
  const server = await smtp({ refuse: 1 });
  const mailer = () => smtpMailer(`smtp://127.0.0.1:${server.port}`, 'desk@haulgate.test');
  try {
    await leave();
    await deliver({ mailer: mailer() });
    expect(server.got).toEqual([]);
    const [row] = await run(`select attempts, last_error, next_at > now() + interval '20 seconds' as later from outgoing_message`);
    expect(row).toMatchObject({ attempts: 1, last_error: expect.stringContaining('mailbox busy'), later: true });
    await deliver({ mailer: mailer() });
    expect(server.got).toEqual([]);
    await due();
    await deliver({ mailer: mailer() });
    await due();
    await deliver({ mailer: mailer() });
    expect(server.got).toHaveLength(1);
  } finally {
    await server.close();
  }
});

test('a mail that the server refuses for good is given up at once', async () => {
  const server = await smtp({ unknown: true });
  try {
    await leave();
    await deliver({ mailer: smtpMailer(`smtp://127.0.0.1:${server.port}`, 'desk@haulgate.test') });
    expect(await run('select 1 from outgoing_message')).toEqual([]);
    expect(warned).toContain('a mail was given up');
  } finally {
    await server.close();
  }
});

test('if a process dies while it sends, the next one sends the message', async () => {
  await leave();
  let began: () => void;
  const sending = new Promise<void>((resolve) => (began = resolve));
  const log = { info: () => {}, warn: () => {} };
  // Never answers, as after a kill: the claim is committed, and nothing else ever is.
  const dead = startDeliveries({
    em: orm.em,
    mailer: { send: () => new Promise(() => began()), close: () => {} },
    texter: nobody,
    log,
    every: 3_600_000,
  });
  void dead.idle();
  await sending;
  // Takes its timer along; what it waits for never comes.
  void dead.stop();
  await deliver({ mailer: folderMailer(join(folder, 'early'), 'desk@haulgate.test', () => {}) });
  expect(await filesOf(join(folder, 'early'))).toEqual([]);
  await due();
  await deliver({ mailer: folderMailer(join(folder, 'late'), 'desk@haulgate.test', () => {}) });
  expect(await filesOf(join(folder, 'late'))).toHaveLength(1);
});

test('a message of a transaction that is rolled back is never sent', async () => {
  await expect(
    transact(context(), async (tx) => {
      await sendLater(tx, message());
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await deliver({ mailer: folderMailer(join(folder, 'rolled-back'), 'desk@haulgate.test', () => {}) });
  expect(await filesOf(join(folder, 'rolled-back'))).toEqual([]);
});

test('a message that is too old is given up, with a line in the log', async () => {
  await leave({ worthSeconds: 0 });
  warned.length = 0;
  await deliver({});
  expect(warned).toEqual(['a mail was given up']);
  expect(await run('select 1 from outgoing_message')).toEqual([]);
});

test('with three processes, each of fifty messages is sent once', async () => {
  await transact(context(), async (tx) => {
    for (let i = 0; i < 50; i++) await sendLater(tx, message({ recipient: `p${i}@example.com` }));
  });
  const sent: string[] = [];
  const mailer: Mailer = {
    send: async ({ to }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      sent.push(to);
    },
    close: () => {},
  };
  await Promise.all([deliver({ mailer }), deliver({ mailer }), deliver({ mailer })]);
  expect(sent.sort()).toEqual(Array.from({ length: 50 }, (_, i) => `p${i}@example.com`).sort());
});

test('without a mail server, mails are files that only their owner can read, never incomplete', async () => {
  await leave();
  const paths: string[] = [];
  await deliver({ mailer: folderMailer(join(folder, 'mail'), 'Haulgate <desk@haulgate.test>', (path) => paths.push(path)) });
  const names = await readdir(join(folder, 'mail'));
  expect(paths).toEqual(names.map((name) => join(folder, 'mail', name)));
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.eml$/)]);
  expect((await stat(paths[0]!)).mode & 0o077).toBe(0);
  expect(parseEmail((await filesOf(join(folder, 'mail')))[0]!)).toMatchObject({ to: 'ada@example.com', subject: 'Schöne Grüße' });
});

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
  composing = () => {
    composing = async () => undefined;
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
