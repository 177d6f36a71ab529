import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { signId } from '../../files/signed-ids.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { Ticket } from '../ticket.entity.ts';
import type { TicketBreakReason, TicketVerification } from './ticket-verification.ts';

/** Where everybody who has the link learns whether a ticket is as it was written, in OpenAPI spelling. */
export const VERIFY_PATH = '/v1/ticket_verifications/{token}';

/** A signature of a verify link has no end: a ticket is shown for years. */
const FOR_EVER = Date.UTC(9999, 0);

interface Link {
  number: number;
  /** The time in UTC, as it is hashed. */
  at: string;
  written_at: Date;
  content: string;
  hash: string;
}

const HISTORY = `select t.ticket_number, t.id is not null as there,
    ticket_content(t) = (select x.content from ticket_history x where x.ticket_id = $1 order by x.number desc limit 1) as same,
    (select coalesce(json_agg(json_build_object('number', h.number, 'at', (h.written_at at time zone 'UTC')::text,
      'written_at', h.written_at, 'content', h.content, 'hash', encode(h.hash, 'hex')) order by h.number), '[]') from ticket_history h where h.ticket_id = $1) as links
  from (select 1) one left join ticket t on t.id = $1`;

/** A verification, and the number of the ticket. */
export interface Verified extends Omit<TicketVerification, 'verifyUrl'> {
  ticketNumber: string | null;
  /** The hashes of its links in their order, in hexadecimal digits. */
  hashes: string[];
}

/**
 * Recomputes the history of a ticket: each link must have the hash of what it says and of the link before, and the row must say what the last
 * link says. @param companyId whose ticket it is @returns undefined if there is no such ticket
 */
export async function verifyHistory(em: EntityManager, id: string, companyId: string): Promise<Verified | undefined> {
  const { rows } = await asCompanies([companyId], async () =>
    (await poolOf(em)).query<{ ticket_number: string | null; there: boolean; same: boolean | null; links: Link[] }>(HISTORY, [id]),
  );
  const { there, same, links, ticket_number: ticketNumber } = rows[0]!;
  if (!there) return undefined;
  const breaks = links.flatMap((link, at) => {
    const before = links[at - 1];
    const reason = reasonOf(link, before, id);
    return reason ? [{ number: link.number, writtenAt: new Date(link.written_at), reason }] : [];
  });
  const whole = [
    ...breaks,
    ...(same === true
      ? []
      : [{ number: null, writtenAt: null, reason: links.length > 0 ? ('row_changed' as const) : ('history_missing' as const) }]),
  ];
  // The links after the last break are whole, if the row is.
  const since = same === true ? links.find(({ number }) => number > (breaks.at(-1)?.number ?? 0)) : undefined;
  return {
    ticketId: id,
    ticketNumber,
    unbroken: whole.length === 0,
    since: since ? new Date(since.written_at) : null,
    linksCount: links.length,
    hash: links.at(-1)?.hash ?? null,
    breaks: whole,
    hashes: links.map(({ hash }) => hash),
  };
}

/** Why a link does not follow from what it says and from the link before; undefined if it does. */
function reasonOf(link: Link, before: Link | undefined, ticketId: string): TicketBreakReason | undefined {
  if (link.number !== (before?.number ?? 0) + 1) return 'link_missing';
  const start = before ? Buffer.from(before.hash, 'hex') : Buffer.from(ticketId.replaceAll('-', ''), 'hex');
  const said = Buffer.from(`${link.number}|${link.at}|${link.content}`);
  const right = createHash('sha256').update(start).update(said).digest('hex');
  return right === link.hash ? undefined : 'link_changed';
}

/** Says whether a ticket that the viewer reads is as it was written. @throws Missing */
export async function verifyTicket(ctx: Context, id: string): Promise<TicketVerification> {
  const { company } = await find(ctx, Ticket, id);
  const { hashes: _, ticketNumber: __, ...verified } = (await verifyHistory(ctx.em, id, company.id))!;
  // The link names the newest hash: a history that was written anew as a whole does not contain it.
  const token = signId(ctx.em, `get ${VERIFY_PATH}`, { id: `${id} ${verified.hash ?? ''}`, companyId: company.id, expires: FOR_EVER });
  return { ...verified, verifyUrl: publicUrl.of(ctx.em) + VERIFY_PATH.replace('{token}', token) };
}
