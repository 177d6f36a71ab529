import { defineMessages } from '../../platform/i18n/messages.ts';

export const changesMessages = defineMessages({
  no_position: {
    en: 'must be a position of this feed, or 0 for everything that is kept',
    'es-us': 'debe ser una posición de este historial, o 0 para todo lo que se conserva',
    'fr-ca': 'doit être une position de ce fil, ou 0 pour tout ce qui est conservé',
  },
  position_too_old: {
    en: 'is older than what is kept: begin with a snapshot',
    'es-us': 'es más antigua que lo que se conserva: empiece con una copia completa',
    'fr-ca': 'est plus ancienne que ce qui est conservé : commencez par une copie complète',
  },
  position_unknown: {
    en: 'is not one of this feed: begin with a snapshot',
    'es-us': 'no es de este historial: empiece con una copia completa',
    'fr-ca': "n'est pas de ce fil : commencez par une copie complète",
  },
  types_without_states: {
    en: 'is never met: records of these types have no state',
    'es-us': 'no se cumple nunca: los registros de estos tipos no tienen estado',
    'fr-ca': "n'est jamais rempli : les enregistrements de ces types n'ont pas d'état",
  },
  rights_changed: {
    en: 'was read with other rights than you have now: begin with a snapshot',
    'es-us': 'se leyó con otros derechos que los actuales: empiece con una copia completa',
    'fr-ca': "a été lue avec d'autres droits que les vôtres maintenant : commencez par une copie complète",
  },
});
