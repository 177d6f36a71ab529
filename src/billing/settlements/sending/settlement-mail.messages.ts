import { defineMessages } from '../../../platform/i18n/messages.ts';

export const settlementMailMessages = defineMessages({
  settlement_mail_subject: {
    en: '{{document}} from {{company}}',
    'es-us': '{{document}} de {{company}}',
    'fr-ca': '{{document}} de {{company}}',
  },
  settlement_mail_text: {
    en: '{{company}} sends you this document as a PDF: {{document}}.\n\nIf you have a question about it, answer this mail.\n',
    'es-us': '{{company}} le envía este documento en PDF: {{document}}.\n\nSi tiene alguna pregunta, responda a este correo.\n',
    'fr-ca': '{{company}} vous envoie ce document en PDF : {{document}}.\n\nPour toute question, répondez à ce courriel.\n',
  },
});
