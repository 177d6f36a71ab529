/** The rows that companies see in addition to their own. */
export interface TenantSpec {
  /** Predicate for work passed along vendor chains: `t` is the table alias, `p` the uuid[] parameter. */
  subcontracted?: (t: string, p: string) => string;
  /**
   * Predicate for records that other companies share. Only reads that say `shared` carry it: what is shared is used, never changed, so
   * that a command that does not think of it finds nothing.
   */
  shared?: (t: string, p: string) => string;
}

/** Predicate for records at some sites: `t` is the table alias, `p` the uuid[] parameter. */
export type AtSites = (t: string, p: string) => string;

/** Predicate for records somebody is part of: `t` is the table alias, `p` the person's id as a uuid expression. */
export type OfPerson = (t: string, p: string) => string;

/** Predicate for rows that are shown to anybody at all: `t` is the table alias, `at` the instant as which they are read, if not now, `whole` if no page is read. */
export type Shown = (t: string, at?: string, whole?: boolean) => string;

/** Which rows people see in addition to all rows of their companies, and to which of them some people are limited. */
export interface Visibility extends TenantSpec {
  /** The rows that people see who are limited to some sites; entities that say nothing are at no site. */
  sites?: AtSites;
  /**
   * The rows that people read who see own records only; entities that say nothing are read by everybody. It holds for what a client reads or
   * names; a command that has found its record meets all that belongs to it.
   */
  ownRecords?: OfPerson;
  /** The permission for all rows: whoever has it with `:own` alone reads those of `ownRecords`, also if other records are open to them. */
  allBy?: string;
  /** The rows that clients read, and name as what to change; entities that say nothing show all. Commands meet the others, too. */
  shown?: Shown;
}

/** The permissions that open all rows of some entities. */
const opening = new Set<string>();

/** Returns the permissions for all rows of some entities that somebody has for own records alone. @param can whether they have a permission */
export const heldForOwn = (can: (permission: string) => boolean): string[] =>
  [...opening].filter((name) => !can(name) && can(`${name}:own`));

/** Notes a permission that opens all rows of an entity. */
export const noteOpening = (permission: string): void => void opening.add(permission);
