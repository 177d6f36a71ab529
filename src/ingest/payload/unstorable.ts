/** `\u0000` and lone surrogates as JSON.stringify writes them: escapes after an even number of backslashes. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Returns whether JSON text, as JSON.stringify writes it, contains characters that PostgreSQL cannot store: NUL, or half of a surrogate
 * pair (JSON.stringify escapes halves only).
 */
export function unstorable(json: string): boolean {
  return (json.includes('\\u0000') || json.includes('\\ud')) && ESCAPED.test(json);
}
