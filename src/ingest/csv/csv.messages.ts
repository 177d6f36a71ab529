import { defineMessages } from '../../platform/i18n/messages.ts';

export const csvMessages = defineMessages({
  csv_no_header: {
    en: 'the file has no header row',
    'es-us': 'el archivo no tiene fila de encabezados',
    'fr-ca': "le fichier n'a pas de ligne d'en-tête",
  },
  csv_no_rows: {
    en: 'the file has no rows below its header',
    'es-us': 'el archivo no tiene filas debajo de los encabezados',
    'fr-ca': "le fichier n'a aucune ligne sous son en-tête",
  },
  csv_too_many_columns: {
    en: 'the file has more than {{max}} columns',
    'es-us': 'el archivo tiene más de {{max}} columnas',
    'fr-ca': 'le fichier compte plus de {{max}} colonnes',
  },
  csv_column_missing: {
    en: 'no column for {{path}}, which is required',
    'es-us': 'falta una columna para {{path}}, que es obligatorio',
    'fr-ca': 'aucune colonne pour {{path}}, qui est obligatoire',
  },
  csv_column_twice: {
    en: 'the columns "{{first}}" and "{{second}}" mean the same field',
    'es-us': 'las columnas "{{first}}" y "{{second}}" significan el mismo campo',
    'fr-ca': 'les colonnes « {{first}} » et « {{second}} » désignent le même champ',
  },
  csv_path_unknown: {
    en: 'there is no field {{path}} for the column "{{header}}"',
    'es-us': 'no existe el campo {{path}} para la columna "{{header}}"',
    'fr-ca': "il n'y a pas de champ {{path}} pour la colonne « {{header}} »",
  },
  csv_header_unknown: {
    en: 'the file has no column "{{header}}"',
    'es-us': 'el archivo no tiene la columna "{{header}}"',
    'fr-ca': "le fichier n'a pas de colonne « {{header}} »",
  },
  csv_mapping_invalid: {
    en: 'must give every header the path of a field, or an empty text',
    'es-us': 'debe dar a cada encabezado la ruta de un campo, o un texto vacío',
    'fr-ca': "doit donner à chaque en-tête le chemin d'un champ, ou un texte vide",
  },
  csv_row_cells: {
    en: 'line {{line}} has {{given}} cells, the header has {{wanted}}',
    'es-us': 'la línea {{line}} tiene {{given}} celdas; el encabezado tiene {{wanted}}',
    'fr-ca': "la ligne {{line}} compte {{given}} cellules, l'en-tête en compte {{wanted}}",
  },
  csv_row_quote: {
    en: 'line {{line}} has a quotation mark in the wrong place, or one that is never closed',
    'es-us': 'la línea {{line}} tiene comillas fuera de lugar o sin cerrar',
    'fr-ca': 'la ligne {{line}} contient un guillemet mal placé ou jamais fermé',
  },
  csv_row_nul: {
    en: 'line {{line}} contains a NUL character',
    'es-us': 'la línea {{line}} contiene un carácter NUL',
    'fr-ca': 'la ligne {{line}} contient un caractère NUL',
  },
});
