import { defineMessages } from '../../platform/i18n/messages.ts';

/** The problems of a question to the catalogue of metrics. */
export const metricMessages = defineMessages({
  metric_denied: {
    en: '{{measure}} takes the permission {{permission}}',
    'es-us': '{{measure}} requiere el permiso {{permission}}',
    'fr-ca': '{{measure}} demande la permission {{permission}}',
  },
  metric_without_measure: {
    en: 'needs at least one measure',
    'es-us': 'necesita al menos una medida',
    'fr-ca': 'demande au moins une mesure',
  },
  metric_named_twice: {
    en: 'names {{name}} twice',
    'es-us': 'nombra {{name}} dos veces',
    'fr-ca': 'nomme {{name}} deux fois',
  },
  metric_not_by: {
    en: '{{measure}} has no {{dimension}}',
    'es-us': '{{measure}} no tiene {{dimension}}',
    'fr-ca': "{{measure}} n'a pas de {{dimension}}",
  },
});
