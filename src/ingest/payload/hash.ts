import { hash } from 'node:crypto';
import { isObject } from '../../platform/json/objects.ts';

/**
 * Returns the SHA-256, in hexadecimal, of an element's canonical JSON: keys sorted at every depth, without the top-level `metadata`, which
 * has no effect. Elements with equal hashes ask for the same (DOMAIN section 5).
 */
export function payloadHash(element: unknown): string {
  const meant = isObject(element) ? membersOf(element, 'metadata') : canonical(element);
  return hash('sha256', meant, 'hex');
}

function canonical(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : canonical(item))).join(',')}]`;
  return isObject(value) ? membersOf(value) : (JSON.stringify(value) ?? 'null');
}

function membersOf(value: Record<string, unknown>, without?: string): string {
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined || key === without) continue;
    members += `${members && ','}${quoted(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}

/** Texts that JSON puts between quotes without a change. */
const PLAIN = /^[ !#-[\]-~\u0080-\ud7ff\ue000-\uffff]*$/;
/** Most texts are plain, and a thousand elements have some forty thousand. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
