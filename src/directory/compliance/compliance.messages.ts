import { defineMessages } from '../../platform/i18n/messages.ts';

export const complianceMessages = defineMessages({
  compliance_missing: {
    en: '{{name}} has no {{document}}',
    'es-us': '{{name}} no tiene {{document}}',
    'fr-ca': "{{name}} n'a pas de {{document}}",
  },
  compliance_expired: {
    en: "{{name}}'s {{document}} will have expired by then",
    'es-us': '{{document}} de {{name}} habrá vencido para entonces',
    'fr-ca': '{{document}} de {{name}} sera échu à ce moment-là',
  },
  compliance_expiring: {
    en: "{{name}}'s {{document}} expires within 30 days",
    'es-us': '{{document}} de {{name}} vence en 30 días',
    'fr-ca': '{{document}} de {{name}} échoit dans les 30 jours',
  },
  email_document_expiring_subject: {
    en: '{{document}} of {{owner}} runs out on {{date}}',
    'es-us': '{{document}} de {{owner}} vence el {{date}}',
    'fr-ca': '{{document}} de {{owner}} échoit le {{date}}',
  },
  email_document_expiring: {
    en: 'Hello {{name}},\n\na compliance document that {{company}} requires expires soon:\n\n{{document}}\nof {{owner}}\non {{date}} (days left: {{left}})\n\nEnter its successor in Haulgate before that day, so that nobody is kept from work.\n',
    'es-us':
      'Hola, {{name}}:\n\nvence un documento que pide {{company}}:\n\n{{document}}\nde {{owner}}\nel {{date}} (días restantes: {{left}})\n\nRegistre el nuevo en Haulgate para que nadie se quede sin salir.\n',
    'fr-ca':
      'Bonjour {{name}},\n\nun document demandé par {{company}} arrive à échéance :\n\n{{document}}\nde {{owner}}\nle {{date}} (jours restants : {{left}})\n\nInscrivez le suivant dans Haulgate pour que personne ne soit retenu.\n',
  },
  compliance_value_wrong: {
    en: 'must be {{kind}}',
    'es-us': 'debe ser {{kind}}',
    'fr-ca': 'doit être {{kind}}',
  },
});
