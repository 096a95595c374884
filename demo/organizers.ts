import type { Language } from './data.ts'
import type { Poster } from './posters.ts'

type Host = {
  language: Language
  image?: Poster
  fields: { organizer: string } & Record<string, unknown>
}

export const ORGANIZERS = {
  onades: {
    language: 'ca',
    image: 'rings',
    fields: {
      organizer: 'Associació Onades',
      description: 'Programem música en directe a la costa i terra endins.',
      email: 'hola@onades.example',
      website: 'https://onades.example',
    },
  },
  veins: {
    language: 'ca',
    fields: {
      organizer: 'Veïns del Pla',
      description: 'L’associació de veïns i veïnes del barri.',
      email: 'veins@pla.example',
    },
  },
  noria: {
    language: 'es',
    fields: {
      organizer: 'Fundación La Noria',
      description: 'Fundación que cuida del centro cultural del mismo nombre.',
      email: 'info@la-noria.example',
      website: 'https://la-noria.example/fundacion',
    },
  },
  titeres: {
    language: 'es',
    fields: {
      organizer: 'Compañía Hilo Rojo',
      description: 'Títeres y teatro de objetos para todas las edades.',
      email: 'gira@hilo-rojo.example',
    },
  },
  pump: {
    language: 'en',
    fields: {
      organizer: 'Friends of the Pump House',
      description: 'Volunteers who keep the boilers cold and the programme warm.',
      email: 'friends@old-pump-house.example',
      phone: '020 7946 0124',
    },
  },
  readers: {
    language: 'en',
    fields: {
      organizer: 'The Common Readers',
      description: 'Book groups, readings and walks, open to all.',
      email: 'desk@common-readers.example',
      website: 'https://common-readers.example',
    },
  },
  stars: {
    language: 'en',
    image: 'harbour',
    fields: {
      organizer: 'Night Sky Circle',
      description: 'Amateur astronomers with more telescopes than sleep.',
      website: 'https://night-sky-circle.example',
    },
  },
  kumo: {
    language: 'en',
    fields: { organizer: 'Kumo Arts', email: 'post@kumo-gallery.example' },
  },
} as const satisfies Record<string, Host>
