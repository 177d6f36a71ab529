import { createHash } from 'node:crypto';

/**
 * SHA-256 of an element's canonical JSON: keys sorted at every depth, without the top-level `metadata`, which is stored and never
 * acted on. Two elements of equal hash ask for the same thing (DOMAIN section 5).
 */
export function payloadHash(element: unknown): Buffer {
  const meant = isRecord(element) ? { ...element, metadata: undefined } : element;
  return createHash('sha256').update(canonical(meant)).digest();
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : canonical(item))).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) members.push(`${JSON.stringify(key)}:${canonical(value[key])}`);
  }
  return `{${members.join(',')}}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
