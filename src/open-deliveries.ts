import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Config } from './config.ts';
import { deleteEndedSessions } from './identity/sessions.ts';
import { deleteExpiredSecrets } from './identity/sign-in/one-time-secrets.ts';
import type { Lifecycle } from './platform/lifecycle.ts';
import type { Logger } from './platform/log.ts';
import { startDeliveries } from './platform/outgoing/deliver.ts';
import { folderMailer, smtpMailer } from './platform/outgoing/mail.ts';
import { folderTexter, twilioTexter } from './platform/outgoing/sms.ts';
import { startSweeper } from './platform/queue/sweeper.ts';

/** Milliseconds between two looks for sessions and secrets that ended long ago. */
const ENDED_EVERY = 600_000;

/** Sends mails and texts, by the services that are configured or into files below `dataDir`, and forgets what opened doors once. */
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
}

const TWILIO = 'https://api.twilio.com';
