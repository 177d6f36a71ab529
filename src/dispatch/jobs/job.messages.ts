import { defineMessages } from '../../platform/i18n/messages.ts';

/** Texts about jobs and loads. */
export const jobMessages = defineMessages({
  load_started: { en: 'a load has already started', 'es-us': 'una carga ya comenzó', 'fr-ca': 'un chargement a déjà commencé' },
  job_not_sendable: {
    en: 'needs a driver or a vendor, and an order that is accepted and not on hold',
    'es-us': 'necesita un conductor o un proveedor, y un pedido aceptado que no esté en espera',
    'fr-ca': "demande un chauffeur ou un fournisseur, et une commande acceptée qui n'est pas suspendue",
  },
  job_cannot_leave: {
    en: 'needs a driver, a load that is left to drive, and an order that is accepted and not on hold',
    'es-us': 'necesita un conductor, una carga por hacer y un pedido aceptado que no esté en espera',
    'fr-ca': "demande un chauffeur, un chargement à faire et une commande acceptée qui n'est pas suspendue",
  },
  loads_not_approved: {
    en: 'has loads that are not approved',
    'es-us': 'tiene cargas sin aprobar',
    'fr-ca': 'a des chargements non approuvés',
  },
  payable_not_approved: {
    en: 'has no approved payable invoice',
    'es-us': 'no tiene una factura por pagar aprobada',
    'fr-ca': "n'a pas de facture à payer approuvée",
  },
  job_in_settlement: {
    en: 'is in a settlement; void that first',
    'es-us': 'está en una liquidación; anúlela primero',
    'fr-ca': "est dans un règlement ; annulez-le d'abord",
  },
  load_approved: { en: 'has an approved load', 'es-us': 'tiene una carga aprobada', 'fr-ca': 'a un chargement approuvé' },
  job_not_on_road: { en: 'is not on the road', 'es-us': 'no está en camino', 'fr-ca': "n'est pas en route" },
  job_not_paused: { en: 'is not paused', 'es-us': 'no está en pausa', 'fr-ca': "n'est pas en pause" },
  job_paused: { en: 'is paused; resume it first', 'es-us': 'está en pausa; reanúdelo primero', 'fr-ca': "est en pause ; reprenez d'abord" },
  other_event: {
    en: 'is the id of another event',
    'es-us': 'es el id de otro evento',
    'fr-ca': "est l'id d'un autre événement",
  },
  in_the_future: { en: 'lies in the future', 'es-us': 'está en el futuro', 'fr-ca': 'est dans le futur' },
  long_before_job: {
    en: 'lies more than a month before the job',
    'es-us': 'es más de un mes anterior al trabajo',
    'fr-ca': 'précède le travail de plus d’un mois',
  },
  before_previous_event: {
    en: 'lies before the previous event',
    'es-us': 'es anterior al evento previo',
    'fr-ca': "précède l'événement antérieur",
  },
  vendor_day_full: {
    en: 'the vendor {{name}} has more work that day than its {{count}} trucks can do',
    'es-us': 'el proveedor {{name}} tiene ese día más trabajo del que pueden hacer sus {{count}} camiones',
    'fr-ca': 'le fournisseur {{name}} a ce jour-là plus de travail que ses {{count}} camions ne peuvent en faire',
  },
  vendor_full: {
    en: 'has all its {{count}} trucks on the road that day',
    'es-us': 'tiene sus {{count}} camiones ocupados ese día',
    'fr-ca': 'a déjà ses {{count}} camions occupés ce jour-là',
  },
  nothing_given_on: {
    en: 'has no driver or vendor that you assigned; to return the job to its owner, reject it',
    'es-us': 'no tiene conductor ni proveedor asignado por usted; para devolver el trabajo a su dueño, rechácelo',
    'fr-ca': "n'a ni chauffeur ni fournisseur que vous avez affecté; pour rendre le travail à son propriétaire, refusez-le",
  },
  works_above: {
    en: 'belongs to a company from which this job came; a job cannot be passed back up the vendor chain',
    'es-us': 'pertenece a una empresa de la que proviene este trabajo; un trabajo no puede volver hacia arriba en la cadena de proveedores',
    'fr-ca': "appartient à une entreprise d'où vient ce travail; un travail ne peut pas remonter la chaîne de fournisseurs",
  },
  started_not_deletable: {
    en: 'has a load that has started and cannot be deleted',
    'es-us': 'tiene una carga comenzada y no se puede eliminar',
    'fr-ca': 'a un chargement commencé et ne peut être supprimé',
  },
  ticketed_not_deletable: {
    en: 'has a ticket and cannot be deleted',
    'es-us': 'tiene una boleta y no se puede eliminar',
    'fr-ca': 'a un billet et ne peut être supprimé',
  },
  reviewed_not_deletable: {
    en: 'has a review of its ticket and cannot be deleted',
    'es-us': 'tiene una revisión de su boleta y no se puede eliminar',
    'fr-ca': 'a une revue de son billet et ne peut être supprimé',
  },
  signed_not_deletable: {
    en: 'is signed and cannot be deleted; remove the signatures first',
    'es-us': 'está firmado y no se puede eliminar; quite antes las firmas',
    'fr-ca': 'est signé et ne peut être supprimé; retirez d’abord les signatures',
  },
  invoiced_not_deletable: {
    en: 'is on an approved invoice and cannot be deleted',
    'es-us': 'está en una factura aprobada y no se puede eliminar',
    'fr-ca': 'est sur une facture approuvée et ne peut pas être supprimé',
  },
  load_not_editable: {
    en: 'is approved and cannot be changed',
    'es-us': 'está aprobada y no se puede cambiar',
    'fr-ca': 'est approuvé et ne peut être modifié',
  },
  job_is_approved: {
    en: 'belongs to a job that is approved; take that approval back first',
    'es-us': 'pertenece a un trabajo aprobado; retire antes esa aprobación',
    'fr-ca': "fait partie d'un travail approuvé; retirez d'abord cette approbation",
  },
});
