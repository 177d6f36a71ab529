/** The rule of an account for the number of a purchase order. */
export interface PoRule {
  poRequired: boolean;
  /** `#` is a digit, `@` a letter, everything else itself. */
  poPattern: string | null;
}

const CLASSES: Record<string, RegExp> = { '#': /^\p{Nd}$/u, '@': /^\p{L}$/u };

/** Whether a number is as an account wants it; without a rule, every number is, also a missing one. */
export function fitsPurchaseOrder(number: string | null, { poRequired, poPattern }: PoRule): boolean {
  if (!poRequired) return true;
  const given = [...(number?.trim() ?? '')];
  if (given.length === 0) return false;
  if (poPattern === null) return true;
  const wanted = [...poPattern];
  return given.length === wanted.length && wanted.every((sign, i) => CLASSES[sign]?.test(given[i]!) ?? sign === given[i]);
}
