import { defineMessages } from '../../platform/i18n/messages.ts';

export const chasingMessages = defineMessages({
  text_missing_ticket: {
    en: '{{company}}: a ticket of job {{job}} of {{date}} is missing. Send a photo: {{url}}',
    'es-us': '{{company}}: falta un tiquete del trabajo {{job}} del {{date}}. Envíe una foto: {{url}}',
    'fr-ca': '{{company}} : un billet du travail {{job}} du {{date}} manque. Envoyez une photo : {{url}}',
  },
  push_missing_ticket: {
    en: 'A ticket of job {{job}} of {{date}} is missing. Please send a photo.',
    'es-us': 'Falta un tiquete del trabajo {{job}} del {{date}}. Envíe una foto.',
    'fr-ca': 'Un billet du travail {{job}} du {{date}} manque. Veuillez envoyer une photo.',
  },
  no_ticket_missing: {
    en: 'has no load whose ticket is missing',
    'es-us': 'no tiene ninguna carga a la que le falte el tiquete',
    'fr-ca': "n'a aucun chargement dont le billet manque",
  },
  nobody_to_remind: {
    en: 'has nobody who could be reminded',
    'es-us': 'no tiene a nadie a quien recordárselo',
    'fr-ca': "n'a personne à qui le rappeler",
  },
  reminded_enough: {
    en: 'was asked for its tickets four times already',
    'es-us': 'ya se pidieron sus tiquetes cuatro veces',
    'fr-ca': 'a déjà fait l’objet de quatre rappels pour ses billets',
  },
  photo_page_title: { en: 'Photo of a ticket', 'es-us': 'Foto de un tiquete', 'fr-ca': "Photo d'un billet" },
  photo_page_image: {
    en: 'Photo (JPEG, 10 MB at most)',
    'es-us': 'Foto (JPEG, 10 MB como máximo)',
    'fr-ca': 'Photo (JPEG, 10 Mo au plus)',
  },
  photo_page_load: { en: 'Load', 'es-us': 'Carga', 'fr-ca': 'Chargement' },
  photo_page_unknown_load: { en: 'I do not know', 'es-us': 'No lo sé', 'fr-ca': 'Je ne sais pas' },
  photo_page_send: { en: 'Send', 'es-us': 'Enviar', 'fr-ca': 'Envoyer' },
  photo_page_came: { en: 'Photos received: {{count}}', 'es-us': 'Fotos recibidas: {{count}}', 'fr-ca': 'Photos reçues : {{count}}' },
  photo_page_done: {
    en: 'Thank you. Nothing is missing.',
    'es-us': 'Gracias. No falta nada.',
    'fr-ca': 'Merci. Il ne manque rien.',
  },
  photo_page_ended: {
    en: 'This link has ended. Ask your dispatcher for a new one.',
    'es-us': 'Este enlace ya no es válido. Pida otro a su despachador.',
    'fr-ca': "Ce lien n'est plus valide. Demandez-en un autre à votre répartiteur.",
  },
  photo_page_not_taken: {
    en: 'The photo was not taken: it has to be a JPEG of at most 10 MB. Go back and try again.',
    'es-us': 'La foto no se aceptó: debe ser un JPEG de 10 MB como máximo. Vuelva atrás e inténtelo de nuevo.',
    'fr-ca': "La photo n'a pas été acceptée : il faut un JPEG de 10 Mo au plus. Revenez en arrière et réessayez.",
  },
  photo_page_too_often: {
    en: 'Too many tries. Wait a while.',
    'es-us': 'Demasiados intentos. Espere un momento.',
    'fr-ca': "Trop d'essais. Attendez un peu.",
  },
});
