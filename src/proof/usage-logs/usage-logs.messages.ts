import { defineMessages } from '../../platform/i18n/messages.ts';

export const usageLogMessages = defineMessages({
  not_of_work: {
    en: 'does not belong to this day or job',
    'es-us': 'no pertenece a este día o trabajo',
    'fr-ca': "n'appartient pas à cette journée ou à ce travail",
  },
  more_than_worked: {
    en: 'is {{over}} minutes more than the {{left}} that are left of the time worked',
    'es-us': 'supera en {{over}} minutos los {{left}} que quedan del tiempo trabajado',
    'fr-ca': 'dépasse de {{over}} minutes les {{left}} qui restent du temps travaillé',
  },
});
