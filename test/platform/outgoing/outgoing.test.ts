import { readdir, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { transact } from '../../../src/platform/commands/transact.ts';
import { startDeliveries } from '../../../src/platform/outgoing/deliver.ts';
import { folderMailer, type Mailer, smtpMailer } from '../../../src/platform/outgoing/mail.ts';
import { sendLater } from '../../../src/platform/outgoing/outgoing.ts';
import { filesOf, parseEmail } from '../../helpers/emails.ts';
import { context, deliver, due, folder, leave, message, nobody, orm, run, warned } from './deliveries.ts';

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

test.each([
  ['does not greet', '', 'Greeting never received'],
  ['greets and then says nothing', '220 mail.example\r\n', 'Timeout'],
])(
  'a mail server that %s is not waited for',
  async (_, greeting, reason) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.write(greeting);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await leave();
      await deliver({ mailer: smtpMailer(`smtp://127.0.0.1:${port}`, 'desk@haulgate.test', 300) });
      expect(await run('select attempts, last_error from outgoing_message')).toEqual([
        { attempts: 1, last_error: expect.stringContaining(reason) },
      ]);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  },
  20_000,
);

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
