import { createHash } from 'node:crypto';
import type { ErrorItem } from '../../platform/errors.ts';
import type { IdentitySettings } from '../settings.ts';
import { COMMON_PASSWORDS, COMMON_WORDS, listedPasswords } from './common-passwords.ts';
import { LONGEST_PASSWORD, normalized } from './passwords.ts';

/** NIST SP 800-63B, section 3.1.1.2: a length, no composition rules, and a list of what everybody tries. */
const LEAST = 8;
/** Where breached passwords are asked for. */
type BreachedList = Pick<IdentitySettings, 'breachedPasswordsUrl' | 'onBreachedListFailure'>;

/** Characters a stem may have around it and still be the stem: `Summer2026!`. */
const TRIMMINGS = 6;
/** Milliseconds the list of breached passwords may take; a person waits. */
const PATIENCE = 2_000;
const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop'];

/**
 * Returns the problems of a new password, as error items of the field `password`; none if it may be used.
 * @param about words that somebody who knows the person would try: names, e-mail address, company
 */
export async function passwordProblems(
  password: string,
  about: readonly (string | null | undefined)[],
  breached: BreachedList,
): Promise<ErrorItem[]> {
  const problem = (key: string, params?: ErrorItem['params']): ErrorItem[] => [{ model: 'Credential', field: 'password', key, params }];
  const text = normalized(password);
  const length = [...text].length;
  if (length < LEAST) return problem('password_too_short', { least: LEAST });
  if (password.length > LONGEST_PASSWORD) return problem('password_too_long', { most: LONGEST_PASSWORD });
  if (isCommon(text) || isAbout(text, about) || isMadeOf(text, about) || (await isListed(text))) return problem('password_common');
  return (await isBreached(text, breached)) ? problem('password_breached') : [];
}

/** Whether it would be guessed early: listed, a listed word with a few characters around it, a row of keys, or one thing repeated. */
export function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  return [lower, lettersOf(lower)].some((text) => COMMON_PASSWORDS.has(text) || isTrimmed(text)) || isRepeated(lower) || isRow(lower);
}

async function isListed(password: string): Promise<boolean> {
  const passwords = await listedPasswords();
  const lower = password.toLowerCase();
  const bare = bareOf(lower);
  // A listed password with a sign at its end or spaces between, if what is left is long enough to be distinguished from any other word.
  const likely = [lower, lettersOf(lower), lower.replace(/[^\p{L}\p{N}]/gu, ''), ...(bare.length >= LEAST ? [bare] : [])];
  return likely.some((text) => passwords.has(text));
}

function isTrimmed(text: string): boolean {
  const stem = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return text.length - stem.length <= TRIMMINGS && (COMMON_WORDS.has(stem) || COMMON_PASSWORDS.has(stem));
}

/** Replaces the digits and signs that are written for letters by these: `p@ssw0rd`. */
function lettersOf(text: string): string {
  const read: Record<string, string> = { '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' };
  // Not at the end: `password1` is a word with a number.
  const end = /[^\p{L}]*$/u.exec(text)!.index;
  return text.slice(0, end).replace(/[0134571@$!]/g, (sign) => read[sign]!) + text.slice(end);
}

function isRepeated(text: string): boolean {
  return /^(.{1,4}?)\1+.{0,3}$/su.test(text);
}

/** Eight or more characters that are one piece of a row, forwards or backwards, with at most three others. */
function isRow(text: string): boolean {
  const rows = ROWS.flatMap((row) => [row, [...row].reverse().join('')]);
  for (let at = 0; at <= 3; at++)
    for (let end = text.length; end >= text.length - 3 && end - at >= 5; end--) {
      if (text.length - (end - at) <= 3 && rows.some((row) => row.includes(text.slice(at, end)))) return true;
    }
  return false;
}

/** Whether little is left of it without the words that belong to the person. */
function isAbout(password: string, about: readonly (string | null | undefined)[]): boolean {
  const words = ['haulgate', ...about.flatMap((text) => (text ?? '').toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter(
    (word) => word.length >= 4,
  );
  const lower = password.toLowerCase();
  return words.some((word) => [lower, lettersOf(lower)].some((text) => text.includes(word) && text.replaceAll(word, '').length < 5));
}

/**
 * Whether it consists of the words of one thing that belongs to the person, in any order, `dana whitfield` of Dana Whitfield, with little
 * else: compared without case, spaces, signs and the digits at either end.
 */
function isMadeOf(password: string, about: readonly (string | null | undefined)[]): boolean {
  const words = about
    .flatMap((text) => (text ?? '').toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .concat('haulgate')
    .filter((word) => word.length >= 2)
    .sort((one, other) => other.length - one.length);
  const lower = password.toLowerCase();
  return [lower, lettersOf(lower)].map(bareOf).some((text) => {
    let left = text;
    for (const word of new Set(words)) left = left.replaceAll(word, ' ');
    const rest = left.replaceAll(' ', '').length;
    return text.length >= 4 && rest < text.length && rest <= 1;
  });
}

/** Only letters and digits, without the digits at either end. */
const bareOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').replace(/^\p{N}+|\p{N}+$/gu, '');

/**
 * Asks a list of breached passwords, if one is configured, with the first five digits of the SHA-1 hash: the password is not revealed
 * (k-anonymity, as haveibeenpwned.com offers it). A list that does not answer refuses nobody.
 */
async function isBreached(password: string, { breachedPasswordsUrl, onBreachedListFailure }: BreachedList): Promise<boolean> {
  if (!breachedPasswordsUrl) return false;
  const sha1 = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const response = await fetch(`${breachedPasswordsUrl.replace(/\/*$/, '/')}${sha1.slice(0, 5)}`, {
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const lines = (await response.text()).split('\n').map((line) => line.trim().split(':'));
    // Padding has a count of 0.
    return lines.some(([suffix, count]) => suffix?.toUpperCase() === sha1.slice(5) && Number(count) > 0);
  } catch (error) {
    onBreachedListFailure(error);
    return false;
  }
}
