import { defineMessages } from '../i18n/messages.ts';

export const graphqlMessages = defineMessages({
  query_too_expensive: {
    en: 'The document asks for too much: {{measure}} {{asked}}, at most {{most}}.',
    'es-us': 'El documento pide demasiado: {{measure}} {{asked}}, como máximo {{most}}.',
    'fr-ca': 'Le document demande trop : {{measure}} {{asked}}, au plus {{most}}.',
  },
  body_is_batch: {
    en: 'operations are sent one by one: a list of them is not taken',
    'es-us': 'las operaciones se envían una por una: no se acepta una lista',
    'fr-ca': "les opérations s'envoient une à une : une liste n'est pas acceptée",
  },
  internal_server_error: {
    en: 'Something went wrong on our side.',
    'es-us': 'Algo salió mal de nuestro lado.',
    'fr-ca': "Une erreur s'est produite de notre côté.",
  },
  unauthorized: { en: 'A valid token is needed.', 'es-us': 'Se necesita un token válido.', 'fr-ca': 'Un jeton valide est requis.' },
  invalid_credentials: {
    en: 'Wrong, expired or used credentials.',
    'es-us': 'Credenciales incorrectas, vencidas o ya usadas.',
    'fr-ca': 'Identifiants incorrects, expirés ou déjà utilisés.',
  },
  forbidden: { en: 'This is not permitted.', 'es-us': 'No está permitido.', 'fr-ca': "Ceci n'est pas permis." },
  object_not_found: { en: 'There is no such record.', 'es-us': 'No existe tal registro.', 'fr-ca': "Il n'y a pas un tel enregistrement." },
});
