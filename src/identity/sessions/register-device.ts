import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { SYSTEM, writeRecords } from '../../platform/commands/records.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies, definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import { Missing, Unauthenticated } from '../../platform/errors.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';
import { DeviceToken } from './device-token.entity.ts';

/** Takes a telephone from the person who used it before, of whatever company. */
export const DEVICES = definePurpose('devices', { device_token: ['select (id, company_id, user_id, token_hash)', 'delete'] });

/**
 * Keeps where push messages for the caller go. A telephone belongs to one person: nothing is sent any more to the one who used it before.
 * When it is registered again, it moves to the present session.
 * @param answer reads what the caller is answered, before somebody else can take the telephone
 * @throws Missing for machine clients, and for somebody who acts as another person: it is not that person's telephone
 */
export function registerDevice<T>(ctx: Context, token: string, answer: (tx: TxContext, device: DeviceToken) => Promise<T>): Promise<T> {
  const { type, id: userId, companyId, sessionId } = viewerOf(ctx) as IdentifiedViewer;
  if (type !== 'User') throw new Missing();
  const tokenHash = createHash('sha256').update(token).digest('hex');
  return transact(ctx, async (tx) => {
    // Two people who register one telephone at once would both find nobody before them.
    await queryIn(tx.em, `select pg_advisory_xact_lock(hashtextextended('haulgate:device:' || $1, 0))`, [tokenHash]);
    await keepOpen(tx, sessionId);
    await takeFromOthers(tx, tokenHash, userId);
    const own = await tx.em.findOne(DeviceToken, { companyId, userId, tokenHash });
    const device = own
      ? Object.assign(own, { sessionId: sessionId || null, updatedAt: tx.tx.now })
      : Object.assign(new DeviceToken(), { companyId, userId, token, tokenHash, sessionId: sessionId || null });
    await tx.em.persist(device).flush();
    return answer(tx, device);
  });
}

/** A session that is ending at this moment ends without the telephone. @throws Unauthenticated */
async function keepOpen(tx: TxContext, sessionId: string | undefined): Promise<void> {
  if (!sessionId) return;
  const open = await queryIn(tx.em, 'select 1 from user_session where id = $1 and revoked_at is null for share', [sessionId]);
  if (open.length === 0) throw new Unauthenticated('invalid_token');
}

/** Their audit log shows that the telephone went, but not to whom: that may be somebody of another company. */
async function takeFromOthers(tx: TxContext, tokenHash: string, userId: string): Promise<void> {
  const taken = await runAsPurpose(DEVICES, () =>
    queryIn<Gone>(tx.em, 'delete from device_token where token_hash = $1 and user_id <> $2 returning id, company_id, user_id', [
      tokenHash,
      userId,
    ]),
  );
  for (const row of taken)
    await asCompanies([row.company_id], () =>
      writeRecords(
        tx.em,
        { events: [], audits: [goneAudit(row)], transitions: [] },
        { actor: SYSTEM, requestId: tx.requestId, now: tx.tx.now },
      ),
    );
}

/** Forgets a telephone on which the app is no longer, as its push service has reported. */
export async function forgetDevice(em: EntityManager, id: string): Promise<void> {
  const find = 'select company_id from device_token where id = $1';
  const rows = await queryAs<{ company_id: string }>(DEVICES, em, find, [id]);
  if (!rows[0]) return;
  await asSystem(em, rows[0].company_id, async (tx) => {
    const gone = await queryIn<Gone>(tx.em, 'delete from device_token where id = $1 returning id, company_id, user_id', [id]);
    tx.tx.audits.push(...gone.map(goneAudit));
  });
}

/** A telephone that is nobody's any more. */
export interface Gone {
  id: string;
  company_id: string;
  user_id: string;
}

/** The audit entry of a telephone. */
export const goneAudit = (row: Gone) => ({
  event: 'destroy' as const,
  type: 'DeviceToken',
  id: row.id,
  companyId: row.company_id,
  changes: { user_id: [row.user_id, null] as [unknown, unknown] },
});
