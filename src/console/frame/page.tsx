import type { ReactNode } from 'react';
import type { Family } from '../server/somebody.ts';
import type { PageLink } from './page-links.ts';
import { useTitle } from './title.ts';
import { Top } from './top.tsx';

/** The properties of every page of the console. */
export interface PageProps {
  /** All pages of the person, this one among them. */
  pages: readonly PageLink[];
  /** @param reason why the session is over; empty if the person signed out */
  onSignedOut: (reason: string) => void;
}

interface Props extends PageProps {
  title: string;
  /** Where the link to skip the head leads, and how it is called. */
  skip: { to: string; name: string };
  family: Family['companies'];
  /** The chosen company, empty for the person's own. */
  company: string;
  onCompany: (company: string) => void;
  /** The form or the buttons below the head. */
  filters: ReactNode;
  /** A line on what is shown or was done; screen readers read it out. */
  status: ReactNode;
  /** More about what is shown, which is not read out. */
  note?: ReactNode;
  /** The problems, one line each; without a text there is no line. */
  problems: readonly (string | undefined)[];
  /** The contents of the page: a `Listing`, or something else. */
  children: ReactNode;
}

/** The frame of every page: head, filters, what is shown, what went wrong, and below it the page's own. */
export function Page(props: Props) {
  const { title, skip, pages, family, company, onCompany, onSignedOut, filters, status, note, problems, children } = props;
  useTitle(title, 'en');
  return (
    <>
      <a className="skip" href={`#${skip.to}`}>
        {skip.name}
      </a>
      <Top title={title} pages={pages} family={family} company={company} onCompany={onCompany} onSignedOut={() => onSignedOut('')} />
      {filters}
      <p className="note" role="status">
        {status}
      </p>
      {note !== undefined && <p className="note">{note}</p>}
      {problems.filter(Boolean).map((problem) => (
        <p key={problem} role="alert">
          {problem}
        </p>
      ))}
      {children}
    </>
  );
}
