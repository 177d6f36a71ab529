import { forgetDevice } from '../../identity/sessions/register-device.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith } from '../../platform/outgoing/outgoing.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { localDate } from '../../platform/time.ts';
import { missingOf } from './missing-tickets.ts';
import { makePhotoLink, PHOTO_LINKS } from './photo-links.ts';
import { vendorContactOf } from './vendor-contact.ts';

/** The kind of the texts that remind of a missing ticket. */
export const REMINDER = 'missing_ticket';
/** Where a driver sends the picture of a ticket without signing in, in OpenAPI spelling. */
export const PHOTO_PATH = '/t/{token}';

export const photoUrl = (base: string, token: string): string => base + PHOTO_PATH.replace('{token}', token);

// Whoever answered meanwhile, or hauls it no more, is not reminded.
const ABOUT = 'j.id as "jobId", j.job_id as job, j.job_start_at as at, c.legal_name as company, c.time_zone as zone';
const OPEN = `x.id = $1 and x.state = 'open' and j.state <> 'canceled' and exists (select from ${missingOf('j.id')})`;
const STILL = `select ${ABOUT}, t.token
  from ticket_chase x join job j on j.id = x.job_id join company c on c.id = j.company_id join app_user u on u.id = j.driver_id
    left join device_token t on $4 = 'push' and t.id::text = $3 and t.user_id = u.id
  where ${OPEN} and u.id = $2 and u.discarded_at is null and case when $4 = 'push' then t.id is not null else u.phone = $3 end`;
const STILL_OF_VENDOR = `select ${ABOUT}, null as token
  from ticket_chase x join job j on j.id = x.job_id join company c on c.id = j.company_id
  where ${OPEN} and exists (select from ${vendorContactOf('j')} and va.id = $2 and vk.phone = $3)`;

/** The tickets that a reminder is about, and the one who is reminded: the driver, or the account of a vendor. */
export interface Reminded {
  chase: string;
  company: string;
  driver?: string;
  vendor?: string;
}

interface Still {
  jobId: string;
  job: string;
  at: string | Date;
  company: string;
  zone: string;
  token: string | null;
}

/** A text has the link for the picture; a push opens the app, where its person is signed in. */
export const reminderTexts = composeWith(
  REMINDER,
  PHOTO_LINKS,
  async (em, { channel, recipient, language, params }) => {
    const { chase, company, driver, vendor } = params as unknown as Reminded;
    const pool = await poolOf(em);
    const { rows } = driver
      ? await pool.query<Still>(STILL, [chase, driver, recipient, channel])
      : await pool.query<Still>(STILL_OF_VENDOR, [chase, vendor, recipient]);
    const [found] = rows;
    if (!found) return undefined;
    const about = { company: found.company, job: found.job, date: localDate(new Date(found.at), found.zone) };
    if (channel === 'push') {
      const text = translate(language, 'push_missing_ticket', about);
      return { subject: found.company, text, to: found.token!, data: { job_id: found.jobId } };
    }
    const to = driver ? { driverId: driver } : { vendorAccountId: vendor! };
    const url = photoUrl(publicUrl.of(em), await makePhotoLink(em, company, chase, to, recipient));
    return { text: translate(language, 'text_missing_ticket', { ...about, url }) };
  },
  // Four reminders are promised at most, and a push that comes twice has one id, by which its device drops the double.
  { onceAtMost: true, deviceGone: (em, { recipient }) => forgetDevice(em, recipient) },
);
