/**
 * The result of one examination: `good` needs nothing, `look` is worth a decision of the operator, `wrong` does harm now or will.
 */
export interface Finding {
  verdict: 'good' | 'look' | 'wrong';
  /** The variable or part that it is about. */
  about: string;
  /** A sentence; what is not good also says what to do. */
  says: string;
}

export const good = (about: string, says: string): Finding => ({ verdict: 'good', about, says });
export const look = (about: string, says: string): Finding => ({ verdict: 'look', about, says });
export const wrong = (about: string, says: string): Finding => ({ verdict: 'wrong', about, says });

/** Returns the findings whose condition holds. */
export const those = (...findings: (Finding | false | undefined)[]): Finding[] =>
  findings.filter((one) => one !== false && one !== undefined);

/** Returns the reason of an error in a few words; one without a message has a code. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || (error as { code?: string }).code || error.name : String(error);
