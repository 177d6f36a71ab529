import { readSignedId, signId } from '../../files/signed-ids.ts';
import { type RememberedActor, remembered } from '../../identity/access/viewer.ts';
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
/** Characters of the name of a person who acts as another one; the link has a limit. */
const MOST_NAME = 60;

/** Who reads reports. */
export const READS_REPORTS = 'view_report';
/** The permissions that decide what a page shows, in an order that links rely on while they live. */
const DECISIVE = [
  READS_REPORTS,
  ...new Set(Object.values(CATALOGUE).flatMap(({ permissions = [] }) => permissions.flatMap((one) => [one, `${one}:own`]))),
];

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
  const { type, id, grants, realActor } = remembered(viewer);
  const mask = DECISIVE.map((name) => (grants.includes(name) ? '1' : '0')).join('');
  const actor = realActor ? [realActor.type, realActor.id, realActor.name.slice(0, MOST_NAME)] : [];
  const signature = signId(application, `get ${DATA_PATH.replace('{id}', reportId)}`, {
    id: JSON.stringify([type, id, mask, ...actor]),
    companyId,
    expires: (Math.floor(Date.now() / WINDOW) + 1) * WINDOW + LIFE,
  });
  return `${publicUrl.of(application)}${PAGE_PATH}?report=${reportId}&${SIGNATURE}=${signature}`;
}

/** Returns what a signature opens; undefined if it is not ours, of another report, or over. */
export function readPageLink(application: InApplication, reportId: string, signature: string): Opened | undefined {
  const signed = readSignedId(application, `get ${DATA_PATH.replace('{id}', reportId)}`, signature);
  if (!signed) return undefined;
  const [type, id, mask, actorType, actorId, actorName] = JSON.parse(signed.id) as [
    Viewer['type'],
    string,
    string,
    Viewer['type']?,
    string?,
    string?,
  ];
  const grants = DECISIVE.filter((_, at) => mask[at] === '1');
  const realActor = actorType && actorId ? { realActor: { type: actorType, id: actorId, name: actorName ?? '' } } : {};
  return { companyId: signed.companyId, actor: { type, id, grants, ...realActor } };
}
