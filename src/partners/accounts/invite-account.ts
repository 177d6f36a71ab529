import { ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { makeAddress } from '../../directory/contacts/addresses.ts';
import { emailOf, isOneLine, makeContact, phoneOf } from '../../directory/contacts/contacts.ts';
import { builtInTypes } from '../../directory/equipment/built-in-types.ts';
import { giveExternalId } from '../../directory/master-data/taken.ts';
import { User } from '../../directory/people/user.entity.ts';
import { invite } from '../../identity/people/invite-user.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { foldEmail } from '../../platform/email.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import { newId } from '../../platform/ids.ts';
import { isZone } from '../../platform/time.ts';
import { newCompany } from '../companies/create-company.ts';
import type { InviteAccountInput } from './account.inputs.ts';
import { applyReferences, type Referring } from './account-fields.ts';
import { connectWithin } from './connect-accounts.ts';
import { collectBlank, internalTruck, invitedTruck } from './invite-equipment.ts';
import { TAKEN } from './taken-purpose.ts';

/**
 * Invites a business that is not here yet: makes its company, its first administrator and the accounts of both sides, and has the requested
 * invitations sent. Name, e-mail and telephone must be free; the error does not say who has them.
 * @throws Denied, Missing, Invalid with every wrong field at once
 */
export function inviteAccount(ctx: Context, companyId: string | undefined, input: InviteAccountInput): Promise<{ id: string }> {
  const own = companyOf(ctx, companyId ?? input.companyId ?? input.scopedCompanyId);
  allow(ctx, 'create_account');
  // It is a truck of our own, which an invitation makes for nobody who could not make it otherwise.
  if (input.internalEquipment) allow(ctx, 'create_equipment');
  return transact(ctx, async (tx) => {
    const to: ErrorCollector = { model: 'Account', items: [] };
    const inviter = await tx.em.findOneOrFail(Company, own);
    const { ours, email, phone } = await checkInvitation(tx, inviter, input, to);
    const { company, types } = await makeInvited(tx, inviter, input);
    const contact = { name: input.contact.name ?? null, email, phone };
    // What is wrong with the contact is collected by now.
    const quiet: ErrorCollector = { model: to.model, items: [] };
    company.address = ref(makeAddress(tx.em, company.id, input.address, 'address', to));
    company.primaryContact = ref(makeContact(tx.em, company.id, contact, 'contact', quiet));
    company.billingContact = ref(makeContact(tx.em, company.id, contact, 'contact', quiet));
    const admin = administrator(tx, company, input, email, phone);
    collectBlank(input.equipment, to);
    await internalTruck(tx, inviter, input, to);
    if (to.items.length > 0) throw new Invalid(to.items);

    const account = await connectWithin(tx, inviter, company, input.accountTypes, 'accountTypes');
    Object.assign(account, {
      invited: true,
      notes: input.notes?.trim() || null,
      externalId: ours.externalId ?? null,
      accountingId: input.accountingId?.trim() || null,
      truckCount: input.truckCount ?? 0,
      autoAcceptOrders: input.autoAcceptOrders,
      department: ours.department ?? null,
      labelIds: ours.labelIds,
      address: ref(makeAddress(tx.em, own, input.address, 'address', quiet)),
      primaryContact: ref(makeContact(tx.em, own, contact, 'contact', quiet)),
    } satisfies Partial<Account>);
    if (input.equipment) invitedTruck(tx, { company, types }, inviter, admin, input.equipment);
    for (const channel of ['email', 'sms'] as const) if (input.sendInvite?.[channel]) await invite(tx, admin, channel, own);
    emitEvent(tx, 'company.created', company);
    return { id: account.id };
  });
}

/** Reads an invitation, and collects what is wrong with it: of the inviting company, the business, or somebody who has its name or an address already. */
async function checkInvitation(
  tx: TxContext,
  inviter: Company,
  input: InviteAccountInput,
  to: ErrorCollector,
): Promise<Reachable & { ours: Ours }> {
  const report = (field: string, key: string) => to.items.push({ model: to.model, field, key });
  for (const field of ['companyId', 'scopedCompanyId'] as const)
    if (input[field] && input[field].toLowerCase() !== inviter.id) report(field, 'other_company');
  const { email, phone } = reachable(input, to);
  if (input.name.trim() === '') report('name', 'required');
  if (!isOneLine(input.name.trim())) report('name', 'one_line');
  if (input.contact.name && !isOneLine(input.contact.name.trim())) report('contact.name', 'one_line');
  if (input.accountTypes.length === 0) report('accountTypes', 'account_needs_type');
  if (typeof input.timeZone === 'string' && !isZone(input.timeZone)) report('timeZone', 'not_a_time_zone');
  const ours: Ours = { id: newId(), company: ref(inviter), name: input.name, labelIds: [] };
  await applyReferences(tx, ours, input, to);
  await giveExternalId(tx, 'account', ours, input.externalId, to);
  for (const field of await taken(tx, input.name, email, phone)) report(field, 'taken');
  return { ours, email, phone };
}

/** Makes the invited company, with the settings of the inviter until it changes them, and the types of equipment that every company has. */
async function makeInvited(tx: TxContext, inviter: Company, input: InviteAccountInput) {
  const company = Object.assign(await newCompany(tx), {
    legalName: input.name.trim(),
    companyType: input.companyType ?? 'producer',
    platformCustomer: false,
    usageStatus: 'onboarding',
    authMethods: ['password', 'magic_link'],
  });
  const { language, timeFormat, dateFormat, unitOfDistance, systemOfMeasure, currency, timeZone } = inviter;
  Object.assign(company, { language, timeFormat, dateFormat, unitOfDistance, systemOfMeasure, currency, timeZone });
  if (input.timeZone) company.timeZone = input.timeZone;
  const types = builtInTypes(company);
  tx.em.persist(types);
  return { company, types };
}

/** The inviting company's account, before there is a company to connect it with. */
type Ours = Referring & Pick<Account, 'id' | 'name' | 'externalId'>;

/** Where an invitation may be sent. */
interface Reachable {
  email: string | null;
  phone: string | null;
}

/**
 * E-mail and telephone in the form in which they are kept. Collects an error when there is neither, or when one that an invitation needs is
 * missing.
 */
function reachable(input: InviteAccountInput, to: ErrorCollector): Reachable {
  const email = emailOf(input.contact, 'contact', to);
  const phone = phoneOf(input.contact, 'contact', to) ?? null;
  const report = (field: string, key: string) => to.items.push({ model: to.model, field, key });
  if (to.items.length > 0) return { email, phone };
  if (!email && !phone) report('contact', 'email_or_phone');
  else if (input.sendInvite?.email && !email) report('contact.email', 'needed_to_invite');
  else if (input.sendInvite?.sms && !phone) report('contact.phone', 'needed_to_invite');
  return { email, phone };
}

/** Which of name, e-mail and telephone somebody has already. Two invitations of the same business follow each other. */
async function taken(tx: TxContext, name: string, email: string | null, phone: string | null): Promise<string[]> {
  const keys = [`name:${foldText(name)}`, ...(email ? [`email:${foldEmail(email)}`] : []), ...(phone ? [`phone:${phone}`] : [])];
  // In one order, so that two requests never wait for each other.
  for (const key of keys.sort()) await queryIn(tx.em, "select pg_advisory_xact_lock(hashtextextended('haulgate:unique:' || $1, 0))", [key]);
  const [row] = await runAsPurpose(TAKEN, () =>
    queryIn<Record<'name' | 'email' | 'phone', boolean>>(
      tx.em,
      `select exists (select 1 from company where match_name = $1 and discarded_at is null) as name,
      exists (select 1 from app_user where match_email = $2 and discarded_at is null and not unclaimed) as email,
      exists (select 1 from app_user where phone = $3 and phone is not null and discarded_at is null and not unclaimed) as phone`,
      [foldText(name), email && foldEmail(email), phone],
    ),
  );
  return [...(row!.name ? ['name'] : []), ...(row!.email ? ['contact.email'] : []), ...(row!.phone ? ['contact.phone'] : [])];
}

/** The first person of the new company; somebody who drives their own truck is also its driver. */
function administrator(tx: TxContext, company: Company, input: InviteAccountInput, email: string | null, phone: string | null): User {
  const [first = '', ...rest] = (input.contact.name ?? '').trim().split(/\s+/);
  const user = Object.assign(new User(), {
    company: ref(company),
    firstName: first,
    lastName: rest.join(' '),
    email,
    phone,
    // The company that invites may have entered addresses of its own.
    emailProven: email === null,
    phoneProven: phone === null,
    roles: input.companyType === 'owner_operator' ? ['company_admin', 'driver'] : ['company_admin'],
  });
  tx.em.persist(user);
  return user;
}
