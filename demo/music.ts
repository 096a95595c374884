import type { DemoEvent } from './data.ts'

export const MUSIC: DemoEvent[] = [
  {
    when: { day: { week: 1, weekday: 'fri' }, from: '20:30', to: '23:00' },
    venue: 'far',
    organizers: ['onades'],
    categories: ['jazz'],
    tags: ['live', 'night'],
    image: 'rings',
    fields: { cost: '12 €', featured: true, ticketed: true, website: 'https://sala-far.example/quartet' },
    texts: {
      ca: {
        title: 'El quartet de la boia',
        description:
          'Saxo, contrabaix, bateria i una boia de llauna convertida en instrument.\n\nDues parts amb descans. El bar obre a les 19.30.',
        excerpt: 'Jazz amb olor de mar.',
      },
      en: {
        title: 'The Buoy Quartet',
        description:
          'Saxophone, double bass, drums, and a tin buoy that became an instrument.\n\nTwo sets with a break. The bar opens at 19:30.',
        excerpt: 'Jazz that smells of the sea.',
      },
      es: {
        title: 'El cuarteto de la boya',
        description:
          'Saxo, contrabajo, batería y una boya de hojalata convertida en instrumento.\n\nDos pases con descanso. El bar abre a las 19:30.',
        excerpt: 'Jazz con olor a mar.',
      },
    },
  },
  {
    when: { day: 0, from: '18:30', to: '20:00' },
    venue: 'pla',
    organizers: ['veins'],
    categories: ['choirs', 'neighbourhood'],
    tags: ['beginners', 'accessible'],
    fields: { cost: 'Free' },
    texts: {
      ca: {
        title: 'Assaig obert de la coral del riu',
        description: 'Veniu a escoltar o a cantar. No cal saber solfeig: assagem d’oïda.',
      },
      en: {
        title: 'Open rehearsal of the river choir',
        description: 'Come to listen or to sing. No need to read music: we learn by ear.',
      },
    },
  },
  {
    when: { day: { week: 2, weekday: 'sat' }, from: '19:00', to: '20:15' },
    venue: 'pumphouse',
    organizers: ['pump'],
    categories: ['classical'],
    tags: ['live', 'night'],
    image: 'sunrise',
    fields: { cost: ['£12', '£18'], ticketed: true },
    texts: {
      en: {
        title: 'Cello suites by candlelight',
        description: '<p>Three suites, one cello, two hundred candles.</p><p><em>Bring a coat.</em></p>',
      },
    },
  },
  {
    when: { day: { week: 3, weekday: 'sun' }, from: '11:30', to: '13:00' },
    venue: 'riera',
    organizers: ['onades', 'veins'],
    categories: ['concerts', 'neighbourhood'],
    tags: ['live', 'outdoors', 'families'],
    fields: { cost: 0 },
    texts: {
      ca: {
        title: 'Vermut amb banda',
        description: 'La banda municipal toca valsos i pasdobles al quiosc. Si plou, sota el porxo.',
      },
      es: {
        title: 'Vermut con banda',
        description: 'La banda municipal toca valses y pasodobles en el quiosco. Si llueve, bajo el porche.',
      },
    },
  },
  {
    when: { day: { week: 1, weekday: 'sat' }, from: '22:00', to: '02:00', nights: 1 },
    venue: 'pier',
    organizers: ['pump'],
    categories: ['jazz'],
    tags: ['live', 'night'],
    image: 'beams',
    fields: { cost: '$15 – $20', ticketed: true, featured: true },
    texts: {
      en: {
        title: 'Late session at the loft',
        description: 'House trio until midnight, then whoever brought an instrument.',
      },
    },
  },
  {
    when: { day: { week: 4, weekday: 'sat' }, from: '15:00', to: '17:00' },
    venue: 'hikari',
    organizers: ['kumo'],
    categories: ['classical'],
    tags: ['live', 'accessible'],
    fields: { cost: '¥2,500', ticketed: true },
    texts: {
      en: { title: 'Koto and strings', description: 'New pieces for two kotos and a string quartet.' },
    },
  },
  {
    when: { day: -20, from: '20:00', to: '22:30' },
    venue: 'far',
    organizers: ['onades'],
    categories: ['concerts'],
    tags: ['live', 'food'],
    image: 'harbour',
    fields: { cost: '10 €' },
    texts: {
      ca: {
        title: 'Havaneres i rom cremat',
        description: 'Cançons de mariners amb la lluna damunt del port.',
      },
      es: {
        title: 'Habaneras y ron quemado',
        description: 'Canciones de marineros con la luna sobre el puerto.',
      },
    },
  },
  {
    when: [
      { day: { week: 0, weekday: 'wed' }, from: '19:30', to: '22:00' },
      { day: { week: 4, weekday: 'wed' }, from: '19:30', to: '22:00' },
      { day: { week: 8, weekday: 'wed' }, from: '19:30', to: '22:00' },
    ],
    venue: 'reading',
    organizers: ['readers'],
    categories: ['music'],
    tags: ['live', 'beginners'],
    fields: { cost: 'Pay what you can' },
    texts: {
      en: {
        title: 'New songs night',
        description: 'Two songs each, never played before. Sign up at the desk until 19:00.',
      },
    },
  },
  {
    when: { day: { week: -2, weekday: 'thu' }, from: '13:10', to: '13:50' },
    venue: 'marlow',
    organizers: ['pump'],
    categories: ['classical'],
    tags: ['live', 'accessible'],
    fields: { cost: 'Donation' },
    texts: {
      en: {
        title: 'Organ at lunchtime',
        description: 'Forty minutes of organ music. Sandwiches are welcome, crisps are not.',
      },
    },
  },
  {
    when: { day: { week: 5, weekday: 'sun' }, from: '18:00', to: '20:00' },
    venue: 'sinia',
    organizers: ['onades'],
    categories: ['classical'],
    tags: ['live', 'families'],
    image: 'confetti',
    fields: { cost: ['6 €', '9 €', '14 €', '21,50 €'], ticketed: true },
    texts: {
      ca: {
        title: 'Concert de la jove orquestra',
        description: 'Noranta músics de dotze a divuit anys, i una simfonia sencera.',
      },
      en: {
        title: 'The youth orchestra in concert',
        description: 'Ninety musicians between twelve and eighteen, and one whole symphony.',
      },
      es: {
        title: 'Concierto de la joven orquesta',
        description: 'Noventa músicos de doce a dieciocho años, y una sinfonía entera.',
      },
    },
  },
  {
    when: { day: { week: 9, weekday: 'fri' }, nights: 2 },
    venue: ['far', 'riera'],
    organizers: ['onades'],
    categories: ['music'],
    tags: ['live', 'outdoors', 'food'],
    image: 'sunrise',
    fields: {
      cost: '45 € – 120 €',
      ticketed: true,
      featured: true,
      sticky: true,
      website: 'https://onades.example/festival',
    },
    texts: {
      ca: {
        title: 'Festival Terra i Mar',
        description:
          '<p>Tres dies de música en dos escenaris:</p><ul><li>divendres a la costa</li><li>dissabte als dos llocs</li><li>diumenge terra endins</li></ul>',
        excerpt: 'Tres dies, dos escenaris, vint grups.',
      },
      en: {
        title: 'Land and Sea Festival',
        description:
          '<p>Three days of music on two stages:</p><ul><li>Friday on the coast</li><li>Saturday in both places</li><li>Sunday inland</li></ul>',
        excerpt: 'Three days, two stages, twenty bands.',
      },
      es: {
        title: 'Festival Tierra y Mar',
        description:
          '<p>Tres días de música en dos escenarios:</p><ul><li>viernes en la costa</li><li>sábado en los dos sitios</li><li>domingo tierra adentro</li></ul>',
        excerpt: 'Tres días, dos escenarios, veinte grupos.',
      },
    },
  },
]
