import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { TableHead } from '../frame/table-head.tsx';
import type { Figure } from './explain-api.ts';
import { type Correctable, type Line, type RateCard, readCorrectable, readRateCards } from './invoices-api.ts';
import type { Found } from './lists-api.ts';
import { money, rateTypeOf } from './sentences.ts';
import type { Correction, LineChange } from './settlements-api.ts';

interface Props {
  /** The invoice, as the explanation of its settlement names it. */
  invoice: Figure;
  /** Why it is corrected, which is said of its tickets, too. */
  reason: string;
  /** Nothing as long as it is not known what changes. */
  onChange: (change: Correction | undefined) => void;
  onRemove: () => void;
  onFailed: (error: unknown) => void;
}
/** The most characters of the reason for which a ticket is corrected. */
const TICKET_REASON = 500;
type How = 'value' | 'card' | 'lines';
type Edits = Readonly<Record<string, Pick<LineChange, 'quantity' | 'rate' | '_destroy'>>>;

/** The changes of one invoice of a settlement: its rate, by hand or by a rate card, or single lines. */
export function CorrectInvoice({ invoice, reason, onChange, onRemove, onFailed }: Props) {
  const id = invoice.source!.id;
  const [read, setRead] = useState<Correctable>();
  const [rateCards, setRateCards] = useState<Found<RateCard>>();
  const [how, setHow] = useState<How>('value');
  const [value, setValue] = useState('');
  const [rateCard, setRateCard] = useState('');
  const [edits, setEdits] = useState<Edits>({});
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    readCorrectable(id).then(
      (found) => {
        if (!isCurrent) return;
        setRead(found);
        setValue(found.rateValue ?? '');
      },
      (error: unknown) => isCurrent && onFailed(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, onFailed]);
  const wantsRateCards = how === 'card';
  useEffect(() => {
    if (wantsRateCards && read) readRateCards(read).then(setRateCards, onFailed);
  }, [wantsRateCards, read, onFailed]);
  const rateType = read?.rateType ?? '';
  // The values of the form count, and not that the form gives another function each time.
  const say = useRef(onChange);
  say.current = onChange;
  // At once: later, somebody who types and presses Enter would be shown, and might confirm, what the figure before comes to.
  useLayoutEffect(
    () => say.current(read && correctionOf(id, { how, value, rateType, rateCard, edits, alone, reason })),
    [read, id, how, value, rateType, rateCard, edits, alone, reason],
  );
  const name = useId();
  return (
    <fieldset>
      <legend>{invoice.label}</legend>
      <div className="acts">
        {(
          [
            ['value', 'Another rate'],
            ['card', 'A rate card'],
            ['lines', 'Single lines'],
          ] as const
        ).map(([one, said]) => (
          <label key={one} className="check">
            <input type="radio" name={name} checked={how === one} onChange={() => setHow(one)} />
            {said}
          </label>
        ))}
        <button type="button" onClick={onRemove}>
          Leave it as it is
        </button>
      </div>
      {how === 'value' && (
        <>
          <label>
            {rateType ? `Rate ${rateTypeOf(rateType)}` : 'Rate'}
            <input required inputMode="decimal" value={value} onChange={(event) => setValue(event.target.value)} />
          </label>
          {read && <Without of={read} />}
        </>
      )}
      {how === 'card' && rateCards && (
        <label>
          Rate card
          <select required value={rateCard} onChange={(event) => setRateCard(event.target.value)}>
            <option value="">choose one</option>
            {rateCards.items.map((one) => (
              <option key={one.id} value={one.id}>
                {sayRateCard(one)}
              </option>
            ))}
          </select>
          {rateCards.next && 'These are the newest ones.'}
        </label>
      )}
      {how === 'lines' && read && (
        <Lines
          lines={read.invoiceLineItems}
          edits={edits}
          alone={alone}
          onEdit={(line, edit) => setEdits((before) => ({ ...before, [line]: { ...before[line], ...edit } }))}
          onAlone={setAlone}
        />
      )}
    </fieldset>
  );
}

/** The terms that a value which is typed in does not keep (D-BILLING-37). */
function Without({ of: { rateMinimum, rateIncrement } }: { of: Correctable }) {
  const terms = [
    isSome(rateMinimum) && `the minimum of ${rateMinimum}`,
    isSome(rateIncrement) && `rounding up to the next multiple of ${rateIncrement}`,
  ].filter(Boolean);
  return terms.length === 0 ? null : (
    <p className="meaning">
      A rate that is typed in counts without {terms.join(' and ')}. A rate card has its own terms, and single lines keep what is not
      changed.
    </p>
  );
}
const isSome = (text: string | null): boolean => text !== null && !/^0*\.?0*$/.test(text);

interface LinesProps {
  lines: readonly Line[];
  edits: Edits;
  alone: boolean;
  onEdit: (line: string, edit: Edits[string]) => void;
  onAlone: (alone: boolean) => void;
}

/** The lines of an invoice: how much is billed of each, at which rate, or that it is not. */
function Lines({ lines, edits, alone, onEdit, onAlone }: LinesProps) {
  return (
    <>
      <table>
        <TableHead names={['Line', 'Billed', 'Rate', 'Now', 'Take off']} />
        <tbody>
          {lines.map((line) => {
            const { quantity, rate, _destroy } = edits[line.id] ?? {};
            const name = line.name ?? 'line';
            const isFixed = line.isDifference || _destroy === 1;
            return (
              <tr key={line.id}>
                <th scope="row">
                  {name}
                  {line.deliveredQuantity !== line.quantity && <p className="meaning">{line.deliveredQuantity} delivered</p>}
                </th>
                <NumberCell
                  label={`Billed of ${name}`}
                  fixed={isFixed}
                  value={quantity ?? line.quantity}
                  onChange={(quantity) => onEdit(line.id, { quantity })}
                />
                <NumberCell
                  label={`Rate of ${name}`}
                  fixed={isFixed}
                  value={rate ?? line.rate ?? ''}
                  onChange={(rate) => onEdit(line.id, { rate })}
                />
                <td className="number">{money(line.totalAmount)}</td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Take ${name} off`}
                    disabled={line.isDifference}
                    checked={_destroy === 1}
                    onChange={(event) => onEdit(line.id, { _destroy: event.target.checked ? 1 : undefined })}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <label className="check">
        <input type="checkbox" checked={!alone} onChange={(event) => onAlone(!event.target.checked)} />
        Correct the ticket that says a quantity, so that the other side follows
      </label>
    </>
  );
}

interface NumberCellProps {
  label: string;
  fixed: boolean;
  value: string;
  onChange: (value: string) => void;
}

/** A cell of a table in which a number is typed. */
function NumberCell({ label, fixed, value, onChange }: NumberCellProps) {
  return (
    <td>
      <input
        size={7}
        inputMode="decimal"
        aria-label={label}
        disabled={fixed}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </td>
  );
}

const sayRateCard = ({ name, type, unitRate, timeRate, flatAmount, commissionPercentage }: RateCard): string => {
  const value = unitRate ?? timeRate ?? flatAmount ?? (commissionPercentage === null ? null : `${commissionPercentage} %`);
  return value === null ? name : `${name}: ${value} ${rateTypeOf(type)}`;
};

interface Said {
  how: How;
  value: string;
  rateType: string;
  rateCard: string;
  edits: Edits;
  alone: boolean;
  reason: string;
}
function correctionOf(invoiceId: string, { how, value, rateType, rateCard, edits, alone, reason }: Said): Correction | undefined {
  if (how === 'value') return { invoiceId, rateType, rateValue: value.trim() };
  if (how === 'card') return rateCard ? { invoiceId, rateId: rateCard } : undefined;
  const lines = Object.entries(edits).flatMap(([id, { quantity, rate, _destroy }]): LineChange[] => {
    if (_destroy) return [{ id, _destroy }];
    if (quantity === undefined && rate === undefined) return [];
    return [
      {
        id,
        ...(rate === undefined ? {} : { rate: rate.trim() }),
        ...(quantity === undefined
          ? {}
          : { quantity: quantity.trim(), onlyThisSide: alone, reason: reason.trim().slice(0, TICKET_REASON) || undefined }),
      },
    ];
  });
  return lines.length > 0 ? { invoiceId, invoiceLineItems: lines } : undefined;
}
