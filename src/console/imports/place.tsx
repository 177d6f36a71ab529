import { useEffect, useState } from 'react';
import type { PageLink } from '../frame/page-links.ts';
import { readDayOf } from './imports-api.ts';

interface Props {
  /** The kind of the record that was made, and its id. */
  kind: string;
  id: string;
  company: string;
  /** The company's time zone. */
  zone: string | undefined;
  /** The pages of the person. */
  pages: readonly PageLink[];
  onFailed: (error: unknown) => void;
}

/** Links to the page that has what was made: an order is on the page of its day, a ticket among those without a load until it has one. */
export function Place({ kind, id, company, zone, pages, onFailed }: Props) {
  const [day, setDay] = useState<string>();
  const has = (href: string) => pages.some((page) => page.href === href);
  const isOnDay = kind === 'order' && has('/console/day');
  useEffect(() => {
    if (isOnDay && zone) readDayOf(id, zone).then(setDay, onFailed);
  }, [isOnDay, id, zone, onFailed]);
  const of = (page: string, view: object) => `${page}?${new URLSearchParams({ ...view, ...(company ? { company } : {}) })}`;
  if (isOnDay && day)
    return (
      <>
        , on the page of <a href={of('/console/day', { date: day })}>its day</a>
      </>
    );
  if (kind === 'ticket' && has('/console/tickets'))
    return (
      <>
        , on the page of <a href={of('/console/tickets', { ticket: id })}>tickets</a>
      </>
    );
  return null;
}
