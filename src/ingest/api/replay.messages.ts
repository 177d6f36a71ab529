import { defineMessages } from '../../platform/i18n/messages.ts';

export const replayMessages = defineMessages({
  import_state_event: {
    en: 'cannot {{event}} a record that is {{state}}',
    'es-us': 'un registro en estado {{state}} no admite {{event}}',
    'fr-ca': "un enregistrement à l'état {{state}} n'admet pas {{event}}",
  },
  import_unreadable: {
    en: 'could not be read, so trying it again does not help: send a corrected payload in its place',
    'es-us': 'no se pudo leer, así que no sirve intentarlo de nuevo: envíe un contenido corregido en su lugar',
    'fr-ca': "n'a pas pu être lu, il ne sert donc à rien de réessayer : envoyez un contenu corrigé à sa place",
  },
  import_filter_empty: {
    en: 'is empty: name what is meant, or send "all": true for all failed records',
    'es-us': 'está vacío: indique lo que quiere decir, o envíe "all": true para todos los registros fallidos',
    'fr-ca': 'est vide : dites ce qui est visé, ou envoyez "all": true pour tous les enregistrements en échec',
  },
  import_skipped_by_user: {
    en: '{{name}} skipped it',
    'es-us': '{{name}} lo omitió',
    'fr-ca': "{{name}} l'a ignoré",
  },
  import_resubmitted: {
    en: '{{name}} sent a corrected payload in its place',
    'es-us': '{{name}} envió un contenido corregido en su lugar',
    'fr-ca': '{{name}} a envoyé un contenu corrigé à sa place',
  },
  import_being_processed: {
    en: 'is being processed right now',
    'es-us': 'se está procesando en este momento',
    'fr-ca': 'est en cours de traitement',
  },
});
