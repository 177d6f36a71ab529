import { defineMessages } from '../../platform/i18n/messages.ts';

export const ticketMessages = defineMessages({
  ticket_quantity_not_positive: {
    en: 'must be more than 0',
    'es-us': 'debe ser mayor que 0',
    'fr-ca': 'doit être supérieur à 0',
  },
  ticket_quantity_too_small: {
    en: 'is rounded to 0: quantities have four decimals, so that 0.0001 is the smallest',
    'es-us': 'se redondea a 0: las cantidades tienen cuatro decimales, y 0.0001 es la menor',
    'fr-ca': 'est arrondi à 0 : les quantités ont quatre décimales, et 0,0001 est la plus petite',
  },
  ticket_number_taken: {
    en: 'another ticket of your company has this number',
    'es-us': 'otra boleta de su empresa tiene este número',
    'fr-ca': 'un autre billet de votre entreprise porte ce numéro',
  },
  ticket_order_unknown: {
    en: 'names no order of your company',
    'es-us': 'no nombra ningún pedido de su empresa',
    'fr-ca': 'ne désigne aucune commande de votre entreprise',
  },
});
