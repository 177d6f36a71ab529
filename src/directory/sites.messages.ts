import { defineMessages } from '../platform/i18n/messages.ts';

defineMessages({
  one_coordinate: {
    en: 'is required with the other coordinate',
    'es-us': 'es obligatorio junto con la otra coordenada',
    'fr-ca': "est obligatoire avec l'autre coordonnée",
  },
});
