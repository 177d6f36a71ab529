import { defineMessages } from '../../platform/i18n/messages.ts';

export const userMessages = defineMessages({
  user_other_company: {
    en: 'must be the company of the address',
    'es-us': 'debe ser la empresa de la dirección',
    'fr-ca': "doit être l'entreprise de l'adresse",
  },
  person_reachable: {
    en: 'or a telephone number is needed to reach this person',
    'es-us': 'o un número de teléfono es necesario para contactar a esta persona',
    'fr-ca': 'ou un numéro de téléphone est requis pour joindre cette personne',
  },
  taken_by: {
    en: 'is already used by {{name}} of {{company}}',
    'es-us': 'ya lo usa {{name}} de {{company}}',
    'fr-ca': 'est déjà utilisé par {{name}} de {{company}}',
  },
  address_not_proven: {
    en: 'was entered by another company; save it again before you send an invitation there',
    'es-us': 'lo registró otra empresa; guárdelo de nuevo antes de enviar una invitación',
    'fr-ca': 'a été inscrit par une autre entreprise; enregistrez-le de nouveau avant d’y envoyer une invitation',
  },
  at_least_one_role: {
    en: 'needs at least one role',
    'es-us': 'necesita al menos un rol',
    'fr-ca': 'exige au moins un rôle',
  },
  role_reserved_for_company: {
    en: 'is a role that only the company itself can give; the company that manages it cannot',
    'es-us': 'es un rol que solo puede dar la propia empresa; la empresa que la administra no puede',
    'fr-ca': "est un rôle que seule l'entreprise elle-même peut attribuer; l'entreprise qui la gère ne le peut pas",
  },
  role_not_yours: {
    en: 'is a role that permits what you may not do yourself: {{permissions}}',
    'es-us': 'es un rol que permite lo que usted mismo no puede hacer: {{permissions}}',
    'fr-ca': 'est un rôle qui permet ce que vous ne pouvez pas faire vous-même : {{permissions}}',
  },
  last_company_admin: {
    en: 'would leave the company without an administrator',
    'es-us': 'dejaría a la empresa sin administrador',
    'fr-ca': "laisserait l'entreprise sans administrateur",
  },
  last_platform_admin: {
    en: 'would leave the installation without a platform administrator',
    'es-us': 'dejaría la instalación sin administrador de la plataforma',
    'fr-ca': "laisserait l'installation sans administrateur de la plateforme",
  },
  not_a_user_time_zone: {
    en: 'is not an IANA time zone',
    'es-us': 'no es una zona horaria IANA',
    'fr-ca': "n'est pas un fuseau horaire IANA",
  },
  impersonates_self: {
    en: 'is yourself',
    'es-us': 'es usted mismo',
    'fr-ca': 'est vous-même',
  },
  user_active: { en: 'is active already', 'es-us': 'ya está activo', 'fr-ca': 'est déjà actif' },
  user_deactivated: { en: 'is deactivated already', 'es-us': 'ya está desactivado', 'fr-ca': 'est déjà désactivé' },
});
