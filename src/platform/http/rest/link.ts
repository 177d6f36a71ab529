import type { Request } from 'express';

export interface PageInfo {
  hasNextPage?: boolean | null;
  hasPreviousPage?: boolean | null;
  startCursor?: string | null;
  endCursor?: string | null;
}

/** Characters that stay in a URL which came over the wire, but would end the link early, or have no place in a query (RFC 3986). */
const ODD = /[<>"\s[\]]/g;
/** The setting of Express that says that clients reach the server over TLS, whatever ends it. */
export const REACHED_BY_TLS = 'reached by TLS';
const AFTER = /^page(\[|%5B)after(\]|%5D)(=|$)/i;

/**
 * The `Link` header of a page: `next` and `prev` are the request's own URL with another `page[after]`.
 * @param reverse makes the cursor that pages backwards from a position (platform/read has it)
 * @returns undefined when there is neither
 */
export function linkHeader(req: Request, info: PageInfo, reverse: (cursor: string) => string): string | undefined {
  const links: string[] = [];
  if (info.hasNextPage && info.endCursor) links.push(`<${withAfter(req, info.endCursor)}>; rel="next"`);
  if (info.hasPreviousPage && info.startCursor) links.push(`<${withAfter(req, reverse(info.startCursor))}>; rel="prev"`);
  return links.length > 0 ? links.join(', ') : undefined;
}

function withAfter(req: Request, cursor: string): string {
  // A query may contain question marks of its own.
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(req.originalUrl) ?? [];
  const kept = query.split('&').filter((pair) => pair !== '' && !AFTER.test(pair));
  const search = [...kept, `page%5Bafter%5D=${encodeURIComponent(cursor)}`].join('&').replace(ODD, encodeURIComponent);
  // A proxy that ends TLS need not say so, and one that is not trusted cannot.
  const protocol = req.app.enabled(REACHED_BY_TLS) ? 'https' : req.protocol;
  return `${protocol}://${req.get('host') ?? 'localhost'}${path.replace(ODD, encodeURIComponent)}?${search}`;
}
