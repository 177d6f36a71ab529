import { defineMessages } from '../../platform/i18n/messages.ts';

export const reportingLoginMessages = defineMessages({
  reporting_permission_unknown: {
    en: 'is not a permission that a login can have; these are {{known}}',
    'es-us': 'no es un permiso que pueda tener un acceso; son {{known}}',
    'fr-ca': "n'est pas une permission qu'un accès peut avoir; ce sont {{known}}",
  },
  reporting_login_revoked: {
    en: 'is revoked: make another login',
    'es-us': 'está revocado: cree otro acceso',
    'fr-ca': 'est révoqué : créez un autre accès',
  },
  too_many_reporting_logins: {
    en: 'are {{max}} already: revoke one first',
    'es-us': 'ya son {{max}}: revoque uno primero',
    'fr-ca': "sont déjà {{max}} : révoquez-en un d'abord",
  },
  reporting_login_elsewhere: {
    en: 'belongs to another database of this server, of which this one is a copy: make another login',
    'es-us': 'pertenece a otra base de datos de este servidor, de la que esta es una copia: cree otro acceso',
    'fr-ca': 'appartient à une autre base de données de ce serveur, dont celle-ci est une copie : créez un autre accès',
  },
  reporting_login_writes: {
    en: 'cannot be made, because whoever is signed in to this database could write by {{writes}}: have a superuser revoke that from public, or set HAULGATE_REPORTING_TRUSTED=on if nobody gets a login who would',
    'es-us':
      'no se puede crear, porque quien inicia sesión en esta base de datos podría escribir mediante {{writes}}: pida a un superusuario que lo revoque de public, o establezca HAULGATE_REPORTING_TRUSTED=on si nadie que obtenga un acceso lo haría',
    'fr-ca':
      'ne peut pas être créé, car quiconque se connecte à cette base de données pourrait écrire au moyen de {{writes}} : faites-le révoquer de public par un superutilisateur, ou définissez HAULGATE_REPORTING_TRUSTED=on si personne qui obtient un accès ne le ferait',
  },
  reporting_login_roles: {
    en: 'cannot be made, because the database login that owns the tables may not create roles: grant it CREATEROLE (and CREATE on the database), start Haulgate again, and repeat',
    'es-us':
      'no se puede crear, porque el usuario de la base de datos que posee las tablas no puede crear roles: concédale CREATEROLE (y CREATE en la base de datos), reinicie Haulgate y repita',
    'fr-ca':
      "ne peut pas être créé, car l'utilisateur de base de données qui possède les tables ne peut pas créer de rôles : accordez-lui CREATEROLE (et CREATE sur la base), redémarrez Haulgate et recommencez",
  },
});
