import { defineMessages } from '../i18n/messages.ts';

export const transactMessages = defineMessages({
  stale_version: {
    en: 'was changed by somebody else meanwhile; load it again',
    'es-us': 'fue modificado por otra persona mientras tanto; vuelva a cargarlo',
    'fr-ca': "a été modifié par quelqu'un d'autre entre-temps; rechargez-le",
  },
  taken: { en: 'has already been taken', 'es-us': 'ya está en uso', 'fr-ca': 'est déjà utilisé' },
});
