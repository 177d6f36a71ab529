import type { Ref } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import type { UpdateCompanyInput } from '../../directory/companies/company.inputs.ts';
import { applyCompanyFields } from '../../directory/companies/company-fields.ts';
import type { Contact } from '../../directory/contacts/contact.entity.ts';
import { beyondOfEverybody } from '../../identity/access/powers-of-people.ts';
import { collectUnserved } from '../../identity/sso/sso-only.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';

/**
 * Changes a company of the caller's family (PATCH): absent fields stay, null clears what a company can do without. Its platform id
 * and its place in the family are read-only here.
 * @throws Missing, Denied, Invalid with every wrong field at once
 */
export function updateCompany(ctx: Context, id: string, input: UpdateCompanyInput): Promise<Company> {
  companyOf(ctx, id);
  allow(ctx, 'edit_company');
  return transact(ctx, async (tx) => {
    const company = await find(tx, Company, id, { lock: true });
    const before = await partsOf(company);
    const methods = { before: [...company.authMethods], methods: input.authMethods };
    const to: ErrorCollector = { model: 'Company', items: [] };
    await applyCompanyFields(tx, company, input, to);
    await collectUnserved(tx, { company: company.id }, methods, to);
    await refuseBeyond(tx, company, methods.before, to);
    if (to.items.length > 0) throw new Invalid(to.items);
    auditParts(tx, company, before, await partsOf(company));
    emitEvent(tx, 'company.updated', company);
    return company;
  });
}

/**
 * Only a caller who has all permissions of these people may change how they sign in, as for a single person. A value that equals the
 * present one changes nothing.
 */
async function refuseBeyond(tx: TxContext, company: Company, before: readonly string[], to: ErrorCollector): Promise<void> {
  const sorted = (methods: readonly string[]) => [...new Set(methods)].sort().join();
  if (sorted(company.authMethods) === sorted(before) || to.items.some(({ field }) => field === 'authMethods')) return;
  const permissions = await beyondOfEverybody(tx, [company.id]);
  if (permissions.length > 0)
    to.items.push({ model: to.model, field: 'authMethods', key: 'methods_not_yours', params: { permissions: permissions.join(', ') } });
}

const PARTS = {
  address: ['thoroughfare', 'premise', 'locality', 'administrativeArea', 'postalCode', 'country', 'lat', 'lon', 'placeId'],
  primaryContact: ['name', 'email', 'phone'],
  billingContact: ['name', 'email', 'phone'],
} as const;
type Parts = Record<keyof typeof PARTS, Record<string, unknown> | null>;

/** The changes of a company's contacts and address, which are separate rows. */
async function partsOf(company: Company): Promise<Parts> {
  const parts = {} as Parts;
  for (const [name, fields] of Object.entries(PARTS) as [keyof Parts, readonly string[]][]) {
    const part = (await (company[name] as Ref<Contact> | null | undefined)?.load()) as Record<string, unknown> | null | undefined;
    parts[name] = part ? Object.fromEntries(fields.map((field) => [wire(field), part[field] ?? null])) : null;
  }
  return parts;
}

/** Contacts and addresses are written to the company's own history, because nobody looks for them anywhere else. */
function auditParts(tx: TxContext, company: Company, before: Parts, after: Parts): void {
  const changes = (Object.keys(PARTS) as (keyof Parts)[])
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name): [string, [unknown, unknown]] => [wire(name), [before[name], after[name]]]);
  if (changes.length === 0) return;
  tx.tx.audits.push({ event: 'update', type: 'Company', id: company.id, companyId: company.id, changes: Object.fromEntries(changes) });
}

const wire = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
