import { defineMessages } from '../../platform/i18n/messages.ts';

/** The problems of a report. */
export const reportMessages = defineMessages({
  report_dashboard_unknown: {
    en: 'is none of {{known}}',
    'es-us': 'no es ninguno de {{known}}',
    'fr-ca': "n'est aucun de {{known}}",
  },
  report_not_built_in: {
    en: 'cannot be true: what is built in comes with the product',
    'es-us': 'no puede ser true: lo integrado viene con el producto',
    'fr-ca': 'ne peut pas être true : ce qui est intégré vient avec le produit',
  },
  report_too_long: {
    en: 'leaves more than {{most}} lines; choose fewer days',
    'es-us': 'deja más de {{most}} líneas; elija menos días',
    'fr-ca': 'laisse plus de {{most}} lignes ; choisissez moins de jours',
  },
  report_definition_missing: {
    en: 'is required with the dashboard custom',
    'es-us': 'es obligatorio con el panel custom',
    'fr-ca': 'est requis avec le tableau custom',
  },
  report_definition_of_custom: {
    en: 'is only of reports with the dashboard custom',
    'es-us': 'solo corresponde a informes con el panel custom',
    'fr-ca': 'ne concerne que les rapports avec le tableau custom',
  },
});
