import { defineMessages } from '../i18n/messages.ts';

export const authorizationMessages = defineMessages({
  must_exist: { en: 'must exist', 'es-us': 'debe existir', 'fr-ca': 'doit exister' },
});
