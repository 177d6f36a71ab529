import { defineMessages } from '../platform/i18n/messages.ts';

/** Words of sandboxes. */
export const sandboxMessages = defineMessages({
  sandbox_within_sandbox: {
    en: 'is a sandbox itself, and has none',
    'es-us': 'es un entorno de pruebas y no tiene otros',
    'fr-ca': "est elle-même un bac à sable et n'en a pas",
  },
  too_many_sandboxes: {
    en: 'has {{max}} sandboxes already, as many as a company may have: end one of them',
    'es-us': 'ya tiene {{max}} entornos de pruebas, el máximo de una empresa: termine uno',
    'fr-ca': "a déjà {{max}} bacs à sable, le maximum d'une entreprise : mettez fin à l'un d'eux",
  },
  clock_once: {
    en: 'must be the only one: send either time or seconds',
    'es-us': 'debe ser el único: envíe time o seconds',
    'fr-ca': 'doit être le seul : envoyez time ou seconds',
  },
  clock_backwards: {
    en: 'is before {{time}}, which the clock shows; it goes forward only',
    'es-us': 'es anterior a {{time}}, la hora del reloj, que solo avanza',
    'fr-ca': "est avant {{time}}, l'heure de l'horloge, qui ne fait qu'avancer",
  },
  clock_too_far: {
    en: 'is more than {{days}} days ahead of the present: at most {{time}}',
    'es-us': 'adelanta el presente en más de {{days}} días: a lo sumo {{time}}',
    'fr-ca': 'avance de plus de {{days}} jours sur le présent : au plus {{time}}',
  },
  sandbox_fault_unknown: {
    en: 'is none of: {{values}}',
    'es-us': 'no es ninguno de: {{values}}',
    'fr-ca': "n'est aucun de : {{values}}",
  },
});
