import { defineMessages } from '../../platform/i18n/messages.ts';

export const invoiceMessages = defineMessages({
  blocked_by_job_not_finished: {
    en: 'cannot be approved: its job is not finished',
    'es-us': 'no se puede aprobar: el trabajo no ha terminado',
    'fr-ca': "ne peut pas être approuvée : le travail n'est pas terminé",
  },
  blocked_by_open_load: {
    en: 'cannot be approved: a load of its job is still open',
    'es-us': 'no se puede aprobar: una carga del trabajo sigue abierta',
    'fr-ca': 'ne peut pas être approuvée : un chargement du travail est encore ouvert',
  },
  blocked_by_load_not_approved: {
    en: 'cannot be approved: a load has not been approved for billing',
    'es-us': 'no se puede aprobar: una carga no está aprobada para facturación',
    'fr-ca': "ne peut pas être approuvée : un chargement n'est pas approuvé pour la facturation",
  },
  blocked_by_job_not_approved: {
    en: 'cannot be approved: its job has not been approved for billing',
    'es-us': 'no se puede aprobar: el trabajo no está aprobado para facturación',
    'fr-ca': "ne peut pas être approuvée : le travail n'est pas approuvé pour la facturation",
  },
  blocked_by_missing_quantity: {
    en: 'cannot be approved: a load has no quantity',
    'es-us': 'no se puede aprobar: una carga no tiene cantidad',
    'fr-ca': "ne peut pas être approuvée : un chargement n'a pas de quantité",
  },
  blocked_by_unit_mismatch: {
    en: 'cannot be approved: the unit of a load cannot be converted to that of the rate',
    'es-us': 'no se puede aprobar: la unidad de una carga no se puede convertir a la de la tarifa',
    'fr-ca': "ne peut pas être approuvée : l'unité d'un chargement ne se convertit pas en celle du tarif",
  },
  blocked_by_no_rate: {
    en: 'cannot be approved: it has no rate',
    'es-us': 'no se puede aprobar: no tiene tarifa',
    'fr-ca': "ne peut pas être approuvée : elle n'a pas de tarif",
  },
  blocked_by_no_counterparty: {
    en: 'cannot be approved: nobody is named who pays or is paid',
    'es-us': 'no se puede aprobar: no se indica quién paga o quién cobra',
    'fr-ca': "ne peut pas être approuvée : personne n'est désigné pour payer ou être payé",
  },
  blocked_by_commission_without_receivable: {
    en: 'cannot be approved: there is no receivable of which a commission could be paid',
    'es-us': 'no se puede aprobar: no hay factura por cobrar de la que pagar una comisión',
    'fr-ca': "ne peut pas être approuvée : il n'y a pas de compte client dont payer une commission",
  },
  blocked_by_fuel_price_missing: {
    en: 'cannot be approved: the price of fuel of the day is not known',
    'es-us': 'no se puede aprobar: no se conoce el precio del combustible del día',
    'fr-ca': "ne peut pas être approuvée : le prix du carburant du jour n'est pas connu",
  },
  negative_total: {
    en: 'has a negative total; only a company administrator may approve it',
    'es-us': 'tiene un total negativo; solo un administrador de la empresa puede aprobarla',
    'fr-ca': "a un total négatif ; seul un administrateur de l'entreprise peut l'approuver",
  },
  invoice_not_editable: {
    en: 'cannot be changed while {{state}}; only a pending invoice can',
    'es-us': 'no se puede cambiar en estado {{state}}; solo una factura pendiente',
    'fr-ca': "ne peut pas être modifiée à l'état {{state}} ; seule une facture en attente le peut",
  },
  rate_value_needs_type: {
    en: 'is required with a rate value',
    'es-us': 'es obligatorio con un valor de tarifa',
    'fr-ca': 'est obligatoire avec une valeur de tarif',
  },
});
