import { defineMessages } from '../platform/i18n/messages.ts';

export const ticketMessages = defineMessages({
  ticket_not_approvable: {
    en: 'cannot be approved while its job, quantity, number or image is missing, or its review found it twice',
    'es-us': 'no se puede aprobar mientras falte su trabajo, cantidad, número o imagen, o su revisión la encontró duplicada',
    'fr-ca':
      "ne peut être approuvé tant que son travail, sa quantité, son numéro ou son image manque, ou que la revue l'a trouvé en double",
  },
  ticket_of_canceled: {
    en: 'has been canceled: nothing was delivered under it',
    'es-us': 'fue cancelado: no se entregó nada con él',
    'fr-ca': "a été annulé : rien n'a été livré sous lui",
  },
  ticket_not_editable: {
    en: 'cannot be changed while {{state}}',
    'es-us': 'no se puede cambiar mientras está {{state}}',
    'fr-ca': "ne peut être modifié à l'état {{state}}",
  },
});
