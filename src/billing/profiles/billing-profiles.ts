import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { requireExpected } from '../../platform/authz/expected.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { asAddress, isEmail } from '../../platform/email.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { BillingProfile } from './billing-profile.entity.ts';
import type { UpdateBillingProfileInput } from './profile.inputs.ts';

const model = 'BillingProfile';
/** A new profile of an account. */
const blank = ({ id, company }: Account): BillingProfile => Object.assign(new BillingProfile(), { id, company: ref(Company, company.id) });
/**
 * The profile of an account that wants nothing special: each answer is the same. Its version is that of no profile that somebody has changed, which begin
 * with 1, and it is as old as the account.
 */
const unchanged = (account: Account): BillingProfile =>
  Object.assign(blank(account), { version: 0, createdAt: account.createdAt, updatedAt: account.createdAt });

/** Returns how an account is billed. @throws Missing, Denied */
export async function billingProfileOf(ctx: Context, path: RecordPath): Promise<BillingProfile> {
  const account = await find(ctx, Account, path.id, path);
  allow(ctx, 'view_settlements');
  const own = { id: account.id, company: account.company.id };
  return (await ctx.em.findOne(BillingProfile, own, { filters: { tenant: false } })) ?? unchanged(account);
}

/**
 * Changes how an account is billed; absent fields stay. Invoices that nobody has approved follow.
 * @throws Missing, Denied; Invalid naming each address that is none by its place
 */
export function updateBillingProfile(ctx: Context, path: RecordPath, input: UpdateBillingProfileInput): Promise<BillingProfile> {
  return transact(ctx, async (tx) => {
    await find(tx, Account, path.id, path);
    allow(tx, 'edit_account');
    // It answers how the account is billed, and changes what bills say.
    allow(tx, 'view_settlements');
    // The account is locked, so that two first changes at once make one profile, and the second one finds that of the first.
    const account = await find(tx, Account, path.id, { ...path, lock: true });
    if (account.discardedAt) throw new Missing();
    const own = { id: account.id, company: account.company.id };
    const known = await tx.em.findOne(BillingProfile, own, { filters: { tenant: false } });
    requireExpected(tx, known ?? unchanged(account), true);
    const profile = known ?? blank(account);
    const items: ErrorItem[] = [];
    const emails = input.emails?.map((email, i) => {
      const address = asAddress(email);
      if (!isEmail(address)) items.push({ model, field: `emails.${i}`, key: 'invalid_email' });
      return address;
    });
    if (items.length > 0) throw new Invalid(items);
    const text = (value: string | null | undefined): string | null | undefined => (value == null ? value : value.trim() || null);
    const flag = (value: boolean | null | undefined): boolean | undefined => (value === null ? false : value);
    const { cadence, termsDays, fuelLagWeeks, breaksPaid } = input;
    const changes = {
      ...{ poRequired: flag(input.poRequired), poPattern: text(input.poPattern), cadence, breaksPaid },
      ...{ oneJobPerSettlement: flag(input.oneJobPerSettlement), ticketNumberPerLine: flag(input.ticketNumberPerLine) },
      attachments: flag(input.attachments),
      ...{ emails: input.emails === null ? [] : emails && [...new Set(emails)], termsDays },
      ...{ taxExemptNumber: text(input.taxExemptNumber), fuelLagWeeks },
    };
    for (const [name, value] of Object.entries(changes)) if (value !== undefined) Object.assign(profile, { [name]: value });
    if (!known) tx.em.persist(Object.assign(profile, { version: 1 }));
    emitEvent(tx, 'billing_profile.updated', profile);
    return profile;
  });
}
