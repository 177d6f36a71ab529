import { defineMessages } from '../../platform/i18n/messages.ts';

export const matchMessages = defineMessages({
  lines_or_csv: {
    en: 'is sent together with lines; leave one of them out',
    'es-us': 'se envía junto con las líneas; omita uno de los dos',
    'fr-ca': 'est envoyé avec des lignes ; omettez l’un des deux',
  },
  sheet_unreadable: {
    en: 'cannot be read as a sheet: see line {{line}}',
    'es-us': 'no se puede leer como hoja: vea la línea {{line}}',
    'fr-ca': 'ne peut pas être lu comme une feuille : voir la ligne {{line}}',
  },
  sheet_without_column: {
    en: 'has no column {{column}}',
    'es-us': 'no tiene la columna {{column}}',
    'fr-ca': "n'a pas de colonne {{column}}",
  },
  not_a_number_of_sheet: {
    en: 'is not a number with at most four decimals, such as 23.21',
    'es-us': 'no es un número con cuatro decimales como máximo, como 23.21',
    'fr-ca': "n'est pas un nombre d'au plus quatre décimales, comme 23.21",
  },
  not_a_date_of_sheet: {
    en: 'is not a date such as 2026-11-23',
    'es-us': 'no es una fecha como 2026-11-23',
    'fr-ca': "n'est pas une date comme 2026-11-23",
  },
  nothing_to_waive: {
    en: 'has nothing that differs by more than is tolerated',
    'es-us': 'no tiene nada que difiera más de lo tolerado',
    'fr-ca': "n'a rien qui diffère de plus que ce qui est toléré",
  },
  not_waived: {
    en: 'is not waived',
    'es-us': 'no está dispensado',
    'fr-ca': "n'est pas dispensé",
  },
});
