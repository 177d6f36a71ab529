import type { EntityManager } from '@mikro-orm/postgresql';
import { administratorsOf } from '../../directory/people/administrators.ts';
import { Concerned, type Watched } from '../../platform/commands/concerned.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';

/** Finds subscriptions that were switched off, whose administrators do not know of it yet. */
export const SWITCHED_OFF = definePurpose('webhooks_switched_off', {
  webhook_subscription: ['select (id, company_id, name, url, disabled_at, disabled_reason, notified_at)', 'update (notified_at)'],
  webhook_delivery: ['select (subscription_id, due_at)'],
});

const KIND = 'webhook_switched_off';
/** Seconds for which the mail is worth sending. */
const WORTH = 3 * 86_400;

interface Off {
  id: string;
  companyId: string;
  name: string | null;
  url: string;
  reason: 'failing' | 'gone';
}

const FIND = `select id, company_id as "companyId", name, url, disabled_reason as reason from webhook_subscription
  where disabled_at is not null and notified_at is null order by disabled_at limit 100`;
const NOTE =
  'update webhook_subscription set notified_at = now() where id = $1 and disabled_at is not null and notified_at is null returning id';

/** Mails the administrators of companies whose subscriptions were switched off, once, in the transaction that notes it. */
export async function notifyOfSwitchedOff(em: EntityManager): Promise<void> {
  const rows = await queryAs<Off>(SWITCHED_OFF, em, FIND);
  for (const off of rows) {
    const administrators = await administratorsOf(em, off.companyId);
    await asSystem(em, off.companyId, async (tx) => {
      const mine = await runAsPurpose(SWITCHED_OFF, () => queryIn(tx.em, NOTE, [off.id]));
      if (mine.length === 0) return;
      for (const { name, email, language } of administrators)
        await sendLater(tx, {
          ...{ channel: 'mail', kind: KIND, recipient: email, language, worthSeconds: WORTH },
          params: { name, subscription: off.name ?? off.url, url: off.url, reason: off.reason },
        });
    });
  }
}

export const switchedOffMails = composeWith(KIND, SWITCHED_OFF, async (_em, { language, params }) => ({
  subject: translate(language, 'email_webhook_switched_off_subject', params as Record<string, string>),
  text: translate(language, `email_webhook_${String(params.reason)}`, params as Record<string, string>),
}));

const WATCHED: Watched = { Company: new Set(['discarded_at']) };
// They are locked in the order of their ids, as by whoever settles events of several.
const PAUSE = `update webhook_subscription set paused_at = $2::timestamptz where id = any(array(
  select id from webhook_subscription where company_id = any($1::uuid[]) and paused_at is null order by id for no key update))`;

/** Sends nothing more to the endpoints of a company that is discarded: what waited for them would be tried for two days more. */
export const webhooksOfEndedCompanies = defineConsequence('webhooks of ended companies', async (tx, changes) => {
  const concerned = new Concerned(changes, WATCHED, ({ event }) => event !== 'update');
  if (!concerned.none) await tx.query(PAUSE, [concerned.ids('Company'), tx.now.toISOString()]);
});
