import t from 'tap'
import { mapOf, readCoordinates, writeCoordinates } from '../../desk/rules/coordinates.ts'

const VIC = { lat: 41.9301, lng: 2.2549 }
const FOUND: [what: string, text: string, lat?: number, lng?: number][] = [
  ['two numbers', '41.9301, 2.2549'],
  ['two numbers without a comma', ' 41.9301 2.2549 '],
  ['decimal commas', '41,9301; 2,2549'],
  ['decimal commas with a space', '41,9301 2,2549'],
  ['below zero', '-33.8568, -70.25', -33.8568, -70.25],
  ['whole degrees', '42 2', 42, 2],
  ['degrees, minutes and seconds', `41°55'48.36"N 2°15'17.64"E`],
  ['degrees and minutes in the south and west', '33°30′S, 70°15′W', -33.5, -70.25],
  ['degrees alone', '42° N, 3° W', 42, -3],
  ['degrees with O for west', '41.5° N', Number.NaN],
  ['west in Catalan', `41°30'N 3°15'O`, 41.5, -3.25],
  [
    'a place of Google Maps, not the middle of its window',
    'https://www.google.com/maps/place/Teatre/@41.93,2.25,17z/data=!3m1!4b1!4m6!3m5!1s0x0:0x1!8m2!3d41.9301!4d2.2549!16s',
  ],
  ['the window of Google Maps', 'https://www.google.com/maps/@41.9301,2.2549,17z'],
  [
    'a search of Google Maps',
    'https://www.google.com/maps/search/?api=1&query=41.9301%2C2.2549&query_place_id=x',
  ],
  ['a short query of Google Maps', 'https://maps.google.com/?q=41.9301,2.2549'],
  ['a named place of Google Maps', 'https://maps.google.com/maps?q=loc:41.9301,2.2549'],
  ['OpenStreetMap with a marker', 'https://www.openstreetmap.org/?mlat=41.9301&mlon=2.2549#map=15/41.9/2.2'],
  ['OpenStreetMap', 'https://www.openstreetmap.org/#map=18/41.9301/2.2549'],
  ['a node of OpenStreetMap', 'https://www.openstreetmap.org/node/1#map=18/41.9301/2.2549&layers=N'],
  ['Apple Maps', 'https://maps.apple.com/?ll=41.9301,2.2549&q=Teatre&t=m'],
  ['a place of Apple Maps', 'https://maps.apple.com/place?address=Vic&coordinate=41.9301,2.2549&name=Teatre'],
  ['Bing Maps', 'https://www.bing.com/maps?cp=41.9301~2.2549&lvl=16.0'],
  ['a point of Bing Maps', 'https://bing.com/maps/default.aspx?cp=41~2&sp=point.41.9301_2.2549_Teatre'],
  ['HERE', 'https://wego.here.com/?map=41.9301,2.2549,17,normal'],
  ['a place of HERE', 'https://share.here.com/l/41.9301,2.2549,Teatre?z=17'],
  ['Waze', 'https://www.waze.com/ul?ll=41.9301%2C2.2549&navigate=yes'],
  ['directions of Waze', 'https://www.waze.com/live-map/directions?latlng=41.9301%2C2.2549'],
  ['Yandex, which writes the longitude first', 'https://yandex.com/maps/?ll=2.2549%2C41.9301&z=17'],
  ['an address of the kind geo', 'geo:41.9301,2.2549;u=35'],
  ['what phones share', 'geo:0,0?q=41.9301,2.2549(Teatre)'],
]

t.test('coordinates are read from links of maps and from numbers', async (t) => {
  for (const [what, text, lat = VIC.lat, lng = VIC.lng] of FOUND)
    t.same(readCoordinates(text), Number.isNaN(lat) ? undefined : { lat, lng }, what)
})

t.test('what has no place on earth has no coordinates', async (t) => {
  for (const text of [
    '',
    'Carrer Major 12',
    '41.93',
    '95.1, 2.25',
    '41.93, 200',
    'https://maps.app.goo.gl/abc',
    'https://example.org/?q=100%',
    'https://example.org/100%/@41',
  ])
    t.equal(readCoordinates(text), undefined, text)
})

t.test('coordinates are written as they are typed, and shown on a map', async (t) => {
  t.equal(writeCoordinates(VIC), '41.9301, 2.2549')
  t.same(readCoordinates(writeCoordinates(VIC)), VIC)
  t.same(readCoordinates(mapOf(VIC)), VIC)
})
