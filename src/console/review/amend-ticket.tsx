import { useRef, useState } from 'react';
import { Ask } from '../frame/ask.tsx';
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
  const [number, setNumber] = useState(ticket.ticketNumber ?? '');
  const [quantity, setQuantity] = useState(ticket.quantity ?? '');
  const [unit, setUnit] = useState(ticket.unitOfMeasure);
  const [reason, setReason] = useState('');
  const approved = ticket.state === 'approved';
  const save = () => {
    const change = { ticketNumber: number.trim() || null, quantity: quantity.trim() || null, unitOfMeasure: unit };
    void onSave(approved ? { ...change, reason } : change);
  };
  return (
    <Ask name="Amend the ticket" act="Save" first={first} onSubmit={save} onCancel={onCancel}>
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
    </Ask>
  );
}
