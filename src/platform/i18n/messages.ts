import { createInstance } from 'i18next';
import { type Registration, registration } from '../registration.ts';

const LANGUAGES = ['en', 'en-ca', 'es-us', 'fr-ca'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One message in every language; `en-ca` falls back to `en` when the wording is the same. `{{name}}` interpolates. */
export interface Message {
  en: string;
  'en-ca'?: string;
  'es-us': string;
  'fr-ca': string;
}

export type Messages = Record<string, Message>;

const tables = createInstance();
void tables.init({
  initAsync: false,
  lng: 'en',
  fallbackLng: 'en',
  supportedLngs: [...LANGUAGES],
  load: 'currentOnly',
  lowerCaseLng: true,
  keySeparator: false,
  nsSeparator: false,
  resources: {},
  // Messages are plain text in JSON, never HTML.
  interpolation: { escapeValue: false },
});

/**
 * Messages under global snake_case keys, in a `<noun>.messages.ts` that the room lists.
 * @throws Error, when it is registered, if another room has the key: its wording is in one place, and a room uses those of lower rooms
 */
export const defineMessages = (messages: Messages): Registration =>
  registration('defineMessages', Object.keys(messages)[0] ?? '', () => {
    for (const [key, message] of Object.entries(messages)) {
      const taken = tables.getResource('en', 'translation', key);
      if (taken !== undefined) throw new Error(`message key ${key} is defined twice: "${taken}" and "${message.en}"`);
      for (const [language, text] of Object.entries(message))
        tables.addResource(language, 'translation', key, text, { keySeparator: '\0' });
    }
  });

/** The text of a message; an unknown key answers itself. */
export function translate(language: Language, key: string, params: Record<string, string | number> = {}): string {
  return tables.t(key, { ...params, lng: language });
}

/** Every registered key with the languages it exists in; a test asserts that none is missing. */
export function messageKeys(): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const language of LANGUAGES) {
    for (const key of Object.keys(tables.getResourceBundle(language, 'translation') ?? {}))
      keys.set(key, [...(keys.get(key) ?? []), language]);
  }
  return keys;
}

/**
 * The language of an `Accept-Language` header by RFC 9110 quality values. Regions of `es` and `fr` without a table answer in the table of
 * their language. Anything unreadable is English.
 */
export function pickLanguage(header: string | undefined): Language {
  if (header === undefined) return 'en';
  const wishes = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.trim().toLowerCase().split(';');
      const weight = rest.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find((q) => q !== undefined);
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter((wish) => wish.weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of wishes) {
    const exact = LANGUAGES.find((l) => l === tag);
    if (exact) return exact;
    const base = tag.split('-')[0];
    const near = LANGUAGES.find((l) => l.split('-')[0] === base);
    if (near) return near;
  }
  return 'en';
}
