import { defineMessages } from '../../platform/i18n/messages.ts';

defineMessages({
  compliance_blocked: {
    en: 'may not be sent out: {{documents}}',
    'es-us': 'no se puede enviar: {{documents}}',
    'fr-ca': 'ne peut pas être envoyé : {{documents}}',
  },
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
  document_of_other_kind: {
    en: 'is not asked of this record',
    'es-us': 'no se pide de este registro',
    'fr-ca': "n'est pas demandé de cette fiche",
  },
});
