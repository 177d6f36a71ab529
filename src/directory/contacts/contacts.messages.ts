import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of contacts and addresses. */
export const contactsMessages = defineMessages({
  one_line: {
    en: 'must be one line, without control characters',
    'es-us': 'debe ser una sola línea, sin caracteres de control',
    'fr-ca': 'doit tenir sur une ligne, sans caractères de contrôle',
  },
  invalid_email: {
    en: 'is not an e-mail address',
    'es-us': 'no es una dirección de correo',
    'fr-ca': "n'est pas une adresse courriel",
  },
  phone_extension: {
    en: 'has an extension, which no text message reaches; give the number without it',
    'es-us': 'tiene una extensión, a la que no llega ningún mensaje de texto; indique el número sin ella',
    'fr-ca': "comporte un poste, qu'aucun message texte n'atteint ; indiquez le numéro sans lui",
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
  unknown_country: {
    en: 'is no country of ISO 3166-1',
    'es-us': 'no es un país de ISO 3166-1',
    'fr-ca': "n'est pas un pays de l'ISO 3166-1",
  },
  not_an_area_us: {
    en: 'is no state or territory of the United States, such as TX or Texas (ISO 3166-2)',
    'es-us': 'no es un estado ni territorio de los Estados Unidos, como TX o Texas (ISO 3166-2)',
    'fr-ca': "n'est pas un État ni un territoire des États-Unis, comme TX ou Texas (ISO 3166-2)",
  },
  not_an_area_ca: {
    en: 'is no province or territory of Canada, such as ON or Ontario (ISO 3166-2)',
    'es-us': 'no es una provincia ni territorio de Canadá, como ON u Ontario (ISO 3166-2)',
    'fr-ca': "n'est pas une province ni un territoire du Canada, comme QC ou Québec (ISO 3166-2)",
  },
  not_an_area_mx: {
    en: 'is no state of Mexico, such as JAL or Jalisco (ISO 3166-2)',
    'es-us': 'no es un estado de México, como JAL o Jalisco (ISO 3166-2)',
    'fr-ca': "n'est pas un État du Mexique, comme JAL ou Jalisco (ISO 3166-2)",
  },
});
