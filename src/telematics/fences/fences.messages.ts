import { defineMessages } from '../../platform/i18n/messages.ts';

export const fenceMessages = defineMessages({
  end_after_start: {
    en: 'must be after the start',
    'es-us': 'debe ser posterior al inicio',
    'fr-ca': 'doit être après le début',
  },
  at_most_a_week: {
    en: 'may be at most seven days after the start',
    'es-us': 'puede ser como máximo siete días después del inicio',
    'fr-ca': 'peut être au plus sept jours après le début',
  },
  only_for_computed: {
    en: 'is only for strategies that work triggers out anew',
    'es-us': 'es solo para estrategias que vuelven a calcular los eventos',
    'fr-ca': "n'est que pour les stratégies qui recalculent les événements",
  },
});
