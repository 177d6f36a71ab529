import { viewerOf } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { Invalid } from '../platform/errors.ts';

const HOLDER = `select id from ticket where company_id = any($1::uuid[]) and ticket_number = $2 and voided_at is null limit 2`;

/**
 * Runs a command that gives a ticket a number. If another ticket has it, the refusal names that one: it may be the same ticket, photographed twice
 * (PROOF A12). What is the ticket of a company that the caller does not see is not named.
 */
export async function namingHolder<T>(ctx: Context, number: string | null | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // Within a transaction nothing can be asked any more.
    if (ctx.tx || !number || !(error instanceof Invalid)) throw error;
    const at = error.items.findIndex(({ model, field, key }) => model === 'Ticket' && field === 'ticketNumber' && key === 'taken');
    if (at < 0) throw error;
    const { rows } = await (await poolOf(ctx.em)).query<{ id: string }>(HOLDER, [viewerOf(ctx).companyIds, number]);
    if (rows.length !== 1) throw error;
    throw new Invalid(error.items.with(at, { ...error.items[at]!, key: 'number_of_ticket', params: { ticket: rows[0]!.id } }));
  }
}
