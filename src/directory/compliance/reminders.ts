import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { inEachTime, inPresentTime, PRESENT } from '../../platform/database/time/sandbox-time.ts';
import { pickLanguage, translate } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { localDate } from '../../platform/time.ts';
import { type Administrator, administratorsOf } from '../people/administrators.ts';
import { stillValid } from '../shares/shared-with.ts';
import { ComplianceDocument } from './compliance.entity.ts';
import { REMINDERS } from './reminders-purpose.ts';

/** Days before a document expires at which the company's administrators get a mail (DOMAIN section 8, 14). */
const REMIND_AT = [30, 14, 7] as const;
const KIND = 'compliance_expiring';
/** Seconds for which a mail about it is worth sending: by then the next one is due. */
const WORTH = 3 * 86_400;
const DAY = 86_400_000;
/** Documents found by one statement. */
const BATCH = 100;

/** A document for which nobody was notified since it came under a threshold. */
interface Due {
  id: string;
  companyId: string;
  /** As PostgreSQL writes it, so that nothing of it is lost. */
  expiresAt: string;
  /** The threshold. */
  days: number;
  document: string;
  owner: string;
  company: string;
  /** The company's: `en`, `es` or `fr`. */
  language: string;
  timeZone: string;
}

/**
 * Notifies administrators of documents that expire: once for each document and threshold, even if several processes look at the same time,
 * and wherever one dies. The threshold is noted in the document's row, in the transaction of the event and the mails. A document that is
 * outlasted by another of its kind is ignored.
 * @param report gets the error of a document that failed; the next round tries it again
 * @returns how many documents were notified
 */
export async function remindOfDocuments(em: EntityManager, report: (error: unknown) => void): Promise<number> {
  return inEachTime(em, REMINDERS, () => lookAtDocuments(em, report));
}

async function lookAtDocuments(em: EntityManager, report: (error: unknown) => void): Promise<number> {
  const pool = await poolOf(em);
  let notified = 0;
  const known = new Map<string, Administrator[]>();
  let last: Pick<Due, 'expiresAt' | 'id'> | undefined;
  for (;;) {
    const values = [REMIND_AT, BATCH, last?.expiresAt ?? null, last?.id ?? null];
    const { rows } = await pool.query<Due>(DUE, values);
    for (const due of rows) {
      try {
        const admins = known.get(due.companyId) ?? (await administratorsOf(em, due.companyId));
        known.set(due.companyId, admins);
        if (await asCompanies([due.companyId], () => notify(em, due, admins))) notified++;
      } catch (error) {
        report(error);
      }
    }
    last = rows.at(-1);
    if (rows.length < BATCH) return notified;
  }
}

const OUTLASTED = `select from compliance_document n where n.company_id = d.company_id and n.compliant_id = d.compliant_id
  and n.compliance_document_type_id = d.compliance_document_type_id and n.discarded_at is null and n.id <> d.id
  and (n.expires_at is null or n.expires_at > d.expires_at)`;

/** The record `o` is the company's own, or is shared with it now: of a former partner's nothing is read any more, its name included. */
const withIt = (o: string): string => `(${o}.company_id = d.company_id or exists (select from company_share s
      where s.company_shareable_id = ${o}.id and s.receiver_company_id = d.company_id and ${stillValid('s')}))`;

const DUE = `select d.id, d.company_id as "companyId", d.expires_at as "expiresAt", w.days, t.name as document, s.name as owner,
    c.legal_name as company, c.language, c.time_zone as "timeZone"
  from compliance_document d
  join compliance_document_type t on t.id = d.compliance_document_type_id and t.discarded_at is null
  join company c on c.id = d.company_id and c.discarded_at is null
  join lateral (select min(days) as days from unnest($1::int[]) days where d.expires_at <= ${PRESENT} + days * interval '1 day') w on w.days is not null
  join lateral (
    select a.name from account a where d.compliant_type = 'Account' and a.id = d.compliant_id and a.discarded_at is null
    union all select e.name from equipment e where d.compliant_type = 'Equipment' and e.id = d.compliant_id and e.discarded_at is null and ${withIt('e')}
    union all select btrim(u.first_name || ' ' || u.last_name) from app_user u
      where d.compliant_type = 'User' and u.id = d.compliant_id and u.discarded_at is null and ${withIt('u')}) s on true
  where ${inPresentTime('d.company_id')} and d.discarded_at is null and d.expires_at > ${PRESENT} and d.expires_at <= ${PRESENT} + (select max(days) from unnest($1::int[]) days) * interval '1 day'
    and (d.reminded_days is null or d.reminded_days > w.days) and not exists (${OUTLASTED})
    and ($3::timestamptz is null or (d.expires_at, d.id) > ($3, $4::uuid))
  order by d.expires_at, d.id limit $2`;

/** @returns false when another process was faster, or the document has changed */
function notify(em: EntityManager, due: Due, admins: readonly Administrator[]): Promise<boolean> {
  const ctx = { requestId: newId(), language: pickLanguage(due.language), em, memo: new Map() } as Partial<Context> as Context;
  return transact(ctx, async (tx) => {
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } } as const;
    const document = await tx.em.findOne(ComplianceDocument, { id: due.id, discardedAt: null }, options);
    const expiresAt = new Date(due.expiresAt);
    if (document?.expiresAt?.getTime() !== expiresAt.getTime()) return false;
    if (document.remindedDays && document.remindedDays <= due.days) return false;
    document.remindedDays = due.days;
    document.notificationSentAt = tx.tx.now;
    emitEvent(tx, 'compliance_document.expiring', document, { days: due.days, expires_at: expiresAt.toISOString() });
    const date = localDate(expiresAt, due.timeZone);
    const left = (Date.parse(date) - Date.parse(localDate(tx.tx.now, due.timeZone))) / DAY;
    const { document: type, owner, company } = due;
    for (const { name, email, language } of admins)
      await sendLater(tx, {
        channel: 'mail',
        kind: KIND,
        recipient: email,
        language,
        params: { name, document: type, owner, company, date, left },
        worthSeconds: WORTH,
      });
    return true;
  });
}

export const reminderMails = composeWith(KIND, REMINDERS, async (_em, { language, params }) => {
  const { date, ...words } = params as Record<string, string>;
  // A day of the calendar already: no zone may move it.
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
  const values = { ...words, date: day };
  return {
    subject: translate(language, 'email_document_expiring_subject', values),
    text: translate(language, 'email_document_expiring', values),
  };
});
