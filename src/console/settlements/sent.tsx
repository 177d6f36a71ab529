import type { Draft } from './invoices-api.ts';
import type { Found } from './lists-api.ts';
import { mailedOf, money, reasonOf, wordsOf } from './sentences.ts';
import type { Mail } from './settlements-api.ts';

/** The invoices that were billed in addition to those of a settlement, each by itself. */
export function Supplements({ of: { items, next }, onOpen }: { of: Found<Draft>; onOpen: (one: Draft) => void }) {
  if (items.length === 0) return null;
  return (
    <section aria-label="Supplements">
      <h3>
        Supplements <span className="meaning">{items.length}</span>
      </h3>
      <p className="meaning">What came after it was made, or was wrong, is billed by itself{next && '; these are the newest'}.</p>
      <ul className="jobs">
        {items.map((one) => (
          <li key={one.id}>
            <span className="what">
              <button type="button" className="link" onClick={() => onOpen(one)}>
                {one.invoiceId}
              </button>{' '}
              {reasonOf(one)}
            </span>
            <span className="state">{wordsOf(one.state)}</span>
            <span className="number">{money(one.totalAmount, one.currency)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** To whom a settlement was sent, and what became of it. @param timeOf writes an instant as the company does */
export function Mails({ mails, timeOf }: { mails: readonly Mail[]; timeOf: (instant: string) => string }) {
  if (mails.length === 0) return null;
  return (
    <section aria-label="E-mails">
      <h3>Sent by e-mail</h3>
      <ul className="jobs">
        {mails.map((mail) => (
          <li key={mail.id}>
            <span className="what">{mail.email}</span>
            <span>{mailedOf(mail)}</span>
            <span className="meaning">{timeOf(mail.createdAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
