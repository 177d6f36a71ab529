import { defineMessages } from '../../platform/i18n/messages.ts';

export const invariantMessages = defineMessages({
  invariants_take_longer: {
    en: 'take longer than a request may: run npm run invariants on the server',
    'es-us': 'tardan más de lo que puede durar una solicitud: ejecute npm run invariants en el servidor',
    'fr-ca': "prennent plus de temps qu'une requête ne le peut : exécutez npm run invariants sur le serveur",
  },
});
