import type { EntityManager } from '@mikro-orm/postgresql';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import { type Language, pickLanguage } from '../../platform/i18n/messages.ts';
import { signsInBy } from './proven-addresses.ts';

/** The recipients of mails that concern a whole company, wherever in its family they are. */
export const ADMINISTRATORS = definePurpose('administrators', {
  app_user: [
    'select (id, company_id, first_name, last_name, email, phone, email_proven, phone_proven, last_login_at, roles, preferences, discarded_at)',
  ],
  company: ['select (id, parent_company_id, language)'],
});

export interface Administrator {
  name: string;
  email: string;
  /** The person's own, else that of the company that the mail is about. */
  language: Language;
}

/** The administrators of a company; where it has none, those of the nearest company above, who have its roles too (DOMAIN section 2). */
export async function administratorsOf(em: EntityManager, companyId: string): Promise<Administrator[]> {
  const rows = await queryAs<Found>(ADMINISTRATORS, em, FIND, [companyId]);
  return rows.map(described);
}

/** The same inside a transaction, which sees whom it made or let go itself. */
export const administratorsIn = async (tx: TxContext, companyId: string): Promise<Administrator[]> =>
  (await runAsPurpose(ADMINISTRATORS, () => queryIn<Found>(tx.em, FIND, [companyId]))).map(described);

interface Found {
  name: string;
  email: string;
  own: string | null;
  company: string;
}
const described = ({ name, email, own, company }: Found): Administrator => ({
  name,
  email,
  language: pickLanguage(`${own ?? ''}, ${company};q=0.5`),
});

/** An administrator of the company itself, with all by which they could sign in. */
export interface ListedAdministrator {
  name: string;
  email: string | null;
  phone: string | null;
  /** Whether the address may sign them in (`signsInBy`). */
  byEmail: boolean;
  byPhone: boolean;
}

/** Everybody who administrates the company itself, also those whom no mail reaches. Asked inside a transaction. */
export const listAdministrators = (tx: TxContext, companyId: string): Promise<ListedAdministrator[]> =>
  runAsPurpose(ADMINISTRATORS, () => queryIn<ListedAdministrator>(tx.em, LIST, [companyId]));

/** Whether a company above has an administrator, whom those below may not see. Asked inside a transaction. */
export const hasAdministratorAbove = async (tx: TxContext, companyId: string): Promise<boolean> =>
  (await runAsPurpose(ADMINISTRATORS, () => queryIn<{ id: string }>(tx.em, ABOVE, [companyId]))).length > 0;

/**
 * Whether somebody else is a platform administrator, in whatever company. Serialized until the end of the transaction, so that of two who
 * deactivate each other, one finds the other gone.
 */
export async function hasOtherPlatformAdministrator(tx: TxContext, personId: string): Promise<boolean> {
  await queryIn(tx.em, "select pg_advisory_xact_lock(hashtextextended('haulgate:platform_administrators', 0))", []);
  return (await runAsPurpose(ADMINISTRATORS, () => queryIn(tx.em, OTHER, [personId]))).length > 0;
}

const OTHER = `select id from app_user where 'platform_admin' = any(roles) and discarded_at is null and id <> $1 limit 1`;

/** A company and those above it; the company itself is level 0. */
const UP = `with recursive above (id, parent, level) as (
    select id, parent_company_id, 0 from company where id = $1
    union all select c.id, c.parent_company_id, a.level + 1 from company c join above a on c.id = a.parent)`;
const ADMINISTRATES = `'company_admin' = any(u.roles) and u.discarded_at is null`;

const ABOVE = `${UP}
  select u.id from app_user u join above a on a.id = u.company_id where a.level > 0 and ${ADMINISTRATES} limit 1`;

const LIST = `select trim(u.first_name || ' ' || u.last_name) as name, u.email, u.phone, ${signsInBy('u', 'email')} as "byEmail",
    ${signsInBy('u', 'phone')} as "byPhone"
  from app_user u where u.company_id = $1 and ${ADMINISTRATES} order by u.id`;

// An address that may be somebody else's gets no mail about the company either.
const FIND = `${UP},
  admins as (
    select u.first_name, u.last_name, u.email, u.preferences ->> 'language' as own, a.level, u.id from app_user u join above a on a.id = u.company_id
    where ${ADMINISTRATES} and u.email is not null and ${signsInBy('u', 'email')})
  select trim(first_name || ' ' || last_name) as name, email, own, (select language from company where id = $1) as company
  from admins where level = (select min(level) from admins) order by id`;
