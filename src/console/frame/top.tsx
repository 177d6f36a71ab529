import type { Family } from '../server/somebody.ts';
import type { PageLink } from './page-links.ts';

interface Props {
  title: string;
  /** All pages of the person, this one among them. */
  pages: readonly PageLink[];
  family: Family['companies'];
  /** Empty for the person's own. */
  company: string;
  onCompany: (company: string) => void;
  onSignedOut: () => void;
}

/** The head of a page: its title, the ways to the other pages, the choice of the company, and the way out. */
export function Top({ title, pages, family, company, onCompany, onSignedOut }: Props) {
  const day = family[0]?.sandboxDay;
  return (
    <header className="top">
      {day !== undefined && (
        <p className="sandbox" role="status">
          Sandbox, day {day}
        </p>
      )}
      <h1>{title}</h1>
      <nav aria-label="Pages of the console">
        {pages
          .filter(({ name }) => name !== title)
          .map(({ href, name }) => (
            <a key={href} href={href}>
              {name}
            </a>
          ))}
      </nav>
      {family.length > 1 && (
        <label>
          Company
          <select value={company} onChange={(event) => onCompany(event.target.value)}>
            {family.map(({ id, legalName }, i) => (
              <option key={id} value={i === 0 ? '' : id}>
                {legalName}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" onClick={onSignedOut}>
        Sign out
      </button>
    </header>
  );
}
