import { defineMessages } from '../platform/i18n/messages.ts';

/** Words of contacts and addresses. */
defineMessages({
  invalid_email: {
    en: 'is not an e-mail address',
    'es-us': 'no es una dirección de correo',
    'fr-ca': "n'est pas une adresse courriel",
  },
  invalid_phone: {
    en: 'is not a telephone number',
    'es-us': 'no es un número de teléfono',
    'fr-ca': "n'est pas un numéro de téléphone",
  },
  invalid_country: {
    en: 'must be two upper-case letters (ISO 3166-1)',
    'es-us': 'debe tener dos letras mayúsculas (ISO 3166-1)',
    'fr-ca': 'doit comporter deux lettres majuscules (ISO 3166-1)',
  },
});
