import type { DemoEvent } from './data.ts'

export const ARTS: DemoEvent[] = [
  {
    when: { day: -12, from: '10:00', to: '19:00', nights: 52 },
    venue: 'noria',
    organizers: ['noria'],
    categories: ['exhibitions'],
    tags: ['families', 'accessible'],
    image: 'quilt',
    fields: { cost: 'Free – 5 €', featured: true },
    texts: {
      es: {
        title: 'Ciudades de papel',
        description: 'Cuarenta maquetas de ciudades que nunca existieron, hechas con papel y paciencia.',
        excerpt: 'Cuarenta ciudades que caben en una mesa.',
      },
      en: {
        title: 'Paper cities',
        description: 'Forty models of cities that never were, made of paper and patience.',
        excerpt: 'Forty cities, each small enough for a table.',
      },
      ca: {
        title: 'Ciutats de paper',
        description: 'Quaranta maquetes de ciutats que no han existit mai, fetes de paper i paciència.',
      },
    },
  },
  {
    when: { day: -40, from: '11:00', to: '18:00', nights: 30 },
    venue: 'kumo',
    organizers: ['kumo'],
    categories: ['exhibitions'],
    image: 'harbour',
    fields: { cost: '¥800' },
    texts: {
      en: {
        title: 'The blue hour',
        description: 'Photographs from the forty minutes between sunset and night.',
      },
    },
  },
  {
    when: { day: 6, from: '18:00', to: '20:00' },
    venue: 'kumo',
    organizers: ['kumo'],
    categories: ['exhibitions'],
    tags: ['food'],
    fields: { password: 'moss garden', cost: 0 },
    texts: {
      en: {
        title: 'Private view: ink and moss',
        description: 'For friends of the gallery. The garden gate will be open.',
      },
    },
  },
  {
    when: { day: { week: 2, weekday: 'thu' }, from: '21:00', to: '22:40' },
    venue: 'sinia',
    organizers: ['onades'],
    categories: ['film', 'concerts'],
    tags: ['live', 'night'],
    image: 'beams',
    fields: { cost: '8,50 €', ticketed: true },
    texts: {
      ca: {
        title: 'Cinema mut amb piano',
        description: 'Una pel·lícula de fars i tempestes, amb música improvisada en directe.',
      },
      es: {
        title: 'Cine mudo con piano',
        description: 'Una película de faros y tormentas, con música improvisada en directo.',
      },
    },
  },
  {
    when: [
      { day: { week: 1, weekday: 'sun' }, from: '12:00', to: '12:50' },
      { day: { week: 3, weekday: 'sun' }, from: '12:00', to: '12:50' },
    ],
    venue: 'azahar',
    organizers: ['titeres'],
    categories: ['theatre'],
    tags: ['families'],
    image: 'confetti',
    fields: { cost: '6', ticketed: true },
    texts: {
      es: {
        title: 'El erizo que quería nadar',
        description: 'Títeres de guante para mayores de tres años. Dura cincuenta minutos.',
      },
    },
  },
  {
    when: { day: { week: 6, weekday: 'thu' }, nights: 3 },
    venue: 'sinia',
    organizers: ['onades', 'titeres'],
    categories: ['theatre'],
    image: 'beams',
    fields: { cost: '24 €', ticketed: true, featured: true },
    texts: {
      ca: {
        title: 'Mostra d’hivern',
        description: 'Quatre dies de teatre petit en un teatre gran.',
      },
      en: {
        title: 'Winter stage',
        description: 'Four days of small plays in a large theatre.',
      },
    },
  },
  {
    when: { day: { week: 6, weekday: 'thu' }, from: '20:00', to: '21:15' },
    venue: 'sinia',
    organizers: ['titeres'],
    categories: ['theatre'],
    parent: 'Mostra d’hivern',
    fields: { cost: '9 €', ticketed: true },
    texts: {
      ca: { title: 'La tercera cadira', description: 'Dues germanes, una herència i un moble de més.' },
    },
  },
  {
    when: { day: { week: 6, weekday: 'fri' }, from: '20:00', to: '21:30' },
    venue: 'sinia',
    organizers: ['titeres'],
    categories: ['theatre'],
    parent: 'Mostra d’hivern',
    fields: { cost: '9 €', ticketed: true },
    texts: {
      ca: { title: 'Paraigua', description: 'Una parada de bus, una tempesta i cinc desconeguts.' },
    },
  },
  {
    when: { day: { week: 2, weekday: 'sat' }, nights: 1 },
    venue: 'riera',
    organizers: ['veins'],
    categories: ['markets', 'arts'],
    tags: ['outdoors', 'families'],
    fields: { cost: 'Free' },
    texts: {
      ca: {
        title: 'Fira de la ceràmica',
        description: 'Trenta terrissaires, dos forns i un torn per provar-ho.',
      },
      en: { title: 'Pottery fair', description: 'Thirty potters, two kilns, and a wheel to try.' },
    },
  },
  {
    when: { day: 'before clock change', from: '22:00', to: '10:00', nights: 1 },
    venue: 'noria',
    organizers: ['noria'],
    categories: ['workshops', 'arts'],
    tags: ['night'],
    image: 'quilt',
    fields: { cost: '1.250,50 €' },
    texts: {
      es: {
        title: 'Maratón de dibujo en la noche del cambio de hora',
        description:
          'Doce horas en el reloj, una más o una menos de verdad. El precio es por equipo de diez.',
      },
      en: {
        title: 'Drawing marathon on the night the clocks change',
        description: 'Twelve hours on the clock, one more or less in fact. The price is for a team of ten.',
      },
    },
  },
  {
    when: { day: 'before clock change', from: '21:00', to: '03:30', nights: 1 },
    venue: 'pumphouse',
    organizers: ['stars', 'pump'],
    categories: ['film'],
    tags: ['night'],
    fields: { cost: '£5' },
    texts: {
      en: {
        title: 'Long night of short films',
        description: 'Forty films. Nobody agrees on when exactly it ends.',
      },
    },
  },
  {
    when: { day: 33, from: '19:00', to: '21:00' },
    venue: 'azahar',
    organizers: ['noria'],
    categories: ['film'],
    fields: { status: 'draft', cost: '4 €' },
    texts: {
      es: { title: 'Noche de cortos (por confirmar)', description: 'Falta cerrar el programa.' },
    },
  },
  {
    when: { day: 48, from: '20:00', to: '22:00' },
    venue: 'far',
    organizers: ['onades'],
    categories: ['concerts'],
    fields: { date: '+2 days', cost: '30 €', ticketed: true },
    texts: {
      ca: { title: 'Concert sorpresa', description: 'S’anuncia d’aquí a dos dies.' },
    },
  },
]
