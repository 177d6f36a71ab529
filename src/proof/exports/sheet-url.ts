import { createHash } from 'node:crypto';
import { readSignedId, signId } from '../../files/signed-ids.ts';
import { PERMISSIONS } from '../../identity/access/permissions.ts';
import { type RememberedActor, remembered } from '../../identity/access/viewer.ts';
import type { InApplication } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';
import { publicUrl, SIGNATURE } from '../../platform/public-url.ts';
import { SHEET_PATH } from './daily-export.entity.ts';

/** Milliseconds for which the URL of the same sheet stays the same; it opens for one to two of them. */
const WINDOW = 15 * 60_000;
/** Characters of the name of a person who acts as another one; a signature has a limit. */
const MOST_NAME = 60;

/** What a signature says of permissions: one bit for each of these. */
const GRANTS = PERMISSIONS.flatMap((name) => [name, `${name}:own`]);
/** Another version of the product may have others: it opens no URL of this one. */
const VERSION = createHash('sha256').update(GRANTS.join()).digest('base64url').slice(0, 8);

/** The sheet of one day of a company. */
export interface Sheet {
  companyId: string;
  /** YYYY-MM-DD. */
  day: string;
}

const placeOf = ({ companyId, day }: Sheet): string => SHEET_PATH.replace('{company-id}', companyId).replace('{date}', day);

/**
 * Returns the URL of a sheet as its reader may see it: it opens for everybody who has the URL, for 15 to 30 minutes, with no more than the reader may
 * read by then.
 */
export function sheetUrlOf(application: InApplication, viewer: Viewer, sheet: Sheet): string {
  const { type, id, grants, realActor } = remembered(viewer);
  const bits = Buffer.alloc(Math.ceil(GRANTS.length / 8));
  GRANTS.forEach((name, at) => {
    if (grants.includes(name)) bits[at >> 3]! |= 1 << (at & 7);
  });
  const actor = realActor ? [realActor.type, realActor.id, realActor.name.slice(0, MOST_NAME)] : [];
  const signature = signId(application, `get ${placeOf(sheet)}`, {
    id: JSON.stringify([VERSION, type, id, bits.toString('base64url'), ...actor]),
    companyId: sheet.companyId,
    expires: (Math.floor(Date.now() / WINDOW) + 2) * WINDOW,
  });
  return `${publicUrl.of(application)}${placeOf(sheet)}?${SIGNATURE}=${signature}`;
}

/** Returns whose sheet a signature opens; undefined if it is not ours, of another sheet or version, or over. */
export function readSheetSignature(application: InApplication, sheet: Sheet, signature: string): RememberedActor | undefined {
  const signed = readSignedId(application, `get ${placeOf(sheet)}`, signature);
  if (!signed) return undefined;
  const [version, type, id, bits, actorType, actorId, actorName] = JSON.parse(signed.id) as [
    string,
    Viewer['type'],
    string,
    string,
    Viewer['type']?,
    string?,
    string?,
  ];
  if (version !== VERSION) return undefined;
  const held = Buffer.from(bits, 'base64url');
  const grants = GRANTS.filter((_, at) => held[at >> 3]! & (1 << (at & 7)));
  const realActor = actorType && actorId ? { realActor: { type: actorType, id: actorId, name: actorName ?? '' } } : {};
  return { type, id, grants, ...realActor };
}
