import { poolOf } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith } from '../../platform/outgoing/outgoing.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { localDate } from '../../platform/time.ts';
import { missingOf } from './missing-tickets.ts';
import { makePhotoLink, PHOTO_LINKS } from './photo-links.ts';

/** The kind of the texts that remind of a missing ticket. */
export const REMINDER = 'missing_ticket';
/** Where a driver sends the picture of a ticket without signing in, in OpenAPI spelling. */
export const PHOTO_PATH = '/t/{token}';

export const photoUrl = (base: string, token: string): string => base + PHOTO_PATH.replace('{token}', token);

// Whoever answered meanwhile, or drives it no more, is not reminded.
const STILL = `select j.job_id as job, j.job_start_at as at, c.legal_name as company, c.time_zone as zone
  from ticket_chase x join job j on j.id = x.job_id join company c on c.id = j.company_id join app_user u on u.id = j.driver_id
  where x.id = $1 and x.state = 'open' and j.state <> 'canceled' and u.id = $2 and u.phone = $3 and u.discarded_at is null
    and exists (select from ${missingOf('j.id')})`;

export const reminderTexts = composeWith(REMINDER, PHOTO_LINKS, async (em, { recipient, language, params }) => {
  const { chase: chaseId, company: companyId, driver: driverId } = params as Record<'chase' | 'company' | 'driver', string>;
  const pool = await poolOf(em);
  const { rows } = await pool.query<{ job: string; at: string | Date; company: string; zone: string }>(STILL, [
    chaseId,
    driverId,
    recipient,
  ]);
  const [found] = rows;
  if (!found) return undefined;
  const url = photoUrl(publicUrl.of(em), await makePhotoLink(em, { companyId, chaseId, driverId }));
  const date = localDate(new Date(found.at), found.zone);
  return { text: translate(language, 'text_missing_ticket', { company: found.company, job: found.job, date, url }) };
});
