import { defineMessages } from '../../platform/i18n/messages.ts';

export const accountingMessages = defineMessages({
  public_token_ended: {
    en: 'is no public token of your company, was used, or has expired',
    'es-us': 'no es un token público de su empresa, ya se usó o venció',
    'fr-ca': "n'est pas un jeton public de votre entreprise, a déjà servi ou a expiré",
  },
  mapped_already: {
    en: 'is already another record of this accounting system',
    'es-us': 'ya es otro registro de este sistema contable',
    'fr-ca': 'est déjà un autre enregistrement de ce système comptable',
  },
  accounting_page_title: {
    en: 'Set up an accounting system',
    'es-us': 'Configurar un sistema contable',
    'fr-ca': 'Configurer un système comptable',
  },
  accounting_page_system: { en: 'How it is read', 'es-us': 'Cómo se lee', 'fr-ca': 'Mode de lecture' },
  accounting_page_http: {
    en: 'Over the network (JSON over HTTP)',
    'es-us': 'Por la red (JSON por HTTP)',
    'fr-ca': 'Par le réseau (JSON par HTTP)',
  },
  accounting_page_file: {
    en: 'By files (nothing is called)',
    'es-us': 'Por archivos (no se llama a nada)',
    'fr-ca': "Par fichiers (rien n'est appelé)",
  },
  accounting_page_name: { en: 'Name of the system', 'es-us': 'Nombre del sistema', 'fr-ca': 'Nom du système' },
  accounting_page_server: {
    en: 'Address (https://...), over the network only',
    'es-us': 'Dirección (https://...), solo por la red',
    'fr-ca': 'Adresse (https://...), par le réseau seulement',
  },
  accounting_page_token: { en: 'Token', 'es-us': 'Token', 'fr-ca': 'Jeton' },
  accounting_page_username: {
    en: 'User name, if it has no token',
    'es-us': 'Usuario, si no tiene token',
    'fr-ca': "Nom d'utilisateur, sans jeton",
  },
  accounting_page_password: { en: 'Password', 'es-us': 'Contraseña', 'fr-ca': 'Mot de passe' },
  accounting_page_lists: {
    en: 'Lists in JSON, by files only',
    'es-us': 'Listas en JSON, solo por archivos',
    'fr-ca': 'Listes en JSON, par fichiers seulement',
  },
  accounting_page_send: { en: 'Continue', 'es-us': 'Continuar', 'fr-ca': 'Continuer' },
  accounting_page_done: {
    en: 'Copy this public token to where you began. It is good for 30 minutes, once.',
    'es-us': 'Copie este token público donde comenzó. Vale por 30 minutos, una vez.',
    'fr-ca': 'Copiez ce jeton public là où vous avez commencé. Il est valable 30 minutes, une seule fois.',
  },
  accounting_page_ended: {
    en: 'This link has ended. Ask for a new one where you began.',
    'es-us': 'Este enlace ya no es válido. Pida otro donde comenzó.',
    'fr-ca': "Ce lien n'est plus valide. Demandez-en un autre là où vous avez commencé.",
  },
  accounting_page_too_often: {
    en: 'Too many tries. Wait a while.',
    'es-us': 'Demasiados intentos. Espere un momento.',
    'fr-ca': "Trop d'essais. Attendez un peu.",
  },
  accounting_page_no_name: {
    en: 'The system needs a name.',
    'es-us': 'El sistema necesita un nombre.',
    'fr-ca': 'Il faut un nom au système.',
  },
  accounting_page_no_system: {
    en: 'Say how the system is read.',
    'es-us': 'Indique cómo se lee el sistema.',
    'fr-ca': 'Indiquez le mode de lecture du système.',
  },
  accounting_page_no_address: {
    en: 'The address has to begin with https:// and must contain no password.',
    'es-us': 'La dirección debe comenzar con https:// y no contener contraseña.',
    'fr-ca': "L'adresse doit commencer par https:// et ne contenir aucun mot de passe.",
  },
  accounting_page_no_lists: {
    en: 'The lists are no JSON object.',
    'es-us': 'Las listas no son un objeto JSON.',
    'fr-ca': 'Les listes ne sont pas un objet JSON.',
  },
  accounting_page_not_read: {
    en: 'What was sent cannot be read, or is too long.',
    'es-us': 'Lo enviado no se puede leer o es demasiado largo.',
    'fr-ca': 'Ce qui a été envoyé est illisible ou trop long.',
  },
});
