import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { ReviewedTicket, TicketChange } from './review-api.ts';

const UNITS = ['Ton', 'Tonne', 'Yard', 'CubicMeter', 'Load', 'Hour'];

/** Corrects what a ticket says; an approved one is amended, with a reason. */
export function AmendTicket({
  ticket,
  onSave,
  onCancel,
}: {
  ticket: ReviewedTicket;
  onSave: (change: TicketChange) => Promise<void>;
  onCancel: () => void;
}) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [number, setNumber] = useState(ticket.ticketNumber ?? '');
  const [quantity, setQuantity] = useState(ticket.quantity ?? '');
  const [unit, setUnit] = useState(ticket.unitOfMeasure);
  const [reason, setReason] = useState('');
  const approved = ticket.state === 'approved';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const change = { ticketNumber: number.trim() || null, quantity: quantity.trim() || null, unitOfMeasure: unit };
    void onSave(approved ? { ...change, reason } : change);
  };
  return (
    <form
      className="filters"
      aria-label="Amend the ticket"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && cancel(event, onCancel)}
    >
      <label>
        Ticket number
        <input ref={first} value={number} onChange={(event) => setNumber(event.target.value)} />
      </label>
      <label>
        Quantity
        <input inputMode="decimal" value={quantity} onChange={(event) => setQuantity(event.target.value)} />
      </label>
      <label>
        Unit
        <select value={unit} onChange={(event) => setUnit(event.target.value)}>
          {[...new Set([ticket.unitOfMeasure, ...UNITS])].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {approved && (
        <label>
          Reason
          <input required value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
      <button type="submit">Save</button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

/** Closes the form, and not the panel around it. */
export function cancel(event: { stopPropagation(): void }, onCancel: () => void): void {
  event.stopPropagation();
  onCancel();
}
