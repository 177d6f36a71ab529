import { defineMessages } from '../../platform/i18n/messages.ts';

export const timeOffMessages = defineMessages({
  must_be_after_start: { en: 'must be after the start', 'es-us': 'debe ser posterior al inicio', 'fr-ca': 'doit être après le début' },
});
