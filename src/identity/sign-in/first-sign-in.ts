import { administratorsIn, type ListedAdministrator, listAdministrators } from '../../directory/people/administrators.ts';
import { perApplication } from '../../platform/application.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { pagesUrlOf } from '../settings.ts';
import { notePerson } from './note-person.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

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
  const listed = await listAdministrators(tx, company.id);
  const params = {
    company: company.name,
    manager: manager.name,
    who: tx.viewer?.name ?? '',
    link: pagesUrlOf(tx.em),
  };
  const sides = [
    ['managing_ended', await administratorsIn(tx, manager.id)],
    ['managed_ended', await administratorsIn(tx, company.id)],
  ] as const;
  for (const [kind, people] of sides)
    for (const { email, name, language } of people) {
      const administrators = listed.map((one) => lineOf(one, manager.name, language)).join('\n');
      await sendLater(tx, {
        channel: 'mail',
        kind,
        recipient: email,
        language,
        params: { ...params, name, administrators },
        worthSeconds: WORTH,
      });
    }
}

/** Somebody with all by which they could sign in; which of it is not proven, the manager entered. */
function lineOf({ name, email, phone, byEmail, byPhone }: ListedAdministrator, manager: string, language: Language): string {
  const note = (proven: boolean) => (proven ? '' : ` ${translate(language, 'entered_by', { manager })}`);
  const addresses = [...(email ? [`<${email}>${note(byEmail)}`] : []), ...(phone ? [`${phone}${note(byPhone)}`] : [])];
  return `${name} ${addresses.join(', ')}`.trim();
}

export const managingMails = (['managing_ended', 'managed_ended'] as const).map((kind) =>
  composeWith(kind, SIGN_IN, async (_em, { language, params }) => ({
    subject: translate(language, `email_${kind}_subject`, params as Record<string, string>),
    text: translate(language, `email_${kind}`, params as Record<string, string>),
  })),
);

const MOST = 10_000;
/** Companies that somebody is known to have signed in of, and people with no address that another company entered: both stay so. */
const knownIds = perApplication('known people and companies', () => new Set<string>());
const UNPROVEN = `select 1 from app_user where id = $1 and (last_login_at is null or not email_proven) and not (email_proven and phone_proven)`;

/**
 * The same for somebody with a token of the deployment's own provider, who never signs in here: their first request is that. For a person
 * the provider vouches for their e-mail address.
 */
export async function noteToken(ctx: Context): Promise<void> {
  const { id, companyId, name, type } = ctx.viewer!;
  const known = knownIds.of(ctx.em);
  if (!known.has(id) && type === 'User') {
    const { rows } = await (await poolOf(ctx.em)).query(UNPROVEN, [id]);
    if (rows.length > 0)
      await transact(ctx, async (tx) => {
        await holdFirstSignIn(tx, id);
        await notePerson(tx, { id, companyId, name }, 'email', false);
      });
    remember(known, id);
  }
  if (known.has(companyId)) return;
  const { rows } = await (await poolOf(ctx.em)).query('select 1 from company where id = $1 and first_sign_in_at is null', [companyId]);
  if (rows.length > 0) await transact(ctx, (tx) => noteSignIn(tx, companyId));
  remember(known, companyId);
}

function remember(known: Set<string>, id: string): void {
  if (known.size >= MOST) known.clear();
  known.add(id);
}
