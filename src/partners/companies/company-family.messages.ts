import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of making, moving and discarding companies. */
defineMessages({
  own_company: {
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
    en: 'would leave behind the identity provider that is the only way in for its people',
    'es-us': 'dejaría atrás al proveedor de identidad que es la única forma de acceso de su gente',
    'fr-ca': "laisserait le fournisseur d'identité qui est le seul moyen de connexion de ses gens",
  },
  company_not_yours: {
    en: 'would give people above the company their role in it, or take it from them, and they may do what you may not: {{permissions}}',
    'es-us':
      'daría a personas por encima de la empresa su rol en ella, o se lo quitaría, y pueden hacer lo que usted no puede: {{permissions}}',
    'fr-ca':
      "donnerait à des personnes au-dessus de l'entreprise leur rôle dans celle-ci, ou le leur retirerait, et elles peuvent faire ce que vous ne pouvez pas : {{permissions}}",
  },
  methods_not_yours: {
    en: 'decides how people sign in who may do what you may not: {{permissions}}',
    'es-us': 'decide cómo entran personas que pueden hacer lo que usted no puede: {{permissions}}',
    'fr-ca': 'décide comment se connectent des personnes qui peuvent faire ce que vous ne pouvez pas : {{permissions}}',
  },
  stays_in_family: {
    en: 'only a platform administrator takes a company out of its family',
    'es-us': 'solo un administrador de la plataforma saca a una empresa de su grupo',
    'fr-ca': 'seul un administrateur de la plateforme retire une entreprise de son groupe',
  },
});
