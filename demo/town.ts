import type { DemoEvent } from './data.ts'

export const TOWN: DemoEvent[] = [
  {
    when: [
      { day: { week: -4, weekday: 'sat' }, from: '10:00', to: '13:30' },
      { day: { week: 0, weekday: 'sat' }, from: '10:00', to: '13:30' },
      { day: { week: 4, weekday: 'sat' }, from: '10:00', to: '13:30' },
      { day: { week: 8, weekday: 'sat' }, from: '10:00', to: '13:30' },
    ],
    venue: 'pla',
    organizers: ['veins'],
    categories: ['workshops', 'neighbourhood'],
    tags: ['beginners', 'accessible'],
    fields: { cost: 'Free' },
    texts: {
      ca: {
        title: 'Cafè de reparacions',
        description: 'Porteu la torradora que no torra. Nosaltres hi posem eines i cafè.',
      },
      en: {
        title: 'Repair café',
        description: 'Bring the toaster that does not toast. We bring tools and coffee.',
      },
    },
  },
  {
    when: { hours: [-1, 2] },
    venue: 'online',
    organizers: ['readers'],
    categories: ['books'],
    tags: ['remote'],
    fields: { cost: 0, website: 'https://common-readers.example/room' },
    texts: {
      en: {
        title: 'Read along: a chapter together',
        description: 'One chapter, read aloud in turns. Drop in whenever you like.',
      },
    },
  },
  {
    when: { hours: [1, 3] },
    venue: 'online',
    organizers: ['stars'],
    categories: ['science'],
    tags: ['remote', 'beginners'],
    timezone: 'UTC+5.5',
    fields: { cost: 'Free – ₹200' },
    texts: {
      en: { title: 'Ask an astronomer', description: 'Questions of all sizes, answered live.' },
    },
  },
  {
    when: { day: 0, nights: 0 },
    venue: 'riera',
    organizers: ['veins'],
    categories: ['neighbourhood'],
    tags: ['outdoors', 'families', 'food'],
    image: 'confetti',
    fields: { cost: '7 €', sticky: true },
    texts: {
      ca: { title: 'Festa del barri', description: 'Arròs per a tothom al migdia, jocs tot el dia.' },
      en: { title: 'Neighbourhood feast', description: 'Rice for everyone at noon, games all day.' },
      es: { title: 'Fiesta del barrio', description: 'Arroz para todos al mediodía, juegos todo el día.' },
    },
  },
  {
    when: [
      { day: { week: -3, weekday: 'tue' }, from: '18:00', to: '19:30' },
      { day: { week: 1, weekday: 'tue' }, from: '18:00', to: '19:30' },
      { day: { week: 5, weekday: 'tue' }, from: '18:00', to: '19:30' },
    ],
    venue: 'reading',
    organizers: ['readers'],
    categories: ['books'],
    tags: ['accessible'],
    fields: { cost: 'Free' },
    texts: {
      en: {
        title: 'Book group: letters from islands',
        description: 'One slim book a month. Copies at the desk.',
      },
    },
  },
  {
    when: { day: { week: 3, weekday: 'fri' }, from: '22:00', to: '01:00', nights: 1 },
    venue: 'drago',
    organizers: ['stars'],
    categories: ['science'],
    tags: ['outdoors', 'night'],
    image: 'harbour',
    fields: { cost: '15 €', ticketed: true },
    texts: {
      es: {
        title: 'Noche de telescopios',
        description: 'Ocho telescopios, un guía por cada uno. Traed abrigo: a dos mil metros refresca.',
      },
      en: {
        title: 'Night of telescopes',
        description:
          'Eight telescopes with a guide at each. Dress warmly: it is cold at two thousand metres.',
      },
    },
  },
  {
    when: { day: { week: 1, weekday: 'wed' }, from: '19:00', to: '20:30' },
    venue: 'marlow',
    organizers: ['readers'],
    categories: ['science'],
    tags: ['accessible'],
    fields: { cost: '£4' },
    texts: {
      en: {
        title: 'How tides work',
        description: 'A talk with a bathtub, a lamp and a very patient volunteer.',
      },
    },
  },
  {
    when: { day: -6, from: '18:00', to: '20:00' },
    venue: 'pla',
    organizers: ['veins'],
    categories: ['talks'],
    tags: ['beginners'],
    fields: { cost: 'Taquilla inversa' },
    texts: {
      ca: { title: 'Intercanvi de llengües', description: 'Taules en català, castellà i anglès.' },
      en: { title: 'Language exchange', description: 'Tables in Catalan, Spanish and English.' },
      es: { title: 'Intercambio de lenguas', description: 'Mesas en catalán, castellano e inglés.' },
    },
  },
  {
    when: { day: { week: 2, weekday: 'sun' } },
    organizers: ['veins'],
    categories: ['neighbourhood'],
    tags: ['outdoors'],
    image: 'sunrise',
    fields: { cost: '18 € – 25 €', ticketed: true, website: 'https://mitja-marato.example' },
    texts: {
      ca: { title: 'Mitja marató del riu', description: 'Vint-i-un quilòmetres per camins de ribera.' },
      es: { title: 'Media maratón del río', description: 'Veintiún kilómetros por caminos de ribera.' },
    },
  },
  {
    when: { day: { week: 1, weekday: 'sat' }, from: '09:30', to: '12:30' },
    venue: 'noria',
    organizers: ['noria'],
    categories: ['workshops'],
    tags: ['food', 'beginners'],
    fields: { cost: '35 €', ticketed: true },
    texts: {
      es: {
        title: 'Taller de pan de masa madre',
        description: 'Te llevas a casa una hogaza y un bote de masa viva.',
      },
      en: { title: 'Sourdough workshop', description: 'Take home a loaf and a jar of living dough.' },
    },
  },
  {
    when: { day: { week: 7, weekday: 'sat' }, from: '10:00', to: '12:00' },
    venue: 'hikari',
    organizers: ['kumo'],
    categories: ['workshops'],
    tags: ['families', 'beginners'],
    fields: { cost: '¥1,200' },
    texts: {
      en: { title: 'Folding cranes', description: 'A hundred sheets, a hundred cranes, tea at the end.' },
    },
  },
  {
    when: [
      { day: { week: 0, weekday: 'thu' }, from: '07:00', to: '13:00' },
      { day: { week: 1, weekday: 'thu' }, from: '07:00', to: '13:00' },
      { day: { week: 2, weekday: 'thu' }, from: '07:00', to: '13:00' },
    ],
    venue: 'pier',
    organizers: ['pump'],
    categories: ['markets'],
    tags: ['food', 'outdoors'],
    texts: {
      en: { title: 'Farmers’ market at the ferry', description: 'Apples, bread, cheese and one fiddler.' },
    },
  },
  {
    when: { day: 5, from: '18:00', to: '19:00' },
    venue: 'pla',
    organizers: ['veins'],
    categories: ['neighbourhood'],
    fields: { hide_from_listings: true },
    texts: {
      ca: { title: 'Reunió de voluntaris', description: 'Repartim torns. Només per a qui té l’enllaç.' },
    },
  },
  {
    when: { day: 20, from: '18:30', to: '20:00' },
    venue: 'pumphouse',
    organizers: ['pump'],
    categories: ['neighbourhood'],
    fields: { status: 'private' },
    texts: {
      en: { title: 'Trustees’ meeting', description: 'Minutes, boiler, roof, any other business.' },
    },
  },
  {
    when: { day: 75, from: '06:30', to: '08:00' },
    venue: 'reading',
    organizers: ['readers', 'stars'],
    categories: ['books', 'science'],
    tags: ['outdoors'],
    fields: { cost: '', show_map: true, show_map_link: true },
    texts: {
      en: { title: 'Dawn walk with poems', description: 'Three miles, six poems, breakfast after.' },
    },
  },
]
