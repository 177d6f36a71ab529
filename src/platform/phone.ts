import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** A telephone number read from a text, or the message key that says why it cannot be used as it is. */
export interface PhoneRead {
  /** E.164; absent when the text is no valid number. */
  number?: string;
  /** `phone_extension`: E.164 has no room for what follows the number. */
  wrong?: 'invalid_phone' | 'phone_extension';
}

/**
 * Reads a phone number.
 * @param text as people type it: national (`(201) 555-0123`) or international (`+1 201 555 0123`)
 * @param region ISO 3166 country that national numbers are read in; unknown regions read as US
 */
export function readPhone(text: string, region = 'US'): PhoneRead {
  if (text.length > 64) return { wrong: 'invalid_phone' };
  const country = region.toUpperCase();
  const parsed = parsePhoneNumberFromString(text, {
    defaultCountry: isSupportedCountry(country) ? (country as CountryCode) : 'US',
    extract: false,
  });
  if (!parsed?.isValid()) return { wrong: 'invalid_phone' };
  return { number: parsed.number, ...(parsed.ext ? { wrong: 'phone_extension' } : {}) };
}

/** The country of an E.164 number, ISO 3166, in capitals; undefined for none, and for numbers of no country. */
export const countryOfPhone = (number: string): string | undefined => parsePhoneNumberFromString(number)?.country;

/** A phone number as E.164 text, or undefined when it is not a valid number, or one with an extension. As `readPhone`. */
export function normalizePhone(text: string, region = 'US'): string | undefined {
  const { number, wrong } = readPhone(text, region);
  return wrong ? undefined : number;
}
