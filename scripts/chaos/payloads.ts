import { crc32, deflateSync } from 'node:zlib';
import type { ImportKind } from '../../src/ingest/importer.ts';

/** A payload disturbs its worker by an error, by ending the process, or by never returning. */
export type Poison = 'throws' | 'kills' | 'hangs';

/** The fields that the chaos adds to a payload for itself. */
export interface ChaosPayload extends Record<string, unknown> {
  version: number;
  /** Fails its first attempt, so that its batch is bisected. */
  flaky?: true;
  poison?: Poison;
}

export interface Wish {
  kind: ImportKind;
  key: string;
  /** Counted for each key, from 1. */
  version: number;
  /** 0 to TRUCKS - 1. */
  truck: number;
}

/** Trucks of each company, all on the one order to which the tickets belong. */
export const TRUCKS = 5;
export const truckName = (truck: number): string => `CHAOS-TRUCK-${truck}`;
export const TICKETED_DISPATCH = 'CHAOS-TICKETS';
/** Local day of the order with the tickets, in every company's zone. */
export const TICKETED_DAY = '2026-11-20';

/** Returns a payload as in SPEC, with the version in its name or notes. */
export function payloadOf({ kind, key, version, truck }: Wish): ChaosPayload {
  const customer = { external_id: 'CHAOS', name: 'Chaos Paving' };
  switch (kind) {
    case 'order':
      return { external_id: key, load_at: '2026-11-20T07:00:00', customer, name: `version ${version}`, version };
    case 'project':
      return {
        external_id: key,
        name: `Project ${key}`,
        customer,
        notes: `version ${version}`,
        phases: [{ name: `Phase ${version}`, primary: true }],
        version,
      };
    case 'ticket':
      return {
        ticket_number: key,
        service_date: `${TICKETED_DAY}T09:30:00`,
        quantity: 22.5,
        unit_of_measure: 'Ton',
        truck_id: truckName(truck),
        dispatch_number: TICKETED_DISPATCH,
        version,
      };
  }
}

/** The element's key in the payload. */
export const KEY_FIELD: Record<ImportKind, string> = { order: 'external_id', project: 'external_id', ticket: 'ticket_number' };

/** Returns a PNG of random grey pixels, so that no two are equal. @param side pixels */
export function picture(side: number): Buffer {
  const rows = Buffer.alloc((side + 1) * side);
  for (let i = 0; i < rows.length; i++) rows[i] = i % (side + 1) === 0 ? 0 : Math.floor(Math.random() * 256);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 0 })), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}
