import { TableHead } from '../frame/table-head.tsx';
import type { Figure } from './explain-api.ts';
import { money } from './sentences.ts';
import type { Corrected, OneSettlement } from './settlements-api.ts';

/** A settlement as it is, and as its correction would make it: what differs, and the totals. */
export function Comparison({ before, after }: { before: OneSettlement; after: Corrected }) {
  const { currency } = before;
  const rows = differing(partsOf(before), partsOf(after));
  const by = after.differenceTotalAmount;
  return (
    <section aria-label="What it comes to">
      <h3>What it comes to</h3>
      <table>
        <TableHead names={['', 'Now', 'Then']} />
        <tbody>
          {rows.map(({ label, now, then }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="number">{now === undefined ? '' : money(now)}</td>
              <td className="number">{then === undefined ? '' : money(then)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Total</th>
            <td className="number">{money(totalOf(before), currency)}</td>
            <td className="number">{money(totalOf(after), currency)}</td>
          </tr>
          {by !== null && (
            <tr>
              <th scope="row">Difference</th>
              <td />
              <td className="number">
                {by.startsWith('-') ? '' : '+'}
                {money(by, currency)}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

const totalOf = ({ rebillTotalAmount, totalAmount }: Corrected): string | null => rebillTotalAmount ?? totalAmount;

/** The invoices and charges of a settlement; none for those who do not see its amounts. */
function partsOf({ explain }: Corrected): Figure[] {
  const [invoices, ...charges] = (explain?.rebilled ?? explain)?.parts ?? [];
  return [...(invoices?.parts ?? []), ...charges];
}

interface Row {
  label: string;
  now?: string;
  then?: string;
}
/** Returns the figures that have another amount, by their names and places: charges may be called the same. */
function differing(before: readonly Figure[], after: readonly Figure[]): Row[] {
  const rows = new Map<string, Row>();
  const put = (figures: readonly Figure[], when: 'now' | 'then') => {
    const seen = new Map<string, number>();
    for (const { label, amount } of figures) {
      const times = (seen.get(label) ?? 0) + 1;
      seen.set(label, times);
      const key = times === 1 ? label : `${label} (${times})`;
      rows.set(key, { ...rows.get(key), label: key, [when]: amount });
    }
  };
  put(before, 'now');
  put(after, 'then');
  return [...rows.values()].filter(({ now, then }) => now !== then);
}
