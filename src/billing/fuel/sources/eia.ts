import { Decimal } from '../../../platform/decimal.ts';
import { guardedFetch } from '../../../platform/http/calls/guarded-fetch.ts';
import { jsonOf, objectsOf, ProviderError } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { localDate, localDateAfter, localToInstant } from '../../../platform/time.ts';
import type { FuelPriceSource, PublishedPrice } from './fuel-price-source.ts';

export interface EiaOptions {
  key: string;
  /** Another server with the same interface, which may be on a private address. */
  url?: string;
  /** Milliseconds for an answer. */
  timeout?: number;
}

const SERVER = 'https://api.eia.gov';
const TIMEOUT = 20_000;
/** Rows of an answer: five years of weeks. And answers, if it sends fewer. */
const PAGE = 260;
const MOST_PAGES = 30;
/** As fuel prices are kept. */
const PLACES = 4;
const MOST_PRICE = 100;
const [DAY, WEEK] = [86_400_000, 7];
const ZONE = 'America/New_York';
/** Prices of a Monday are published on Tuesday about ten o'clock. */
const [TUESDAY, TIME] = [2, '10:30'];

/** Weekly retail prices of the Energy Information Administration of the United States (its API, version 2). */
export function eiaSource({ key, url, timeout = TIMEOUT }: EiaOptions): FuelPriceSource {
  const fetch = guardedFetch({ allowPrivate: url !== undefined, timeout });
  const ask = async (series: string, from: string, offset: number, signal: AbortSignal) => {
    const query = new URLSearchParams({
      ...{ frequency: 'weekly', 'data[0]': 'value', 'facets[series][]': series, start: from },
      ...{ 'sort[0][column]': 'period', 'sort[0][direction]': 'asc', offset: String(offset), length: String(PAGE), api_key: key },
    });
    const headers = { Accept: 'application/json' };
    return pageOf(await jsonOf(await fetch(`${url ?? SERVER}/v2/petroleum/pri/gnd/data/?${query}`, { headers, signal })), series);
  };
  return {
    name: 'eia',
    isSeries: (text) => /^[A-Z0-9_]{1,100}$/.test(text),
    async read(series, from, signal) {
      const found = new Map<string, Decimal | null>();
      let rows = 0;
      for (let pages = 1; ; pages++) {
        const known = found.size;
        const page = await ask(series, from, rows, signal);
        for (const { date, price } of page.rows) note(found, date, price);
        rows += page.rows.length;
        const isWhole = rows >= page.total;
        // A page without anything new is one that was there before: what should be on it is missing.
        if (found.size === known && page.total > known) throw new ProviderError('the answer of the provider is not complete');
        if (isWhole) break;
        if (pages === MOST_PAGES) throw new ProviderError('the answer of the provider does not come to an end');
      }
      const prices = [...found].flatMap(([date, price]): PublishedPrice[] => (price === null ? [] : [{ date, price }]));
      return prices.sort((a, b) => (a.date < b.date ? -1 : 1));
    },
    newestBy(now) {
      // The Monday before the last Tuesday on which prices were published.
      const last = new Date(nextTuesday(now).getTime() - WEEK * DAY);
      return localDate(new Date(last.getTime() - DAY), ZONE);
    },
    nextAfter: nextTuesday,
  };
}

function nextTuesday(now: Date): Date {
  for (let days = 0; ; days++) {
    const date = localDateAfter(now, days, ZONE);
    const at = localToInstant(`${date}T${TIME}`, ZONE)!;
    if (new Date(date).getUTCDay() === TUESDAY && at > now) return at;
  }
}

/** A row that comes twice is one. @throws ProviderError if a day has two prices */
function note(found: Map<string, Decimal | null>, date: string, price: Decimal | null): void {
  const known = found.get(date);
  if (known && price && !known.eq(price)) throw new ProviderError(`the provider has two prices for ${date}`);
  found.set(date, price ?? known ?? null);
}

interface Page {
  total: number;
  rows: { date: string; price: Decimal | null }[];
}

/** @throws ProviderError for what is no page of that series */
function pageOf(answer: unknown, series: string): Page {
  const response = isObject(answer) ? answer.response : undefined;
  const total = isObject(response) ? Number(response.total) : Number.NaN;
  if (!isObject(response) || !Array.isArray(response.data) || !Number.isInteger(total))
    throw new ProviderError('the answer of the provider has no list of prices');
  const rows = objectsOf(response.data).map((row) => {
    const { period, value } = row;
    if (row.series !== undefined && row.series !== series) throw new ProviderError(`the provider answers ${String(row.series)}`);
    if (typeof period !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(period) || Number.isNaN(Date.parse(period)))
      throw new ProviderError('the answer of the provider has a price without a day');
    return { date: period, price: priceOf(value, period) };
  });
  return { total, rows };
}

/** A blank is no zero. @throws ProviderError for what is no price */
function priceOf(value: unknown, date: string): Decimal | null {
  if (value === null || value === undefined || value === '') return null;
  const text = typeof value === 'number' ? String(value) : value;
  const price = typeof text === 'string' && /^\d{1,3}(\.\d+)?$/.test(text) ? new Decimal(text) : undefined;
  if (!price || price.lte(0) || price.gt(MOST_PRICE) || price.decimalPlaces() > PLACES)
    throw new ProviderError(`the provider has no price for ${date}, but ${String(value).slice(0, 50)}`);
  return price;
}
