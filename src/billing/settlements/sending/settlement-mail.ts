import { buffer } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemContext } from '../../../platform/commands/system-context.ts';
import type { TxContext } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { asCompanies, definePurpose, runAsPurpose } from '../../../platform/database/scope.ts';
import { poolOf } from '../../../platform/database/sql.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { type Composed, composeWith, type DueMessage, sendLater } from '../../../platform/outgoing/outgoing.ts';
import { fileStorage } from '../../../platform/storage/storage.ts';
import { documentOf } from '../documents/kept-document.ts';
import { logoOf } from '../documents/logo-on-paper.ts';
import { fileNameOf, paperOf, printDocument, titleOf } from '../documents/print-document.ts';
import { type Cover, coverOf } from '../documents/settlement-document.ts';
import { MOST_MAILED, picturesOf } from '../documents/ticket-pictures.ts';
import { Settlement } from '../settlement.entity.ts';
import type { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';

const KIND = 'settlement';
/** Tries of a mail; the last is made about a quarter of an hour after the first. */
const TRIES = 5;
/** Seconds after which nobody expects the mail any more: a day. */
const WORTH = 86_400;

/** Sends settlements of all companies, and notes what became of it. The settlement itself is read in its company. */
export const SETTLEMENT_MAILS = definePurpose('settlement_mails', {
  settlement_email_delivery: [
    'select (id, company_id, settlement_id, email, sender_user_id, state, file_id)',
    'update (state, last_error, updated_at)',
  ],
  app_user: ['select (id, email, discarded_at)'],
});

/** Leaves the mail of a delivery, to be sent when the transaction is committed. */
export const mailSettlement = (tx: TxContext, { id, email }: SettlementEmailDelivery): Promise<void> =>
  sendLater(tx, { channel: 'mail', kind: KIND, recipient: email, language: 'en', params: { delivery: id }, worthSeconds: WORTH });

interface Found {
  companyId: string;
  settlementId: string;
  fileId: string | null;
  sender: string | null;
}

// A mail that was delivered is not sent again by a process that did not see the end of it.
const FIND = `select d.company_id as "companyId", d.settlement_id as "settlementId", d.file_id as "fileId", u.email as sender
  from settlement_email_delivery d left join app_user u on u.id = d.sender_user_id and u.discarded_at is null
  where d.id = $1 and d.state = 'initiated'`;
const END = `update settlement_email_delivery set state = $2, last_error = $3, updated_at = now() where id = $1 and state = 'initiated'`;

/** Notes the end of a delivery, in the purpose of these mails: outcomes run outside of it. */
const end = (em: EntityManager, { params }: DueMessage, state: string, error: string | null): Promise<void> =>
  runAsPurpose(SETTLEMENT_MAILS, async () => void (await (await poolOf(em)).query(END, [params.delivery, state, error])));

/** Mails with settlements as PDFs: the subject names the document, and no amount. */
export const settlementMails = composeWith(
  KIND,
  SETTLEMENT_MAILS,
  async (em, { params }) => {
    const [found] = (await (await poolOf(em)).query<Found>(FIND, [params.delivery])).rows;
    return found && asCompanies([found.companyId], () => compose(em, found));
  },
  {
    mostTries: TRIES,
    sent: (em, message) => end(em, message, 'delivered', null),
    gaveUp: (em, message, reason) => end(em, message, 'failed', reason),
  },
);

async function compose(em: EntityManager, { companyId, settlementId, fileId, sender }: Found): Promise<Composed> {
  const ctx = systemContext(em, companyId);
  const settlement = await ctx.em.findOneOrFail(Settlement, { id: settlementId });
  const { said, pdf } = fileId
    ? // What somebody sends as a file of their own leaves whatever ours would say.
      { said: await coverOf(ctx, settlement), pdf: await fileStorage.of(em).read(fileId) }
    : await print(ctx, settlement);
  const params = { document: titleOf(said), company: said.company.name };
  return {
    language: said.language,
    subject: translate(said.language, 'settlement_mail_subject', params),
    text: translate(said.language, 'settlement_mail_text', params),
    replyTo: sender ?? undefined,
    attachments: [{ name: fileNameOf(said), type: 'application/pdf', content: await buffer(pdf) }],
  };
}

async function print(ctx: Context, settlement: Settlement): Promise<{ said: Cover; pdf: NodeJS.ReadableStream }> {
  const said = await documentOf(ctx, settlement);
  const pictures = await picturesOf(ctx, said.pictures ?? [], MOST_MAILED);
  return { said, pdf: await printDocument(said, { size: paperOf(said), logo: await logoOf(ctx.em, said), pictures }) };
}
