import { SIGN_IN_METHODS } from '../../directory/companies/company.inputs.ts';
import type { AuthMethod } from '../../directory/companies/company-enums.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';

/** Looks for a provider of a company or one above it, which those below may not see. */
export const SERVED = definePurpose('sso_served', {
  company: ['select (id, parent_company_id, legal_name, auth_methods, discarded_at)'],
  sso_connection: ['select (id, company_id, ready, proven_domains)'],
});

const isSsoOnly = (methods: readonly string[]): boolean =>
  methods.includes('sso') && methods.filter((name) => SIGN_IN_METHODS.includes(name as AuthMethod)).every((name) => name === 'sso');

/** Whether anybody is sent to a connection: its provider is described, and a domain leads there. */
export const isServing = (connection: { ready: boolean; provenDomains: readonly string[] }): boolean =>
  connection.ready && connection.provenDomains.length > 0;
const SERVING = (s: string) => `${s}.ready and ${s}.proven_domains <> '{}'`;

/**
 * Collects an error when a company is about to allow only its provider and there is none, of its own or of a company above it: nobody could
 * sign in any more. Nor could its platform administrators, whom no provider signs in. Without `methods`, or with the present ones, nothing
 * is checked.
 * @param of the company, or of one that is being made its parent
 */
export async function collectUnserved(
  tx: TxContext,
  of: { company: string } | { parent: string | undefined },
  { before = [], methods }: { before?: readonly string[]; methods: readonly string[] | null | undefined },
  to: ErrorCollector,
): Promise<void> {
  if (!methods || !isSsoOnly(methods) || isSsoOnly(before)) return;
  await lockSignInMethods(tx);
  const from = 'company' in of ? of.company : of.parent;
  const [served] = from ? await runAsPurpose(SERVED, () => queryIn(tx.em, IS_SERVED, [from])) : [];
  const report = (key: string) => to.items.push({ model: to.model, field: 'authMethods', key });
  if (!served) report('no_provider_yet');
  else if ('company' in of && (await queryIn(tx.em, RUNS_PLATFORM, [of.company])).length > 0) report('platform_needs_another_way');
}

/** Whether a company allows its provider alone, which signs in no platform administrator. So it stays to the end of the transaction. */
export async function allowsSsoAlone(tx: TxContext, companyId: string): Promise<boolean> {
  const methods = 'select auth_methods::text[] as methods from company where id = $1 for share';
  const [company] = await queryIn<{ methods: string[] }>(tx.em, methods, [companyId]);
  return isSsoOnly(company?.methods ?? []);
}

/**
 * The name of a company that allows only its provider and would have none: of the given one and those below it, as the transaction has
 * written them.
 * @param without a connection that is about to end
 */
export async function strandedBelow(tx: TxContext, companyId: string, without?: string): Promise<string | undefined> {
  await lockSignInMethods(tx);
  const [stranded] = await runAsPurpose(SERVED, () => queryIn<{ name: string }>(tx.em, STRANDED, [companyId, without ?? null]));
  return stranded?.name;
}

/**
 * Serializes commands that remove a provider and commands that rely on one, until the end of the transaction. They are rare enough for one
 * lock.
 */
const lockSignInMethods = (tx: TxContext) => queryIn(tx.em, "select pg_advisory_xact_lock(hashtextextended('haulgate:sso_only', 0))", []);

/** A company and those above it. */
const UP = (start: string) => `with recursive above (id, parent) as (
    select id, parent_company_id from company where id = ${start}
    union all select p.id, p.parent_company_id from company p join above a on p.id = a.parent)`;

const IS_SERVED = `${UP('$1')} select 1 from sso_connection s join above a on a.id = s.company_id where ${SERVING('s')} limit 1`;

const RUNS_PLATFORM = `select 1 from app_user where company_id = $1 and 'platform_admin' = any(roles) and discarded_at is null limit 1`;

const STRANDED = `with recursive below (id) as (
    select $1::uuid union all select c.id from company c join below b on c.parent_company_id = b.id)
  select c.legal_name as name from below b join company c on c.id = b.id
  where c.discarded_at is null and 'sso' = any(c.auth_methods)
    and not c.auth_methods && '{${SIGN_IN_METHODS.filter((name) => name !== 'sso').join()}}'
    and not exists (${UP('c.id')}
      select 1 from sso_connection s join above a on a.id = s.company_id where s.id is distinct from $2 and ${SERVING('s')})
  order by c.id limit 1`;
