import { defineMessages } from '../../platform/i18n/messages.ts';

export const notificationsMessages = defineMessages({
  notification_stop: { en: 'STOP ends texts.', 'es-us': 'STOP para no recibir más.', 'fr-ca': 'ARRET pour ne plus en recevoir.' },
  notification_new_job_request: {
    en: 'New job {{job}} on {{date}} at {{time}}. Please accept or decline it.',
    'es-us': 'Nuevo trabajo {{job}} el {{date}} a las {{time}}. Acéptelo o rechácelo.',
    'fr-ca': 'Nouveau travail {{job}} le {{date}} à {{time}}. Veuillez accepter ou refuser.',
  },
  notification_pending_job_reminder: {
    en: 'Job {{job}} on {{date}} at {{time}} waits for your answer.',
    'es-us': 'El trabajo {{job}} del {{date}} a las {{time}} espera su respuesta.',
    'fr-ca': 'Le travail {{job}} du {{date}} à {{time}} attend votre réponse.',
  },
  notification_start_job_reminder: {
    en: 'Job {{job}} begins at {{time}}.',
    'es-us': 'El trabajo {{job}} empieza a las {{time}}.',
    'fr-ca': 'Le travail {{job}} commence à {{time}}.',
  },
  notification_no_location_alert: {
    en: 'Your telephone has sent no location during job {{job}} for 15 minutes. Please open the app.',
    'es-us': 'Su teléfono no ha enviado su ubicación durante el trabajo {{job}} desde hace 15 minutos. Abra la aplicación.',
    'fr-ca': "Votre téléphone n'a envoyé aucune position pendant le travail {{job}} depuis 15 minutes. Ouvrez l'application.",
  },
  notification_no_location_of: {
    en: 'No location of {{driver}} for 15 minutes during job {{job}}.',
    'es-us': 'Sin ubicación de {{driver}} desde hace 15 minutos durante el trabajo {{job}}.',
    'fr-ca': 'Aucune position de {{driver}} depuis 15 minutes pendant le travail {{job}}.',
  },
  notification_end_shift_reminder: {
    en: 'Your shift of {{day}} is still open. End it when you are done.',
    'es-us': 'Su turno del {{day}} sigue abierto. Termínelo cuando acabe.',
    'fr-ca': 'Votre quart du {{day}} est encore ouvert. Terminez-le quand vous aurez fini.',
  },
  notification_tickets_given_up: {
    en: 'Four reminders brought no ticket of job {{job}} of {{date}}.',
    'es-us': 'Cuatro recordatorios no trajeron ningún tiquete del trabajo {{job}} del {{date}}.',
    'fr-ca': "Quatre rappels n'ont apporté aucun billet du travail {{job}} du {{date}}.",
  },
  notification_job_canceled: {
    en: 'Job {{job}} on {{date}} at {{time}} is canceled.',
    'es-us': 'El trabajo {{job}} del {{date}} a las {{time}} está cancelado.',
    'fr-ca': 'Le travail {{job}} du {{date}} à {{time}} est annulé.',
  },
  notification_job_unassigned: {
    en: 'Job {{job}} on {{date}} at {{time}} is not yours any more.',
    'es-us': 'El trabajo {{job}} del {{date}} a las {{time}} ya no es suyo.',
    'fr-ca': "Le travail {{job}} du {{date}} à {{time}} n'est plus le vôtre.",
  },
  notification_job_declined: {
    en: 'Job {{job}} on {{date}} at {{time}} was declined.',
    'es-us': 'El trabajo {{job}} del {{date}} a las {{time}} fue rechazado.',
    'fr-ca': 'Le travail {{job}} du {{date}} à {{time}} a été refusé.',
  },
  notification_order_weather_hold: {
    en: 'Order {{order}} waits because of the weather. Do not leave for it until you hear more.',
    'es-us': 'El pedido {{order}} espera por el clima. No salga hasta nuevo aviso.',
    'fr-ca': "La commande {{order}} attend à cause de la météo. Ne partez pas avant d'avoir des nouvelles.",
  },
  notification_order_pending_request: {
    en: 'Order {{order}} waits for your answer.',
    'es-us': 'El pedido {{order}} espera su respuesta.',
    'fr-ca': 'La commande {{order}} attend votre réponse.',
  },
  notification_order_accepted: {
    en: 'Order {{order}} was accepted.',
    'es-us': 'El pedido {{order}} fue aceptado.',
    'fr-ca': 'La commande {{order}} a été acceptée.',
  },
  notification_order_rejected: {
    en: 'Order {{order}} was rejected.',
    'es-us': 'El pedido {{order}} fue rechazado.',
    'fr-ca': 'La commande {{order}} a été refusée.',
  },
  notification_order_canceled: {
    en: 'Order {{order}} was canceled.',
    'es-us': 'El pedido {{order}} fue cancelado.',
    'fr-ca': 'La commande {{order}} a été annulée.',
  },
  notification_job_completed: {
    en: 'Job {{job}} is completed.',
    'es-us': 'El trabajo {{job}} está terminado.',
    'fr-ca': 'Le travail {{job}} est terminé.',
  },
  notification_load_completed: {
    en: 'A load of job {{job}} is completed.',
    'es-us': 'Una carga del trabajo {{job}} está terminada.',
    'fr-ca': 'Un chargement du travail {{job}} est terminé.',
  },
  notification_job_state_changed: {
    en: 'Job {{job}}: {{state}}.',
    'es-us': 'Trabajo {{job}}: {{state}}.',
    'fr-ca': 'Travail {{job}} : {{state}}.',
  },
  notification_state_created: { en: 'not assigned', 'es-us': 'sin asignar', 'fr-ca': 'non attribué' },
  notification_state_assigned: { en: 'assigned', 'es-us': 'asignado', 'fr-ca': 'attribué' },
  notification_state_sent: { en: 'sent', 'es-us': 'enviado', 'fr-ca': 'envoyé' },
  notification_state_accepted: { en: 'accepted', 'es-us': 'aceptado', 'fr-ca': 'accepté' },
  notification_state_rejected: { en: 'rejected', 'es-us': 'rechazado', 'fr-ca': 'refusé' },
  notification_state_to_pickup: { en: 'on the way to the pickup', 'es-us': 'en camino a la carga', 'fr-ca': 'en route vers le chargement' },
  notification_state_arrived_pickup: { en: 'at the pickup', 'es-us': 'en el lugar de carga', 'fr-ca': 'au lieu de chargement' },
  notification_state_loaded: { en: 'loaded', 'es-us': 'cargado', 'fr-ca': 'chargé' },
  notification_state_to_dropoff: {
    en: 'on the way to the drop-off',
    'es-us': 'en camino a la descarga',
    'fr-ca': 'en route vers le déchargement',
  },
  notification_state_arrived_dropoff: { en: 'at the drop-off', 'es-us': 'en el lugar de descarga', 'fr-ca': 'au lieu de déchargement' },
  notification_state_unloaded: { en: 'unloaded', 'es-us': 'descargado', 'fr-ca': 'déchargé' },
  notification_state_load_completed: { en: 'load completed', 'es-us': 'carga terminada', 'fr-ca': 'chargement terminé' },
  notification_state_completed: { en: 'completed', 'es-us': 'terminado', 'fr-ca': 'terminé' },
  notification_state_ended: { en: 'ended', 'es-us': 'finalizado', 'fr-ca': 'clos' },
  notification_state_canceled: { en: 'canceled', 'es-us': 'cancelado', 'fr-ca': 'annulé' },
});
