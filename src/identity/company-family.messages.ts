import { defineMessages } from '../platform/i18n/messages.ts';

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
  stays_in_family: {
    en: 'only a platform administrator takes a company out of its family',
    'es-us': 'solo un administrador de la plataforma saca a una empresa de su grupo',
    'fr-ca': 'seul un administrateur de la plateforme retire une entreprise de son groupe',
  },
});
