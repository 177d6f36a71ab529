import { ArgsType, Field, ID } from 'type-graphql';
import { Account } from '../directory/account.entity.ts';
import { Company } from '../directory/company.entity.ts';
import { connectionStands, partnerOf } from '../directory/connections.ts';
import { allow, companyOf, viewerOf } from '../platform/authz/fences.ts';
import { setTenant } from '../platform/authz/tenant.ts';
import { record, type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { actFor } from '../platform/database/scope.ts';
import { poolOf, queryIn } from '../platform/database/sql.ts';
import { Invalid, Missing } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import type { Where } from '../platform/read/reader.ts';
import './account.messages.ts';

const beyond = { filters: { tenant: false } } as const;

/** Where the records of a managed company are: below the company that manages it. */
@ArgsType()
export class ManagedPath {
  @Field(() => ID) companyId!: string;
  @Field(() => ID) managedCompanyId!: string;
}

/** Companies whose people and trucks a company keeps, because nobody there works with the platform themselves. */
export const managedBy = (companyId: string): Where => ({
  key: 'managedBy',
  sql: (t, p) => `${t}.discarded_at is null and exists (
    select 1 from account a where a.connected_company_id = ${t}.id and a.company_id = ${p} and a.managed and ${connectionStands('a')})`,
  cast: 'uuid',
  value: companyId,
});

/**
 * Begins or ends managing a connected company. Only one that is no customer of the platform is managed: the others speak for themselves.
 * Since connecting asks nobody, it is the company that brought it here which may, before anybody there has signed in; what is in the
 * caller's own family is the caller's anyway.
 * @throws Denied, Missing, Invalid
 */
export function setManaged(ctx: Context, companyId: string, id: string, managed: boolean): Promise<void> {
  const own = companyOf(ctx, companyId);
  const viewer = allow(ctx, 'edit_company');
  return transact(ctx, async (tx) => {
    const account = isUuid(id)
      ? await tx.em.findOne(Account, { company: own, connectedCompany: id.toLowerCase(), discardedAt: null })
      : null;
    const company = account && (await tx.em.findOne(Company, { id: id.toLowerCase(), discardedAt: null }, beyond));
    if (!company || (managed ? !(await partnerOf(tx, account)) : !account.managed)) throw new Missing();
    if (managed && company.platformCustomer) throw new Invalid([{ model: 'Company', field: 'platformCustomer', key: 'speaks_for_itself' }]);
    if (managed && !account.managed && !viewer.companyIds.includes(company.id)) await mayBegin(tx, account, company);
    account.managed = managed;
    record(tx, managed ? 'account.managed' : 'account.unmanaged', account);
  });
}

async function mayBegin(tx: TxContext, account: Account, company: Company): Promise<void> {
  const refuse = (key: string) => new Invalid([{ model: 'Company', field: 'id', key }]);
  if (!account.invited) throw refuse('not_invited_by_you');
  actFor(company.id);
  const text = 'select exists (select 1 from app_user where company_id = $1 and last_login_at is not null) as known';
  const [row] = await queryIn<{ known: boolean }>(tx.em, text, [company.id]);
  if (row!.known) throw refuse('works_here_already');
}

/**
 * A context that acts inside a company that the given one manages, or any of the caller's family, and nowhere else, with the caller's own permissions.
 * @throws Missing when it is not managed
 */
export async function actingFor(
  ctx: Context,
  { companyId, managedCompanyId }: { companyId?: string | null; managedCompanyId: string },
): Promise<Context> {
  const own = companyId ? [companyOf(ctx, companyId)] : viewerOf(ctx).companyIds;
  const id = isUuid(managedCompanyId) ? managedCompanyId.toLowerCase() : '';
  if (!id) throw new Missing();
  const pool = await poolOf(ctx.em);
  const { rowCount } = await pool.query({
    name: 'is-managed',
    text: `select 1 from account a join company c on c.id = a.connected_company_id
      where a.company_id = any($1) and a.connected_company_id = $2 and a.managed and ${connectionStands('a')}
        and c.discarded_at is null and not c.platform_customer`,
    values: [own, id],
  });
  if (!rowCount) throw new Missing();
  actFor(id);
  const viewer = { ...viewerOf(ctx), companyId: id, companyIds: [id] };
  const em = ctx.em.fork({ clear: true });
  setTenant(em, viewer);
  const acting: Context = { ...ctx, viewer, em, memo: new Map() };
  acting.read = ctx.read.as(acting);
  return acting;
}
