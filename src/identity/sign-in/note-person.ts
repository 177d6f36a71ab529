import type { Address } from '../../directory/people/proven-addresses.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import type { Person } from '../sessions/person.ts';
import { pagesUrlOf } from '../settings.ts';
import { voidSecrets } from './one-time-secrets.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

// Of a row joined to itself PostgreSQL answers what was there before.
const NOTE = (more = '') => `update app_user u
  set last_login_at = now(), email_proven = u.email_proven or $2::text is not distinct from 'email',
    phone_proven = u.phone_proven or $2::text is not distinct from 'phone'${more}
  from app_user before where u.id = $1 and before.id = u.id
  returning before.last_login_at is null as first, u.email, u.phone, u.email_proven as "emailProven", u.phone_proven as "phoneProven",
    before.email_proven as "emailBefore", before.phone_proven as "phoneBefore"`;
// A person whom a payload named and for whom the company's own provider vouches has the address from now on, unless somebody else has it
// already.
const VOUCHED = NOTE(`, unclaimed = u.unclaimed and exists (
    select 1 from app_user o where o.id <> u.id and o.discarded_at is null and not o.unclaimed
      and (o.match_email = u.match_email or o.phone = u.phone))`);
const SIGNED_IN = NOTE();

interface Seen {
  first: boolean;
  email: string | null;
  phone: string | null;
  emailProven: boolean;
  phoneProven: boolean;
  emailBefore: boolean;
  phoneBefore: boolean;
}

/**
 * Notes on a person that they sign in, and the address that they have proven by it. The first time ends what was sent to them before. If
 * another company entered their other address, they get a message about it.
 * @param vouched by their company's own provider
 */
export async function notePerson(tx: TxContext, person: Person, address: Address | undefined, vouched: boolean): Promise<void> {
  const [seen] = await queryIn<Seen>(tx.em, vouched ? VOUCHED : SIGNED_IN, [person.id, address ?? null]);
  if (!seen) return;
  const changes: Record<string, [unknown, unknown]> = {};
  if (seen.emailProven && !seen.emailBefore) changes.email_proven = [false, true];
  if (seen.phoneProven && !seen.phoneBefore) changes.phone_proven = [false, true];
  if (Object.keys(changes).length > 0)
    tx.tx.audits.push({ event: 'update', type: 'User', id: person.id, companyId: person.companyId, changes });
  if (!seen.first) return;
  // It may have gone to an address that somebody else entered: by signing in the person has proven one of them.
  await voidSecrets(tx, person.id);
  await reportOther(tx, person, seen);
}

/** Seconds: somebody who is away for a week still reads it. */
const WORTH = 7 * 86_400;

/** Sends a message to the proven address about the other one. */
async function reportOther(tx: TxContext, person: Person, { email, phone, emailProven, phoneProven }: Seen): Promise<void> {
  const link = pagesUrlOf(tx.em);
  const send = (channel: 'mail' | 'sms', recipient: string, entered: string) =>
    sendLater(tx, {
      channel,
      kind: 'unproven_address',
      recipient,
      language: tx.language,
      params: { name: person.name, entered, link },
      worthSeconds: WORTH,
    });
  if (email && phone && emailProven && !phoneProven) await send('mail', email, phone);
  if (email && phone && phoneProven && !emailProven) await send('sms', phone, email);
}

export const unprovenAddressMails = composeWith('unproven_address', SIGN_IN, async (_em, { channel, recipient: to, language, params }) => {
  const words = params as Record<string, string>;
  if (channel === 'sms') return { to, text: translate(language, 'text_unproven_address', words) };
  return {
    to,
    subject: translate(language, 'email_unproven_address_subject', words),
    text: translate(language, 'email_unproven_address', words),
  };
});
