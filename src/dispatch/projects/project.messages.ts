import { defineMessages } from '../../platform/i18n/messages.ts';

export const projectMessages = defineMessages({
  one_account: {
    en: 'cannot be combined with account_id: send one of the two',
    'es-us': 'no se puede combinar con account_id: envíe uno de los dos',
    'fr-ca': "ne peut pas être combiné avec account_id : envoyez l'un des deux",
  },
  effective_not_before_expires: {
    en: 'must be after effective_at, which is {{other}}; leave it out when they would be equal',
    'es-us': 'debe ser posterior a effective_at, que es {{other}}; omítalo si serían iguales',
    'fr-ca': 'doit suivre effective_at, qui est {{other}} ; omettez-le si les deux seraient égaux',
  },
  effective_not_before_kept_expires: {
    en: 'must be before expires_at, which is {{other}}; send a later expires_at with it, or null for none',
    'es-us': 'debe ser anterior a expires_at, que es {{other}}; envíe con él un expires_at posterior, o null para ninguno',
    'fr-ca': 'doit précéder expires_at, qui est {{other}} ; envoyez avec lui un expires_at ultérieur, ou null pour aucun',
  },
});

/**
 * Returns the message for two dates of a project that are in the wrong order, for the field of the one that was sent.
 * @param given which of the two was sent; the other may have been stored before
 */
export function datesOutOfOrder(given: 'effective' | 'expires', from: Date, until: Date): { key: string; params: { other: string } } {
  return given === 'expires'
    ? { key: 'effective_not_before_expires', params: { other: from.toISOString() } }
    : { key: 'effective_not_before_kept_expires', params: { other: until.toISOString() } };
}
