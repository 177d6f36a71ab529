import { defineMessages } from '../../platform/i18n/messages.ts';

/** Texts about orders and projects. */
export const dispatchMessages = defineMessages({
  stop_taken: {
    en: 'another stop of the same type has this position on the route',
    'es-us': 'otra parada del mismo tipo ya tiene esta posición en el recorrido',
    'fr-ca': 'un autre arrêt du même type a déjà cette position sur le trajet',
  },
  account_discarded: {
    en: 'the account has been discarded',
    'es-us': 'la cuenta fue descartada',
    'fr-ca': 'le compte a été supprimé',
  },
  jobs_started: { en: 'a job has already started', 'es-us': 'un trabajo ya comenzó', 'fr-ca': 'un travail a déjà commencé' },
  jobs_hauling: {
    en: 'a truck is still on the road',
    'es-us': 'un camión todavía está en camino',
    'fr-ca': 'un camion est encore en route',
  },
  billing_approved: {
    en: 'a load or an invoice of it is approved for billing',
    'es-us': 'una carga o una factura suya está aprobada para facturación',
    'fr-ca': 'un chargement ou une de ses factures est approuvé pour la facturation',
  },
  is_discarded: {
    en: 'has been discarded and takes no new work',
    'es-us': 'fue descartado y no acepta trabajo nuevo',
    'fr-ca': "a été supprimé et n'accepte plus de travail",
  },
  is_inactive: {
    en: 'is inactive and takes no new work',
    'es-us': 'está inactivo y no acepta trabajo nuevo',
    'fr-ca': "est inactif et n'accepte plus de travail",
  },
  not_a_customer: { en: 'is not a customer', 'es-us': 'no es un cliente', 'fr-ca': "n'est pas un client" },
  not_a_vendor: { en: 'is not a vendor', 'es-us': 'no es un proveedor', 'fr-ca': "n'est pas un fournisseur" },
  not_a_driver: { en: 'is not a driver', 'es-us': 'no es un conductor', 'fr-ca': "n'est pas un chauffeur" },
  other_account: {
    en: 'belongs to another account',
    'es-us': 'pertenece a otra cuenta',
    'fr-ca': 'appartient à un autre compte',
  },
  other_driver: {
    en: 'belongs to another driver',
    'es-us': 'pertenece a otro conductor',
    'fr-ca': 'appartient à un autre chauffeur',
  },
  one_primary_phase: {
    en: 'only one phase can be primary',
    'es-us': 'solo una fase puede ser la principal',
    'fr-ca': 'une seule phase peut être principale',
  },
  // The same text as in the room below, which refuses to share it further.
  is_the_truck: {
    en: 'is the truck of the job already',
    'es-us': 'ya es el camión del trabajo',
    'fr-ca': 'est déjà le camion du travail',
  },
  is_a_trailer: {
    en: 'is additional equipment of the job already',
    'es-us': 'ya es equipo adicional del trabajo',
    'fr-ca': 'est déjà un équipement supplémentaire du travail',
  },
  share_ends_before: {
    en: 'is shared with you only until a time before this work begins',
    'es-us': 'se comparte con usted solo hasta un momento anterior al inicio de este trabajo',
    'fr-ca': "n'est partagé avec vous que jusqu'à un moment antérieur au début de ce travail",
  },
  at_least_one: { en: 'needs at least one', 'es-us': 'necesita al menos uno', 'fr-ca': 'en demande au moins un' },
  not_of_this_order: {
    en: 'does not belong to this record',
    'es-us': 'no pertenece a este registro',
    'fr-ca': "n'appartient pas à cet enregistrement",
  },
  four_decimals: {
    en: 'has more than four decimals',
    'es-us': 'tiene más de cuatro decimales',
    'fr-ca': 'a plus de quatre décimales',
  },
  trucks_of_order: {
    en: 'would be more than the {{limit}} trucks an order may have',
    'es-us': 'pasaría de los {{limit}} camiones que un pedido puede tener',
    'fr-ca': "dépasserait les {{limit}} camions qu'une commande peut avoir",
  },
  order_takes_no_truck: {
    en: 'cannot be raised: {{name}} is inactive or deleted, and takes no new work',
    'es-us': 'no se puede aumentar: {{name}} está inactivo o eliminado y no acepta trabajo nuevo',
    'fr-ca': "ne peut augmenter : {{name}} est inactif ou supprimé et n'accepte plus de travail",
  },
  trucks_started: {
    en: 'is below the {{started}} trucks that are already sent or under way, or have a ticket',
    'es-us': 'es menor que los {{started}} camiones ya enviados o en camino, o con un tiquete',
    'fr-ca': 'est inférieur aux {{started}} camions déjà envoyés ou en route, ou qui ont un billet',
  },
  order_closed: {
    en: 'the order is closed',
    'es-us': 'el pedido está cerrado',
    'fr-ca': 'la commande est fermée',
  },
  greater_than_zero: { en: 'must be greater than zero', 'es-us': 'debe ser mayor que cero', 'fr-ca': 'doit être supérieur à zéro' },
  estimate_needs_one: {
    en: 'give exactly one of total_loads, truck_quantity and total_units',
    'es-us': 'indique exactamente uno de total_loads, truck_quantity y total_units',
    'fr-ca': "donnez exactement l'un de total_loads, truck_quantity et total_units",
  },
  day_too_full: {
    en: 'has more than {{most}} records of one kind: read its paged lists instead',
    'es-us': 'tiene más de {{most}} registros de un tipo: lea en su lugar sus listas por páginas',
    'fr-ca': "compte plus de {{most}} enregistrements d'un même type : lisez plutôt ses listes par pages",
  },
  not_a_rate_of: {
    en: 'is not a {{owner}} rate',
    'es-us': 'no es una tarifa de {{owner}}',
    'fr-ca': "n'est pas un tarif de {{owner}}",
  },
});
