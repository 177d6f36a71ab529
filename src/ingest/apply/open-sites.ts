import type { BatchTx, ClaimedRecord, Failure, Problem } from '../importer.ts';
import { candidates } from '../nested/known-records.ts';
import { asWanted } from '../nested/nested.ts';
import type { OrderDraft } from '../payload/order-draft.ts';

/** A payload, and the route of the record it matched. */
interface Sent {
  record: ClaimedRecord;
  draft: Pick<OrderDraft, 'sites' | 'warnings'>;
  routeId: string | null | undefined;
}

/**
 * Holds senders to the sites that they are limited to, like `POST /v1/orders`. They can neither name other sites, because the answer would
 * reveal them, nor create sites, which they could not see. A stop that their record has already may be named again. It is called before
 * anything is written, and needs no statement if nobody is limited.
 * @returns why payloads are refused
 */
export async function openSites(tx: BatchTx, sent: readonly Sent[]): Promise<Map<ClaimedRecord, Failure>> {
  const limited = sent.filter(({ record, draft }) => record.limits?.siteIds && draft.sites.length > 0);
  if (limited.length === 0) return new Map();
  const stops = await tx.query<{ route_id: string; type: string; site_id: string }>(
    'select route_id, type, site_id from waypoint where route_id = any($1::uuid[])',
    [limited.flatMap(({ routeId }) => routeId ?? [])],
  );
  for (const { record, draft, routeId } of limited) {
    for (const site of draft.sites) {
      const there = stops.filter(({ route_id, type }) => route_id === routeId && type === site.waypoint);
      site.open = new Set([...record.limits!.siteIds!, ...there.map(({ site_id }) => site_id)]);
    }
  }
  const known = await candidates(
    tx,
    'site',
    limited.flatMap(({ draft }) => draft.sites.map(asWanted)),
  );
  const refused = new Map<ClaimedRecord, Failure>();
  for (const { record, draft } of limited) {
    const [first, ...more] = draft.sites.flatMap((site): Problem[] =>
      known.find(asWanted(site), { ids: site.open })
        ? []
        : [{ code: 'not_allowed', pointer: site.pointer, key: 'import_site_not_allowed' }],
    );
    if (first) refused.set(record, { state: 'failed', ...first, more, warnings: draft.warnings });
  }
  return refused;
}
