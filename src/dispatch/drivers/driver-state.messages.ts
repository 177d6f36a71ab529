import { defineMessages } from '../../platform/i18n/messages.ts';

export const driverStateMessages = defineMessages({
  break_off_duty: {
    en: 'a break is possible on duty only',
    'es-us': 'una pausa solo es posible estando de servicio',
    'fr-ca': "une pause n'est possible qu'en service",
  },
});
