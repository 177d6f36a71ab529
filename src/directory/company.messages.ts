import { defineMessages } from '../platform/i18n/messages.ts';

/** Words of companies. */
defineMessages({
  company_circle: {
    en: 'would put the company above itself',
    'es-us': 'pondría a la empresa por encima de sí misma',
    'fr-ca': "placerait l'entreprise au-dessus d'elle-même",
  },
  not_a_platform_id: {
    en: 'must be six hexadecimal digits in upper case',
    'es-us': 'debe tener seis dígitos hexadecimales en mayúsculas',
    'fr-ca': 'doit comporter six chiffres hexadécimaux en majuscules',
  },
});
