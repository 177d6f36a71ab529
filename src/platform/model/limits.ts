import type { Viewer } from '../context.ts';
import { readSpecOf } from './decorators.ts';

/** The limits of a viewer in addition to companies, as SQL expressions that are written only when they are used; absent without limits. */
export interface Limits {
  /** uuid[] of the sites. */
  sites?: (() => string) | undefined;
  /** uuid of the person who reads own records only. */
  person?: (() => string) | undefined;
  /** The instant of records that are read as they were. */
  at?: (() => string) | undefined;
  /** All rows of the list are read, as for an export, and not those of a page. */
  whole?: boolean | undefined;
}

/** Conditions on the rows of an entity that people see, limited ones or anybody. @param t the table's alias */
export function limitsOn(entity: Function, t: string, { sites, person, at, whole }: Limits): string[] {
  const { atSites, ofPerson, shown } = readSpecOf(entity);
  return [
    ...(shown ? [shown(t, at?.(), whole)] : []),
    ...(atSites && sites ? [atSites(t, sites())] : []),
    ...(ofPerson && person ? [ofPerson(t, person())] : []),
  ];
}

/**
 * The viewer's limits for a hand-written statement: ` and ...`, or nothing for a viewer without limits.
 * @param values the statement's parameters, to which those of the limits are added
 */
export function limitsFor(
  viewer: Pick<Viewer, 'id' | 'siteIds' | 'ownRecordsOnly'>,
  entity: Function,
  t: string,
  values: unknown[],
): string {
  const { id, siteIds, ownRecordsOnly } = viewer;
  const param = (value: unknown, cast: string) => () => `$${values.push(value)}::${cast}`;
  const limits = limitsOn(entity, t, {
    sites: siteIds && param(siteIds, 'uuid[]'),
    person: ownRecordsOnly ? param(id, 'uuid') : undefined,
  });
  return limits.map((limit) => ` and ${limit}`).join('');
}
