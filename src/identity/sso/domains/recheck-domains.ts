import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { administratorsOf } from '../../../directory/people/administrators.ts';
import { asSystem } from '../../../platform/commands/system-context.ts';
import { definePurpose, runAsPurpose } from '../../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../../platform/database/sql.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../../platform/outgoing/outgoing.ts';
import { identitySettings } from '../../settings.ts';
import { SIGN_IN } from '../../sign-in/sign-in-purpose.ts';
import { SsoConnection, verificationOf } from '../sso-connection.entity.ts';
import { hasTxtRecord } from './dns.ts';

/** Asking again whose the proven domains are. */
export const PROOFS = definePurpose('domain_proofs', {
  sso_domain: ['select (domain, connection_id, checked_at, missing_since)', 'update (checked_at, missing_since)'],
  sso_connection: ['select (id, company_id, verification)'],
});
/** Days between two questions about a domain. */
const EVERY = 1;
/** Days of answers without the record after which a domain is given up. */
const GRACE = 7;
/** Domains that are asked about at once. */
const BATCH = 50;

interface Due {
  domain: string;
  connection: string;
  company: string;
  verification: string;
  /** Since when the record is missing: not at all, lately, or for as long as it may. */
  missing: 'no' | 'lately' | 'too long';
}

// Claimed by the same statement, so that processes do not ask twice. Domains that were never shown by a record have no time and are let be.
const CLAIM = `update sso_domain d set checked_at = now() from sso_connection s
  where s.id = d.connection_id and d.domain = any (array(
    select domain from sso_domain where checked_at < now() - $1 * interval '1 day' order by checked_at limit $2 for update skip locked))
  returning d.domain, s.id as connection, s.company_id as company, s.verification,
    case when d.missing_since is null then 'no' when d.missing_since < now() - $3 * interval '1 day' then 'too long' else 'lately' end as missing`;

/**
 * Looks again for the TXT records of proven domains, each once a day: domains change hands, and people of the next owner must not be signed
 * in by somebody else's provider. The company's administrators get a mail about a missing record. When it is still missing a week later,
 * the domain no longer leads to the connection. Name servers that do not answer change nothing.
 * @param report gets the error of a domain that failed; the others are still checked
 * @returns the domains that were given up
 */
export async function recheckDomains(em: EntityManager, report: (error: unknown) => void): Promise<string[]> {
  if (!identitySettings.of(em).ssoDomainProof) return [];
  const pool = await poolOf(em);
  const { rows } = await runAsPurpose(PROOFS, () => pool.query<Due>(CLAIM, [EVERY, BATCH, GRACE]));
  const proofs = await Promise.all(rows.map(({ domain, verification }) => hasTxtRecord(em, domain, verificationOf(verification))));
  const given: string[] = [];
  for (const [at, due] of rows.entries()) {
    try {
      if (proofs[at] === 'found' && due.missing !== 'no')
        await runAsPurpose(PROOFS, () => pool.query(`${NOTE} null where domain = $1`, [due.domain]));
      if (proofs[at] !== 'absent') continue;
      if (due.missing === 'no') await warn(em, due);
      if (due.missing === 'too long' && (await giveUp(em, due))) given.push(due.domain);
    } catch (error) {
      report(error);
    }
  }
  return given;
}

const NOTE = 'update sso_domain set missing_since =';

/** Notes since when the record is missing, and notifies the company's administrators. */
async function warn(em: EntityManager, { domain, connection, company, verification }: Due): Promise<void> {
  const admins = await administratorsOf(em, company);
  await asSystem(em, company, async (tx) => {
    const note = `${NOTE} now() where domain = $1 and connection_id = $2 and missing_since is null returning domain`;
    const noted = await runAsPurpose(PROOFS, () => queryIn(tx.em, note, [domain, connection]));
    if (noted.length === 0) return;
    for (const { email, name, language } of admins)
      await sendLater(tx, {
        channel: 'mail',
        kind: 'domain_record_missing',
        recipient: email,
        language,
        params: { name, domain, record: verificationOf(verification), days: GRACE },
        worthSeconds: GRACE * 86_400,
      });
  });
}

/** Takes a domain out of what its connection has proven; the audit log of the company says so. @returns whether it still had it */
function giveUp(em: EntityManager, { domain, connection: id, company }: Due): Promise<boolean> {
  return asSystem(em, company, async (tx) => {
    const options = { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const connection = await tx.em.findOne(SsoConnection, { id }, options);
    if (!connection?.provenDomains.includes(domain)) return false;
    connection.provenDomains = connection.provenDomains.filter((one) => one !== domain);
    return true;
  });
}

export const missingRecordMails = composeWith('domain_record_missing', SIGN_IN, async (_em, { language, params }) => ({
  subject: translate(language, 'email_domain_record_missing_subject', params as Record<string, string>),
  text: translate(language, 'email_domain_record_missing', params as Record<string, string>),
}));
