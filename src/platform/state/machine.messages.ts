import { defineMessages } from '../i18n/messages.ts';

export const machineMessages = defineMessages({
  illegal_event: {
    en: 'cannot {{event}} while {{state}}',
    'es-us': 'no admite {{event}} en estado {{state}}',
    'fr-ca': "n'admet pas {{event}} à l'état {{state}}",
  },
});
