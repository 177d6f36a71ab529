import { defineMessages } from '../platform/i18n/messages.ts';

/** Words of connecting and inviting accounts. */
defineMessages({
  connects_to_itself: {
    en: 'is the same company',
    'es-us': 'es la misma empresa',
    'fr-ca': 'est la même entreprise',
  },
  account_needs_type: {
    en: 'needs customer, vendor or both',
    'es-us': 'necesita cliente, proveedor o ambos',
    'fr-ca': 'doit être client, fournisseur ou les deux',
  },
  already_connected: {
    en: 'the two companies are connected already',
    'es-us': 'las dos empresas ya están conectadas',
    'fr-ca': 'les deux entreprises sont déjà connectées',
  },
  // In the words of the room above, which asks the same.
  other_company: {
    en: 'is not the company of the path',
    'es-us': 'no es la empresa de la ruta',
    'fr-ca': "n'est pas la société du chemin",
  },
  speaks_for_itself: {
    en: 'the company is a customer of the platform and speaks for itself',
    'es-us': 'la empresa es cliente de la plataforma y habla por sí misma',
    'fr-ca': "l'entreprise est cliente de la plateforme et parle pour elle-même",
  },
  email_or_phone: {
    en: 'give an e-mail address or a telephone number',
    'es-us': 'indique un correo electrónico o un número de teléfono',
    'fr-ca': 'indiquez une adresse courriel ou un numéro de téléphone',
  },
  needed_to_invite: {
    en: 'is needed to send the invitation',
    'es-us': 'se necesita para enviar la invitación',
    'fr-ca': "est nécessaire pour envoyer l'invitation",
  },
  not_connected: {
    en: 'is no account here: the two companies are not connected',
    'es-us': 'no es una cuenta aquí: las dos empresas no están conectadas',
    'fr-ca': "n'est pas un compte ici : les deux entreprises ne sont pas connectées",
  },
});
