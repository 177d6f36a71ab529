import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { remindOfDocuments } from '../directory/compliance/reminders.ts';
import { deleteEndedSessions } from '../identity/sessions/sessions.ts';
import { deleteExpiredSecrets } from '../identity/sign-in/one-time-secrets.ts';
import { recheckDomains } from '../identity/sso/domains/recheck-domains.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { startDeliveries } from '../platform/outgoing/deliver.ts';
import { folderMailer, smtpMailer } from '../platform/outgoing/mail.ts';
import { folderTexter, twilioTexter } from '../platform/outgoing/sms.ts';
import { startSweeper } from '../platform/queue/sweeper.ts';
import type { Config } from './config.ts';

/** Milliseconds between two sweeps of sessions and secrets that ended long ago. */
const ENDED_EVERY = 600_000;
/** Milliseconds between two checks for compliance documents that are about to expire. */
const REMIND_EVERY = 600_000;

/** Milliseconds between two checks for e-mail domains that are due; each domain's record is looked up once a day. */
const PROOFS_EVERY = 600_000;

/**
 * Starts the delivery of mails and texts, by the configured services or into files below `dataDir`. Also starts the sweep of spent one-time
 * secrets and the daily check of e-mail domains.
 */
export async function openDeliveries(config: Config, dataDir: string, orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  const wrote = (path: string) => log.info({ path }, 'no service is configured for this message; it is in a file');
  const { HAULGATE_SMTP_URL: smtp, HAULGATE_MAIL_FROM: mailFrom, HAULGATE_SMS_ACCOUNT: account } = config;
  const mailer = smtp ? smtpMailer(smtp, mailFrom) : folderMailer(join(dataDir, 'mail'), mailFrom, wrote);
  const texter = account
    ? twilioTexter({ url: config.HAULGATE_SMS_URL ?? TWILIO, account, token: config.HAULGATE_SMS_TOKEN, from: config.HAULGATE_SMS_FROM })
    : folderTexter(join(dataDir, 'sms'), wrote);
  await life.open(
    'deliveries',
    () => startDeliveries({ em: orm.em, mailer, texter, log }),
    (deliveries) => deliveries.stop(),
  );
  await life.open(
    'sweeper of sessions',
    () =>
      startSweeper(
        ENDED_EVERY,
        async () => void (await Promise.all([deleteEndedSessions(orm.em), deleteExpiredSecrets(orm.em)])),
        (error) => log.warn({ err: error }, 'sessions that ended stay'),
      ),
    (sweeper) => sweeper.stop(),
  );
  const unasked = (error: unknown) => log.warn({ err: error }, 'e-mail domains are not asked for their records');
  const recheck = async () => {
    const given = await recheckDomains(orm.em, unasked);
    if (given.length > 0) log.warn({ domains: given }, 'e-mail domains without their record lead to no identity provider any more');
  };
  await life.open(
    'sweeper of domain proofs',
    () => startSweeper(PROOFS_EVERY, recheck, unasked),
    (sweeper) => sweeper.stop(),
  );
  const reminderFailed = (error: unknown) => log.warn({ err: error }, 'a reminder of a compliance document waits');
  await life.open(
    'reminders of papers',
    () => startSweeper(REMIND_EVERY, async () => void (await remindOfDocuments(orm.em, reminderFailed)), reminderFailed),
    (sweeper) => sweeper.stop(),
  );
}

const TWILIO = 'https://api.twilio.com';
