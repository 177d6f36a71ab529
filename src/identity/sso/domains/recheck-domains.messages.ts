import { defineMessages } from '../../../platform/i18n/messages.ts';

/** Mail to administrators whose domain no longer has the TXT record. The record is on a separate line, to be copied. */
export const recheckDomainsMessages = defineMessages({
  email_domain_record_missing_subject: {
    en: '{{domain}} no longer has your Haulgate record',
    'es-us': '{{domain}} ya no tiene su registro de Haulgate',
    'fr-ca': "{{domain}} n'a plus votre enregistrement Haulgate",
  },
  email_domain_record_missing: {
    en: 'Hello {{name}},\n\nthe people of {{domain}} sign in to Haulgate with your own identity provider, because this TXT record of the domain says that it is yours:\n\n{{record}}\n\nIt is no longer there. Put it back within {{days}} days, or they can no longer sign in that way.\n',
    'es-us':
      'Hola, {{name}}:\n\nlas personas de {{domain}} entran en Haulgate con su propio proveedor de identidad, porque este registro TXT del dominio dice que es suyo:\n\n{{record}}\n\nYa no está. Vuelva a ponerlo en {{days}} días; si no, ya no podrán entrar así.\n',
    'fr-ca':
      "Bonjour {{name}},\n\nles personnes de {{domain}} ouvrent leur session Haulgate avec votre propre fournisseur d'identité, parce que cet enregistrement TXT du domaine dit qu'il est à vous :\n\n{{record}}\n\nIl n'y est plus. Remettez-le d'ici {{days}} jours, sinon elles ne pourront plus se connecter ainsi.\n",
  },
});
