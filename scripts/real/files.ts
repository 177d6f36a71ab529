import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Decimal } from '../../src/platform/decimal.ts';

/** A load from the city's scale. */
export interface ScaleLoad {
  report_date: string;
  load_type: string;
  /** UTC. */
  load_time: string;
  /** Pounds; empty if nothing was weighed. */
  load_weight: string;
  dropoff_site: string;
}

/** A sand and gravel operation. */
export interface Quarry {
  mine_id: string;
  name: string;
  status: string;
  state: string;
  street: string;
  city: string;
  zip: string;
  lat: string;
  lon: string;
}

const POUNDS_PER_TON = 2000;

export const readRows = <T>(folder: string, file: string): T[] =>
  parse(readFileSync(join(folder, file)), { columns: true, skip_empty_lines: true }) as T[];

/** Returns pounds in tons, with the four decimals of quantities, rounded half up. */
export const tonsOf = (pounds: Decimal | string): Decimal =>
  new Decimal(pounds).div(POUNDS_PER_TON).toDecimalPlaces(4, Decimal.ROUND_HALF_UP);

/** Returns the external id of the order of a service day at a site. */
export const orderKey = (load: ScaleLoad): string => `DAY-${load.report_date}-${load.dropoff_site.replace(/\W+/g, '-')}`;

/** Returns the number of a ticket. The scale prints none, so equal rows are the same ticket. */
export const ticketNumber = (load: ScaleLoad): string =>
  `S-${createHash('sha256').update(JSON.stringify(load)).digest('hex').slice(0, 12)}`;
