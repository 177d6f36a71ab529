import type { Somebody } from '../server/somebody.ts';

/** A page of the console. */
export interface PageLink {
  href: string;
  name: string;
}

const PAGES: readonly (PageLink & { of: (somebody: Somebody) => boolean })[] = [
  { href: '/console/imports', name: 'Imports', of: ({ imports }) => imports },
  { href: '/console/tickets', name: 'Tickets without a load', of: ({ links }) => links },
  { href: '/console/review', name: 'Review', of: ({ reviews }) => reviews },
  { href: '/console/day', name: 'Day', of: ({ dispatches }) => dispatches },
  { href: '/console/settlements', name: 'Settlements', of: ({ bills }) => bills },
  { href: '/console/reports', name: 'Reports', of: ({ reports }) => reports },
  { href: '/console/webhooks', name: 'Webhooks', of: ({ informs }) => informs },
];

/** The pages on which somebody has something to do, in the order of the navigation. */
export const pagesOf = (somebody: Somebody): PageLink[] => PAGES.flatMap(({ href, name, of }) => (of(somebody) ? [{ href, name }] : []));
