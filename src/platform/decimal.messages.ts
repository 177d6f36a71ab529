import { defineMessages } from './i18n/messages.ts';

export const decimalMessages = defineMessages({
  decimal_invalid: { en: 'is not a number', 'es-us': 'no es un número', 'fr-ca': "n'est pas un nombre" },
  decimal_out_of_range: { en: 'is out of range', 'es-us': 'está fuera de rango', 'fr-ca': 'est hors limites' },
});
