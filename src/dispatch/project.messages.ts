import { defineMessages } from '../platform/i18n/messages.ts';

defineMessages({
  one_account: {
    en: 'is given beside account_id; one of the two is meant',
    'es-us': 'se indica junto con account_id; solo uno de los dos vale',
    'fr-ca': 'est donné avec account_id ; un seul des deux est voulu',
  },
  effective_not_before_expires: {
    en: 'must be after effective_at; leave it out when they would be equal',
    'es-us': 'debe ser posterior a effective_at; omítalo si serían iguales',
    'fr-ca': 'doit suivre effective_at ; omettez-le si les deux seraient égaux',
  },
});
