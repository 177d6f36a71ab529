import type { List, ListInput } from './lists.ts';
import type { ListOrder, Where } from './run.ts';

/** Options of a read in addition to its selection. */
export interface OneOptions {
  id: string;
  /** Only inside this company (scoped paths); anything visible otherwise. */
  companyId?: string | null;
  /** Also what other companies share with it (`shared` of an entity's access). */
  shared?: boolean;
  where?: readonly Where[];
  /** With its own fields as they were then; what it names and has is as it is now. */
  asOf?: Date | null;
  /** The record of this very id: a former one names none. */
  literalId?: true;
}

export interface PageOptions extends ListInput {
  /** The company whose list it is; the viewer's own by default. */
  companyId?: string | null;
  /** Rows of any company of the viewer's family, chosen by conditions: none of their fields is hidden as another company's. */
  family?: boolean;
  /** Also what other companies share with it (`shared` of an entity's access). */
  shared?: boolean;
  where?: readonly Where[];
  /**
   * Conditions that everything on a page meets by where it is in its list, by which it is found without the rest of that. They are not asked for where all of the list is
   * read: to count it, or for an export.
   */
  near?: (list: List) => readonly Where[];
  /** The field of a node below which the record is. */
  below?: string;
  /** The company's records that were there then, with their own fields as they were; what they name and have is as it is now. */
  asOf?: Date | null;
}

export interface ListOptions {
  companyId?: string | null;
  where: readonly Where[];
  /** Also what other companies share with it (`shared` of an entity's access). */
  shared?: boolean;
  /** Instead of the oldest first. */
  order?: ListOrder;
  /** The number of records that are read at most. */
  most?: number;
  /** The conditions have a few ids: PostgreSQL plans the statement once, whichever they are. */
  few?: boolean;
  /** The field below which the records are, and the further columns that the resolver reads. */
  at?: { below: string; columns: readonly string[] };
}
