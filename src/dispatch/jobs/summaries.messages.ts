import { defineMessages } from '../../platform/i18n/messages.ts';

export const summariesMessages = defineMessages({
  summary_not_editable: {
    en: 'the job is approved; its times cannot be changed',
    'es-us': 'el trabajo está aprobado; sus tiempos no se pueden cambiar',
    'fr-ca': 'le travail est approuvé ; ses heures ne peuvent être modifiées',
  },
  before_start: { en: 'must not be before the start', 'es-us': 'no debe ser anterior al inicio', 'fr-ca': 'ne doit pas précéder le début' },
  after_end: { en: 'must not be after the end', 'es-us': 'no debe ser posterior al final', 'fr-ca': 'ne doit pas suivre la fin' },
  before_previous_stamp: {
    en: 'must not be earlier than the step before it',
    'es-us': 'no debe ser anterior al paso previo',
    'fr-ca': "ne doit pas précéder l'étape d'avant",
  },
  after_completion: {
    en: 'must not be after the load was completed',
    'es-us': 'no debe ser posterior al fin de la carga',
    'fr-ca': 'ne doit pas suivre la fin du chargement',
  },
  no_site_to_simulate: {
    en: 'needs two active sites and a service to practise with',
    'es-us': 'necesita dos sitios activos y un servicio para practicar',
    'fr-ca': 'a besoin de deux sites actifs et d’un service pour s’exercer',
  },
});
