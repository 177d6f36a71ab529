import { defineMessages } from '../platform/i18n/messages.ts';

export const ticketMessages = defineMessages({
  needed_for_approval: {
    en: 'is missing, and needed before a ticket can be approved',
    'es-us': 'falta, y hace falta antes de aprobar un tiquete',
    'fr-ca': "manque, et il le faut avant d'approuver un billet",
  },
  ticket_found_twice: {
    en: 'cannot be approved: the review of its load found it twice',
    'es-us': 'no se puede aprobar: la revisión de su viaje lo encontró duplicado',
    'fr-ca': "ne peut être approuvé : la revue de son voyage l'a trouvé en double",
  },
  number_of_ticket: {
    en: 'is the number of another ticket, {{ticket}}',
    'es-us': 'es el número de otro tiquete, {{ticket}}',
    'fr-ca': "est le numéro d'un autre billet, {{ticket}}",
  },
  ticket_of_canceled: {
    en: 'has been canceled: nothing was delivered under it',
    'es-us': 'fue cancelado: no se entregó nada con él',
    'fr-ca': "a été annulé : rien n'a été livré sous lui",
  },
  load_of_ticket_approved: {
    en: 'is of a load that is approved: the office changes it',
    'es-us': 'es de un viaje aprobado: lo cambia la oficina',
    'fr-ca': "est d'un voyage approuvé : le bureau le modifie",
  },
  ticket_not_editable: {
    en: 'cannot be changed while {{state}}',
    'es-us': 'no se puede cambiar mientras está {{state}}',
    'fr-ca': "ne peut être modifié à l'état {{state}}",
  },
  more_than_whole: {
    en: 'is not possible: a part would be more than the whole, {{whole}}',
    'es-us': 'no es posible: una parte superaría el total, {{whole}}',
    'fr-ca': 'est impossible : une partie dépasserait le tout, {{whole}}',
  },
  ticket_not_amendable: {
    en: 'is corrected by an amendment only once it is approved; it is {{state}}',
    'es-us': 'solo se rectifica una vez aprobado; está {{state}}',
    'fr-ca': "n'est rectifié qu'une fois approuvé ; son état est {{state}}",
  },
  amendment_of_billing: {
    en: 'is written by billing only',
    'es-us': 'solo lo escribe la facturación',
    'fr-ca': "n'est écrit que par la facturation",
  },
});
