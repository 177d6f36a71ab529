import { ask } from '../server/request.ts';
import type { Found } from './review-api.ts';

/** A truck entered or left a geofence, and somebody should decide what it means; the names are the schema's. */
export interface Crossing {
  id: string;
  state: 'applied' | 'skipped' | 'superseded' | 'proposed';
  skipReason: string | null;
  confidence: string;
  geofenceTriggerType: 'enter' | 'exit';
  waypointType: string | null;
  siteId: string | null;
  occurredAt: string;
  confirmedAt: string;
  undoable: boolean;
  jobEventId: string | null;
  job: {
    id: string;
    jobId: string;
    state: string;
    order: { orderId: string; account: { name: string } | null };
    driver: { firstName: string; lastName: string } | null;
    equipment: { name: string } | null;
    waypoints: { site: { id: string; name: string } | null }[];
  };
}

const CROSSING = `id state skipReason confidence geofenceTriggerType waypointType siteId occurredAt confirmedAt undoable jobEventId
  job { id jobId state order { orderId account { name } } driver { firstName lastName } equipment { name } waypoints { site { id name } } }`;

interface Connection {
  nodes: Crossing[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Returns crossings about which somebody should decide, the newest first. @param after cursor of the page before */
export async function readCrossings(after: string, company: string): Promise<Found<Crossing>> {
  const { geofenceTriggers } = await ask<{ geofenceTriggers: Connection }>(
    `query($company: ID, $after: String) { geofenceTriggers(needsReview: true, first: 25, after: $after, companyId: $company) {
      nodes { ${CROSSING} } pageInfo { hasNextPage endCursor } } }`,
    { company: company || null, after: after || null },
  );
  const { nodes, pageInfo } = geofenceTriggers;
  return { items: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

/** Returns a crossing as it is now. @throws Error if it is not among the newest of its job any more */
export async function readCrossing({ id, job }: Crossing, company: string): Promise<Crossing> {
  const { geofenceTriggers } = await ask<{ geofenceTriggers: Connection }>(
    `query($company: ID, $job: ID!) { geofenceTriggers(jobId: $job, first: 100, companyId: $company) { nodes { ${CROSSING} } pageInfo { hasNextPage endCursor } } }`,
    { company: company || null, job: job.id },
  );
  const found = geofenceTriggers.nodes.find((one) => one.id === id);
  if (!found) throw new Error('it is not there any more');
  return found;
}

const decision = (operation: string, argument: string) => async (id: string, company: string) => {
  await ask(`mutation($id: ID!, $company: ID) { ${operation}(${argument}: $id, companyId: $company) { id } }`, {
    id,
    company: company || null,
  });
};
export const confirmCrossing = decision('confirmTrigger', 'id');
export const dismissCrossing = decision('dismissTrigger', 'id');
const undoEvent = decision('undoAutomaticEvent', 'jobEventId');
export const undoCrossing = ({ jobEventId }: Crossing, company: string): Promise<void> => undoEvent(jobEventId!, company);

/** Returns the crossing in words: "entered the drop-off". */
export const crossedOf = ({ geofenceTriggerType: type, waypointType }: Crossing): string =>
  `${type === 'enter' ? 'entered' : 'left'} the ${waypointType?.replace('_', '-') ?? 'site'}`;

export const siteOf = ({ siteId, job }: Crossing): string | undefined => job.waypoints.find(({ site }) => site?.id === siteId)?.site?.name;

const WAITS: Record<string, string> = {
  uncertain: 'There are too few positions of it, or they are too coarse, to be certain',
  too_short: 'It was there for less than a minute, and there is no ticket',
  overlap: 'The geofences of pickup and drop-off overlap, and it has not left the pickup',
};

/** Returns why somebody should decide about a crossing, in sentences. */
export function reasonsOfCrossing(crossing: Crossing): string[] {
  const { state, skipReason, confidence } = crossing;
  if (state === 'proposed') return [`${WAITS[skipReason ?? ''] ?? 'It waits for somebody'}: the job has not moved.`];
  if (state === 'superseded') return ['Later positions disprove it. It has moved the job, and nothing was undone.'];
  if (state === 'applied') return [`It has moved the job without being quite certain: its confidence is ${confidence}.`];
  return ['Somebody has decided about it.'];
}
