import { buffer } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { administratorsOf } from '../../directory/people/administrators.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { composeWith, type OutgoingMessage } from '../../platform/outgoing/outgoing.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { localDate } from '../../platform/time.ts';
import type { RunAsked } from './export-queue.ts';

/** The largest file that is mailed; most servers take a third more than that in all. */
export const LARGEST_MEGABYTES = 15;
const KIND = 'list_export';
const NOTICE = 'list_export_ended';
/** Seconds after which nobody expects the mail any more: a day. */
const WORTH = 86_400;

/** Mails files of runs, of all companies. */
export const LIST_EXPORT_MAILS = definePurpose('list_export_mails', {
  export_run: ['select (id, export_schedule_id, due_at, record_count, archived_before, file_id, file_name)'],
  export_schedule: ['select (id, company_id, name)'],
  company: ['select (id, legal_name, time_zone)'],
});

export const mailsOf = (run: string, { recipients, language }: RunAsked): OutgoingMessage[] =>
  recipients.map((recipient) => ({ channel: 'mail', kind: KIND, recipient, language, params: { run }, worthSeconds: WORTH }));

/** The mails that say why nothing comes. */
export const noticesOf = (to: readonly string[], { language, name }: RunAsked, text: string): OutgoingMessage[] =>
  notices(to, language, translate(language, 'export_failed_subject', { name }), text);

/** The mails that say where a file lies that is too large to be mailed. */
export const storedNoticesOf = ({ recipients, language, name }: RunAsked, day: string, text: string): OutgoingMessage[] =>
  notices(recipients, language, subjectOf(name, day), text);

const notices = (to: readonly string[], language: Language, subject: string, text: string): OutgoingMessage[] =>
  to.map((recipient) => ({ channel: 'mail', kind: NOTICE, recipient, language, params: { subject, text }, worthSeconds: WORTH }));

/** Returns the people who learn the outcome of a schedule: its recipients, or the administrators of its company if it is only stored. */
export const addresseesOf = async (em: EntityManager, { recipients, companyId }: RunAsked): Promise<string[]> =>
  recipients.length > 0 ? recipients : (await administratorsOf(em, companyId)).map(({ email }) => email);

const subjectOf = (name: string, day: string): string => `${name} ${day}`;

/** Returns the sentence of a mail about records that its file does not have. */
export const textOfArchived = (language: Language, before: string | undefined): string =>
  before === undefined ? '' : `\n\n${translate(language, 'export_archived', { before: before.slice(0, 10) })}`;

interface Found {
  name: string;
  company: string;
  zone: string;
  due: number;
  records: number;
  archived: string | null;
  key: string;
  file: string;
}
const FIND = `select s.name, c.legal_name as company, c.time_zone as zone, (extract(epoch from r.due_at) * 1000)::float8 as due, r.record_count as records,
    to_char(r.archived_before at time zone 'UTC', 'YYYY-MM-DD') as archived,
    r.file_id as key, r.file_name as file
  from export_run r join export_schedule s on s.id = r.export_schedule_id join company c on c.id = s.company_id
  where r.id = $1 and r.file_id is not null`;

/** By the end of a file's name. */
const TYPES: Record<string, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson', parquet: 'application/vnd.apache.parquet' };

/** The mails with the file, and those that say why there is none. */
export const listExportMails = [
  composeWith(KIND, LIST_EXPORT_MAILS, async (em, { params, language }) => {
    const [found] = (await (await poolOf(em)).query<Found>(FIND, [params.run])).rows;
    if (!found) return undefined;
    const day = localDate(new Date(found.due), found.zone);
    return {
      subject: subjectOf(found.name, day),
      text:
        translate(language, 'export_mail_text', { file: found.file, count: found.records, company: found.company, day }) +
        textOfArchived(language, found.archived ?? undefined),
      attachments: [
        {
          name: found.file,
          type: TYPES[found.file.split('.').at(-1)!] ?? 'application/octet-stream',
          content: await buffer(await fileStorage.of(em).read(found.key)),
        },
      ],
    };
  }),
  composeWith(NOTICE, LIST_EXPORT_MAILS, async (_em, { params, language }) => ({
    // A release before this one kept the name.
    subject: String(params.subject ?? translate(language, 'export_failed_subject', { name: String(params.name) })),
    text: String(params.text),
  })),
];
