import type { Viewer } from '../../platform/context.ts';
import { decimalText } from '../../platform/decimal.ts';
import { SEES_FUEL } from '../fuel/fuel-rate.ts';
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

/** Returns a figure as a viewer sees it whose amount they see: the days of prices of fuel are for those who see these. */
export const shownFigure = (viewer: Pick<Viewer, 'can'>, figure: FigureJson): FigureJson =>
  viewer.can(SEES_FUEL) ? figure : withoutDates(figure);

const withoutDates = ({ source, parts, ...figure }: FigureJson): FigureJson => {
  const { date: _, ...kept } = source ?? {};
  return {
    ...figure,
    ...(source ? { source: kept as Source } : {}),
    ...(parts ? { parts: parts.map(withoutDates) } : {}),
  };
};

/** Writes a figure with its parts, down to what somebody gave. */
export const figureJson = ({ label, value, operation, places, source, parts }: Figure): FigureJson => ({
  ...{ label, amount: decimalText(value), operation },
  ...(places === undefined ? {} : { places }),
  ...(source ? { source } : {}),
  ...(parts.length > 0 ? { parts: parts.map(figureJson) } : {}),
});
