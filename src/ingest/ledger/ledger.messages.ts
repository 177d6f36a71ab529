import { defineMessages } from '../../platform/i18n/messages.ts';

export const ledgerMessages = defineMessages({
  import_worker_lost: {
    en: 'processing never came to an end, {{count}} times',
    'es-us': 'el procesamiento nunca llegó a terminar, {{count}} veces',
    'fr-ca': "le traitement n'est jamais arrivé à terme, {{count}} fois",
  },
  import_internal: {
    en: 'could not be processed because of an internal error',
    'es-us': 'no se pudo procesar por un error interno',
    'fr-ca': "n'a pas pu être traité à cause d'une erreur interne",
  },
  import_database: {
    en: 'could not be processed because the database was busy',
    'es-us': 'no se pudo procesar porque la base de datos estaba ocupada',
    'fr-ca': "n'a pas pu être traité parce que la base de données était occupée",
  },
  import_not_an_object: { en: 'must be an object', 'es-us': 'debe ser un objeto', 'fr-ca': 'doit être un objet' },
  import_too_deep: {
    en: 'is nested deeper than {{levels}} levels',
    'es-us': 'tiene más de {{levels}} niveles de anidamiento',
    'fr-ca': 'est imbriqué sur plus de {{levels}} niveaux',
  },
  import_key_too_long: {
    en: 'is longer than {{limit}} characters',
    'es-us': 'tiene más de {{limit}} caracteres',
    'fr-ca': 'dépasse {{limit}} caractères',
  },
  import_dry_run_too_large: {
    en: 'take longer than {{seconds}} seconds to try; send fewer of them at a time',
    'es-us': 'tardan más de {{seconds}} segundos en probarse; envíe menos a la vez',
    'fr-ca': 'prennent plus de {{seconds}} secondes à essayer ; envoyez-en moins à la fois',
  },
  import_text_invalid: {
    en: 'contains a NUL character or half of a surrogate pair',
    'es-us': 'contiene un carácter NUL o medio par sustituto',
    'fr-ca': "contient un caractère NUL ou la moitié d'une paire de substitution",
  },
});
