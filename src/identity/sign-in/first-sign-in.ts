import { administratorsIn } from '../../directory/people/administrators.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { identitySettings } from '../settings.ts';
import { SIGN_IN } from './sign-in-purpose.ts';
import './first-sign-in.messages.ts';

/**
 * Locks the company of a person who is about to sign in, if they are its first: a command that acts for the company at that moment ends
 * before, or finds that it is no longer allowed. Until the end of the transaction. If the company's first sign-in has been, nothing is
 * locked.
 */
export async function holdFirstSignIn(tx: TxContext, personId: string): Promise<void> {
  const text = `select 1 from company where id = (select company_id from app_user where id = $1) and first_sign_in_at is null for no key update`;
  await queryIn(tx.em, text, [personId]);
}

const FIRST = 'update company set first_sign_in_at = now() where id = $1 and first_sign_in_at is null returning legal_name as name';
const END = `update account a set managed = false, managed_until = now(), updated_at = now() from company m
  where a.connected_company_id = $1 and a.managed and m.id = a.company_id returning a.id, a.company_id as manager, m.legal_name as name`;

/**
 * Notes that a person or machine client of a company signs in. The first time ends that others manage the company: it acts for itself from
 * now on. The audit logs of both sides say so, and the administrators of both get a mail.
 */
export async function noteSignIn(tx: TxContext, companyId: string): Promise<void> {
  const [company] = await queryIn<{ name: string }>(tx.em, FIRST, [companyId]);
  if (!company) return;
  const ended = await queryIn<{ id: string; manager: string; name: string }>(tx.em, END, [companyId]);
  for (const { id, manager, name } of ended) {
    tx.tx.events.push({ name: 'account.unmanaged', type: 'Account', id, companyId: manager, payload: { connected_company_id: companyId } });
    tx.tx.audits.push({ event: 'update', type: 'Account', id, companyId: manager, changes: { managed: [true, false] } });
    const changes: Record<string, [unknown, unknown]> = { managed_by_company_id: [manager, null], managed_by_company: [name, null] };
    tx.tx.audits.push({ event: 'update', type: 'Company', id: companyId, companyId, changes });
    await mailBoth(tx, { id: companyId, name: company.name }, { id: manager, name });
  }
}

interface Side {
  id: string;
  name: string;
}
/** Seconds: somebody who is away for a week still reads it. */
const WORTH = 7 * 86_400;

async function mailBoth(tx: TxContext, company: Side, manager: Side): Promise<void> {
  const own = await administratorsIn(tx, company.id);
  const params = {
    company: company.name,
    manager: manager.name,
    who: tx.viewer?.name ?? '',
    // Whatever they could sign in by, the manager may have entered.
    administrators: own.map(({ name, email, phone }) => `${name} <${email}>${phone ? `, ${phone}` : ''}`.trim()).join('\n'),
    link: identitySettings().appUrl ?? `${identitySettings().baseUrl}/console`,
  };
  const sides = [
    ['managing_ended', await administratorsIn(tx, manager.id)],
    ['managed_ended', own],
  ] as const;
  for (const [kind, people] of sides)
    for (const { email, name, language } of people)
      await sendLater(tx, { channel: 'mail', kind, recipient: email, language, params: { ...params, name }, worthSeconds: WORTH });
}

for (const kind of ['managing_ended', 'managed_ended'] as const)
  composeWith(kind, SIGN_IN, async (_em, { language, params }) => ({
    subject: translate(language, `letter_${kind}_subject`, params as Record<string, string>),
    text: translate(language, `letter_${kind}`, params as Record<string, string>),
  }));

const MOST = 10_000;
/** Companies that somebody is known to have signed in of: it stays so. */
const known = new Set<string>();

/** The same for somebody with a token of the deployment's own provider, who never signs in here: their first request is that. */
export async function noteToken(ctx: Context): Promise<void> {
  const companyId = ctx.viewer!.companyId;
  if (known.has(companyId)) return;
  const { rows } = await (await poolOf(ctx.em)).query('select 1 from company where id = $1 and first_sign_in_at is null', [companyId]);
  if (rows.length > 0) await transact(ctx, (tx) => noteSignIn(tx, companyId));
  if (known.size >= MOST) known.clear();
  known.add(companyId);
}
