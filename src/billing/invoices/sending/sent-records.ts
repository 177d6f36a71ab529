import type { EntityClass } from '@mikro-orm/core';
import { allow, companyOf, find, viewerOf } from '../../../platform/authz/authorization.ts';
import type { TxContext } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { Denied, Invalid } from '../../../platform/errors.ts';

/** An invoice or a settlement, which may have been sent to the customer's company. */
interface Sendable {
  id: string;
  company: { id: string };
  sentToCompanyId?: string | null;
}

/** A record that the viewer reads, and where lists of its parts are read. */
export interface Readable {
  id: string;
  /** The company that reads it: its own, or the one that it was sent to. */
  companyId: string;
  /** It is in the books of another company, which sent it. */
  shared: boolean;
}

/** Finds a record in the viewer's books, or one that was sent to them. @throws Missing */
export async function findSent<T extends Sendable>(
  ctx: Context,
  entity: EntityClass<T>,
  { id, companyId }: RecordPath,
): Promise<{ record: T; reads: Readable }> {
  const record = await find(ctx, entity, id, { companyId, shared: true });
  const shared = !actsFor(ctx, { companyId }, record.company.id);
  return { record, reads: { id: record.id, companyId: shared ? record.sentToCompanyId! : record.company.id, shared } };
}

/**
 * Locks a record that was sent to the viewer's company, to answer it.
 * @throws Missing, Denied also for the company that sent it
 */
export async function lockSent<T extends Sendable>(
  tx: TxContext,
  entity: EntityClass<T>,
  path: RecordPath,
  permission: string,
): Promise<T> {
  const at = { companyId: path.companyId, shared: true };
  const { sentToCompanyId } = await find(tx, entity, path.id, at);
  allow(tx, permission);
  if (!actsFor(tx, path, sentToCompanyId)) throw new Denied(permission, 'permission_of_customer');
  return find(tx, entity, path.id, { ...at, lock: true });
}

const actsFor = (ctx: Context, { companyId }: Pick<RecordPath, 'companyId'>, company: string | null | undefined): boolean =>
  (companyId ? [companyId.toLowerCase()] : viewerOf(ctx).companyIds).includes(company ?? '');

/** Filters by whose books a record is in: one's own, or those of a company that sent it. */
export const ofBooks = {
  companyId: { sql: (t: string, p: string) => `${t}.company_id = ${p}`, cast: 'uuid' },
  received: {
    sql: (t: string, p: string, _limits: unknown, companies: () => string) => `(${t}.company_id = any(${companies()})) <> ${p}`,
    cast: 'boolean',
  },
};

/** A list of invoices or settlements, as it is asked for. */
interface Asked {
  companyId?: string | null;
  filter?: { companyId?: string | null; received?: boolean | null } | null;
  asOf?: Date | null;
}

/** Whether a list asks for records that other companies sent. @throws Invalid if it asks for these as they were */
export function namesOthers(ctx: Context, model: string, { companyId, filter, asOf }: Asked): boolean {
  const field = filter?.received
    ? 'received'
    : filter?.companyId != null && filter.companyId.toLowerCase() !== companyOf(ctx, companyId)
      ? 'companyId'
      : undefined;
  if (field && asOf) throw new Invalid([{ model, field: `filter.${field}`, key: 'as_of_received' }]);
  return field !== undefined;
}
