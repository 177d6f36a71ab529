import { defineMessages } from '../../platform/i18n/messages.ts';

defineMessages({
  import_state_event: {
    en: 'a record that is {{state}} cannot be acted on by {{event}}',
    'es-us': 'un registro en estado {{state}} no admite {{event}}',
    'fr-ca': "un enregistrement à l'état {{state}} n'admet pas {{event}}",
  },
  import_unreadable: {
    en: 'is no record, and will be none the next time: send a corrected payload in its place',
    'es-us': 'no es un registro ni lo será la próxima vez: envíe un contenido corregido en su lugar',
    'fr-ca': "n'est pas un enregistrement et ne le deviendra pas : envoyez un contenu corrigé à sa place",
  },
  import_skipped_by_user: {
    en: '{{name}} put it aside',
    'es-us': '{{name}} lo dejó de lado',
    'fr-ca': "{{name}} l'a mis de côté",
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
