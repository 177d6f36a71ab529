import { defineMessages } from '../../platform/i18n/messages.ts';

export const shiftsMessages = defineMessages({
  day_approved: {
    en: 'is approved already: take the approval back before the shift goes on',
    'es-us': 'ya está aprobado: retire la aprobación antes de continuar el turno',
    'fr-ca': "est déjà approuvée : retirez l'approbation avant que le quart continue",
  },
  day_not_editable: {
    en: 'cannot be corrected: the shift is not over, or it is approved, settled or in a closed period',
    'es-us': 'no se puede corregir: el turno no ha terminado, o está aprobado, liquidado o en un período cerrado',
    'fr-ca': "ne peut pas être corrigée : le quart n'est pas terminé, ou est approuvé, réglé ou dans une période fermée",
  },
  far_from_logged: {
    en: 'lies more than 24 hours from what was logged',
    'es-us': 'está a más de 24 horas de lo registrado',
    'fr-ca': 'est à plus de 24 heures de ce qui a été consigné',
  },
  shift_too_long: {
    en: 'would make a shift of more than 24 hours',
    'es-us': 'haría un turno de más de 24 horas',
    'fr-ca': 'ferait un quart de plus de 24 heures',
  },
  adjustment_without_type: {
    en: 'must say what the minutes are for',
    'es-us': 'debe indicar para qué son los minutos',
    'fr-ca': 'doit indiquer à quoi servent les minutes',
  },
  adjustment_without_minutes: {
    en: 'must not be 0 while a type of adjustment is given',
    'es-us': 'no debe ser 0 si se indica un tipo de ajuste',
    'fr-ca': "ne doit pas être 0 lorsqu'un type d'ajustement est donné",
  },
  sign_of_adjustment: {
    en: 'must be negative for a break, lunch or breakdown, and positive for waiting',
    'es-us': 'debe ser negativo para una pausa, almuerzo o avería, y positivo para una espera',
    'fr-ca': 'doit être négatif pour une pause, un repas ou une panne, et positif pour une attente',
  },
  more_than_on_duty: {
    en: 'would take away more than the {{minutes}} minutes on duty',
    'es-us': 'quitaría más que los {{minutes}} minutos de servicio',
    'fr-ca': 'enlèverait plus que les {{minutes}} minutes en service',
  },
  state_too_late: {
    en: 'lies more than 24 hours back',
    'es-us': 'es de hace más de 24 horas',
    'fr-ca': 'remonte à plus de 24 heures',
  },
  break_off_duty: {
    en: 'a break is possible on duty only',
    'es-us': 'una pausa solo es posible estando de servicio',
    'fr-ca': "une pause n'est possible qu'en service",
  },
});
