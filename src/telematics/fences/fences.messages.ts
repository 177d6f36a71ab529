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
  not_automatic: {
    en: 'is no event that happened automatically, or was undone before',
    'es-us': 'no es un evento automático, o ya se deshizo',
    'fr-ca': "n'est pas un événement automatique, ou a déjà été annulé",
  },
  automatic_too_old: {
    en: 'happened more than an hour ago',
    'es-us': 'ocurrió hace más de una hora',
    'fr-ca': "s'est produit il y a plus d'une heure",
  },
  automatic_overtaken: {
    en: 'is not the last thing that happened to the job',
    'es-us': 'no es lo último que ocurrió con el trabajo',
    'fr-ca': "n'est pas la dernière chose arrivée au travail",
  },
  not_proposed: {
    en: 'does not wait for a decision',
    'es-us': 'no espera una decisión',
    'fr-ca': "n'attend pas de décision",
  },
  trigger_overtaken: {
    en: 'no longer fits what has happened to the job since',
    'es-us': 'ya no concuerda con lo que ha ocurrido con el trabajo',
    'fr-ca': 'ne correspond plus à ce qui est arrivé au travail depuis',
  },
  only_for_computed: {
    en: 'is only for strategies that work triggers out anew',
    'es-us': 'es solo para estrategias que vuelven a calcular los eventos',
    'fr-ca': "n'est que pour les stratégies qui recalculent les événements",
  },
});
