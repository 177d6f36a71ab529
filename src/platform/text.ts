/** True for text that PostgreSQL can store: no NUL, no surrogate without its partner. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** The paths of strings (and keys) inside a JSON value that cannot be stored, at most ten of them. */
export function unstorable(value: unknown, path: string, found: string[] = []): string[] {
  if (found.length >= 10) return found;
  if (typeof value === 'string') {
    if (!isStorable(value)) found.push(path);
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) unstorable(value[i], join(path, String(i)), found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (isStorable(key)) unstorable(inner, join(path, key), found);
      else found.push(join(path, JSON.stringify(key).slice(1, -1)));
    }
  }
  return found;
}

export const join = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);
