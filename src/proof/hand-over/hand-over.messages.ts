import { defineMessages } from '../../platform/i18n/messages.ts';

export const handOverMessages = defineMessages({
  drives_it_already: { en: 'drives this job already', 'es-us': 'ya conduce este trabajo', 'fr-ca': 'conduit déjà ce travail' },
  job_not_begun: {
    en: 'is not under way; assign another driver instead',
    'es-us': 'no está en curso; asigne otro conductor',
    'fr-ca': "n'est pas en cours ; affectez un autre chauffeur",
  },
  nothing_left: {
    en: 'has no load that is left to haul',
    'es-us': 'no tiene ninguna carga por hacer',
    'fr-ca': "n'a plus de chargement à faire",
  },
});
