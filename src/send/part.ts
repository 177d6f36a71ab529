/** Bytes of a request; the server takes 5 MB. */
export const MOST_BYTES = 4_500_000;

/**
 * Returns the JSON of a value, and why it cannot be sent: the server would refuse the whole request because of it.
 * @param text as it is written in its file, if it is JSON there
 */
export function partOf(value: unknown, text?: string): { part: string; why?: string } {
  let json: string;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { part: '', why: 'too_deep: is nested deeper than anything can be sent' };
  }
  const part = text ?? json;
  if (Buffer.byteLength(part) >= MOST_BYTES) return { part, why: 'too_large: larger than a request may be' };
  // JSON.stringify writes half a surrogate pair, and NUL, only as an escape.
  if (/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(json))
    return { part, why: 'unstorable_text: contains a NUL character or half of a surrogate pair' };
  return { part };
}
