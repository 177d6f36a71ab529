import { ArgsType, Field, ID } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { isConnected, partnerOf } from '../../directory/accounts/connections.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { beyondOfAll, withThoseAbove } from '../../identity/access/powers-of-people.ts';
import type { IdentifiedViewer } from '../../identity/access/viewer.ts';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { setTenant } from '../../platform/database/tenant.ts';
import { Denied, type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Where } from '../../platform/read/reader.ts';

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
    select 1 from account a where a.connected_company_id = ${t}.id and a.company_id = ${p} and a.managed and ${isConnected('a')})`,
  cast: 'uuid',
  value: companyId,
});

/**
 * Begins or ends managing a connected company. Only a company that is not a customer of the platform can be managed; the others act for
 * themselves. Because connecting asks nobody, only the company that invited it may begin, and only before anybody there has signed in. For
 * a company of the caller's own family the caller decides: the people of the managing company, and those above them, then have their roles
 * in it, so the caller must have their permissions, as when roles are given.
 * @throws Denied, Missing, Invalid
 */
export function setManaged(ctx: Context, companyId: string, id: string, managed: boolean): Promise<void> {
  const own = companyOf(ctx, companyId);
  const viewer = allow(ctx, 'edit_company');
  return transact(ctx, async (tx) => {
    const find = async () =>
      isUuid(id)
        ? tx.em.findOne(Account, { company: own, connectedCompany: id.toLowerCase(), discardedAt: null }, { refresh: true })
        : null;
    // This and the first sign-in there are serialized; what was found before waiting may have changed.
    const account = (await find()) && (await holdsAlone(tx, id.toLowerCase())) ? await find() : null;
    const company = account && (await tx.em.findOne(Company, { id: id.toLowerCase(), discardedAt: null }, beyond));
    if (!company || (managed ? !(await partnerOf(tx, account)) : !account.managed)) throw new Missing();
    if (managed && company.platformCustomer) throw new Invalid([{ model: 'Company', field: 'platformCustomer', key: 'speaks_for_itself' }]);
    if (managed && viewer.siteIds) throw new Denied('edit_company', 'permission_beyond_sites');
    if (managed && !account.managed)
      await (viewer.companyIds.includes(company.id) ? mayHandOver(tx, account, company) : mayBegin(account, company));
    if (managed !== account.managed) account.managedUntil = managed ? null : tx.tx.now;
    account.managed = managed;
    emitEvent(tx, managed ? 'account.managed' : 'account.unmanaged', account);
  });
}

/** Keeps everybody from signing in for the first time, or acting in the company, to the end of the transaction. @returns whether it is there */
async function holdsAlone(tx: TxContext, companyId: string): Promise<boolean> {
  actOnBehalfOf(companyId);
  return (await queryIn(tx.em, 'select 1 from company where id = $1 for no key update', [companyId])).length > 0;
}

const refusal = (key: string, params?: ErrorItem['params']) => new Invalid([{ model: 'Company', field: 'id', key, params }]);

function mayBegin(account: Account, company: Company): void {
  if (!account.invited) throw refusal('not_invited_by_you');
  if (company.firstSignInAt) throw refusal('works_here_already');
}

async function mayHandOver(tx: TxContext, account: Account, company: Company): Promise<void> {
  const known = await withThoseAbove(tx, company.id);
  const gaining = (await withThoseAbove(tx, account.company.id)).filter((id) => !known.includes(id));
  const permissions = await beyondOfAll(tx, gaining);
  if (permissions.length > 0) throw refusal('company_not_yours', { permissions: permissions.join(', ') });
}

const MANAGED = `select 1 from account a join company c on c.id = a.connected_company_id
  where a.company_id = any($1::uuid[]) and a.connected_company_id = $2 and a.managed and ${isConnected('a')}
    and c.discarded_at is null and not c.platform_customer`;

/**
 * A context that acts inside a company that the given one manages, or any of the caller's family, and nowhere else, with the caller's
 * permissions. It reads no work: what others pass on to the company, and pay for it, is not the manager's affair. Each of its transactions
 * checks anew that it is managed, because the first sign-in there can end that between two statements.
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
  const { rowCount } = await pool.query({ name: 'is-managed', text: MANAGED, values: [own, id] });
  if (!rowCount) throw new Missing();
  actOnBehalfOf(id);
  const viewer: IdentifiedViewer = {
    ...(viewerOf(ctx) as IdentifiedViewer),
    companyId: id,
    companyIds: [id],
    actsAsManager: true,
    readsNoWork: true,
  };
  const em = ctx.em.fork({ clear: true });
  setTenant(em, viewer);
  // The account is locked as for a change, because commands may change it, too: two that shared it would wait for each other for ever.
  const holds = async (tx: Context) => {
    if ((await queryIn(tx.em, `${MANAGED} for no key update of a for share of c`, [own, id])).length === 0) throw new Missing();
  };
  const acting: Context = { ...ctx, viewer, em, memo: new Map(), holds };
  acting.read = ctx.read.as(acting);
  return acting;
}
