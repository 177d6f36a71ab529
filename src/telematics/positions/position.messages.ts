import { defineMessages } from '../../platform/i18n/messages.ts';

export const positionMessages = defineMessages({
  not_an_order: {
    en: 'is neither the id nor the number of an order',
    'es-us': 'no es ni el id ni el número de un pedido',
    'fr-ca': "n'est ni l'identifiant ni le numéro d'une commande",
  },
  named_twice: { en: 'name something twice', 'es-us': 'nombran algo dos veces', 'fr-ca': 'nomment quelque chose deux fois' },
  too_many_positions: {
    en: 'may be at most {{most}}',
    'es-us': 'pueden ser como máximo {{most}}',
    'fr-ca': 'peuvent être au plus {{most}}',
  },
});
