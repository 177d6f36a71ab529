import { defineCheck } from '../../platform/commands/unique.ts';
import { defineMessages } from '../../platform/i18n/messages.ts';

/** Sandboxes and real companies have nothing to do with each other: the database refuses what no command does (docs/sandbox.md). */
export const worldChecks = [
  defineCheck('company_world_check', { model: 'Company', field: 'parentCompanyId', key: 'of_another_world' }),
  defineCheck('account_world_check', { model: 'Account', field: 'connectedCompanyId', key: 'of_another_world' }),
  defineCheck('company_share_world_check', { model: 'CompanyShare', field: 'receiverCompanyId', key: 'of_another_world' }),
  defineCheck('app_user_sandbox_email_check', { model: 'User', field: 'email', key: 'address_of_sandbox' }),
  defineCheck('app_user_sandbox_phone_check', { model: 'User', field: 'phone', key: 'phone_of_sandbox' }),
];

export const worldMessages = defineMessages({
  of_another_world: {
    en: 'is in another sandbox, or in none: sandboxes and real companies have nothing to do with each other',
    'es-us': 'está en otro entorno de pruebas, o en ninguno: los entornos de pruebas y las empresas reales no se relacionan',
    'fr-ca': "est dans un autre bac à sable, ou dans aucun : les bacs à sable et les entreprises réelles n'ont rien en commun",
  },
  address_of_sandbox: {
    en: 'must end in .example, .test, .invalid or example.com: people of a sandbox have addresses that nobody else has',
    'es-us': 'debe terminar en .example, .test, .invalid o example.com: en un entorno de pruebas nadie tiene direcciones reales',
    'fr-ca': "doit se terminer par .example, .test, .invalid ou example.com : dans un bac à sable, personne n'a d'adresse réelle",
  },
  phone_of_sandbox: {
    en: 'must begin with +1999 or be one of the 555-01 numbers: people of a sandbox have numbers that nobody else has',
    'es-us': 'debe empezar por +1999 o ser uno de los números 555-01: en un entorno de pruebas nadie tiene números reales',
    'fr-ca': "doit commencer par +1999 ou être l'un des numéros 555-01 : dans un bac à sable, personne n'a de numéro réel",
  },
  not_in_sandbox: {
    en: 'is not possible in a sandbox',
    'es-us': 'no es posible en un entorno de pruebas',
    'fr-ca': "n'est pas possible dans un bac à sable",
  },
});
