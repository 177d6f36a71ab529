import type { PlanRequest, Run } from '../run.ts';

/** The facts on which the text of a plan's statement depends, in addition to the place in the document with which the plan is kept. */
export interface PlanKey {
  kind: PlanRequest['kind'];
  entity: string;
  /** Where else in the document the field is selected. */
  places: string;
  /** The decisions of the variables on which fields are selected. */
  decided: string;
  run: Run;
  receivesWork: boolean;
  listing: PlanRequest['listing'];
  count: 'exact' | 'bounded' | undefined;
}

/** The key of a plan among those of its place. A part that is missing here would have one viewer read by the plan of another. */
export function planKeyOf({ kind, entity, places, decided, run, receivesWork, listing, count }: PlanKey): string {
  return [
    kind,
    entity,
    places,
    run.companyIds.length > 1 ? 'n' : '1',
    receivesWork ? 'v' : '',
    run.shared ? 's' : '',
    run.siteIds ? 'l' : '',
    run.ownRecordsOnly ?? '',
    run.forOwn?.join() ?? '',
    run.readsNoWork ? 'p' : '',
    run.at ? 'a' : '',
    run.was ? 'w' : '',
    run.last ? 'd' : '',
    run.isInSequence ? 'o' : '',
    run.past ? `${run.past.stage}${run.past.most ?? ''}` : '',
    run.where.map((where) => where.key).join(),
    decided,
    run.root?.shape ?? '',
    count ?? '',
    listing?.order?.key ?? '',
    listing?.most ?? '',
    listing?.few ? 'f' : '',
    ...run.lists.map((list) => list.shape),
  ].join('~');
}
