import { defineMessages } from '../platform/i18n/messages.ts';

/** Texts of the importer, shown in `last_error`. */
export const ingestMessages = defineMessages({
  import_not_allowed: {
    en: 'exists already, and the sender may not change it ({{permission}})',
    'es-us': 'ya existe y el remitente no puede modificarlo ({{permission}})',
    'fr-ca': "existe déjà, et l'expéditeur ne peut le modifier ({{permission}})",
  },
  import_may_not_make: {
    en: 'does not exist, and the sender may not create it ({{permission}})',
    'es-us': 'no existe y el remitente no puede crearlo ({{permission}})',
    'fr-ca': "n'existe pas, et l'expéditeur ne peut le créer ({{permission}})",
  },
  import_site_not_allowed: {
    en: 'is not one of the sites that the sender is limited to',
    'es-us': 'no es ninguno de los sitios a los que está limitado el remitente',
    'fr-ca': "n'est aucun des sites auxquels l'expéditeur est limité",
  },
  import_user_edit_kept: {
    en: 'was edited in the application and stays as it is',
    'es-us': 'se editó en la aplicación y se queda como está',
    'fr-ca': "a été modifié dans l'application et reste tel quel",
  },
  import_order_locked: {
    en: 'the order is over, or has loads or invoices approved for billing; only its notes may change',
    'es-us': 'el pedido ha terminado o tiene cargas o facturas aprobadas; solo se pueden cambiar sus notas',
    'fr-ca': 'la commande est terminée ou a des chargements ou des factures approuvés ; seules ses notes peuvent changer',
  },
  import_guess_refused: {
    en: 'can only be guessed at, and the sender asked for no guesses (strict)',
    'es-us': 'solo se puede adivinar, y el remitente pidió que no se adivine (strict)',
    'fr-ca': "ne peut être que deviné, et l'expéditeur a demandé qu'on ne devine pas (strict)",
  },
  import_digits_lost: {
    en: 'is a number too large to keep its digits; send it as text',
    'es-us': 'es un número demasiado grande para conservar sus dígitos; envíelo como texto',
    'fr-ca': 'est un nombre trop grand pour garder ses chiffres ; envoyez-le en texte',
  },
  import_number_punctuated: {
    en: 'is not a number as JSON writes it: without grouping, and with a point before the decimals, such as 44000.5',
    'es-us': 'no es un número como lo escribe JSON: sin separadores de miles y con un punto antes de los decimales, como 44000.5',
    'fr-ca': "n'est pas un nombre comme l'écrit JSON : sans séparateur de milliers, et avec un point avant les décimales, comme 44000.5",
  },
  import_id_shortened: {
    en: 'is a number that a spreadsheet shortened, so that its digits are lost; keep the column as text',
    'es-us': 'es un número abreviado por una hoja de cálculo, que perdió sus dígitos; mantenga la columna como texto',
    'fr-ca': 'est un nombre abrégé par un tableur, dont les chiffres sont perdus ; gardez la colonne en texte',
  },
  invalid_timestamp: {
    en: 'is not an ISO 8601 timestamp like 2026-12-01T07:00',
    'es-us': 'no es una fecha y hora ISO 8601 como 2026-12-01T07:00',
    'fr-ca': "n'est pas un horodatage ISO 8601 comme 2026-12-01T07:00",
  },
  timestamp_hour_24: {
    en: 'has the hour 24: hours go from 00 to 23, and the end of a day is 00:00 of the next one',
    'es-us': 'tiene la hora 24: las horas van de 00 a 23, y el fin de un día es las 00:00 del siguiente',
    'fr-ca': "porte l'heure 24 : les heures vont de 00 à 23, et la fin d'un jour est 00:00 du suivant",
  },
  timestamp_second_60: {
    en: 'has the second 60: leap seconds cannot be kept, send 59 or the next minute',
    'es-us': 'tiene el segundo 60: los segundos intercalares no se pueden guardar, envíe 59 o el minuto siguiente',
    'fr-ca': 'porte la seconde 60 : les secondes intercalaires ne peuvent être gardées, envoyez 59 ou la minute suivante',
  },
  order_locked: {
    en: 'the order has loads or invoices approved for billing; only notes may change',
    'es-us': 'el pedido tiene cargas o facturas aprobadas; solo se pueden cambiar las notas',
    'fr-ca': 'la commande a des chargements ou des factures approuvés ; seules les notes peuvent changer',
  },
  order_on_the_road: {
    en: 'the order cannot be canceled while {{state}}',
    'es-us': 'el pedido no se puede cancelar mientras está {{state}}',
    'fr-ca': "la commande ne peut être annulée à l'état {{state}}",
  },
  import_more_problems: { en: 'and {{count}} more', 'es-us': 'y {{count}} más', 'fr-ca': 'et {{count}} de plus' },
});
