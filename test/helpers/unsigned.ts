/** Returns an answer without the signatures of its URLs, which another quarter of an hour makes others. */
export const unsigned = <T>(answer: T): T => JSON.parse(JSON.stringify(answer).replace(/\?signature=[\w.-]+/g, '')) as T;
