import { expect, test } from '@jest/globals';
import { defineMessages, messageKeys, pickLanguage, translate } from '../../../src/platform/i18n/messages.ts';

defineMessages({
  test_count: { en: 'has {{count}} <parts>', 'es-us': 'tiene {{count}} <partes>', 'fr-ca': 'a {{count}} <parties>' },
}).register();

test('messages are in the requested language, Canadian English like English', () => {
  expect(['en', 'en-ca', 'es-us', 'fr-ca'].map((l) => translate(l as 'en', 'test_count', { count: 2 }))).toEqual([
    'has 2 <parts>',
    'has 2 <parts>',
    'tiene 2 <partes>',
    'a 2 <parties>',
  ]);
  expect(translate('fr-ca', 'no_such_key')).toBe('no_such_key');
});

test.each(['other', 'has {{count}} <parts>'])('one key cannot be defined twice, here as %p', (en) => {
  expect(() => defineMessages({ test_count: { en, 'es-us': 'otro', 'fr-ca': 'autre' } }).register()).toThrow('test_count');
});

test.each([
  [undefined, 'en'],
  ['fr-CA,fr;q=0.8,en;q=0.5', 'fr-ca'],
  ['fr', 'fr-ca'],
  ['es-MX', 'es-us'],
  ['en-CA', 'en-ca'],
  ['en-GB', 'en'],
  ['de, es-us;q=0.4', 'es-us'],
  ['en;q=0.1, fr-ca;q=0.9', 'fr-ca'],
  ['fr-ca;q=0, es-us;q=0.1', 'es-us'],
  ['*', 'en'],
  [';;;q=,,', 'en'],
])('Accept-Language %p is answered in %s', (header, language) => {
  expect(pickLanguage(header)).toBe(language);
});

test('every message of every room exists in English, Spanish and French', () => {
  for (const [key, languages] of messageKeys()) expect([key, languages]).toEqual([key, expect.arrayContaining(['en', 'es-us', 'fr-ca'])]);
});
