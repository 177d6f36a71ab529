import { defineMessages } from '../../platform/i18n/messages.ts';

/** Messages to people who sign in. `{{link}}` and `{{code}}` are on separate lines, so that telephones make them tappable. */
export const emailMessages = defineMessages({
  email_magic_link_subject: {
    en: 'Your link to sign in to Haulgate',
    'es-us': 'Su enlace para entrar en Haulgate',
    'fr-ca': 'Votre lien pour ouvrir une session dans Haulgate',
  },
  email_magic_link: {
    en: 'Hello {{name}},\n\nsign in to Haulgate with this link:\n\n{{link}}\n\nIt works once, for {{minutes}} minutes. If you did not ask for it, you can ignore this mail: nobody can sign in without it.\n',
    'es-us':
      'Hola, {{name}}:\n\nentre en Haulgate con este enlace:\n\n{{link}}\n\nFunciona una sola vez, durante {{minutes}} minutos. Si usted no lo pidió, puede ignorar este correo: sin él nadie puede entrar.\n',
    'fr-ca':
      'Bonjour {{name}},\n\nouvrez une session dans Haulgate avec ce lien :\n\n{{link}}\n\nIl fonctionne une seule fois, pendant {{minutes}} minutes. Si vous ne l’avez pas demandé, ignorez ce courriel : sans lui, personne ne peut ouvrir de session.\n',
  },
  email_reset_password_subject: {
    en: 'Choose a new Haulgate password',
    'es-us': 'Elija una nueva contraseña de Haulgate',
    'fr-ca': 'Choisissez un nouveau mot de passe Haulgate',
  },
  email_reset_password: {
    en: 'Hello {{name}},\n\nchoose a new password with this link:\n\n{{link}}\n\nIt works once, for {{minutes}} minutes, and signs you out everywhere else. If you did not ask for it, you can ignore this mail: your password stays as it is.\n',
    'es-us':
      'Hola, {{name}}:\n\nelija una nueva contraseña con este enlace:\n\n{{link}}\n\nFunciona una sola vez, durante {{minutes}} minutos, y cierra sus demás sesiones. Si usted no lo pidió, puede ignorar este correo: su contraseña no cambia.\n',
    'fr-ca':
      'Bonjour {{name}},\n\nchoisissez un nouveau mot de passe avec ce lien :\n\n{{link}}\n\nIl fonctionne une seule fois, pendant {{minutes}} minutes, et ferme vos autres sessions. Si vous ne l’avez pas demandé, ignorez ce courriel : votre mot de passe reste le même.\n',
  },
  email_password_changed_subject: {
    en: 'Your Haulgate password was changed',
    'es-us': 'Su contraseña de Haulgate ha cambiado',
    'fr-ca': 'Votre mot de passe Haulgate a été changé',
  },
  email_password_changed: {
    en: 'Hello {{name}},\n\nyour password was changed just now, and you were signed out everywhere else. If that was not you, tell an administrator of {{company}} at once.\n',
    'es-us':
      'Hola, {{name}}:\n\nsu contraseña acaba de cambiar y se cerraron sus demás sesiones. Si no fue usted, avise enseguida a un administrador de {{company}}.\n',
    'fr-ca':
      'Bonjour {{name}},\n\nvotre mot de passe vient d’être changé et vos autres sessions ont été fermées. Si ce n’était pas vous, avertissez tout de suite un administrateur de {{company}}.\n',
  },
  email_signup_subject: {
    en: '{{company}} invites you to Haulgate',
    'es-us': '{{company}} le invita a Haulgate',
    'fr-ca': '{{company}} vous invite à Haulgate',
  },
  email_signup: {
    en: 'Hello {{name}},\n\n{{company}} plans its hauling with Haulgate and has made an account for you. Choose a password to start:\n\n{{link}}\n\nThe link works once, for {{days}} days.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{company}} organiza sus acarreos con Haulgate y le ha creado una cuenta. Elija una contraseña para empezar:\n\n{{link}}\n\nEl enlace funciona una sola vez, durante {{days}} días.\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{company}} planifie son transport avec Haulgate et vous a créé un compte. Choisissez un mot de passe pour commencer :\n\n{{link}}\n\nLe lien fonctionne une seule fois, pendant {{days}} jours.\n',
  },
  text_signup: {
    en: '{{company}} invites you to Haulgate. Choose a password: {{link}}',
    'es-us': '{{company}} le invita a Haulgate. Elija una contraseña: {{link}}',
    'fr-ca': '{{company}} vous invite à Haulgate. Choisissez un mot de passe : {{link}}',
  },
  email_welcome: {
    en: 'Hello {{name}},\n\n{{company}} plans its hauling with Haulgate and has made an account for you. You need no password: sign in here with the address this mail came to.\n\n{{link}}\n',
    'es-us':
      'Hola, {{name}}:\n\n{{company}} organiza sus acarreos con Haulgate y le ha creado una cuenta. No necesita contraseña: entre aquí con la dirección a la que llegó este correo.\n\n{{link}}\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{company}} planifie son transport avec Haulgate et vous a créé un compte. Aucun mot de passe n’est nécessaire : ouvrez une session ici avec l’adresse qui a reçu ce courriel.\n\n{{link}}\n',
  },
  text_welcome: {
    en: '{{company}} invites you to Haulgate. You need no password, sign in here: {{link}}',
    'es-us': '{{company}} le invita a Haulgate. No necesita contraseña, entre aquí: {{link}}',
    'fr-ca': '{{company}} vous invite à Haulgate. Sans mot de passe, ouvrez une session ici : {{link}}',
  },
  text_otp: {
    en: '{{code}} is your Haulgate code. It works once, for {{minutes}} minutes. Nobody of ours will ask you for it.',
    'es-us': '{{code}} es su código de Haulgate. Funciona una sola vez, durante {{minutes}} minutos. Nadie de nosotros se lo pedirá.',
    'fr-ca':
      '{{code}} est votre code Haulgate. Il fonctionne une seule fois, pendant {{minutes}} minutes. Personne chez nous ne vous le demandera.',
  },
});
