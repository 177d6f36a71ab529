import { defineMessages } from '../platform/i18n/messages.ts';

/** Words of the importer, shown in `last_error`. */
defineMessages({
  invalid_timestamp: {
    en: 'is not an ISO 8601 timestamp',
    'es-us': 'no es una fecha y hora ISO 8601',
    'fr-ca': "n'est pas un horodatage ISO 8601",
  },
  order_locked: {
    en: 'the order has loads approved for billing; only notes may change',
    'es-us': 'el pedido tiene cargas aprobadas para facturación; solo se pueden cambiar las notas',
    'fr-ca': 'la commande a des chargements approuvés pour la facturation ; seules les notes peuvent changer',
  },
  order_on_the_road: {
    en: 'the order cannot be canceled while {{state}}',
    'es-us': 'el pedido no se puede cancelar mientras está {{state}}',
    'fr-ca': "la commande ne peut être annulée à l'état {{state}}",
  },
});
