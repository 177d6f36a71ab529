import { MAX_DEPTH, TOO_DEEP } from '../../platform/json/json.ts';

/** The most levels of an element, including itself: those of a body less the two of its list. */
export const LEVELS = MAX_DEPTH - 2;

/** Returns whether an element has more levels than LEVELS, or had when it arrived. Looks no deeper than that. */
export function isTooDeep(value: unknown, left = LEVELS): boolean {
  if (value === TOO_DEEP) return true;
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

/** Returns the element with a mark in place of what is too deep, so that no later code recurses without end. */
export function cutOff(value: unknown, left = LEVELS): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((inner) => cutOff(inner, left - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutOff(inner, left - 1)]));
}
