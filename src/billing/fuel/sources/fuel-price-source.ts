import { provided } from '../../../platform/application.ts';
import type { Decimal } from '../../../platform/decimal.ts';

/** The price of fuel from a day on, as it was published. */
export interface PublishedPrice {
  /** `YYYY-MM-DD`. */
  date: string;
  price: Decimal;
}

/** Somebody who publishes what fuel costs. */
export interface FuelPriceSource {
  /** The source that a price names. */
  name: string;
  /** Whether a text can name a series. */
  isSeries(text: string): boolean;
  /**
   * Reads the prices of a series from a day on, each day once, the earliest first. What was not published has none.
   * @throws ProviderError for an answer that is none, or is not complete
   */
  read(series: string, from: string, signal: AbortSignal): Promise<PublishedPrice[]>;
  /** The day of the newest price that should be published by a moment. */
  newestBy(now: Date): string;
  /** When the first price after that moment is published. */
  nextAfter(now: Date): Date;
}

/** The source of the installation. Without one, people enter prices. */
export const fuelPriceSource = provided<FuelPriceSource | undefined>('source of fuel prices');
