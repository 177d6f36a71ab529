import { decimalText } from '../../platform/decimal.ts';
import type { Figure, Source } from './figure.ts';

/** A figure as it is stored and shown: its label, amount, operation, the decimals to which it is rounded, source and parts. */
export interface FigureJson {
  label: string;
  amount: string;
  operation: string;
  places?: number;
  source?: Source;
  parts?: FigureJson[];
}

/** Writes a figure with its parts, down to what somebody gave. */
export const figureJson = ({ label, value, operation, places, source, parts }: Figure): FigureJson => ({
  ...{ label, amount: decimalText(value), operation },
  ...(places === undefined ? {} : { places }),
  ...(source ? { source } : {}),
  ...(parts.length > 0 ? { parts: parts.map(figureJson) } : {}),
});
