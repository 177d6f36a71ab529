import type { Request } from 'express';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { unknownParameters } from '../../platform/http/rest/ignored.ts';
import { DEFAULT_PAGE } from '../../platform/read/lists.ts';
import { MOST_CHANGES } from './change.types.ts';
import { RECORD_TYPES, RecordType } from './record-types.ts';
import { LONGEST_WAIT } from './wait-for-changes.ts';

/** The parameters of a query string of the feed. */
export interface FeedQuery {
  after: string | undefined;
  types: RecordType[] | undefined;
  limit: number;
  /** Seconds. */
  wait: number;
  /** Parameters that the feed does not know. */
  ignored: ErrorItem[];
}

const KNOWN = ['after', 'types', 'types[]', 'limit', 'wait'];
const KNOWN_OF_SNAPSHOT = ['types', 'types[]'];

/** @throws Invalid with everything that is wrong */
export function feedQueryOf(req: Request): FeedQuery {
  const items: ErrorItem[] = [];
  // `afer=` would otherwise read from the present end, for ever.
  const ignored = unknownParameters(req, KNOWN, items);
  const after = textOf(req, 'after', items);
  const whole = (name: string, otherwise: number, min: number, max: number): number => {
    const text = textOf(req, name, items);
    const value = text === undefined ? otherwise : /^\d{1,4}$/.test(text) ? Number(text) : -1;
    if (value < min || value > max) items.push({ model: 'Change', field: name, key: 'out_of_range', params: { min, max } });
    return value;
  };
  const limit = whole('limit', DEFAULT_PAGE, 1, MOST_CHANGES);
  const wait = whole('wait', 0, 0, LONGEST_WAIT);
  const types = typesOf(req, items);
  if (items.length > 0) throw new Invalid(items);
  return { after, types, limit, wait, ignored };
}

/** @throws Invalid with everything that is wrong */
export function snapshotQueryOf(req: Request): Pick<FeedQuery, 'types' | 'ignored'> {
  const items: ErrorItem[] = [];
  const ignored = unknownParameters(req, KNOWN_OF_SNAPSHOT, items);
  const types = typesOf(req, items);
  if (items.length > 0) throw new Invalid(items);
  return { types, ignored };
}

/** `types=Order,Job`, or `types[]=Order&types[]=Job`. */
function typesOf({ query }: Request, items: ErrorItem[]): RecordType[] | undefined {
  const given = [query.types, query['types[]']].flat().filter((one) => typeof one === 'string');
  if (given.length === 0) return undefined;
  const names = given.flatMap((one) => one.split(','));
  if (names.some((name) => !Object.hasOwn(RecordType, name)))
    items.push({ model: 'Change', field: 'types', key: 'not_one_of', params: { values: RECORD_TYPES.join(', ') } });
  return names as RecordType[];
}

function textOf({ query }: Request, name: string, items: ErrorItem[]): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  items.push({ model: 'Change', field: name, key: 'given_twice' });
  return undefined;
}
