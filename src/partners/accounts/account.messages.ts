import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of connecting and inviting accounts. */
export const accountMessages = defineMessages({
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
  speaks_for_itself: {
    en: 'the company is a customer of the platform and speaks for itself',
    'es-us': 'la empresa es cliente de la plataforma y habla por sí misma',
    'fr-ca': "l'entreprise est cliente de la plateforme et parle pour elle-même",
  },
  not_invited_by_you: {
    en: 'can be managed only by the company that invited it',
    'es-us': 'solo la puede administrar la empresa que la invitó',
    'fr-ca': "ne peut être gérée que par l'entreprise qui l'a invitée",
  },
  works_here_already: {
    en: 'somebody of the company has signed in: it speaks for itself',
    'es-us': 'alguien de la empresa ya ha entrado: habla por sí misma',
    'fr-ca': "quelqu'un de l'entreprise a déjà ouvert une session : elle parle pour elle-même",
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
    en: 'cannot be set: the two companies are not connected',
    'es-us': 'no se puede definir: las dos empresas no están conectadas',
    'fr-ca': 'ne peut pas être défini : les deux entreprises ne sont pas connectées',
  },
});
