import { buffer } from 'node:stream/consumers';
import { definePurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
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
  export_run: ['select (id, export_schedule_id, due_at, record_count, file_id, file_name)'],
  export_schedule: ['select (id, company_id, name)'],
  company: ['select (id, legal_name, time_zone)'],
});

export const mailsOf = (run: string, { recipients, language }: RunAsked): OutgoingMessage[] =>
  recipients.map((recipient) => ({ channel: 'mail', kind: KIND, recipient, language, params: { run }, worthSeconds: WORTH }));

/** Says why nothing comes. */
export const noticesOf = ({ recipients, language, name }: RunAsked, text: string): OutgoingMessage[] =>
  recipients.map((recipient) => ({ channel: 'mail', kind: NOTICE, recipient, language, params: { name, text }, worthSeconds: WORTH }));

interface Found {
  name: string;
  company: string;
  zone: string;
  due: number;
  records: number;
  key: string;
  file: string;
}
const FIND = `select s.name, c.legal_name as company, c.time_zone as zone, (extract(epoch from r.due_at) * 1000)::float8 as due, r.record_count as records,
    r.file_id as key, r.file_name as file
  from export_run r join export_schedule s on s.id = r.export_schedule_id join company c on c.id = s.company_id
  where r.id = $1 and r.file_id is not null`;

/** The mails with the file, and those that say why there is none. */
export const listExportMails = [
  composeWith(KIND, LIST_EXPORT_MAILS, async (em, { params, language }) => {
    const [found] = (await (await poolOf(em)).query<Found>(FIND, [params.run])).rows;
    if (!found) return undefined;
    const day = localDate(new Date(found.due), found.zone);
    return {
      subject: `${found.name} ${day}`,
      text: translate(language, 'export_mail_text', { file: found.file, count: found.records, company: found.company, day }),
      attachments: [
        {
          name: found.file,
          type: found.file.endsWith('.csv') ? 'text/csv' : 'application/x-ndjson',
          content: await buffer(await fileStorage.of(em).read(found.key)),
        },
      ],
    };
  }),
  composeWith(NOTICE, LIST_EXPORT_MAILS, async (_em, { params, language }) => ({
    subject: translate(language, 'export_failed_subject', { name: String(params.name) }),
    text: String(params.text),
  })),
];
