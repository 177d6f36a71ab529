import type { Language } from '../../../platform/i18n/messages.ts';

/** A blank at which no line breaks. */
const BLANK = '\u00a0';
const MARKS: Record<Language, { group: string; point: string }> = {
  en: { group: ',', point: '.' },
  'en-ca': { group: ',', point: '.' },
  'es-us': { group: ',', point: '.' },
  'fr-ca': { group: BLANK, point: ',' },
};

/** Digits after the point of money. */
export const CENTS = 2;

/**
 * A decimal as it is read in a language: `-1,285.64`, `-1 285,64`. Its digits are those of the text; no floating number is made of it.
 * @param places digits after the point at least
 */
export function figure(text: string, language: Language, places = 0): string {
  const { group, point } = MARKS[language];
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.');
  const digits = fraction.padEnd(places, '0');
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, group)}${digits === '' ? '' : point + digits}`;
}

/** A date `YYYY-MM-DD` in the format of a company, such as `MM/DD/YYYY`. */
export function dayIn(format: string, day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return day === '' ? '' : format.replace('YYYY', year).replace('MM', month).replace('DD', date);
}
