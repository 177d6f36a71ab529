import { defineMessages } from '../../platform/i18n/messages.ts';

defineMessages({
  compliance_missing: {
    en: '{{name}} has no {{document}}',
    'es-us': '{{name}} no tiene {{document}}',
    'fr-ca': "{{name}} n'a pas de {{document}}",
  },
  compliance_expired: {
    en: "{{name}}'s {{document}} has run out by then",
    'es-us': '{{document}} de {{name}} habrá vencido para entonces',
    'fr-ca': '{{document}} de {{name}} sera échu à ce moment-là',
  },
  compliance_expiring: {
    en: "{{name}}'s {{document}} runs out within 30 days",
    'es-us': '{{document}} de {{name}} vence en 30 días',
    'fr-ca': '{{document}} de {{name}} échoit dans les 30 jours',
  },
  compliance_value_wrong: {
    en: 'must be {{kind}}',
    'es-us': 'debe ser {{kind}}',
    'fr-ca': 'doit être {{kind}}',
  },
});
