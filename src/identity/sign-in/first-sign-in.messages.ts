import { defineMessages } from '../../platform/i18n/messages.ts';

/** Sent to the proven address of a person when another company entered the other one. */
export const firstSignInMessages = defineMessages({
  email_unproven_address_subject: {
    en: '{{entered}} does not sign you in to Haulgate',
    'es-us': '{{entered}} no le da acceso a Haulgate',
    'fr-ca': '{{entered}} ne vous connecte pas à Haulgate',
  },
  email_unproven_address: {
    en: 'Hello {{name}},\n\nanother company entered {{entered}} for you in Haulgate. It may not be yours, so nobody can sign in with it.\n\nIf it is yours, save it again in your profile, and you can sign in with it. If it is not, please replace or remove it:\n\n{{link}}\n',
    'es-us':
      'Hola, {{name}}:\n\notra empresa registró {{entered}} para usted en Haulgate. Quizá no sea suyo, así que nadie puede entrar con ese dato.\n\nSi es suyo, guárdelo de nuevo en su perfil y podrá entrar con él. Si no lo es, cámbielo o elimínelo:\n\n{{link}}\n',
    'fr-ca':
      'Bonjour {{name}},\n\nune autre entreprise a inscrit {{entered}} pour vous dans Haulgate. Comme ce n’est peut-être pas à vous, personne ne peut ouvrir de session avec cette coordonnée.\n\nSi elle est à vous, enregistrez-la de nouveau dans votre profil et vous pourrez vous en servir. Sinon, remplacez-la ou retirez-la :\n\n{{link}}\n',
  },
  text_unproven_address: {
    en: 'Another company entered {{entered}} for you in Haulgate. It signs nobody in until you save it again in your profile: {{link}}',
    'es-us': 'Otra empresa registró {{entered}} para usted en Haulgate. No da acceso hasta que lo guarde de nuevo en su perfil: {{link}}',
    'fr-ca':
      'Une autre entreprise a inscrit {{entered}} pour vous dans Haulgate. Personne ne peut s’en servir pour se connecter tant que vous ne l’enregistrez pas de nouveau dans votre profil : {{link}}',
  },
  entered_by: {
    en: '(entered by {{manager}}, not used for signing in until it is saved again)',
    'es-us': '(registrado por {{manager}}; no sirve para entrar hasta que se guarde de nuevo)',
    'fr-ca': '(inscrit par {{manager}}; ne sert pas à se connecter avant d’être enregistré de nouveau)',
  },
});

/** Mails to both sides when a company that another one managed begins to act for itself. */
export const firstSignInMoreMessages = defineMessages({
  email_managing_ended_subject: {
    en: '{{manager}} no longer manages {{company}}',
    'es-us': '{{manager}} ya no administra {{company}}',
    'fr-ca': '{{manager}} ne gère plus {{company}}',
  },
  email_managing_ended: {
    en: 'Hello {{name}},\n\n{{who}} was the first of {{company}} to sign in to Haulgate. The company speaks for itself from now on, and {{manager}} no longer keeps its people, trucks and shares. You stay connected, and what it shares with you stays shared.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{who}} fue la primera persona de {{company}} en entrar en Haulgate. Desde ahora la empresa habla por sí misma y {{manager}} ya no mantiene sus personas, camiones ni elementos compartidos. Siguen conectados, y lo que comparte con ustedes sigue compartido.\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{who}} a été la première personne de {{company}} à ouvrir une session dans Haulgate. Désormais, l’entreprise parle pour elle-même et {{manager}} ne tient plus ses gens, ses camions ni ses partages. Vous restez connectés, et ce qu’elle partage avec vous le reste.\n',
  },
  email_managed_ended_subject: {
    en: '{{company}} is in your own hands now',
    'es-us': '{{company}} está ahora en sus propias manos',
    'fr-ca': '{{company}} est maintenant entre vos mains',
  },
  email_managed_ended: {
    en: 'Hello {{name}},\n\n{{who}} was the first of {{company}} to sign in to Haulgate. Until now {{manager}} kept the people, trucks and shares of {{company}}; it can no longer do so. You stay connected, and what is shared stays shared until you end it.\n\nThese people administrate {{company}}:\n\n{{administrators}}\n\nPlease look whether all of them, and all others who have access, belong to you:\n\n{{link}}\n',
    'es-us':
      'Hola, {{name}}:\n\n{{who}} fue la primera persona de {{company}} en entrar en Haulgate. Hasta ahora {{manager}} mantenía las personas, los camiones y los elementos compartidos de {{company}}; ya no puede hacerlo. Siguen conectados, y lo compartido sigue compartido hasta que ustedes lo terminen.\n\nEstas personas administran {{company}}:\n\n{{administrators}}\n\nRevise si todas ellas, y todas las demás que tienen acceso, son de su empresa:\n\n{{link}}\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{who}} a été la première personne de {{company}} à ouvrir une session dans Haulgate. Jusqu’ici, {{manager}} tenait les gens, les camions et les partages de {{company}} ; ce n’est plus possible. Vous restez connectés, et ce qui est partagé le reste jusqu’à ce que vous y mettiez fin.\n\nCes personnes administrent {{company}} :\n\n{{administrators}}\n\nVérifiez que toutes, ainsi que les autres personnes qui ont accès, sont bien des vôtres :\n\n{{link}}\n',
  },
});
