import { randomBytes } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { CreateCompanyInput } from '../../directory/companies/company.inputs.ts';
import { applyCompanyFields } from '../../directory/companies/company-fields.ts';
import { PLATFORM_IDS } from '../../directory/companies/find-company.ts';
import { builtInTypes } from '../../directory/equipment/built-in-types.ts';
import { Service } from '../../directory/master-data/named.entities.ts';
import { forgetViewers } from '../../identity/access/viewer.ts';
import { collectUnserved } from '../../identity/sso/sso-only.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { actOnBehalfOf, runAsPurpose, setRequestScope } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { companyIdBeside } from '../../platform/worlds/sandbox-ids.ts';

/** The service of every company from its first day on: orders need one, and there is no endpoint that makes one. */
const SERVICES = ['Haulage by the load', 'Haulage by the hour', 'Traffic control'];

/**
 * Makes a company below one of the caller's family, by default the caller's company; only a platform administrator makes one without a
 * parent. The caller sees it at once.
 * @throws Denied, Invalid with every wrong field at once
 */
export async function createCompany(ctx: Context, input: CreateCompanyInput): Promise<{ id: string }> {
  const viewer = allow(ctx, 'create_company');
  const made = await transact(ctx, async (tx) => {
    const to: ErrorCollector = { model: 'Company', items: [] };
    const parent = await parentOf(tx, viewer, input.parentCompanyId, to);
    const company = Object.assign(await newCompany(tx), {
      parentCompany: parent ? ref(parent) : null,
      // The contract's default; a company that is invited to haul for another is not a customer of the platform yet.
      platformCustomer: false,
      fuelSurchargePercentage: new Decimal(0),
    });
    await applyCompanyFields(tx, company, input, to);
    await collectUnserved(tx, { parent: parent?.id }, { methods: input.authMethods }, to);
    if (to.items.length > 0) throw new Invalid(to.items);
    tx.em.persist(builtInTypes(company));
    emitEvent(tx, 'company.created', company);
    afterCommit(tx, () => forgetViewers(tx.em));
    return { id: company.id };
  });
  // The family of this request's caller was read before it grew.
  ctx.viewer = { ...viewer, companyIds: [...new Set([...viewer.companyIds, made.id])] };
  setRequestScope(ctx.viewer.companyIds);
  return made;
}

/** A company with a platform id and its services, persisted; the caller sets its name, place and units, and then its `builtInTypes`. */
export async function newCompany(tx: TxContext): Promise<Company> {
  const company = Object.assign(new Company(), { id: companyIdBeside(tx.viewer?.companyId), platformId: await freePlatformId(tx) });
  actOnBehalfOf(company.id);
  tx.em.persist(company);
  for (const name of SERVICES) tx.em.persist(Object.assign(new Service(), { company: ref(company), name, system: true }));
  return company;
}

/** True for platform administrators: only they make companies without a parent, and move companies out of families. */
export const isPlatformAdmin = (viewer: Viewer): boolean => viewer.roles.includes('platform_admin');

async function parentOf(
  tx: TxContext,
  viewer: Viewer,
  wanted: string | null | undefined,
  to: ErrorCollector,
): Promise<Company | undefined> {
  if (!wanted && isPlatformAdmin(viewer)) return undefined;
  const id = wanted ?? viewer.companyId;
  // Locked, so that nobody discards the parent while it gets a child.
  const parent = viewer.companyIds.includes(id.toLowerCase()) ? await find(tx, Company, id, { lock: true }) : undefined;
  if (!parent || parent.discardedAt) to.items.push({ model: to.model, field: 'parentCompanyId', key: 'must_exist' });
  return parent;
}

/** Six random hexadecimal digits that no company has; if two transactions draw the same ones, the unique index refuses the second. */
export async function freePlatformId(tx: TxContext): Promise<string> {
  const candidates = Array.from({ length: 8 }, () => randomBytes(3).toString('hex').toUpperCase());
  const rows = await runAsPurpose(PLATFORM_IDS, () =>
    queryIn(
      tx.em,
      'select c.id from unnest($1::text[]) c(id) where not exists (select 1 from company o where o.platform_id = c.id) limit 1',
      [candidates],
    ),
  );
  const [free] = rows as { id: string }[];
  return free?.id ?? candidates[0]!;
}
