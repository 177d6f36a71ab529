import { readSpecOf } from './decorators.ts';

/** What somebody is limited to beside companies, as SQL expressions that are only written when they are needed; absent without limits. */
export interface Limits {
  /** uuid[] of the sites. */
  sites?: (() => string) | undefined;
  /** uuid of the person who reads own records only. */
  person?: (() => string) | undefined;
}

/** Conditions on the rows of an entity that limited people see. @param t the table's alias */
export function limitsOn(entity: Function, t: string, { sites, person }: Limits): string[] {
  const { atSites, ofPerson } = readSpecOf(entity);
  return [...(atSites && sites ? [atSites(t, sites())] : []), ...(ofPerson && person ? [ofPerson(t, person())] : [])];
}
