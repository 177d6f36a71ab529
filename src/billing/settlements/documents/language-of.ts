import { type Language, pickLanguage } from '../../../platform/i18n/messages.ts';

/** The language of a company. English is written as in its country. */
export const languageOf = (language: string, country: string | null): Language =>
  language === 'en' && country === 'CA' ? 'en-ca' : pickLanguage(language);
