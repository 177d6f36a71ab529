import type { EntityClass } from '@mikro-orm/core';
import { ref } from '@mikro-orm/core';
import { holdCompany, isConnected, lockPair } from '../../directory/accounts/connections.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { CompanyShare } from '../../directory/shares/company-share.entity.ts';
import type { CreateCompanyShareInput } from '../../directory/shares/company-share.inputs.ts';
import type { CompanyShareableType } from '../../directory/shares/shared-with.ts';
import { SHARES } from '../../directory/shares/shares-purpose.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';

type Shareable = User | Equipment | Site;
export const SHAREABLE: Record<CompanyShareableType, EntityClass<Shareable>> = { User, Equipment, Site };

/**
 * Shares a record of a company with another company that is connected to it or of the caller's family. The record may itself have been
 * shared with the company.
 * @throws Denied, Missing, Invalid with every wrong field at once
 */
export function createCompanyShare(
  ctx: Context,
  companyId: string | null | undefined,
  input: CreateCompanyShareInput,
): Promise<{ id: string }> {
  const own = companyOf(ctx, companyId);
  allow(ctx, 'create_company_share', 'create_companyshare');
  return transact(ctx, async (tx) => {
    const items: ErrorItem[] = [];
    const report = (field: string, key: string) => items.push({ model: 'CompanyShare', field, key });
    if (!(await holdCompany(tx, own))) throw new Missing();
    const receiver = await receiverOf(tx, own, input.receiverCompanyId);
    if (receiver === 'itself') report('receiverCompanyId', 'connects_to_itself');
    else if (!receiver) report('receiverCompanyId', 'must_exist');
    const { parent, found } = await offered(tx, own, input);
    if (!found) report('companyShareableId', 'must_exist');
    // The receiver finds shared people among its drivers and foremen, and nowhere else.
    if (found instanceof User && !found.roles.some((role) => role === 'driver' || role === 'foreman'))
      report('companyShareableId', 'hauls_nothing');
    if (input.expiresAt && input.expiresAt <= tx.tx.now) report('expiresAt', 'in_the_past');
    const person = input.companyShareableType === 'User';
    const dispatchable = input.dispatchable ?? (person && parent?.plannable !== false);
    if (dispatchable && parent && !parent.plannable) report('dispatchable', 'not_dispatchable');
    if (receiver && receiver !== 'itself' && parent && (await sendersAbove(tx, parent)).includes(receiver.id))
      report('receiverCompanyId', 'shares_it_already');
    if (items.length > 0) throw new Invalid(items);

    const share = Object.assign(new CompanyShare(), {
      companyId: own,
      senderCompany: ref(Company, own),
      receiverCompany: ref(receiver as Company),
      companyShareableType: input.companyShareableType,
      companyShareableId: input.companyShareableId.toLowerCase(),
      parentCompanyShareId: parent?.id ?? null,
      ticketMatchId: input.ticketMatchId ?? null,
      dispatchable,
      rateOverride: person && (input.rateOverride ?? false),
      expiresAt: input.expiresAt ?? null,
    });
    await makeRoom(tx, share);
    tx.em.persist(share);
    emitEvent(tx, 'company_share.created', share);
    return { id: share.id };
  });
}

/** Ends a share, and with it what hangs on it. Either side may. @throws Denied, Missing */
export function deleteCompanyShare(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const share = await find(tx, CompanyShare, path.id, { companyId: path.companyId, shared: true, lock: true });
    allow(tx, 'delete_company_share', 'delete_companyshare');
    await endShare(tx, share);
  });
}

/** Ends the shares that a company sends and receives, with everybody or only with one other company, inside another command. */
export async function endSharesOf(tx: TxContext, companyId: string, other?: string): Promise<void> {
  const sides = {
    $or: [
      { senderCompany: companyId, ...(other ? { receiverCompany: other } : {}) },
      { receiverCompany: companyId, ...(other ? { senderCompany: other } : {}) },
    ],
  };
  const find = () => tx.em.find(CompanyShare, sides, { filters: { tenant: false }, orderBy: { createdAt: 'asc', id: 'asc' } });
  const shares = await runAsPurpose(SHARES, find);
  const ids = new Set(shares.map((share) => share.id));
  // Shares that depend on another one of them end with that.
  for (const share of shares) if (!share.parentCompanyShareId || !ids.has(share.parentCompanyShareId)) await endShare(tx, share);
}

async function endShare(tx: TxContext, share: CompanyShare): Promise<void> {
  // Their rows are removed with it in the database; companies that shared on see that when they look.
  const below = await runAsPurpose(SHARES, () =>
    queryIn<{ id: string; company_id: string }>(
      tx.em,
      `with recursive below as (
      select id, company_id from company_share where parent_company_share_id = $1
      union all
      select c.id, c.company_id from company_share c join below b on c.parent_company_share_id = b.id)
    select id, company_id from below`,
      [share.id],
    ),
  );
  for (const owner of [share.companyId, ...below.map((row) => row.company_id)]) actOnBehalfOf(owner);
  for (const { id, company_id: companyId } of below)
    tx.tx.audits.push({ event: 'destroy', type: 'CompanyShare', id, companyId, changes: { parent_company_share_id: [share.id, null] } });
  emitEvent(tx, 'company_share.deleted', share);
  tx.em.remove(share);
}

/** The company a share goes to: connected to the sender, or seen by the caller. */
async function receiverOf(tx: TxContext, own: string, id: string): Promise<Company | 'itself' | undefined> {
  const wanted = id.toLowerCase();
  if (!isUuid(wanted)) return undefined;
  if (wanted === own) return 'itself';
  // If the connection ends at the same time, the share is made before it and ends with it, or is not made at all.
  await lockPair(tx, own, wanted, 'shared');
  const [row] = await queryIn<{ connected: boolean }>(
    tx.em,
    `select exists (select 1 from account a where a.company_id = $1 and a.connected_company_id = $2 and ${isConnected('a')}) as connected`,
    [own, wanted],
  );
  if (!row!.connected && !tx.viewer!.companyIds.includes(wanted)) return undefined;
  const company = await tx.em.findOne(Company, { id: wanted, discardedAt: null }, { filters: { tenant: false } });
  return company ?? undefined;
}

/** The record that is offered, or the share by which the company has it. */
interface Offered {
  found?: Shareable | CompanyShare;
  parent?: CompanyShare;
}

/** The record to be shared: the company's own, or one that it has by a share that holds. The share is locked. */
async function offered(tx: TxContext, own: string, input: CreateCompanyShareInput): Promise<Offered> {
  const id = input.companyShareableId.toLowerCase();
  if (!isUuid(id)) return {};
  const mine = await tx.em.findOne(SHAREABLE[input.companyShareableType], { id, company: own, discardedAt: null } as never);
  if (mine) return { found: mine };
  const rows = await runAsPurpose(SHARES, () =>
    queryIn<{ id: string }>(
      tx.em,
      `select id from company_share where company_shareable_id = $1 and company_shareable_type = $2 and receiver_company_id = $3
      and (valid_until is null or valid_until > now()) order by created_at, id limit 1 for share`,
      [id, input.companyShareableType, own],
    ),
  );
  if (!rows[0]) return {};
  const parent = await find(tx, CompanyShare, rows[0].id, { shared: true });
  return { found: parent, parent };
}

/** The companies that have shared the record on, up to its owner: sharing it with them again would make a circle. */
async function sendersAbove(tx: TxContext, parent: CompanyShare): Promise<string[]> {
  const rows = await runAsPurpose(SHARES, () =>
    queryIn<{ sender: string }>(
      tx.em,
      `with recursive above as (
      select id, parent_company_share_id, sender_company_id from company_share where id = $1
      union all
      select c.id, c.parent_company_share_id, c.sender_company_id from company_share c join above a on c.id = a.parent_company_share_id)
    select sender_company_id as sender from above`,
      [parent.id],
    ),
  );
  return rows.map((row) => row.sender);
}

/** An expired share of the same record is replaced by the new one. */
async function makeRoom(tx: TxContext, fresh: CompanyShare): Promise<void> {
  const { companyShareableId, senderCompany, receiverCompany } = fresh;
  const known = await tx.em.findOne(CompanyShare, {
    companyShareableId,
    senderCompany: senderCompany.id,
    receiverCompany: receiverCompany.id,
  });
  if (!known?.validUntil || known.validUntil > tx.tx.now) return;
  await endShare(tx, known);
  await tx.em.flush();
}
