import type { TxContext } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryIn, queryOf } from '../../../platform/database/sql.ts';
import type { Settlement } from '../settlement.entity.ts';
import { drawUp, type SettlementDocument } from './settlement-document.ts';

const KEEP = `insert into settlement_document (settlement_id, company_id, document) values ($1, $2, $3)
  on conflict (settlement_id) do update set document = excluded.document, created_at = present_time()`;
const FORGET = 'delete from settlement_document where settlement_id = $1';
const KEPT = `select d.document, c.logo_key as "logoKey", c.logo_type as "logoType"
  from settlement_document d join company c on c.id = d.company_id where d.settlement_id = $1`;

interface Kept {
  document: Omit<SettlementDocument, 'createdAt' | 'state' | 'logo'> & { createdAt: string };
  logoKey: string | null;
  logoType: string | null;
}

/**
 * Keeps what an approved settlement says: with the terms, the names and the addresses of that moment, whatever becomes of them (BILLING B-I4, B5).
 * @throws Error if its parts do not add up to its totals
 */
export async function keepDocument(tx: TxContext, settlement: Settlement): Promise<void> {
  await tx.em.flush();
  const { state: _state, logo: _logo, ...said } = await withPartnerVisibility(() => drawUp(tx, settlement));
  await queryIn(tx.em, KEEP, [settlement.id, settlement.company.id, JSON.stringify(said)]);
}

/** Lets it say what is true when it is asked again: its approval is taken back. */
export const forgetDocument = (tx: TxContext, { id }: Settlement): Promise<unknown> => queryIn(tx.em, FORGET, [id]);

/**
 * Returns what a settlement says: what was kept of an approved one, in its present state and under the present logo, or what is true now, in seven
 * statements, however many invoices it has. Whoever calls it has checked that the reader may see its money.
 * @throws Error if the parts do not add up to the totals of the settlement, which must never be printed; Conflict if it is voided, was never approved,
 * and its invoices were changed since
 */
export async function documentOf(ctx: Context, settlement: Settlement): Promise<SettlementDocument> {
  const [kept] = await queryOf<Kept>(ctx, KEPT, [settlement.id]);
  // The same document for a request, a mail and an accounting system.
  if (!kept) return withPartnerVisibility(() => drawUp(ctx, settlement));
  const { document, logoKey, logoType } = kept;
  const logo = logoKey && logoType ? { key: logoKey, type: logoType } : null;
  return { ...document, createdAt: new Date(document.createdAt), state: settlement.state, logo };
}
