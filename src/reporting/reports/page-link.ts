import { readSignedId, signId } from '../../files/signed-ids.ts';
import { signedActors } from '../../identity/access/signed-actor.ts';
import type { RememberedActor } from '../../identity/access/viewer.ts';
import type { InApplication } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';
import { publicUrl, SIGNATURE } from '../../platform/public-url.ts';
import { CATALOGUE } from '../metrics/catalogue.ts';

/** Where the page of a report is, and where it gets what it shows. */
const PAGE_PATH = '/console/report';
export const DATA_PATH = '/v1/report_pages/{id}';
export const CSV_PATH = '/v1/report_pages/{id}/csv';

/** Milliseconds for which a page opens: as long as somebody looks at it and chooses other days. */
const LIFE = 30 * 60_000;
/** Milliseconds for which an URL stays the same, so that the ETag of what names it holds for as long. */
const WINDOW = 5 * 60_000;

/** The permission to read reports. */
export const READS_REPORTS = 'view_report';
/** The permissions that decide what a page shows. */
const ACTORS = signedActors([
  READS_REPORTS,
  ...new Set(Object.values(CATALOGUE).flatMap(({ permissions = [] }) => permissions.flatMap((one) => [one, `${one}:own`]))),
]);

/** A page that somebody may open. */
export interface Opened {
  companyId: string;
  actor: RememberedActor;
}

/**
 * Returns the URL of the page of a report, as its reader may see it now: it opens for everybody who has the URL, until its time is over or the
 * reader loses what it shows. Others cannot make one, because it is signed.
 */
export function pageUrl(
  application: InApplication,
  viewer: Viewer,
  { reportId, companyId }: { reportId: string; companyId: string },
): string {
  const signature = signId(application, `get ${DATA_PATH.replace('{id}', reportId)}`, {
    id: ACTORS.write(viewer),
    companyId,
    expires: (Math.floor(Date.now() / WINDOW) + 1) * WINDOW + LIFE,
  });
  return `${publicUrl.of(application)}${PAGE_PATH}?report=${reportId}&${SIGNATURE}=${signature}`;
}

/** Returns what a signature opens; undefined if it is not ours, of another report, or over. */
export function readPageLink(application: InApplication, reportId: string, signature: string): Opened | undefined {
  const signed = readSignedId(application, `get ${DATA_PATH.replace('{id}', reportId)}`, signature);
  const actor = signed && ACTORS.read(signed.id);
  return actor && { companyId: signed.companyId, actor };
}
