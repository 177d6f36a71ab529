import { createHash } from 'node:crypto';
import type { IdentifiedViewer } from '../../identity/access/viewer.ts';
import { companyOf, receivesIn, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { positionGone } from './feed-services.ts';
import { readableRecords } from './readable-records.ts';
import type { RecordType } from './record-types.ts';

/** Somebody who reads the feed of a company. */
export interface FeedReader {
  companyId: string;
  viewerId: string;
  /** Sees some of the company's own records only: some sites, own records. */
  limited: boolean;
  /** Types of which they see some records only, although they are not limited: imports that they sent themselves, files of some kinds of records. */
  partly: ReadonlySet<RecordType>;
  /** Names what the reader may see. It is part of positions: with other rights, what was read before is not what would be read today. */
  rights: string;
}

/** @throws Unauthenticated, Missing for a company that the caller does not see */
export function feedReaderOf(ctx: Context, companyId?: string | null): FeedReader {
  const company = companyOf(ctx, companyId);
  const viewer = viewerOf(ctx) as IdentifiedViewer;
  const { siteIds, ownRecordsOnly, readsNoWork } = viewer;
  const grants = [...viewer.grants].sort();
  const onlyOwn = grants.some((name) => name.endsWith(':own') && !viewer.grants.has(name.slice(0, -':own'.length)));
  const limited = siteIds !== undefined || ownRecordsOnly === true || readsNoWork === true || onlyOwn;
  const partly = new Set(readableRecords.of(ctx.em).partly(viewer));
  const said = [
    // Each company counts its own positions. That of the caller's own company is not named, as it never was: positions are kept for weeks.
    ...(company === viewer.companyId ? [] : [company]),
    grants,
    siteIds && [...siteIds].sort(),
    ownRecordsOnly,
    readsNoWork,
    receivesIn(viewer, [company]),
    limited || partly.size > 0 ? viewer.id : '',
  ];
  const rights = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
  return { companyId: company, viewerId: viewer.id, limited, partly, rights };
}

/** Passes while a reader has the rights with which they began. @throws Unauthenticated, Missing, Gone */
export function requireSameRights(ctx: Context, { companyId, rights }: FeedReader): void {
  if (feedReaderOf(ctx, companyId).rights !== rights) throw positionGone(companyId, 'rights_changed');
}

/** A position as clients get it. It is theirs to keep, and not to read. */
export const positionText = (position: string | number | bigint, { rights }: FeedReader): string => `${position}-${rights}`;

const POSITION = /^(\d{1,18})-([0-9a-f]{12})$/;

/**
 * The position of a text; `0` is the beginning of everything that is kept.
 * @param field where the caller wrote it
 * @throws Invalid, Gone when the reader's rights are not those with which it was read
 */
export function positionOf(text: string, reader: FeedReader, field = 'after'): string {
  if (text === '0') return text;
  const [, position, rights] = POSITION.exec(text) ?? [];
  if (position === undefined) throw new Invalid([{ model: 'Change', field, key: 'no_position' }]);
  if (rights !== reader.rights) throw positionGone(reader.companyId, 'rights_changed');
  return position;
}
