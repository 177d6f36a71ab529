import { ask } from '../server/request.ts';

/** An account or a driver, who pays or is paid. */
export interface Party {
  customerAccount: { name: string } | null;
  vendorAccount: { name: string } | null;
  driver: { firstName: string; lastName: string } | null;
}
export const partyOf = ({ customerAccount, vendorAccount, driver }: Party): string =>
  customerAccount?.name ?? vendorAccount?.name ?? (driver ? `${driver.firstName} ${driver.lastName}`.trim() : '');

export const PARTY = 'customerAccount { name } vendorAccount { name } driver { firstName lastName }';

export interface Found<T> {
  items: T[];
  next: string | null;
}

/** Rows of a page. */
export const PAGE_SIZE = 50;

/** A page as the API answers it. */
export interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
export const foundIn = <T>({ nodes, pageInfo }: Page<T>): Found<T> => ({
  items: nodes,
  next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
});

/** Which page, and of which company; both empty for the first one of the own company. */
export interface Asked {
  cursor: string;
  company: string;
}
export async function pageOf<T>(
  list: string,
  type: string,
  fields: string,
  { cursor, company }: Asked,
  filter: object = {},
): Promise<Found<T>> {
  const { found } = await ask<{ found: Page<T> }>(
    `query($first: Int, $after: String, $company: ID, $filter: ${type}) {
      found: ${list}(first: $first, after: $after, companyId: $company, filter: $filter) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
    { first: PAGE_SIZE, after: cursor || null, company: company || null, filter },
  );
  return foundIn(found);
}
