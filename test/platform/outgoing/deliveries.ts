import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../../src/app/rooms.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import type { Context } from '../../../src/platform/context.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { startDeliveries } from '../../../src/platform/outgoing/deliver.ts';
import { type Mailer } from '../../../src/platform/outgoing/mail.ts';
import { composeWith, DELIVERIES, type OutgoingMessage, sendLater } from '../../../src/platform/outgoing/outgoing.ts';
import { type Texter } from '../../../src/platform/outgoing/sms.ts';
import { registerAll } from '../../../src/platform/registration.ts';
import { migratedDatabase } from '../../helpers/database.ts';

export let orm: MikroORM;
export let folder: string;
/** The work for which the texts that are sent once at most wait while they are composed. */
export const composing: { wait: () => Promise<unknown> } = { wait: async () => undefined };
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
        await composing.wait();
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

export const run = (sql: string, ...values: unknown[]) => orm.em.getConnection().execute(sql, values) as Promise<Record<string, unknown>[]>;
export const context = () => ({ em: orm.em.fork(), requestId: 'r-1', language: 'fr-ca', memo: new Map() }) as unknown as Context;
export const message = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  channel: 'mail',
  kind: 'test',
  recipient: 'ada@example.com',
  language: 'fr-ca',
  params: { word: 'gravel' },
  worthSeconds: 600,
  ...more,
});
export const leave = (more: Partial<OutgoingMessage> = {}) => transact(context(), (tx) => sendLater(tx, message(more)));
export const nobody: Mailer & Texter = {
  send: () => Promise.reject(new Error('not asked')),
  close: () => {},
};
export const warned: string[] = [];
export async function deliver(ways: { mailer?: Mailer; texter?: Texter }): Promise<void> {
  const log = { info: () => {}, warn: (_: object, text: string) => void warned.push(text) };
  const deliveries = startDeliveries({ em: orm.em, mailer: ways.mailer ?? nobody, texter: ways.texter ?? nobody, log, every: 3_600_000 });
  await deliveries.idle();
  await deliveries.stop();
}
export const due = () => run(`update outgoing_message set next_at = now()`);
