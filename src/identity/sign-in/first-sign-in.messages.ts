import { defineMessages } from '../../platform/i18n/messages.ts';

/** Mails to both sides when a company that another one managed begins to act for itself. */
defineMessages({
  letter_managing_ended_subject: {
    en: '{{manager}} no longer manages {{company}}',
    'es-us': '{{manager}} ya no administra {{company}}',
    'fr-ca': '{{manager}} ne gère plus {{company}}',
  },
  letter_managing_ended: {
    en: 'Hello {{name}},\n\n{{who}} was the first of {{company}} to sign in to Haulgate. The company speaks for itself from now on, and {{manager}} no longer keeps its people, trucks and shares. You stay connected, and what it shares with you stays shared.\n',
    'es-us':
      'Hola, {{name}}:\n\n{{who}} fue la primera persona de {{company}} en entrar en Haulgate. Desde ahora la empresa habla por sí misma y {{manager}} ya no mantiene sus personas, camiones ni elementos compartidos. Siguen conectados, y lo que comparte con ustedes sigue compartido.\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{who}} a été la première personne de {{company}} à ouvrir une session dans Haulgate. Désormais, l’entreprise parle pour elle-même et {{manager}} ne tient plus ses gens, ses camions ni ses partages. Vous restez connectés, et ce qu’elle partage avec vous le reste.\n',
  },
  letter_managed_ended_subject: {
    en: '{{company}} is in your own hands now',
    'es-us': '{{company}} está ahora en sus propias manos',
    'fr-ca': '{{company}} est maintenant entre vos mains',
  },
  letter_managed_ended: {
    en: 'Hello {{name}},\n\n{{who}} was the first of {{company}} to sign in to Haulgate. Until now {{manager}} kept the people, trucks and shares of {{company}}; it can no longer do so. You stay connected, and what is shared stays shared until you end it.\n\nThese people administrate {{company}}:\n\n{{administrators}}\n\nPlease look whether all of them, and all others who have access, belong to you:\n\n{{link}}\n',
    'es-us':
      'Hola, {{name}}:\n\n{{who}} fue la primera persona de {{company}} en entrar en Haulgate. Hasta ahora {{manager}} mantenía las personas, los camiones y los elementos compartidos de {{company}}; ya no puede hacerlo. Siguen conectados, y lo compartido sigue compartido hasta que ustedes lo terminen.\n\nEstas personas administran {{company}}:\n\n{{administrators}}\n\nRevise si todas ellas, y todas las demás que tienen acceso, son de su empresa:\n\n{{link}}\n',
    'fr-ca':
      'Bonjour {{name}},\n\n{{who}} a été la première personne de {{company}} à ouvrir une session dans Haulgate. Jusqu’ici, {{manager}} tenait les gens, les camions et les partages de {{company}} ; ce n’est plus possible. Vous restez connectés, et ce qui est partagé le reste jusqu’à ce que vous y mettiez fin.\n\nCes personnes administrent {{company}} :\n\n{{administrators}}\n\nVérifiez que toutes, ainsi que les autres personnes qui ont accès, sont bien des vôtres :\n\n{{link}}\n',
  },
});
