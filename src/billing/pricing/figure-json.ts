import type { Viewer } from '../../platform/context.ts';
import { decimalText } from '../../platform/decimal.ts';
import { SEES_FUEL } from '../fuel/fuel-rate.ts';
import type { Choice, Figure, Source } from './figure.ts';

/** A figure as it is stored and shown: its label, amount, operation, the decimals to which it is rounded, source, why it was chosen, and parts. */
export interface FigureJson {
  label: string;
  amount: string;
  operation: string;
  places?: number;
  source?: Source;
  chosen?: Choice;
  parts?: FigureJson[];
}

/** The record that says what fuel costs from a day on. */
export const PRICED_BY = 'FuelPrice';

/** Returns a figure as a viewer sees it whose amount they see: what fuel costs, on which day and in which row is for those who see these prices. */
export const shownFigure = (viewer: Pick<Viewer, 'can'>, figure: FigureJson): FigureJson =>
  viewer.can(SEES_FUEL) ? figure : withoutFuel(figure);

const withoutFuel = ({ source, parts, ...figure }: FigureJson): FigureJson => {
  const { date: _, ...kept } = source ?? {};
  const shown = { ...figure, ...(source ? { source: kept as Source } : {}) };
  // The charge for fuel stays: it is money of its side. The way it was looked up would reveal the price of fuel.
  if (parts?.some((part) => part.source?.type === PRICED_BY)) return { ...shown, operation: 'given' };
  return { ...shown, ...(parts ? { parts: parts.map(withoutFuel) } : {}) };
};

/** Writes a figure with its parts, down to what somebody gave. */
export const figureJson = ({ label, value, operation, places, source, chosen, parts }: Figure): FigureJson => ({
  ...{ label, amount: decimalText(value), operation },
  ...(places === undefined ? {} : { places }),
  ...(source ? { source } : {}),
  ...(chosen ? { chosen } : {}),
  ...(parts.length > 0 ? { parts: parts.map(figureJson) } : {}),
});
