import type { Family } from './api.ts';

interface Props {
  title: string;
  /** The other page of the person, if there is one. */
  to: { href: string; name: string } | undefined;
  family: Family['companies'];
  /** Empty for the person's own. */
  company: string;
  onCompany: (company: string) => void;
  onSignedOut: () => void;
}

/** The head of a page: its title, the way to the other page, the choice of the company, and the way out. */
export function Top({ title, to, family, company, onCompany, onSignedOut }: Props) {
  return (
    <header className="top">
      <h1>{title}</h1>
      {to && <a href={to.href}>{to.name}</a>}
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
