import type { RequestHandler } from 'express';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies, runAsPurpose, withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { readAtReplica } from '../../platform/http/replica-reads.ts';
import { ignoredHeaders } from '../../platform/http/rest/ignored.ts';
import { requireAcceptable } from '../../platform/http/rest/negotiation.ts';
import { drained } from '../../platform/http/stream-text.ts';
import { snapshotQueryOf } from './feed-query.ts';
import { type FeedReader, feedReaderOf, positionText, requireSameRights } from './feed-reader.ts';
import type { FeedServices } from './feed-services.ts';
import { presentPosition } from './read-changes.ts';
import { readableRecords } from './readable-records.ts';
import { RECORD_TYPES, type RecordType } from './record-types.ts';
import { FIRST_PLACE, OF_OTHERS, type Place } from './records-of-others.ts';
import { beginSights, isBySight, noteSights, type Sight } from './sights.ts';

/** Records that are read at a time, which limits the memory of a snapshot of any length. */
const CHUNK = 200;

const LINES = 'application/x-ndjson';
/** Clients that ask for these get it, too: other names of the same, and what some ask for at all paths. Each line is JSON. */
const ALSO_TAKEN = ['application/ndjson', 'application/jsonl', 'application/json'];

/**
 * Sends every record that the caller may see as NDJSON: first the position from which to follow the feed, then the records, at the end how many there
 * were. A record that changes while the snapshot is read is in it as it was before or after, and its change is in the feed after the position.
 */
export function serveSnapshot({ contextFor, renew, takeTurn }: FeedServices): RequestHandler {
  return async (req, res, next) => {
    let begun: Context | undefined;
    try {
      requireAcceptable(req, LINES, ALSO_TAKEN);
      const ctx = await contextFor(req);
      begun = ctx;
      ctx.contractWords = true;
      await takeTurn(ctx, res);
      const reader = feedReaderOf(ctx, String(req.params.companyId));
      const { types: given = RECORD_TYPES, ignored } = snapshotQueryOf(req);
      const asked = [...new Set(given)];
      const viewer = viewerOf(ctx);
      const types = asked.filter((type) => readableRecords.of(ctx.em).mayRead(viewer, type));
      const present = await presentPosition(ctx, reader.companyId);
      const position = positionText(present, reader);
      res.set({
        ...ignoredHeaders(ignored),
        'Content-Type': `${LINES}; charset=utf-8`,
        'Cache-Control': 'no-store',
        'X-Feed-Position': position,
      });
      await beginSights(ctx, reader);
      if (req.method === 'HEAD') return void res.end();
      // Everything up to the position. What is kept of what the reader saw is not read here.
      await readAtReplica(ctx, { fresh: true, long: true, writesApart: true });
      const write = async (line: object) => {
        if (!res.write(`${JSON.stringify(line)}\n`)) await drained(res);
      };
      await write({ position });
      let count = 0;
      for (const type of types)
        for await (const records of recordsOf(
          () =>
            sameReader(
              runAsPurpose(SIGN_IN, () => renew(req)),
              reader,
            ),
          reader,
          { type, present },
        )) {
          if (res.closed) return;
          for (const [id, record] of records) await write({ type, id, record });
          count += records.size;
        }
      await write({ position, records: count });
      res.end();
    } catch (error) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (!res.headersSent) return next(error);
      begun?.report?.(error);
      res.destroy();
    }
  };
}

/** The context in which the next records are read: nothing of those before is kept in it. @throws Unauthenticated, Gone when the rights of the reader changed */
async function sameReader(renewed: Promise<Context>, reader: FeedReader): Promise<Context> {
  const ctx = await renewed;
  ctx.contractWords = true;
  requireSameRights(ctx, reader);
  return ctx;
}

/** @param present the position after which the feed is read on */
async function* recordsOf(
  renewed: () => Promise<Context>,
  reader: FeedReader,
  { type, present }: { type: RecordType; present: string },
): AsyncGenerator<Map<string, object>> {
  const begun = await renewed();
  const records = readableRecords.of(begun.em);
  for await (const { ids, own } of idsOf(begun, reader, type)) {
    const ctx = await renewed();
    const visible = await records.visible(ctx, reader.companyId, type, ids);
    const seen = ids.filter((id) => visible.has(id));
    // Before they are read: what is deleted since is reported to those alone of whom it is known that they saw it.
    if (isBySight(reader, type, own)) {
      const sights = seen.map((id): Sight => ({ id, type, lostAt: null, cameAt: present }));
      await noteSights(ctx, reader, sights);
    }
    yield await records.documents(ctx, reader.companyId, type, seen);
  }
}

/** Ids of records that may be seen: those of the company, oldest first, and then those of others. */
async function* idsOf(ctx: Context, { companyId }: FeedReader, type: RecordType): AsyncGenerator<{ ids: string[]; own: boolean }> {
  const { name, hasTime } = readableRecords.of(ctx.em).tableOf(type);
  const company = type === 'Company' ? 'id' : 'company_id';
  const order = hasTime ? 'created_at, id' : 'id';
  const own = `select id, ${hasTime ? 'created_at' : `'-infinity'::timestamptz`}::text as at from "${name}"
    where ${company} = $1 and (${order}) > (${hasTime ? '$2::timestamptz, $3::uuid' : '$3::uuid'}) and $2::timestamptz is not null order by ${order} limit $4`;
  for await (const ids of pagesOf(FIRST_PLACE, (place) => queryOf(ctx, own, valuesOf(companyId, place)))) yield { ids, own: true };
  for (const { first, sql, own: isOwn = false } of OF_OTHERS[type] ?? []) {
    const others = (place: Place) =>
      asCompanies([companyId], () => withPartnerVisibility(() => queryOf<Place>(ctx, sql, valuesOf(companyId, place)), 'off'));
    for await (const ids of pagesOf(first, others)) yield { ids, own: isOwn };
  }
}

const valuesOf = (companyId: string, { at, id }: Place): unknown[] => [companyId, at, id, CHUNK];

/** The ids of all pages, each of which is asked for behind the last of the one before. */
async function* pagesOf(first: Place, ask: (place: Place) => Promise<Place[]>): AsyncGenerator<string[]> {
  for (let last = first; ; ) {
    const rows = await ask(last);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < CHUNK) return;
    last = rows[rows.length - 1]!;
  }
}
