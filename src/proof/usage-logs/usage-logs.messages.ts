import { defineMessages } from '../../platform/i18n/messages.ts';

export const usageLogMessages = defineMessages({
  not_of_work: {
    en: 'does not belong to this day or job',
    'es-us': 'no pertenece a este día o trabajo',
    'fr-ca': "n'appartient pas à cette journée ou à ce travail",
  },
  more_than_worked: {
    en: 'is {{over}} minutes more than what is left of the time worked',
    'es-us': 'supera en {{over}} minutos lo que queda del tiempo trabajado',
    'fr-ca': 'dépasse de {{over}} minutes ce qui reste du temps travaillé',
  },
});
