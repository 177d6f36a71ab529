import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, reserveForPurposes } from '../database/scope.ts';
import { queryAs } from '../database/sql.ts';

/** The purpose that notes who wants no texts. */
export const SMS_CONSENT = definePurpose('sms_consent', { sms_consent: ['insert', 'select (message_id)'] });
export const smsConsentReserved = reserveForPurposes('sms_consent');

/** A text that somebody sent to a number of the product. */
export interface IncomingSms {
  /** The service's id of it. */
  id: string;
  /** E.164. */
  from: string;
  text: string;
}

// The words that carriers take for these in the United States and Canada, in the three languages.
const STOP = new Set([
  'stop',
  'stopall',
  'stop all',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'revoke',
  'optout',
  'alto',
  'parar',
  'arret',
  'arreter',
]);
const START = new Set(['start', 'unstop', 'yes', 'commencer', 'iniciar']);

/** Returns the wish of a text about further texts; undefined if it has none. Case, accents and characters that are no letters do not matter. */
export function consentIn(text: string): 'stop' | 'start' | undefined {
  const word = text
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z]+/g, ' ')
    .trim();
  if (STOP.has(word)) return 'stop';
  return START.has(word) ? 'start' : undefined;
}

const NOTE = 'insert into sms_consent (message_id, phone, stopped) values ($1, $2, $3) on conflict (message_id) do nothing';

/** Notes that a number wants no texts any more, or wants them again. The same text that comes again changes nothing. */
export async function noteConsent(em: EntityManager, { id, from, text }: IncomingSms): Promise<void> {
  const said = consentIn(text);
  if (!said) return;
  await queryAs(SMS_CONSENT, em, NOTE, [id, from, said === 'stop']);
}

/** SQL that is true for a number (an expression) whose last word was that it wants no texts. */
export const wantsNoTexts = (phone: string): string =>
  `coalesce((select s.stopped from sms_consent s where s.phone = ${phone} order by s.created_at desc limit 1), false)`;
