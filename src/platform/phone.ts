import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * A phone number as E.164 text, or undefined when it is not a valid number.
 * @param text as people type it: national (`(201) 555-0123`) or international (`+1 201 555 0123`)
 * @param region ISO 3166 country that national numbers are read in; unknown regions read as US
 */
export function normalizePhone(text: string, region = 'US'): string | undefined {
  if (text.length > 64) return undefined;
  const country = region.toUpperCase();
  const parsed = parsePhoneNumberFromString(text, {
    defaultCountry: isSupportedCountry(country) ? (country as CountryCode) : 'US',
    extract: false,
  });
  return parsed?.isValid() ? parsed.number : undefined;
}
