import type { FleetPage, RemotePosition } from './provider.ts';

/** A text that is not empty, of a text or a number. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return String(value).trim().slice(0, MOST_CHARACTERS) || null;
}
/** Characters of what a provider calls a vehicle. */
const MOST_CHARACTERS = 255;

/** A number, of a number or a text. */
export function numberOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** A time; one without an offset is UTC. Null for what is no time, and for the year 1, which providers send for "never". */
function timeOf(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const at = new Date(/([zZ]|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() < 2000 ? null : at;
}

/** Metres per second, of miles and of kilometres an hour (PROOF A7). */
export const fromMilesPerHour = (speed: number | null): number | null => (speed === null ? null : (speed * 44_704) / 100_000);
export const fromKilometresPerHour = (speed: number | null): number | null => (speed === null ? null : speed / 3.6);

/** A position as a provider sends it. */
interface Sent {
  key: unknown;
  time: unknown;
  lat: unknown;
  lon: unknown;
  /** Metres per second. */
  speed: number | null;
  bearing?: unknown;
}

/** Adds a position to a page, or counts it as unusable. */
export function addPosition(page: Pick<FleetPage, 'positions' | 'unusable'>, sent: Sent): void {
  const position = positionOf(sent);
  if (position) page.positions.push(position);
  else page.unusable++;
}

function positionOf({ key, time, lat, lon, speed, bearing }: Sent): RemotePosition | undefined {
  const [name, occurredAt, north, east] = [textOf(key), timeOf(time), numberOf(lat), numberOf(lon)];
  if (!name || !occurredAt || north === null || east === null) return undefined;
  if (Math.abs(north) > 90 || Math.abs(east) > 180) return undefined;
  // Units without a fix report the middle of the Gulf of Guinea.
  if (north === 0 && east === 0) return undefined;
  const direction = numberOf(bearing);
  return {
    key: name,
    occurredAt,
    lat: degrees(lat, north),
    lon: degrees(east === 0 ? 0 : lon, east),
    speed: speed !== null && speed >= 0 ? speed : null,
    bearing: direction === null || direction < 0 ? null : direction % 360,
  };
}

/** As it was written, if that is plain digits. */
const degrees = (written: unknown, value: number): string =>
  typeof written === 'string' && /^[+-]?\d{1,3}(\.\d{1,12})?$/.test(written.trim()) ? written.trim() : value.toFixed(9);
