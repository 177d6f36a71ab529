let last = 0;

/** Returns a number that no test file of this worker got before: files may share a database. */
export const nextNumber = (): number => ++last;
