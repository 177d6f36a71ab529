import { useRef, useState } from 'react';
import { Ask } from '../frame/ask.tsx';
import { instantOf } from '../times/zone.ts';
import type { DayChange, ReviewedDay } from './review-api.ts';

const TYPES = ['break', 'lunch', 'breakdown', 'wait_time'];
/** Returns an instant as an input of times has it. */
const wallOf = (instant: string | null, zone: string): string =>
  instant === null ? '' : new Date(instant).toLocaleString('sv', { timeZone: zone }).slice(0, 16).replace(' ', 'T');

/** Corrects the times of a shift; what was logged is kept, and an empty field takes a correction back. */
export function AmendDay({
  day,
  zone,
  onSave,
  onCancel,
}: {
  day: ReviewedDay;
  zone: string;
  onSave: (change: DayChange) => Promise<void>;
  onCancel: () => void;
}) {
  const first = useRef<HTMLInputElement>(null);
  const [start, setStart] = useState(wallOf(day.adjustedStartedShiftAt, zone));
  const [end, setEnd] = useState(wallOf(day.adjustedEndedShiftAt, zone));
  const [minutes, setMinutes] = useState(String(day.shiftAdjustmentMinutes));
  const [type, setType] = useState(day.shiftAdjustmentType ?? '');
  const save = () =>
    void onSave({
      // A time that nobody changed keeps its seconds.
      adjustedStartedShiftAt: instantFrom(start, day.adjustedStartedShiftAt, zone),
      adjustedEndedShiftAt: instantFrom(end, day.adjustedEndedShiftAt, zone),
      shiftAdjustmentMinutes: Number(minutes || 0),
      shiftAdjustmentType: type || null,
    });
  return (
    <Ask name="Amend the day" act="Save" first={first} onSubmit={save} onCancel={onCancel}>
      <label>
        Corrected start
        <input ref={first} type="datetime-local" value={start} onChange={(event) => setStart(event.target.value)} />
      </label>
      <label>
        Corrected end
        <input type="datetime-local" value={end} onChange={(event) => setEnd(event.target.value)} />
      </label>
      <label>
        Minutes added
        <input type="number" min={-720} max={720} value={minutes} onChange={(event) => setMinutes(event.target.value)} />
      </label>
      <label>
        For
        <select value={type} onChange={(event) => setType(event.target.value)}>
          <option value="">nothing</option>
          {TYPES.map((one) => (
            <option key={one} value={one}>
              {one.replace('_', ' ')}
            </option>
          ))}
        </select>
      </label>
    </Ask>
  );
}

const instantFrom = (wall: string, was: string | null, zone: string): string | null =>
  wall === '' ? null : wall === wallOf(was, zone) ? was : instantOf(wall, zone);
