import { readSignedId, signId } from '../../files/signed-ids.ts';
import { PERMISSIONS } from '../../identity/access/permissions.ts';
import { signedActors } from '../../identity/access/signed-actor.ts';
import type { RememberedActor } from '../../identity/access/viewer.ts';
import type { InApplication } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';
import { publicUrl, SIGNATURE } from '../../platform/public-url.ts';
import { SHEET_PATH } from './daily-export.entity.ts';

/** Milliseconds for which the URL of the same sheet stays the same; it opens for one to two of them. */
const WINDOW = 15 * 60_000;
/** A sheet has whatever its reader may see of tickets, orders and sites. */
const ACTORS = signedActors(PERMISSIONS.flatMap((name) => [name, `${name}:own`]));

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
  const signature = signId(application, `get ${placeOf(sheet)}`, {
    id: ACTORS.write(viewer),
    companyId: sheet.companyId,
    expires: (Math.floor(Date.now() / WINDOW) + 2) * WINDOW,
  });
  return `${publicUrl.of(application)}${placeOf(sheet)}?${SIGNATURE}=${signature}`;
}

/** Returns whose sheet a signature opens; undefined if it is not ours, of another sheet or version, or over. */
export function readSheetSignature(application: InApplication, sheet: Sheet, signature: string): RememberedActor | undefined {
  const signed = readSignedId(application, `get ${placeOf(sheet)}`, signature);
  return signed && ACTORS.read(signed.id);
}
