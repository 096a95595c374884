/**
 * The names of Windows for time zones, by version 48 of the CLDR; made by `npm run zones`. A line holds a name, the zone of the
 * tz database that stands for it in all the world, and the others of which it is the name somewhere. Those in which many people live are first.
 */
export const WINDOWS_ZONES = `
China Standard Time|Asia/Shanghai Asia/Hong_Kong Asia/Macau
India Standard Time|Asia/Calcutta
Pakistan Standard Time|Asia/Karachi
W. Central Africa Standard Time|Africa/Lagos Africa/Luanda Africa/Porto-Novo Africa/Kinshasa Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Algiers Africa/Libreville Africa/Malabo Africa/Niamey Africa/Ndjamena Africa/Tunis Etc/GMT-1
Bangladesh Standard Time|Asia/Dhaka Asia/Thimphu
Tokyo Standard Time|Asia/Tokyo Asia/Jayapura Pacific/Palau Asia/Dili Etc/GMT-9
Egypt Standard Time|Africa/Cairo
Iran Standard Time|Asia/Tehran
Turkey Standard Time|Europe/Istanbul
W. Europe Standard Time|Europe/Berlin Europe/Andorra Europe/Vienna Europe/Zurich Europe/Busingen Europe/Gibraltar Europe/Rome Europe/Vaduz Europe/Luxembourg Europe/Monaco Europe/Malta Europe/Amsterdam Europe/Oslo Europe/Stockholm Arctic/Longyearbyen Europe/San_Marino Europe/Vatican
SE Asia Standard Time|Asia/Bangkok Antarctica/Davis Indian/Christmas Asia/Jakarta Asia/Pontianak Asia/Phnom_Penh Asia/Vientiane Asia/Saigon Etc/GMT-7
GMT Standard Time|Europe/London Atlantic/Canary Atlantic/Faeroe Europe/Guernsey Europe/Dublin Europe/Isle_of_Man Europe/Jersey Europe/Lisbon Atlantic/Madeira
Romance Standard Time|Europe/Paris Europe/Brussels Europe/Copenhagen Europe/Madrid Africa/Ceuta
South Africa Standard Time|Africa/Johannesburg Africa/Bujumbura Africa/Gaborone Africa/Lubumbashi Africa/Maseru Africa/Blantyre Africa/Maputo Africa/Kigali Africa/Mbabane Africa/Lusaka Africa/Harare Etc/GMT-2
E. Africa Standard Time|Africa/Nairobi Antarctica/Syowa Africa/Djibouti Africa/Asmera Africa/Addis_Ababa Indian/Comoro Indian/Antananarivo Africa/Mogadishu Africa/Dar_es_Salaam Africa/Kampala Indian/Mayotte Etc/GMT-3
Myanmar Standard Time|Asia/Rangoon Indian/Cocos
Bahia Standard Time|America/Bahia
Central Brazilian Standard Time|America/Cuiaba America/Campo_Grande
E. South America Standard Time|America/Sao_Paulo
Tocantins Standard Time|America/Araguaina
Korea Standard Time|Asia/Seoul
Sudan Standard Time|Africa/Khartoum
SA Pacific Standard Time|America/Bogota America/Rio_Branco America/Eirunepe America/Coral_Harbour America/Guayaquil America/Jamaica America/Cayman America/Panama America/Lima Etc/GMT+5
Argentina Standard Time|America/Buenos_Aires America/Argentina/La_Rioja America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia America/Catamarca America/Cordoba America/Jujuy America/Mendoza
Arabic Standard Time|Asia/Baghdad
Afghanistan Standard Time|Asia/Kabul
Central European Standard Time|Europe/Warsaw Europe/Sarajevo Europe/Zagreb Europe/Skopje
Alaskan Standard Time|America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat
Aleutian Standard Time|America/Adak
Central Standard Time|America/Chicago America/Winnipeg America/Rankin_Inlet America/Resolute America/Matamoros America/Ojinaga America/Indiana/Knox America/Indiana/Tell_City America/Menominee America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem
Eastern Standard Time|America/New_York America/Nassau America/Toronto America/Iqaluit America/Detroit America/Indiana/Petersburg America/Indiana/Vincennes America/Indiana/Winamac America/Kentucky/Monticello America/Louisville
Hawaiian Standard Time|Pacific/Honolulu Pacific/Rarotonga Pacific/Tahiti Etc/GMT+10
Mountain Standard Time|America/Denver America/Edmonton America/Cambridge_Bay America/Inuvik America/Ciudad_Juarez America/Boise
Pacific Standard Time|America/Los_Angeles America/Vancouver
US Eastern Standard Time|America/Indianapolis America/Indiana/Marengo America/Indiana/Vevay
US Mountain Standard Time|America/Phoenix America/Creston America/Dawson_Creek America/Fort_Nelson America/Hermosillo Etc/GMT+7
Morocco Standard Time|Africa/Casablanca Africa/El_Aaiun
Arab Standard Time|Asia/Riyadh Asia/Bahrain Asia/Kuwait Asia/Qatar Asia/Aden
West Asia Standard Time|Asia/Tashkent Antarctica/Mawson Asia/Oral Asia/Almaty Asia/Aqtau Asia/Aqtobe Asia/Atyrau Asia/Qostanay Indian/Maldives Indian/Kerguelen Asia/Dushanbe Asia/Ashgabat Asia/Samarkand Etc/GMT-5
FLE Standard Time|Europe/Kiev Europe/Mariehamn Europe/Sofia Europe/Tallinn Europe/Helsinki Europe/Vilnius Europe/Riga
Central Standard Time (Mexico)|America/Mexico_City America/Bahia_Banderas America/Merida America/Monterrey America/Chihuahua 
Eastern Standard Time (Mexico)|America/Cancun
Mountain Standard Time (Mexico)|America/Mazatlan
Pacific Standard Time (Mexico)|America/Tijuana
Venezuela Standard Time|America/Caracas
Nepal Standard Time|Asia/Katmandu
North Korea Standard Time|Asia/Pyongyang
Syria Standard Time|Asia/Damascus
Taipei Standard Time|Asia/Taipei
Sri Lanka Standard Time|Asia/Colombo
Qyzylorda Standard Time|Asia/Qyzylorda
Central America Standard Time|America/Guatemala America/Belize America/Costa_Rica Pacific/Galapagos America/Tegucigalpa America/Managua America/El_Salvador Etc/GMT+6
GTB Standard Time|Europe/Bucharest Asia/Nicosia Asia/Famagusta Europe/Athens
South Sudan Standard Time|Africa/Juba
SA Western Standard Time|America/La_Paz America/Antigua America/Anguilla America/Aruba America/Barbados America/St_Barthelemy America/Kralendijk America/Manaus America/Boa_Vista America/Porto_Velho America/Blanc-Sablon America/Curacao America/Dominica America/Santo_Domingo America/Grenada America/Guadeloupe America/Guyana America/St_Kitts America/St_Lucia America/Marigot America/Martinique America/Montserrat America/Puerto_Rico America/Lower_Princes America/Port_of_Spain America/St_Vincent America/Tortola America/St_Thomas Etc/GMT+4
Haiti Standard Time|America/Port-au-Prince
Jordan Standard Time|Asia/Amman
Cuba Standard Time|America/Havana
Azerbaijan Standard Time|Asia/Baku
Azores Standard Time|Atlantic/Azores America/Scoresbysund
Arabian Standard Time|Asia/Dubai Asia/Muscat Etc/GMT-4
Central Europe Standard Time|Europe/Budapest Europe/Tirane Europe/Prague Europe/Podgorica Europe/Belgrade Europe/Ljubljana Europe/Bratislava
Atlantic Standard Time|America/Halifax Atlantic/Bermuda America/Glace_Bay America/Goose_Bay America/Moncton America/Thule
Canada Central Standard Time|America/Regina America/Swift_Current
Newfoundland Standard Time|America/St_Johns
Yukon Standard Time|America/Whitehorse America/Dawson
Belarus Standard Time|Europe/Minsk
Israel Standard Time|Asia/Jerusalem
Paraguay Standard Time|America/Asuncion
Libya Standard Time|Africa/Tripoli
Altai Standard Time|Asia/Barnaul
Astrakhan Standard Time|Europe/Astrakhan Europe/Ulyanovsk
Ekaterinburg Standard Time|Asia/Yekaterinburg
Kaliningrad Standard Time|Europe/Kaliningrad
Magadan Standard Time|Asia/Magadan
N. Central Asia Standard Time|Asia/Novosibirsk
North Asia East Standard Time|Asia/Irkutsk
North Asia Standard Time|Asia/Krasnoyarsk Asia/Novokuznetsk
Omsk Standard Time|Asia/Omsk
Russia Time Zone 3|Europe/Samara
Russia Time Zone 10|Asia/Srednekolymsk
Russia Time Zone 11|Asia/Kamchatka Asia/Anadyr
Russian Standard Time|Europe/Moscow Europe/Kirov Europe/Simferopol
Sakhalin Standard Time|Asia/Sakhalin
Saratov Standard Time|Europe/Saratov
Tomsk Standard Time|Asia/Tomsk
Transbaikal Standard Time|Asia/Chita
Vladivostok Standard Time|Asia/Vladivostok Asia/Ust-Nera
Volgograd Standard Time|Europe/Volgograd
Yakutsk Standard Time|Asia/Yakutsk Asia/Khandyga
Easter Island Standard Time|Pacific/Easter
Magallanes Standard Time|America/Punta_Arenas America/Coyhaique
Pacific SA Standard Time|America/Santiago
Central Asia Standard Time|Asia/Bishkek Antarctica/Vostok Asia/Urumqi Indian/Chagos Etc/GMT-6
Singapore Standard Time|Asia/Singapore Asia/Brunei Asia/Makassar Asia/Kuala_Lumpur Asia/Kuching Asia/Manila Etc/GMT-8
West Bank Standard Time|Asia/Hebron Asia/Gaza
Middle East Standard Time|Asia/Beirut
Bougainville Standard Time|Pacific/Bougainville
West Pacific Standard Time|Pacific/Port_Moresby Antarctica/DumontDUrville Pacific/Truk Pacific/Guam Pacific/Saipan Etc/GMT-10
Georgian Standard Time|Asia/Tbilisi
E. Europe Standard Time|Europe/Chisinau
Montevideo Standard Time|America/Montevideo
AUS Central Standard Time|Australia/Darwin
Aus Central W. Standard Time|Australia/Eucla
AUS Eastern Standard Time|Australia/Sydney Australia/Melbourne
Cen. Australia Standard Time|Australia/Adelaide Australia/Broken_Hill
E. Australia Standard Time|Australia/Brisbane Australia/Lindeman
Lord Howe Standard Time|Australia/Lord_Howe
Tasmania Standard Time|Australia/Hobart Antarctica/Macquarie
W. Australia Standard Time|Australia/Perth
Caucasus Standard Time|Asia/Yerevan
Namibia Standard Time|Africa/Windhoek
Chatham Islands Standard Time|Pacific/Chatham
New Zealand Standard Time|Pacific/Auckland Antarctica/McMurdo
Ulaanbaatar Standard Time|Asia/Ulaanbaatar
W. Mongolia Standard Time|Asia/Hovd
Mauritius Standard Time|Indian/Mauritius Indian/Reunion Indian/Mahe
Fiji Standard Time|Pacific/Fiji
Central Pacific Standard Time|Pacific/Guadalcanal Antarctica/Casey Pacific/Ponape Pacific/Kosrae Pacific/Noumea Pacific/Efate Etc/GMT-11
Cape Verde Standard Time|Atlantic/Cape_Verde Etc/GMT+1
Greenwich Standard Time|Atlantic/Reykjavik Africa/Ouagadougou Africa/Abidjan Africa/Accra America/Danmarkshavn Africa/Banjul Africa/Conakry Africa/Bissau Africa/Monrovia Africa/Bamako Africa/Nouakchott Atlantic/St_Helena Africa/Freetown Africa/Dakar Africa/Lome
Marquesas Standard Time|Pacific/Marquesas
Sao Tome Standard Time|Africa/Sao_Tome
Samoa Standard Time|Pacific/Apia
SA Eastern Standard Time|America/Cayenne Antarctica/Rothera Antarctica/Palmer America/Fortaleza America/Belem America/Maceio America/Recife America/Santarem Atlantic/Stanley America/Paramaribo Etc/GMT+3
Line Islands Standard Time|Pacific/Kiritimati Etc/GMT-14
Tonga Standard Time|Pacific/Tongatapu
Turks And Caicos Standard Time|America/Grand_Turk
Greenland Standard Time|America/Godthab
Saint Pierre Standard Time|America/Miquelon
Norfolk Standard Time|Pacific/Norfolk
Dateline Standard Time|Etc/GMT+12
UTC|Etc/UTC Etc/GMT
UTC-02|Etc/GMT+2 America/Noronha Atlantic/South_Georgia
UTC-08|Etc/GMT+8 Pacific/Pitcairn
UTC-09|Etc/GMT+9 Pacific/Gambier
UTC-11|Etc/GMT+11 Pacific/Pago_Pago Pacific/Niue Pacific/Midway
UTC+12|Etc/GMT-12 Pacific/Tarawa Pacific/Majuro Pacific/Kwajalein Pacific/Nauru Pacific/Funafuti Pacific/Wake Pacific/Wallis
UTC+13|Etc/GMT-13 Pacific/Enderbury Pacific/Fakaofo
`
