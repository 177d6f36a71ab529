import { find } from '../../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { actOnBehalfOf, runAsPurpose } from '../../../platform/database/scope.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { missingOf, newVoucher } from '../check-connection.ts';
import { SsoConnection, verificationOf } from '../sso-connection.entity.ts';
import { hasTxtRecord } from './dns.ts';
import { DOMAIN_HOLDERS } from './holders-purpose.ts';
import { mailAdministrators, maySayWhoVouches } from './who-vouches.ts';

/**
 * Looks for the company's TXT record at every domain of a connection that is not proven yet. From then on the domains lead here, and no
 * longer to another connection that had them: somebody who can write a domain's records owns it.
 * @throws Missing, Denied
 * @throws Invalid when none of the domains has the record, with the reason for each
 */
export async function verifySsoDomains(ctx: Context, id: string): Promise<{ id: string }> {
  const seen = await find(ctx, SsoConnection, id);
  await maySayWhoVouches(ctx, seen.company.id);
  const asked = seen.domains.filter((domain) => !seen.provenDomains.includes(domain));
  const wanted = verificationOf(seen.verification);
  const proofs = await Promise.all(asked.map((domain) => hasTxtRecord(ctx.em, domain, wanted)));
  const proven = asked.filter((_, at) => proofs[at] === 'found');
  if (asked.length > 0 && proven.length === 0)
    throw new Invalid(
      asked.map((domain, at) => ({
        model: 'SsoConnection',
        field: `domains.${seen.domains.indexOf(domain)}`,
        key: proofs[at] === 'absent' ? 'domain_not_proven' : 'domain_unreachable',
        params: { domain, record: wanted },
      })),
    );
  return transact(ctx, async (tx) => {
    const connection = await find(tx, SsoConnection, id, { lock: true });
    await maySayWhoVouches(tx, connection.company.id);
    // Somebody may have changed meanwhile the provider that they were to be proven for, or taken a domain out.
    const fresh = newVoucher(seen, connection) === undefined ? proven : [];
    if (await takeOver(tx, connection, fresh)) await tx.em.flush();
    const kept = connection.domains.filter((domain) => fresh.includes(domain) || connection.provenDomains.includes(domain));
    const more = kept.some((domain) => !connection.provenDomains.includes(domain));
    connection.provenDomains = kept;
    if (kept.length > 0) connection.ready = missingOf(connection) === '';
    if (more) await mailAdministrators(tx, connection, 'begins');
    await tx.em.flush();
    // From now on the record is looked for again (`recheckDomains`).
    const noted = 'update sso_domain set checked_at = now(), missing_since = null where connection_id = $1 and domain = any($2)';
    await runAsPurpose(DOMAIN_HOLDERS, () => queryIn(tx.em, noted, [connection.id, fresh]));
    return { id: connection.id };
  });
}

/** Takes domains from the connections that have them, of whichever company, whose administrators get a mail. @returns whether there were any */
async function takeOver(tx: TxContext, { id, company: { id: companyId } }: SsoConnection, domains: readonly string[]): Promise<boolean> {
  const holders = await runAsPurpose(DOMAIN_HOLDERS, () =>
    queryIn<{ id: string; company_id: string }>(
      tx.em,
      `select s.id, s.company_id from sso_domain d join sso_connection s on s.id = d.connection_id
       where d.domain = any($1) and s.id <> $2 group by s.id order by s.id`,
      [domains, id],
    ),
  );
  for (const { company_id } of holders) actOnBehalfOf(company_id);
  const all = { filters: { tenant: false } } as const;
  for (const holder of await tx.em.find(SsoConnection, { id: { $in: holders.map((one) => one.id) } }, all)) {
    const lost = holder.provenDomains.filter((domain) => domains.includes(domain));
    holder.provenDomains = holder.provenDomains.filter((domain) => !domains.includes(domain));
    if (lost.length > 0 && holder.company.id !== companyId) await mailAdministrators(tx, holder, 'lost', lost);
  }
  return holders.length > 0;
}
