import { defineMessages } from '../platform/i18n/messages.ts';

defineMessages({
  effective_not_before_expires: {
    en: 'must be after effective_at; leave it out when they would be equal',
    'es-us': 'debe ser posterior a effective_at; omítalo si serían iguales',
    'fr-ca': 'doit suivre effective_at ; omettez-le si les deux seraient égaux',
  },
});
