import { Company } from '../../../directory/companies/company.entity.ts';
import { administratorsIn } from '../../../directory/people/administrators.ts';
import { allow } from '../../../platform/authz/authorization.ts';
import type { TxContext } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { Denied } from '../../../platform/errors.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../../platform/outgoing/outgoing.ts';
import { beyondOfAdministrators, beyondOfPeople, withThoseBelow } from '../../access/powers-of-people.ts';
import { SIGN_IN } from '../../sign-in/sign-in-purpose.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';

/** A person who may change the company may read its identity providers (DOMAIN section 2). */
export const MANAGES_SSO = 'edit_company';

/**
 * A machine client's secret is on servers, and a program that decides who vouches for people could become any of them; also while it acts
 * as a person.
 */
function isPersonWithoutLimits(ctx: Context): void {
  const { type, realActor, siteIds } = allow(ctx, MANAGES_SSO);
  if (type === 'M2MClient' || realActor?.type === 'M2MClient') throw new Denied(MANAGES_SSO, 'permission_of_persons_only');
  if (siteIds) throw new Denied(MANAGES_SSO, 'permission_beyond_sites');
}

/**
 * Passes for a person without limits to sites who has all permissions of the people whom a provider of the company could sign in: somebody
 * who decides who vouches for people could sign in as any of them. Those are the people of the company and of those below it, whatever
 * address they have today, and its administrator, who may come tomorrow.
 * @throws Denied for machine clients, and on the first permission that the caller lacks
 */
export async function maySayWhoVouches(ctx: Context, companyId: string): Promise<void> {
  isPersonWithoutLimits(ctx);
  const [lacks] = [...beyondOfAdministrators(ctx), ...(await beyondOfPeople(ctx, await withThoseBelow(ctx, companyId)))];
  if (lacks) throw new Denied(lacks, 'permission_of_people');
}

/** The kinds of changes of who vouches for people. */
export type Change = 'begins' | 'changed' | 'ended' | 'lost';
/** Seconds: somebody who is away for a week still reads it. */
const WORTH = 7 * 86_400;

/**
 * Mails every administrator of the company that somebody changed who vouches for its people. @param concerned the domains, unless it is all of
 * the connection
 */
export async function mailAdministrators(
  tx: TxContext,
  connection: SsoConnection,
  change: Change,
  concerned?: readonly string[],
): Promise<void> {
  const company = await tx.em.findOneOrFail(Company, connection.company.id, { filters: { tenant: false } });
  const params = { provider: connection.displayName, company: company.legalName, actor: (tx.viewer?.realActor ?? tx.viewer)?.name ?? '' };
  const domains = (concerned ?? (connection.provenDomains.length > 0 ? connection.provenDomains : connection.domains)).join(', ');
  for (const { email, name, language } of await administratorsIn(tx, company.id))
    await sendLater(tx, {
      channel: 'mail',
      kind: `provider_${change}`,
      recipient: email,
      language,
      params: { ...params, name, domains },
      worthSeconds: WORTH,
    });
}

export const providerMails = (['begins', 'changed', 'ended', 'lost'] as const).map((change) =>
  composeWith(`provider_${change}`, SIGN_IN, async (_em, { language, params }) => ({
    subject: translate(language, `email_provider_${change}_subject`, params as Record<string, string>),
    text: translate(language, `email_provider_${change}`, params as Record<string, string>),
  })),
);
