import type { ListInput } from './lists.ts';
import type { ListOrder, Where } from './run.ts';

/** What a read is told beside its selection. */
export interface OneOptions {
  id: string;
  /** Only inside this company (scoped paths); anything visible otherwise. */
  companyId?: string | null;
  /** Also what other companies share with it (`@Tenant({ shared })`). */
  shared?: boolean;
  where?: readonly Where[];
}

export interface PageOptions extends ListInput {
  /** The company whose list it is; the viewer's own unless given. */
  companyId?: string | null;
  /** Rows of any company of the viewer's family, by conditions of their own: nothing of them is hidden as another company's. */
  family?: boolean;
  /** Also what other companies share with it (`@Tenant({ shared })`). */
  shared?: boolean;
  where?: readonly Where[];
}

export interface ListOptions {
  companyId?: string | null;
  where: readonly Where[];
  /** Also what other companies share with it (`@Tenant({ shared })`). */
  shared?: boolean;
  /** Instead of the oldest first. */
  order?: ListOrder;
  /** How many are read at most. */
  most?: number;
  /** The field below in which the records are, and what the resolver needs of them besides. */
  at?: { below: string; needs: readonly string[] };
}
