import { defineMessages } from '../../platform/i18n/messages.ts';

export const sitesMessages = defineMessages({
  polygon_form: {
    en: 'is no list of rings of [longitude, latitude] corners',
    'es-us': 'no es una lista de anillos de esquinas [longitud, latitud]',
    'fr-ca': "n'est pas une liste d'anneaux de sommets [longitude, latitude]",
  },
  polygon_range: {
    en: 'has a corner outside of longitude -180 to 180 or latitude -90 to 90',
    'es-us': 'tiene una esquina fuera de la longitud -180 a 180 o la latitud -90 a 90',
    'fr-ca': 'a un sommet hors de la longitude -180 à 180 ou de la latitude -90 à 90',
  },
  polygon_open: {
    en: 'is not closed: the last corner must be the first one',
    'es-us': 'no está cerrado: la última esquina debe ser la primera',
    'fr-ca': "n'est pas fermé : le dernier sommet doit être le premier",
  },
  polygon_points: {
    en: 'needs 4 to {{max}} corners, the closing one included',
    'es-us': 'necesita de 4 a {{max}} esquinas, incluida la de cierre',
    'fr-ca': 'doit avoir de 4 à {{max}} sommets, y compris celui qui le ferme',
  },
  polygon_holes: {
    en: 'has more than one ring; a geofence cannot have holes',
    'es-us': 'tiene más de un anillo; una geocerca no puede tener huecos',
    'fr-ca': "a plus d'un anneau; un géorepérage ne peut pas avoir de trous",
  },
  polygon_crosses: {
    en: 'crosses or touches itself',
    'es-us': 'se cruza o se toca a sí mismo',
    'fr-ca': 'se croise ou se touche lui-même',
  },
  polygon_meridian: {
    en: 'crosses the 180th meridian: draw it on one side of it, or a circle',
    'es-us': 'cruza el meridiano 180: dibújelo de un solo lado, o un círculo',
    'fr-ca': 'traverse le 180e méridien : dessinez-le d’un seul côté, ou un cercle',
  },
  polygon_area: {
    en: 'must enclose 1 square meter to 1,000 square kilometers',
    'en-ca': 'must enclose 1 square metre to 1,000 square kilometres',
    'es-us': 'debe encerrar de 1 metro cuadrado a 1,000 kilómetros cuadrados',
    'fr-ca': 'doit enfermer de 1 mètre carré à 1 000 kilomètres carrés',
  },
  geofence_type_differs: {
    en: 'must be the type of this geofence: {{type}}',
    'es-us': 'debe ser el tipo de esta geocerca: {{type}}',
    'fr-ca': 'doit être le type de ce géorepérage : {{type}}',
  },
  moving_is_a_circle: {
    en: 'must be circle, because this geofence moves with equipment',
    'es-us': 'debe ser circle, porque esta geocerca se mueve con un equipo',
    'fr-ca': 'doit être circle, parce que ce géorepérage se déplace avec un équipement',
  },
  needs_moving_site: {
    en: 'needs a moving_site with the equipment to follow',
    'es-us': 'necesita un moving_site con el equipo que se debe seguir',
    'fr-ca': "a besoin d'un moving_site avec l'équipement à suivre",
  },
  not_of_this_site: {
    en: 'does not belong to this site',
    'es-us': 'no pertenece a este sitio',
    'fr-ca': "n'appartient pas à ce site",
  },
  equipment_unusable: {
    en: 'is out of use',
    'es-us': 'está fuera de uso',
    'fr-ca': 'est hors service',
  },
  one_coordinate: {
    en: 'is required with the other coordinate',
    'es-us': 'es obligatorio junto con la otra coordenada',
    'fr-ca': "est obligatoire avec l'autre coordonnée",
  },
});
