import { defineMessages } from '../../platform/i18n/messages.ts';

export const bulkMessages = defineMessages({
  nothing_to_send: {
    en: 'has no job that is assigned',
    'es-us': 'no tiene ningún trabajo asignado',
    'fr-ca': "n'a aucun travail affecté",
  },
  too_many_jobs: {
    en: 'must not have more than {{max}} jobs',
    'es-us': 'no debe tener más de {{max}} trabajos',
    'fr-ca': 'ne doit pas compter plus de {{max}} travaux',
  },
  job_twice: {
    en: 'names a job that is in the list already',
    'es-us': 'nombra un trabajo que ya está en la lista',
    'fr-ca': 'nomme un travail qui figure déjà dans la liste',
  },
  too_many_days: {
    en: 'must not have more than {{max}} days',
    'es-us': 'no debe tener más de {{max}} días',
    'fr-ca': 'ne doit pas compter plus de {{max}} jours',
  },
  day_twice: {
    en: 'names a day that is in the list already',
    'es-us': 'nombra un día que ya está en la lista',
    'fr-ca': 'nomme un jour qui figure déjà dans la liste',
  },
  actor_gone: {
    en: 'the person or program that requested this can no longer do it',
    'es-us': 'la persona o el programa que pidió esto ya no puede hacerlo',
    'fr-ca': "la personne ou le programme qui l'a demandé ne peut plus le faire",
  },
  bulk_gave_up: {
    en: 'failed because of an error on our side; nothing was changed, try again',
    'es-us': 'falló por un error de nuestro lado; no se cambió nada, inténtelo de nuevo',
    'fr-ca': "a échoué à cause d'une erreur de notre côté; rien n'a été changé, réessayez",
  },
  no_driver_to_text: {
    en: 'has no driver to send a text to',
    'es-us': 'no tiene conductor a quien enviar un mensaje',
    'fr-ca': "n'a pas de chauffeur à qui envoyer un texto",
  },
  driver_without_phone: {
    en: 'the driver has no telephone number',
    'es-us': 'el conductor no tiene número de teléfono',
    'fr-ca': "le chauffeur n'a pas de numéro de téléphone",
  },
  no_job_left_to_assign: {
    en: 'the order has no unassigned job left for it',
    'es-us': 'el pedido no tiene más trabajos sin asignar',
    'fr-ca': "la commande n'a plus de travail sans affectation",
  },
  text_of_job: {
    en: 'You have job {{job}} on {{date}}. Open the app for its stops.',
    'es-us': 'Tiene el trabajo {{job}} el {{date}}. Abra la aplicación para ver las paradas.',
    'fr-ca': "Vous avez le travail {{job}} le {{date}}. Ouvrez l'application pour voir les arrêts.",
  },
  nobody_assigned: {
    en: 'has neither driver nor vendor',
    'es-us': 'no tiene conductor ni proveedor',
    'fr-ca': "n'a ni chauffeur ni fournisseur",
  },
});
