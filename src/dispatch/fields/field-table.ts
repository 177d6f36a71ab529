import { type EntityClass, ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import type { Rate, RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { type ReferenceSpec, resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Along } from '../../platform/database/connection/together.ts';
import type { ErrorCollector } from '../../platform/errors.ts';

/** The fields that an input of work may set on its record. */
export interface FieldTable {
  /** Fields that are copied from the input to the record as they are. */
  plain: readonly string[];
  /** Fields that cannot be null: null sets them back to their default. */
  defaulted: Readonly<Record<string, unknown>>;
  /** Relations, by the id fields that set them. */
  relations: Readonly<Record<string, readonly [EntityClass<{ id: string }>, string]>>;
}

/** Lists of people, by the fields that name them. */
export const PEOPLE = ['foremanIds', 'collaboratorIds', 'salespersonIds'] as const;

export type References = Record<string, unknown>;
type Discardable = { id: string; discardedAt?: Date | null; state?: string };

/** What else is looked for with the fields of a table. */
export interface FurtherReferences {
  more?: Readonly<Record<string, ReferenceSpec>>;
  /** Looked for in the same message (`referencesAhead`). */
  behind?: readonly Along[];
}

/** Resolves everything that an input refers to, among the records that the record's company sees. Unknown ids become errors of their fields. */
export function resolveFields(
  tx: TxContext,
  input: object,
  table: FieldTable,
  companyId: string,
  to: ErrorCollector,
  { more = {}, behind = [] }: FurtherReferences = {},
): Promise<References> {
  const specs: Record<string, ReferenceSpec> = { ...more };
  for (const [field, [entity]] of Object.entries(table.relations)) specs[field] = [entity, field];
  for (const field of PEOPLE) specs[field] = [User as never, field];
  return resolveReferences(tx, input, specs, { model: to.model, companyId, items: to.items, behind });
}

/** Copies the input onto the record; absent fields keep their values. @param parties whom the work is for and who does it */
export function applyFields(
  record: object,
  input: object,
  table: FieldTable,
  referred: References,
  to: ErrorCollector,
  parties: Parties = {},
): void {
  const given = input as Record<string, unknown>;
  const target = record as Record<string, unknown>;
  for (const field of table.plain) if (given[field] !== undefined) target[field] = given[field];
  for (const [field, fallback] of Object.entries(table.defaulted)) if (given[field] !== undefined) target[field] = given[field] ?? fallback;
  for (const [field, [, relation]] of Object.entries(table.relations)) {
    if (given[field] === undefined) continue;
    const one = referred[field] as Discardable | null | undefined;
    const before = (target[relation] as { id: string } | null | undefined)?.id;
    if (one && one.id !== before) {
      collectUnusable(one, field, to);
      validateRateOwner(one as object as Rate, field, parties, to);
    }
    if (one !== undefined) target[relation] = one ? ref(one) : null;
  }
  for (const field of PEOPLE) if (given[field] !== undefined) target[field] = peopleOf(target[field], referred[field], field, to);
  const taxRate = given.taxRate as { decimalPlaces(): number } | null | undefined;
  if (taxRate && taxRate.decimalPlaces() > 4) to.items.push({ model: to.model, field: 'taxRate', key: 'four_decimals' });
}

/** Material is bought from vendors only: what it costs is owed to them. */
export function collectNoSupplier(account: Account | null | undefined, field: string, to: ErrorCollector): void {
  if (account && !account.accountTypes.includes('vendor')) to.items.push({ model: to.model, field, key: 'not_a_vendor' });
}

/** The customer, vendor and driver of some work, as far as they are known. */
export type Parties = { readonly [side in RateOwnerType]?: { id: string } | null | undefined };

/**
 * Checks that a rate card fits its side. A rate card is for one side, and for all of it or for one account or driver (DOMAIN 3.3): a customer's
 * rate does not fit a driver or another customer. Fields that name no rate card are skipped.
 */
export function validateRateOwner(rateCard: Rate, field: string, parties: Parties, to: ErrorCollector): void {
  const side = RATE_CARD_OF.exec(field)?.[1] as RateOwnerType | undefined;
  if (!side) return;
  const party = parties[side];
  const meant = side === 'driver' ? rateCard.driver : rateCard.account;
  if (rateCard.ownerType !== side) to.items.push({ model: to.model, field, key: 'not_a_rate_of', params: { owner: side } });
  else if (meant && party && meant.id !== party.id)
    to.items.push({ model: to.model, field, key: side === 'driver' ? 'other_driver' : 'other_account' });
}

const RATE_CARD_OF = /^(customer|vendor|driver)RateId$/;

/** Returns the ids of the people that an input names, each once. A person who has left stays where they were before, but cannot be added. */
export function peopleOf(before: unknown, named: unknown, field: string, to: ErrorCollector): string[] {
  const known = new Set(before as string[] | null | undefined);
  const people = (named ?? []) as (Discardable | undefined)[];
  for (const [i, person] of people.entries()) if (person && !known.has(person.id)) collectUnusable(person, `${field}.${i}`, to);
  return [...new Set(people.flatMap((person) => person?.id ?? []))];
}

/** Reports discarded and inactive records, which take no new work (DOMAIN 1.9). */
export function collectUnusable(record: Discardable, field: string, to: ErrorCollector): void {
  if (record.discardedAt) to.items.push({ model: to.model, field, key: 'is_discarded' });
  else if (record.state === 'inactive') to.items.push({ model: to.model, field, key: 'is_inactive' });
}
