import { expect, test } from '@jest/globals';
import { startExportWorker } from '../../../src/billing/accounting/exports/export-worker.ts';
import { until } from '../../helpers/until.ts';
import { type Asked, type Reply } from '../../telematics/fake-provider.ts';
import { messages } from '../books.ts';
import {
  act,
  admin,
  approvedSettlement,
  books,
  disturbance,
  exportOf,
  link,
  mapped,
  read,
  send,
  sentOf,
  system,
  taken,
  tryNow,
} from './exported-settlements.ts';
import { nextTry } from './next-try.ts';

test('what a system may have goes to no other one until somebody knows', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    disturbance.of = (asked) => (JSON.parse(asked.body).id === settlement.id ? (res) => void res.destroy() : undefined);
    await send(settlement);
    await until(async () => {
      await tryNow();
      return (await read(settlement)).integration_settlement_export.state === 'failed';
    });
    disturbance.of = () => undefined;
    const other = await link(`${system.url}/other`);
    const ask = `mutation ($id: ID!, $to: ID) { exportSettlement(id: $id, linkedAccountId: $to) { id } }`;
    const elsewhere = await books.app.graphql(ask, { id: settlement.id, to: other }, { token: admin });
    expect(elsewhere.body.errors[0].extensions.errors[0]).toMatchObject({
      ...{ field: 'linkedAccountId', message: 'must be the system to which it was sent, which has not answered and may have it' },
    });
    await books.tenant.must('DELETE', `/v1/integrations/linked_accounts/${other}`, undefined, admin);
    expect((await send(settlement)).status).toBe(202);
    await exportOf(settlement, 'exported');
    expect(sentOf(settlement)).toHaveLength(1);
  });
});

test('a system that is away, slow or without words gets the document again under the same key, and has it once', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    const replies: ((asked: Asked) => Reply | undefined)[] = [
      () => ({ status: 503 }),
      // It has the document, and the connection breaks before it says so.
      (asked) => {
        taken(asked);
        return (res) => void res.destroy();
      },
      () => 'no JSON',
      () => () => undefined,
    ];
    disturbance.of = (asked) => (JSON.parse(asked.body).id === settlement.id ? replies.shift()?.(asked) : undefined);
    expect((await send(settlement)).status).toBe(202);
    // While it is on its way, it stays as it is; asking again changes nothing.
    expect((await act(settlement, 'void')).status).toBe(409);
    expect((await send(settlement)).status).toBe(202);
    await until(async () => {
      await tryNow();
      return (await read(settlement)).integration_settlement_export.state === 'exported';
    });
    expect(replies).toEqual([]);
    expect(sentOf(settlement)).toHaveLength(1);
    // An export that is given up says how the last try failed, and not the one before.
    const away = await approvedSettlement();
    let reply: Reply = { status: 503 };
    disturbance.of = (asked) => (JSON.parse(asked.body).id === away.id ? reply : undefined);
    await send(away);
    await until(async () => (await read(away)).integration_settlement_export.last_error?.includes('503'));
    reply = 'no JSON';
    await until(async () => {
      await nextTry(books.app, { attempts: 5 });
      return (await read(away)).integration_settlement_export.state === 'failed';
    });
    expect((await read(away)).integration_settlement_export.last_error).toContain('JSON');
    disturbance.of = () => undefined;
  });
});

test('a document that is refused says why, and may be corrected', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    disturbance.of = (asked) =>
      JSON.parse(asked.body).id === settlement.id ? { status: 422, body: { error: 'The period is closed.' } } : undefined;
    await send(settlement);
    expect(await exportOf(settlement, 'failed')).toMatchObject({
      last_error: 'the accounting system does not take the document (422) “The period is closed.”',
    });
    disturbance.of = () => undefined;
    expect((await act(settlement, 'unapprove')).status).toBe(200);
    const unapproved = await send(settlement);
    expect([unapproved.status, messages(unapproved)]).toEqual([422, ['is pending; only an approved settlement can be exported']]);
    expect((await act(settlement, 'approve')).status).toBe(200);
    await send(settlement);
    await exportOf(settlement, 'exported');
    expect(sentOf(settlement)).toHaveLength(1);
  });
});

test('two workers that look at once send a document once', async () => {
  await mapped(async () => {
    const second = startExportWorker({ em: books.app.productOrm.em, log: { warn: () => undefined }, sweepEvery: 20 });
    try {
      const settlements = [await approvedSettlement(), await approvedSettlement()];
      await Promise.all(settlements.map((one) => send(one)));
      for (const one of settlements) await exportOf(one, 'exported');
      for (const one of settlements) expect(sentOf(one)).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });
});
