import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryAs, queryIn } from '../../platform/database/sql.ts';
import { missingOf } from './missing-tickets.ts';
import { vendorContactOf } from './vendor-contact.ts';

/** Makes links by which drivers and vendors send pictures without signing in, and finds what a link is for. What is sent is taken as the company of the job. */
export const PHOTO_LINKS = definePurpose('photo_links', {
  photo_link: [
    'select (token_hash, company_id, chase_id, driver_id, vendor_account_id, sent_to, expires_at, photos, attempts)',
    'insert',
    'update (photos, attempts)',
    'delete',
  ],
  ticket_chase: ['select (id, job_id, state, load_ids)'],
  job: ['select (id, job_id, state, driver_id, job_start_at, company_id)'],
  load: ['select (id, order_id, job_id, state)'],
  orders: ['select (id, chase_missing_tickets, unit_of_measure)'],
  ticket: ['select (load_id, voided_at)'],
  app_user: ['select (id, phone, discarded_at)'],
  company: ['select (id, legal_name, time_zone)'],
  device_token: ['select (id, user_id, token)'],
  job_assignment: ['select (job_id, link, vendor_account_id)'],
  account: ['select (id, primary_contact_id, discarded_at)'],
  contact: ['select (id, phone)'],
});
export const photoLinksReserved = reserveForPurposes('photo_link');

/** Hours for which a link works, pictures that are taken by one, and tries. */
const HOURS = 72;
const PHOTOS = 10;
const ATTEMPTS = 40;

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The one who got a link: the driver of the job, or the account of the vendor that hauls it. */
export type LinkedTo = { driverId: string } | { vendorAccountId: string };

/**
 * Makes a link of 256 random bits for somebody whom a chase reminds; only their hash is kept.
 * @param sentTo the telephone number that gets it
 * @returns its token
 */
export async function makePhotoLink(em: EntityManager, companyId: string, chaseId: string, to: LinkedTo, sentTo: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await (await poolOf(em)).query(
    `insert into photo_link (token_hash, company_id, chase_id, driver_id, vendor_account_id, sent_to, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + ${HOURS} * interval '1 hour')`,
    [hash(token), companyId, chaseId, 'driverId' in to ? to.driverId : null, 'vendorAccountId' in to ? to.vendorAccountId : null, sentTo],
  );
  return token;
}

/** The work that a link is for. */
export interface PhotoLink {
  companyId: string;
  jobId: string;
  /** Pictures that came by it. */
  photos: number;
  /** Whether a picture is taken: a load of the job lacks its ticket, and this link has not brought ten. */
  open: boolean;
}

// A number that was wrong is a stranger's: what was sent there ends when it is corrected. Links of before numbers were kept have none, for 72 hours.
// A link ends with the job, with the part in it of who got the link, with their telephone number, and when nobody is to send anything.
const VALID = `photo_link p join ticket_chase c on c.id = p.chase_id join job j on j.id = c.job_id
  where p.token_hash = $1 and p.expires_at > now() and c.state in ('open', 'answered', 'given_up') and j.state <> 'canceled'
    and ((j.driver_id = p.driver_id and exists (select from app_user u where u.id = p.driver_id and u.discarded_at is null
        and (p.sent_to is null or u.phone = p.sent_to)))
      or exists (select from ${vendorContactOf('j')} and va.id = p.vendor_account_id and (p.sent_to is null or vk.phone = p.sent_to)))`;
const LACKS = `exists (select from ${missingOf('j.id', true)})`;
const FIND = `select p.company_id as "companyId", j.id as "jobId", p.photos, p.photos < ${PHOTOS} and ${LACKS} as open from ${VALID}`;

/** Finds what a token is for. @returns undefined for what is no link, or one that has ended */
export async function findPhotoLink(em: EntityManager, token: string): Promise<PhotoLink | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  const rows = await queryAs<PhotoLink>(PHOTO_LINKS, em, FIND, [hash(token)]);
  return rows[0];
}

const TRY = `update photo_link set attempts = attempts + 1 where token_hash = $1 and attempts < ${ATTEMPTS} returning 1`;

/** Counts a try to send a picture by a link. @returns false if there were too many */
export async function tryPhotoLink(em: EntityManager, token: string): Promise<boolean> {
  const rows = await queryAs(PHOTO_LINKS, em, TRY, [hash(token)]);
  return rows.length > 0;
}

const USE = `update photo_link set photos = photos + 1
  where token_hash = $1 and photos < ${PHOTOS} and exists (select from ${VALID} and ${LACKS}) returning 1`;

/** Counts a picture in the running transaction. @returns false if the link has ended meanwhile */
export const usePhotoLink = async (tx: TxContext, token: string): Promise<boolean> =>
  (await runAsPurpose(PHOTO_LINKS, () => queryIn(tx.em, USE, [hash(token)]))).length > 0;

/** Deletes links that have ended. */
export async function deleteExpiredPhotoLinks(em: EntityManager): Promise<void> {
  await queryAs(PHOTO_LINKS, em, 'delete from photo_link where expires_at < now()');
}
