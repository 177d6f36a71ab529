import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of making, moving and discarding companies. */
export const companyFamilyMessages = defineMessages({
  company_is_yours: {
    en: 'is your own company',
    'es-us': 'es su propia empresa',
    'fr-ca': 'est votre propre entreprise',
  },
  has_children: {
    en: 'still has child companies',
    'es-us': 'todavía tiene empresas filiales',
    'fr-ca': 'a encore des filiales',
  },
  provider_stays_behind: {
    en: 'would leave behind the identity provider that is the only way for its people to sign in',
    'es-us': 'dejaría atrás al proveedor de identidad que es la única forma de acceso de su gente',
    'fr-ca': "laisserait le fournisseur d'identité qui est le seul moyen de connexion de ses gens",
  },
  company_not_yours: {
    en: 'would change which people have a role in the company, and some of them have permissions that you lack: {{permissions}}',
    'es-us': 'cambiaría qué personas tienen un rol en la empresa, y algunas tienen permisos que usted no tiene: {{permissions}}',
    'fr-ca':
      "changerait quelles personnes ont un rôle dans l'entreprise, et certaines ont des permissions que vous n'avez pas : {{permissions}}",
  },
  methods_not_yours: {
    en: 'decides how people sign in, and some of them have permissions that you lack: {{permissions}}',
    'es-us': 'decide cómo entran las personas, y algunas tienen permisos que usted no tiene: {{permissions}}',
    'fr-ca': "décide comment les personnes se connectent, et certaines ont des permissions que vous n'avez pas : {{permissions}}",
  },
  stays_in_family: {
    en: 'only a platform administrator takes a company out of its family',
    'es-us': 'solo un administrador de la plataforma saca a una empresa de su grupo',
    'fr-ca': 'seul un administrateur de la plateforme retire une entreprise de son groupe',
  },
});
